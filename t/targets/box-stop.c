/* box-stop - a program that stops recording and starts it again: box-stop scene|busy [TURNS]
 *
 * scene: three coroutines wait on fd 1 to 3; recording stops; the first moves on to fd 11, the second ends, a fourth is made and
 * waits on fd 4; it starts, and a fifth runs. Then it waits for a file `go`, and closes fd 3 and fd 11 without a wake. busy: four
 * threads make, move and end coroutines while another stops and starts, TURNS times from when there is a file `go` on. Either
 * prints "emitted N": events, as a recorder counts them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "ct.h"

static int over;
static unsigned long emitted;

static void nap(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

static void begin(struct ct_coro *co, const char *name, int fd)
{
	ct_create(co, 0, CT_HERE, co, name);
	ct_resume(co);
	ct_suspend(co, CT_HERE, ct_fd(fd));
	emitted += 4;
}

static void ready(const char *file)
{
	FILE *f = fopen("pid.part", "w");

	if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) || rename("pid.part", file))
		exit(97);
}

static void scene(void)
{
	static struct ct_coro a, b, c, d, e;
	int tries;

	ct_thread(CT_WORKER, "worker");
	begin(&a, "moves", 1);
	begin(&b, "ends", 2);
	begin(&c, "stays", 3);
	ct_stop();
	ct_stop();
	ct_resume(&a);
	ct_suspend(&a, CT_HERE, ct_fd(11));
	ct_resume(&b);
	ct_destroy(&b, 1);
	begin(&d, "born unseen", 4);
	emitted += 4;
	if (!ct_start() || !ct_start())
		exit(96);
	begin(&e, "after", 5);
	ready("pid");
	for (tries = 0; tries < 3000 && access("go", F_OK) != 0; tries++)
		nap(10000);
	ct_close(ct_fd(3));
	ct_close(ct_fd(11));
	ct_park(0);
	emitted += 3;
	ready("done");
	for (tries = 0; tries < 3000 && access("stop", F_OK) != 0; tries++)
		nap(10000);
}

static void *busy(void *arg)
{
	struct ct_coro co[8];
	unsigned long n = 0, turn;
	int i;

	(void)arg;
	memset(co, 0, sizeof co);
	ct_thread(CT_WORKER, "busy");
	for (turn = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED); turn++) {
		for (i = 0; i < 8; i++)
			ct_create(&co[i], 0, CT_HERE, &co[i], i % 2 ? "odd" : NULL);
		for (i = 0; i < 64; i++) {
			ct_resume(&co[i % 8]);
			ct_wake(co[(i + 1) % 8].id, ct_fd(i));
			ct_suspend(&co[i % 8], CT_HERE, ct_fd(i));
		}
		for (i = 0; i < 8; i++)
			ct_destroy(&co[i], i % 2);
		n += 8 + 4 + 3 * 64 + 8;
		if (turn % 16 == 0)
			nap(500);
	}
	__atomic_fetch_add(&emitted, n, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[4];
	int i, turns = argc > 2 ? atoi(argv[2]) : 100;

	ct_init();
	if (argc > 1 && !strcmp(argv[1], "scene"))
		scene();
	else
		ready("pid");
	for (i = 0; i < 4 && argc > 1 && !strcmp(argv[1], "busy"); i++)
		if (pthread_create(&t[i], NULL, busy, NULL))
			return 98;
	for (unsigned n = 0; i && turns; n++) {
		ct_stop();
		nap(n % 7 * 200);
		ct_start();
		nap(n % 5 * 300);
		turns -= access("go", F_OK) == 0;
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	while (i--)
		pthread_join(t[i], NULL);
	printf("emitted %lu\n", emitted);
	return 0;
}
