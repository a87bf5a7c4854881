/* at-once.c - so many threads take their rings at once, and each fills a part of its own with one coroutine that runs and waits. */
#include <pthread.h>
#include <stdlib.h>
#include "ct.h"

static pthread_barrier_t all;

static void *body(void *arg)
{
	struct ct_coro c = { 0 };
	int i;

	pthread_barrier_wait(&all);
	/* a record more, so that the last one of a page is a resume */
	ct_create(&c, 0, CT_HERE, &c, "name");
	for (i = 0; i < 300; i++) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
	}
	pthread_barrier_wait(&all);	/* nobody takes a ring that another had */
	return arg;
}

int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t *t = calloc((size_t)n, sizeof *t);

	if (!t || !ct_init() || pthread_barrier_init(&all, NULL, (unsigned)n))
		return 99;
	for (i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, body, NULL))
			return 98;
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return 0;
}
