/* at-load.c - a library whose constructor calls ct_init while a thread of the program is in it: -shared -DLIBRARY; and the
 * program that loads it, whose probe both use: with ct.c and -rdynamic. */
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include "ct.h"

void begin(void);

#ifdef LIBRARY
__attribute__((constructor)) static void loaded(void)
{
	struct timespec nap = { 0, 100000000 };

	begin();
	nanosleep(&nap, NULL);
	ct_init();
}
#else
static pthread_barrier_t loading;

void begin(void)
{
	pthread_barrier_wait(&loading);
}

static void *inits(void *arg)
{
	begin();
	return ct_init() ? arg : NULL;
}

int main(int argc, char *argv[])
{
	void *recorded = NULL;
	pthread_t t;

	pthread_barrier_init(&loading, NULL, 2);
	if (argc < 2 || pthread_create(&t, NULL, inits, argv) || !dlopen(argv[1], RTLD_NOW))
		return 99;
	pthread_join(t, &recorded);
	return recorded ? 0 : 97;
}
#endif
