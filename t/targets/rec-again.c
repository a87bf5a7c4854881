/* rec-again - a coroutine goes on until the recorder is gone; then the program, which has cleared its environment, asks for a box, and makes
 * and runs coroutines as before. Ends with what ct_start() said.
 */
#include <time.h>
#include <unistd.h>
#include "rec.h"

static void turn(struct ct_coro *c)
{
	struct ct_coro other = { 0 };

	ct_create(&other, 0, CT_HERE, &other, "other");
	ct_resume(c);
	ct_suspend(c, CT_HERE, ct_nothing());
	ct_resume(&other);
	ct_destroy(&other, 1);
}

int main(void)
{
	struct timespec ms = { 0, 1000000 };
	struct ct_coro c = { 0 };
	int started;

	alarm(100);	/* if nobody kills the recorder */
	ct_init();
	clearenv();
	ct_create(&c, 0, CT_HERE, &c, "first");
	while (ct_enabled()) {
		for (int i = 0; i < 100; i++)
			turn(&c);
		nanosleep(&ms, NULL);
	}
	started = ct_start();
	for (int i = 0; i < 1000; i++)
		turn(&c);
	return started;
}
