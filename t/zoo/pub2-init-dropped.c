/* pub2-init-dropped.c - who initialises a cell is dropped meanwhile; the others wait for its turn to end.
 * expect: dead-owner 1
 * After neondatabase/neon#7135. Mended, its drop passes the turn on. */
#include "pub.h"

static struct lock turn;
static struct task *first;
static void get_or_init(void *arg)
{
	lock_get(&turn);
	sleep_ms(arg ? 100000 : 1);
	lock_put(&turn);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	first = go(get_or_init, "slowly", "first");
	settle();
	for (int i = 0; i < 3; i++)
		go(get_or_init, NULL, "next");
	settle();
	enter();
	drop(first);
	if (mended) {
		turn.held = false;
		ct_release(ct_mutex(&turn));
		wake_first(&turn.wl);
	}
	leave();
	pause_ms(30);
	return pub_end(SOME);
}
