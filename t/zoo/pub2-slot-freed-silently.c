/* pub2-slot-freed-silently.c - those that fail give their slots back and wake nobody.
 * expect: ready-resource 2
 * After true-async/php-async#141. Mended, giving a slot back wakes one who waits. */
#include "pub.h"

static struct sem slots = { .n = 2 };
static void connect_(void *arg)
{
	(void)arg;
	sem_get(&slots);
	sleep_ms(20);
	if (mended) {
		sem_put(&slots);
		return;
	}
	enter();
	ct_level(ct_sem(&slots), ++slots.n);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&slots), 2);
	leave();
	for (int i = 0; i < 4; i++)
		go(connect_, NULL, "connect");
	pause_ms(60);
	return pub_end(SOME);
}
