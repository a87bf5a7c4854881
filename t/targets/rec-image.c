/* rec-image - a program becomes another while its recorder stands still, twice, and each time at once; the last waits for ever:
 * rec-image [open|fails], with all descriptors left open to the next; with status 3. The first, too, closes what somebody waits for,
 * but is over then. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "rec.h"

static void leave_open(void)
{
	for (int fd = 3; fd < 1024; fd++)
		fcntl(fd, F_SETFD, 0);
}

static void become(const char *next, const char *how)
{
	if (!strcmp(how, "open"))
		leave_open();
	execl("/proc/self/exe", "rec-image", how, next, (char *)NULL);
	kill(getppid(), SIGCONT);
	exit(98);
}

int main(int argc, char *argv[])
{
	const char *how = argc > 1 ? argv[1] : "", *which = argc > 2 ? argv[2] : "first";
	struct timespec short_while = { 0, 300000000 }, long_enough = { 0, 500000000 };
	struct ct_coro c = { 0 };
	int ends[2];

	if (!ct_init() || pipe(ends))
		return 97;
	if (!strcmp(which, "second"))		/* of whom nobody hears a word */
		become("third", how);
	ct_thread(CT_WORKER, which);
	ct_open(ct_fd(ends[0]), "a pipe");
	ct_create(&c, 0, CT_HERE, &c, which);
	ct_resume(&c);
	ct_suspend(&c, CT_HERE, ct_fd(ends[0]));
	if (!strcmp(which, "first")) {
		nanosleep(&short_while, NULL);
		ct_close(ct_fd(ends[0]));
		kill(getppid(), SIGSTOP);
		become("second", how);
	}
	ct_close(ct_fd(ends[0]));
	ct_park(0);
	kill(getppid(), SIGCONT);
	nanosleep(&long_enough, NULL);
	return strcmp(how, "fails") ? 0 : 3;
}
