/* pub-ok-hedged.c - of two requests the loser is dropped, just woken.
 * expect: nothing proven */
#include "pub.h"

static struct wl answer[2];
static struct task *request[2];
static void ask(void *arg)
{
	int i = arg != NULL;

	enter();
	wait_for(&answer[i], ct_fd(20 + i));
	leave();
}
static void race(void *arg)
{
	(void)arg;
	enter();
	wake_first(&answer[0]);
	wake_first(&answer[1]);
	drop(request[1]);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	request[0] = go(ask, NULL, "first");
	request[1] = go(ask, "1", "second");
	settle();
	go(race, NULL, "race");
	return pub_end(SOME);
}
