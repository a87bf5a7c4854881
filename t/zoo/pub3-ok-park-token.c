/* pub3-ok-park-token.c - an unpark of a task that runs leaves a token, and its next park goes on at once.
 * expect: nothing proven */
#include "pub.h"

static struct { int n; bool token, parked; struct task *actor; struct wl wl; } a;
static void unpark(void)
{
	enter();
	a.n++;
	if (a.parked) {
		wake_first(&a.wl);
	} else {
		ct_wake(a.actor->id, ct_chan(&a));
		a.token = true;
	}
	leave();
}
static void actor(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		a.n = 0;
		leave();
		pause_ms(20);
		enter();
		if (!a.token) {
			a.parked = true;
			wait_for(&a.wl, ct_chan(&a));
			a.parked = false;
		}
		a.token = false;
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	a.actor = go(actor, NULL, "actor");
	settle();
	unpark();
	pause_ms(5);
	unpark();
	return pub_end(SOME);
}
