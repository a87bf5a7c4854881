/* pub2-join-parent.c - a parent waits for its children before it ends, and a child awaits the parent.
 * expect: deadlock 1
 * After Kotlin/kotlinx.coroutines#308. Mended, the child does not. */
#include "pub.h"

static struct task *parent;
static void child(void *arg)
{
	(void)arg;
	sleep_ms(10);
	if (!mended)
		join(parent);
}
static void parent_main(void *arg)
{
	(void)arg;
	join(go(child, NULL, "child"));
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	parent = go(parent_main, NULL, "parent");
	pause_ms(50);
	return pub_end(SOME);
}
