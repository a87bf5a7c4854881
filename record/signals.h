/* signals.h - which signals are not ours to handle. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Ignored, as nohup(1) wants it: by us and the target. But a shell ignores the keyboard's for what
 * runs in the background. */
static inline bool signal_spared(int sig)
{
	struct sigaction sa;

	return sig != SIGINT && sig != SIGQUIT && sigaction(sig, NULL, &sa) == 0 &&
		sa.sa_handler == SIG_IGN;
}

#endif
