/* ok-short.c - thousands of short tasks, joined.
 * expect: nothing proven */
#include "zoo.h"

static void leaf(void *arg) { (void)arg; }
static void parent(void *arg)
{
	for (int i = 0; i < 300; i++)
		join(go(leaf, arg, "leaf"));
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 10; i++)
		go(parent, NULL, "parent");
	return zoo_end();
}
