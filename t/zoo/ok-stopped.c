/* ok-stopped.c - stopped at work by a signal, and killed half a second later: it did not sleep, it was held.
 * expect: nothing proven */
#include "zoo.h"

#include <signal.h>

static struct chan c[4];
static void pump(void *arg)
{
	int i = (int)(intptr_t)arg;

	for (;;) {
		chan_recv(&c[i]);
		pause_ms(1);
		chan_send(&c[(i + 1) % 4]);
	}
}

int main(int argc, char **argv)
{
	pid_t us = getpid();
	int at_work[2];

	if (pipe(at_work))
		return 1;
	if (fork() == 0) {		/* before the probe is there: it is not recorded */
		if (read(at_work[0], &(char){ 0 }, 1) != 1)
			_exit(1);
		pause_ms(150);
		kill(us, SIGSTOP);
		pause_ms(400);
		kill(us, SIGKILL);
		_exit(0);
	}
	zoo_start(argc, argv);
	for (int i = 0; i < 8; i++)
		go(pump, (void *)(intptr_t)(i % 4), "pump");
	chan_send(&c[0]);
	chan_send(&c[2]);
	if (write(at_work[1], "", 1) != 1)
		return 1;
	pause_ms(60000);
	return 1;
}
