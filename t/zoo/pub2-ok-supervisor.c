/* pub2-ok-supervisor.c - parents wait for children, which wait for the network and for time.
 * expect: nothing proven */
#include "pub.h"

static int fds[2];
static void leaf(void *arg)
{
	if (arg)
		sleep_ms(100000);
	enter();
	block(ct_fd(fds[0]), 0, CT_HERE);
	leave();
}
static void middle(void *arg)
{
	join(go(leaf, arg, "leaf"));
}
static void root(void *arg)
{
	struct task *a = go(middle, NULL, "a"), *b = go(middle, "b", "b");

	(void)arg;
	join(a);
	join(b);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 1;
	ct_open(ct_fd(fds[0]), "socket");
	go(root, NULL, "root");
	pause_ms(30);
	return pub_end(SOME);
}
