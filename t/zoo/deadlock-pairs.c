/* deadlock-pairs.c - two pairs of tasks, each with its two locks in both orders.
 * expect: deadlock 2 */
#include "zoo.h"

static struct lock l[4];
static struct gate g = { .missing = 4 };
static void both(void *arg)
{
	int i = (int)(intptr_t)arg;

	lock_take(&l[i]);
	meet(&g);
	lock_take(&l[i ^ 1]);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 4; i++)
		go(both, (void *)(intptr_t)i, "pair");
	return zoo_end();
}
