/* deadlock-two.c - two locks, taken in both orders.
 * expect: deadlock 1 */
#include "zoo.h"

static struct lock l[2];
static struct gate g = { .missing = 2 };
static void both(void *arg)
{
	int first = arg != NULL;

	lock_take(&l[first]);
	meet(&g);
	lock_take(&l[!first]);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(both, NULL, "left");
	go(both, l, "right");
	return zoo_end();
}
