/* deadlock-await.c - two tasks await one another's result.
 * expect: deadlock 1 */
#include "zoo.h"

static struct task *t[2];
static void awaiter(void *arg)
{
	int i = arg != NULL;

	enter();
	block(&t[i]->joiners, ct_await(t[i]->id), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	enter();
	t[0] = spawn(awaiter, t, "left");
	t[1] = spawn(awaiter, NULL, "right");
	wake(t[0]);
	wake(t[1]);
	leave();
	return zoo_end();
}
