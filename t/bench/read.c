/* read.c - how fast trace_next is: count the lines of a trace on stdin, and say how many were suspends. */
#include <stdio.h>

#include "cttrace.h"

int main(void)
{
	struct trace *in = trace_open(NULL, "read");
	unsigned long long lines = 0, suspends = 0;
	struct event ev;

	while (trace_next(in, &ev)) {
		lines++;
		suspends += ev.kind == EV_SUSPEND;
	}
	printf("%llu lines, %llu suspends, %llu slow\n", lines, suspends, (unsigned long long)trace_stats(in)->slow);
	return trace_finish(in, 0);
}
