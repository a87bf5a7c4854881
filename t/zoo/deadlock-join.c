/* deadlock-join.c - a parent joins its child under the lock that the child wants.
 * expect: deadlock 1 */
#include "zoo.h"

static struct lock l;
static void child(void *arg)
{
	(void)arg;
	lock_take(&l);
	lock_give(&l);
}
static void parent(void *arg)
{
	lock_take(&l);
	join(go(child, arg, "child"));
	lock_give(&l);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(parent, NULL, "parent");
	return zoo_end();
}
