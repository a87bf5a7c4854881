/* pub-early-return.c - a return in the middle leaves the lock taken.
 * expect: dead-owner 1
 * After moby/moby#17176. Mended, it is given back on each way out. */
#include "pub.h"

static struct lock devices;
static void delete_one(void *arg)
{
	lock_get(&devices);
	if (arg && !mended)
		return;
	lock_put(&devices);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(delete_one, NULL, "works");
	settle();
	go(delete_one, "deleted already", "returns");
	settle();
	go(delete_one, NULL, "b");
	go(delete_one, NULL, "c");
	return pub_end(SOME);
}
