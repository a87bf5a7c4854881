/* pub2-ok-late-wakes.c - wakers outlive their tasks, and are called once more when these have ended.
 * expect: nothing proven */
#include "pub.h"

static struct wl wl;
static uint64_t ids[8];
static void task(void *arg)
{
	(void)arg;
	enter();
	wait_for(&wl, ct_cond(&wl));
	leave();
}
static void rest_(void *arg)
{
	(void)arg;
	enter();
	wait_for(&wl, ct_cond(&wl));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 8; i++)
		ids[i] = go(task, NULL, "task")->id;
	settle();
	enter();
	ct_notify(ct_cond(&wl), 8);
	wake_all(&wl);
	leave();
	settle();
	for (int i = 0; i < 8; i++)
		ct_wake(ids[i], ct_cond(&wl));
	go(rest_, NULL, "rests");
	return pub_end(SOME);
}
