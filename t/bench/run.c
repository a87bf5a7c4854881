/* run.c - run a command and append what it took to a file: run FILE COMMAND...
 * A line "WALL_NS CPU_NS PEAK_KB": of the command and the children that it waited for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static long long ns(struct timeval t) { return t.tv_sec * 1000000000ll + t.tv_usec * 1000ll; }

int main(int argc, char *argv[])
{
	FILE *f = argc > 2 ? fopen(argv[1], "ae") : NULL;
	long long start = now();
	struct rusage use;
	int status;
	pid_t pid;

	if (!f)
		return fprintf(stderr, "usage: run FILE COMMAND...\n"), 2;
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "run: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0)
		return 2;
	fprintf(f, "%lld %lld %ld\n", now() - start, ns(use.ru_utime) + ns(use.ru_stime), use.ru_maxrss);
	return fclose(f) || !WIFEXITED(status) ? 2 : WEXITSTATUS(status);
}
