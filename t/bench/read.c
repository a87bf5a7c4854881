/* read.c - how fast ctt_trace_next is: count the lines of a trace on stdin, and say how many were suspends. */
#include <stdio.h>

#include "cttrace.h"

int main(void)
{
	struct ctt_trace *in = ctt_trace_open(NULL, "read");
	unsigned long long lines = 0, suspends = 0;
	struct ctt_event ev;

	while (ctt_trace_next(in, &ev)) {
		lines++;
		suspends += ev.kind == CTT_EV_SUSPEND;
	}
	printf("%llu lines, %llu suspends, %llu slow\n", lines, suspends, (unsigned long long)ctt_trace_stats(in)->slow);
	return ctt_trace_finish(in, 0);
}
