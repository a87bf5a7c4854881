/* deadlock-upgrade.c - two who read want to write, each when the other has stopped to read; a third would just write.
 * expect: deadlock 1 */
#include "zoo.h"

static int rw;				/* how many read */
static struct waiters writers;
static struct gate g = { .missing = 2 };
static void upgrade(void *arg)
{
	(void)arg;
	enter();
	rw++;
	ct_acquire(ct_mutex(&rw));
	leave();
	meet(&g);
	enter();
	while (rw > 1)
		block(&writers, ct_mutex(&rw), CT_HERE);
	leave();
}
static void writer(void *arg)
{
	(void)arg;
	enter();
	while (rw)
		block(&writers, ct_mutex(&rw), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(upgrade, NULL, "upgrades");
	go(upgrade, NULL, "upgrades");
	settle();
	go(writer, NULL, "writer");
	return zoo_end();
}
