/* pub-ok-drop-all.c - a runtime that ends drops its tasks where they wait, locks held and all.
 * expect: nothing proven */
#include "pub.h"

static struct lock l;
static struct task *all[3];
static void holder(void *arg)
{
	(void)arg;
	lock_get(&l);
	sleep_ms(100000);
}
static void user(void *arg)
{
	(void)arg;
	lock_get(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	all[0] = go(holder, NULL, "holder");
	settle();
	all[1] = go(user, NULL, "user");
	all[2] = go(user, NULL, "user");
	pub_end(SOME);
	enter();
	for (int i = 0; i < 3; i++)
		drop(all[i]);
	leave();
	return 0;
}
