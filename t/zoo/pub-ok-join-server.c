/* pub-ok-join-server.c - the main task joins a server that runs for ever.
 * expect: nothing proven */
#include "pub.h"

static struct wl conns;
static void server(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		wait_for(&conns, ct_fd(13));
		leave();
	}
}
static void main_task(void *arg)
{
	join((struct task *)arg);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(main_task, go(server, NULL, "server"), "main");
	return pub_end(SOME);
}
