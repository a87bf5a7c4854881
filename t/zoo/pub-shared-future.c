/* pub-shared-future.c - who polls a shared future is dropped, and none takes over.
 * expect: dead-awaitee 1
 * After rust-lang/futures-rs#330. Mended, the next one does. */
#include "pub.h"

static struct task *driver;
static void drive(void *arg)
{
	(void)arg;
	sleep_ms(100000);
}
static void other(void *arg)
{
	(void)arg;
	enter();
	add_leg(self(), &driver->joiners, ct_await(driver->id));
	block(ct_await(driver->id), 0, CT_HERE);
	leave();
}
static void dropper(void *arg)
{
	(void)arg;
	enter();
	if (!mended)
		driver->joiners.first = NULL;
	drop(driver);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	driver = go(drive, NULL, "driver");
	settle();
	go(other, NULL, "other");
	settle();
	go(dropper, NULL, "dropper");
	return pub_end(SOME);
}
