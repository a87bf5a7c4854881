/* progress.c - how far long work has come, on stderr where that is a terminal. Contracts in
 * input.h. */
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "read/input.h"

enum { FIRST_NS = 2000000000, EVERY_NS = 250000000 };

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void progress_start(struct progress *p, bool wanted)
{
	p->wanted = wanted && isatty(STDERR_FILENO);
	p->start = p->wanted ? now_ns() : 0;
	p->next = p->start + FIRST_NS;
}

/* 1.23GB, 45.6M lines, 789 lines: three digits */
static void print_amount(double n, const char *unit)
{
	const char *prefix = "";

	for (const char *const *p = (const char *const[]){ "k", "M", "G", "T", NULL };
		n >= 1000 && *p; p++) {
		n /= 1000;
		prefix = *p;
	}
	fprintf(stderr, "%.*f%s%s",
		n < 10 && *prefix          ? 2 :
			n < 100 && *prefix ? 1 :
					     0,
		n, prefix, unit);
}

void progress_tell(struct progress *p, const struct input *in, uint64_t lines)
{
	uint64_t now = p->wanted && in->bytes != p->bytes ? now_ns() : 0;

	p->bytes = in->bytes;
	if (now < p->next || !now)
		return;
	p->next = now + EVERY_NS;
	p->shown = true;
	fprintf(stderr, "\r%s: ", in->program);
	print_amount((double)in->bytes, "B");
	if (in->total > in->bytes)
		fprintf(stderr, " of all (%.0f %%)", 100.0 * (double)in->bytes / (double)in->total);
	fputs(", ", stderr);
	print_amount((double)lines, " lines");
	fputs(", ", stderr);
	print_amount((double)lines * 1e9 / (double)(now - p->start), " lines/s");
	fputs("\033[K\r", stderr);
	fflush(stderr);
}

void progress_erase(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
