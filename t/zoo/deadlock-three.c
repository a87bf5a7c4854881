/* deadlock-three.c - three locks taken in a ring.
 * expect: deadlock 1 */
#include "zoo.h"

static struct lock l[3];
static struct gate g = { .missing = 3 };
static void two(void *arg)
{
	int i = (int)(intptr_t)arg;

	lock_take(&l[i]);
	meet(&g);
	lock_take(&l[(i + 1) % 3]);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 3; i++)
		go(two, (void *)(intptr_t)i, "philosopher");
	return zoo_end();
}
