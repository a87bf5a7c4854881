/* rec-memory - record, then look at what the recorder's memory does to this process: rec-memory COUNTFILE WAY (the table). */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "rec.h"

static void *live(void *arg)
{
	struct ct_coro c = { 0 };
	int i;

	ct_create(&c, 0, CT_HERE, &c, "memory");
	for (i = 0; i < 100; i++) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
	}
	ct_destroy(&c, 1);
	emitted((unsigned)(uintptr_t)arg, 203);
	return NULL;
}

static void in_threads(void)
{
	pthread_t t[4];
	uintptr_t i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, live, (void *)i))
			exit(98);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void die(void)
{
	in_threads();
	signal(SIGABRT, SIG_DFL);
	abort();
}

/* Print the KiB that are there, and those of the recorder's mappings that a core would have. */
static void print_sizes(void)
{
	char line[512];
	unsigned long kib = 0, resident = 0, dumped = 0;
	int ours = 0;
	FILE *f = fopen("/proc/self/smaps", "r");

	while (f && fgets(line, sizeof line, f)) {
		if (strchr("0123456789abcdef", line[0]))	/* the head of a mapping; the rest are capitals */
			ours = strstr(line, "memfd:corotrace") != NULL;
		if (sscanf(line, "Rss: %lu", &kib) == 1)
			resident += kib;
		if (ours && !strncmp(line, "VmFlags:", 8) && !strstr(line, " dd"))
			dumped++;
	}
	printf("resident %lu dumped %lu\n", resident, dumped);
}

static void lock_all(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		exit(77);
	in_threads();
	print_sizes();
}

static void look(void)
{
	in_threads();
	print_sizes();
}

int main(int argc, char *argv[])
{
	static const struct { const char *name; void (*run)(void); } ways[] = {
		{ "abort", die },
		{ "lock", lock_all },		/* exit status 77: it may not */
		{ "look", look },
	};
	size_t i;

	if (argc < 3)
		return 99;
	count_open(argv[1]);
	if (!ct_init())
		return 97;
	for (i = 0; i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(argv[2], ways[i].name)) {
			ways[i].run();
			return 0;
		}
	return 99;
}
