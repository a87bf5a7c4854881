/* pub-double-lock.c - a lessor locks itself again in what it calls.
 * expect: deadlock 1
 * After etcd-io/etcd#10492. Mended, the inner call does not lock. */
#include "pub.h"

static struct lock le;
static void checkpoint(void)
{
	if (!mended)
		lock_get(&le);
	if (!mended)
		lock_put(&le);
}
static void renew(void *arg)
{
	(void)arg;
	lock_get(&le);
	checkpoint();
	lock_put(&le);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(renew, NULL, "renew");
	settle();
	go(renew, NULL, "next");
	return pub_end(SOME);
}
