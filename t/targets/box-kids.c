/* box-kids - a worker whose children come and go: box-kids CHILDREN. Each, a worker too, wakes a coroutine and ends before it runs
 * that. As many again come when there is a file `more` in the directory. Writes its pid into `pid` when the first are gone; ends
 * when there is a file `stop`, by SIGABRT where there is one `abort`, too; it has then written its box into the file `dump`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ct.h"

static struct ct_coro server;

static void nap(long ms)
{
	struct timespec ts = { 0, ms * 1000000 };

	nanosleep(&ts, NULL);
}

static void child(void)
{
	struct ct_coro request = { 0 };

	ct_thread(CT_WORKER, "child");
	ct_create(&request, 0, CT_HERE, &request, "request");
	ct_resume(&request);
	ct_suspend(&request, CT_HERE, ct_sem(&request));
	ct_wake(request.id, ct_sem(&request));
	ct_park(0);
	nap(5);
	_exit(0);
}

static void children(int n)
{
	while (n--) {
		if (!fork())
			child();
		wait(NULL);
	}
}

static void write_pid(void)
{
	FILE *f = fopen("pid.part", "w");

	if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) || rename("pid.part", "pid"))
		exit(97);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, turns;

	ct_init();
	ct_thread(CT_WORKER, "server");
	ct_create(&server, 0, CT_HERE, &server, "server");
	children(n);
	write_pid();
	for (turns = 0; turns < 3000 && access("stop", F_OK); turns++) {
		ct_resume(&server);
		ct_suspend(&server, CT_HERE, ct_fd(5));
		ct_park(0);
		nap(20);
		if (!unlink("more"))
			children(n);
		ct_unpark(0);
		ct_wake(server.id, ct_fd(5));
	}
	ct_dump("dump");
	if (!access("abort", F_OK))
		abort();
	return 0;
}
