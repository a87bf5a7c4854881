/* deadlock-readers.c - two hold a read lock whose writer holds what both want: two cycles that share the writer.
 * expect: deadlock 1 */
#include "zoo.h"

static struct lock rw, l[2];
static int reading = 2;
static struct gate g = { .missing = 3 };
static void reader(void *arg)
{
	enter();
	ct_acquire(ct_mutex(&rw));
	leave();
	meet(&g);
	lock_take(&l[arg != NULL]);
	lock_give(&l[arg != NULL]);
	enter();
	ct_release(ct_mutex(&rw));
	if (!--reading)
		wake_one(&rw.waiting);
	leave();
}
static void writer(void *arg)
{
	(void)arg;
	lock_take(&l[0]);
	lock_take(&l[1]);
	meet(&g);
	enter();
	while (reading)
		block(&rw.waiting, ct_mutex(&rw), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(reader, NULL, "reader");
	go(reader, l, "reader");
	go(writer, NULL, "writer");
	return zoo_end();
}
