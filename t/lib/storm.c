/* storm.c - to be preloaded: the program has a handler of SIGALRM, which comes ten thousand times a second for its first
 * half second, as a profiler's signal would. */
#include <signal.h>
#include <sys/time.h>

static int left = 5000;

static void on_alarm(int sig)
{
	static const struct itimerval off;

	(void)sig;
	if (!--left)
		setitimer(ITIMER_REAL, &off, 0);
}

__attribute__((constructor)) static void begin(void)
{
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 100 }, { 0, 100 } };

	sigaction(SIGALRM, &sa, 0);
	setitimer(ITIMER_REAL, &often, 0);
}
