/* pub-ok-signals.c - a task waits for SIGTERM for ever, a collector for memory to be short.
 * expect: nothing proven */
#include "pub.h"

static struct wl term;
static struct cond low;
static void on_term(void *arg)
{
	(void)arg;
	enter();
	wait_for(&term, ct_user("SIGTERM"));
	leave();
}
static void collector(void *arg)
{
	(void)arg;
	enter();
	wait_for(&low.wl, ct_cond(&low));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(on_term, NULL, "signals");
	go(collector, NULL, "collector");
	return pub_end(SOME);
}
