/* deadlock-mixed.c - a lock, an await and a join in one ring; two more queue up behind the lock.
 * expect: deadlock 1 */
#include "zoo.h"

static struct lock l;
static struct task *third;
static void wants_lock(void *arg)
{
	(void)arg;
	lock_take(&l);
	lock_give(&l);
}
static void joiner(void *arg) { join(go(wants_lock, arg, "wants the lock")); }
static void holder(void *arg)
{
	lock_take(&l);
	third = go(joiner, arg, "joiner");
	enter();
	block(&third->joiners, ct_await(third->id), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(holder, NULL, "holder");
	settle();
	go(wants_lock, NULL, "bystander");
	go(wants_lock, NULL, "bystander");
	return zoo_end();
}
