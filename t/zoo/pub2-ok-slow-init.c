/* pub2-ok-slow-init.c - many wait for the one that initialises, which waits for the network.
 * expect: nothing proven */
#include "pub.h"

static struct lock turn;
static int fds[2];
static void get_or_init(void *arg)
{
	(void)arg;
	lock_get(&turn);
	enter();
	block(ct_fd(fds[0]), 0, CT_HERE);
	leave();
	lock_put(&turn);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 1;
	ct_open(ct_fd(fds[0]), "socket");
	for (int i = 0; i < 10; i++)
		go(get_or_init, NULL, "caller");
	return pub_end(SOME);
}
