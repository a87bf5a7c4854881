/* pub3-edge-not-drained.c - a reader of an edge-triggered socket reads once a wake: the rest stays there, and no edge comes.
 * expect: nothing proven; hint: ready-resource 1
 * After epoll(7), questions and answers, 9. Mended, it reads until the socket is empty. */
#include <fcntl.h>

#include "pub.h"

static int sv[2];
static struct wl readers;
static void *poller(void *arg)		/* an edge comes once for all that was written */
{
	(void)arg;
	enter();
	ct_level(ct_fd(sv[0]), 1);
	wake_first(&readers);
	leave();
	return NULL;
}
static void conn(void *arg)
{
	bool again = true;
	char byte;

	(void)arg;
	enter();
	for (;;) {
		bool got = again && read(sv[0], &byte, 1) == 1;

		if (!got && again)
			ct_level(ct_fd(sv[0]), 0);
		again = mended || !got;
		if (!got || !mended)
			wait_for(&readers, ct_fd(sv[0]));
		again = true;
	}
}

int main(int argc, char **argv)
{
	pthread_t t;

	pub_start(argc, argv);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sv);
	fcntl(sv[0], F_SETFL, O_NONBLOCK);
	ct_open(ct_fd(sv[0]), "socket");
	go(conn, NULL, "conn");
	settle();
	if (write(sv[1], "all of it", 9) != 9)
		return 1;
	pthread_create(&t, NULL, poller, NULL);
	pthread_join(t, NULL);
	return pub_end(SOME);
}
