/* writers.h - for tests that play the writers of a region: what the recorder prints of it comes back as text. The clock is
 * CLOCK_MONOTONIC itself, so that times in the trace are those that were written. Each case is a process of its own.
 */
#ifndef WRITERS_H
#define WRITERS_H
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../record/extra/clock.h"
#include "../../record/line.h"
#include "../../record/print.h"
#include "../../record/region.h"
#include "leave.h"
#include "tap.h"

static __attribute__((unused)) struct region r;
static uint64_t start;		/* older than all hold-backs; times are counted from here */
static void begin(int out);	/* the test's: make r, print to out, set start */

/* What is printed comes back as text in which times are those since `start`. */
static char *printed(void (*run)(void))
{
	static char text[1 << 18], raw[1 << 18];
	int fd = memfd_create("out", MFD_CLOEXEC), tell[2], status;
	uint64_t from;
	size_t n = 0;
	pid_t pid;

	if (pipe(tell))
		exit(99);
	if (!(pid = fork())) {
		begin(fd);
		if (write(tell[1], &start, sizeof start) != sizeof start)
			_exit(99);
		run();
		leave(print_close() ? 0 : 98);
	}
	waitpid(pid, &status, 0);
	if (read(tell[0], &from, sizeof from) != sizeof from || status)
		return strcpy(text, "it did not end");
	raw[pread(fd, raw, sizeof raw - 1, 0)] = '\0';
	for (char *p = raw; *p;) {
		char *end;
		uint64_t v = *p >= '1' && *p <= '9' ? strtoull(p, &end, 10) : 0;

		if (v >= from && v < from + 10000000000ull) {
			n += (size_t)sprintf(text + n, "+%llu", (unsigned long long)(v - from));
			p = end;
		} else if (v) {
			while (p < end)
				text[n++] = *p++;
		} else {
			text[n++] = *p++;
		}
	}
	text[n] = '\0';
	close(fd);
	close(tell[0]);
	close(tell[1]);
	return text;
}

static __attribute__((unused)) void prints(void (*run)(void), const char *expected, const char *what)
{
	char *got = printed(run);

	if (!ok(!strcmp(got, expected), "%s", what)) {
		for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n"))
			printf("#  got: %s\n", line);
		printf("# want: %s\n", expected);
	}
}

static void number(const char *what, uint64_t n)
{
	print_lost(what, n, 0, 0, 0);	/* a line that says so; its time is 0 */
}
#define SAYS(what, n) "{\"ev\":\"lost\",\"ts\":0,\"" what "\":" n ",\"count\":0,\"from\":0,\"to\":0}\n"
#endif
