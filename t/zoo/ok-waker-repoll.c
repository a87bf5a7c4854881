/* ok-waker-repoll.c - wakers called before the suspend, each followed by another poll; the last poll leaves a waker behind.
 * expect: nothing proven */
#include "zoo.h"

static void *call(void *arg)
{
	ct_wake(((struct task *)arg)->id, ct_nothing());
	ct_waker_drop(((struct task *)arg)->id);
	return NULL;
}
static void future(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5; i++) {
		ct_waker_clone(self()->id);
		elsewhere(call, self());
		enter();
		ct_suspend(&self()->ct, CT_HERE, ct_user("io"));
		push(self());
		switch_out();
		leave();
	}
	ct_waker_clone(self()->id);
	enter();
	block(NULL, ct_user("io"), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(future, NULL, "future");
	return zoo_end();
}
