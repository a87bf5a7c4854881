/* pub6-slow-to-barrier.c - the first who comes to a barrier is slow to wait, and waits for what the others have opened.
 * expect: ready-resource 1
 * After cloudius-systems/osv#857. Mended, it looks once more. */
#include "pub.h"

static struct { bool open; int in; struct wl wl; } gate;
static void member(void *slow)
{
	enter();
	if (!gate.in++)
		ct_level(ct_cond(&gate), 0);
	if (gate.in == 3) {
		gate.open = true;
		ct_level(ct_cond(&gate), 1);
		wake_all(&gate.wl);
	} else {
		if (slow)
			block(ct_nothing(), 0, CT_HERE);	/* between its look and its wait */
		if (!(slow && mended && gate.open))
			wait_for(&gate.wl, ct_cond(&gate));
	}
	leave();
}

int main(int argc, char **argv)
{
	struct task *slow;

	pub_start(argc, argv);
	slow = go(member, &gate, "slow");
	settle();
	go(member, NULL, "quick");
	settle();
	go(member, NULL, "quick");
	settle();
	enter();
	resume_with(slow, WOKEN, 0, ct_nothing());
	leave();
	return pub_end(SOME);
}
