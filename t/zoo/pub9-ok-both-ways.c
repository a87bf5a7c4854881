/* pub9-ok-both-ways.c - one waits to write to a socket, of which a poller tells at each turn that it can be read.
 * nothing: in order
 * Healthy: who reads it takes its time, and the peer has not read yet. */
#include "pub.h"

static int sv[2];
static struct wl in, out;
static volatile bool over;
static void reads(void *arg)
{
	char b[8];

	(void)arg;
	for (int i = 0;; i++) {
		enter();
		while (recv(sv[0], b, sizeof(b), MSG_DONTWAIT) <= 0) {
			ct_level(ct_fd(sv[0]), 0);
			wait_for(&in, ct_fd(sv[0]));
		}
		leave();
		sleep_ms(i < 3 ? 5 : 60000);
	}
}
static void writes(void *arg)
{
	char b[4096] = { 0 };

	(void)arg;
	for (;;) {
		enter();
		while (send(sv[0], b, sizeof(b), MSG_DONTWAIT) <= 0)
			wait_for(&out, ct_fd(sv[0]));
		leave();
	}
}
static void *polls(void *arg)
{
	char b[8];

	ct_thread(CT_OTHER, "poller");
	while (!over) {
		enter();
		if (recv(sv[0], b, sizeof(b), MSG_DONTWAIT | MSG_PEEK) > 0) {
			ct_level(ct_fd(sv[0]), 1);
			wake_first(&in);
		}
		leave();
		pause_ms(10);
	}
	return arg;
}
static void peer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 8; i++) {
		if (write(sv[1], "abcdefgh", 8) < 0)
			return;
		sleep_ms(15);
	}
	sleep_ms(60000);
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		return 1;
	pub_start(argc, argv);
	ct_open(ct_fd(sv[0]), "conn");
	go(reads, NULL, "reads");
	settle();
	go(writes, NULL, "writes");
	settle();
	pthread_create(&t, NULL, polls, NULL);
	go(peer, NULL, "peer");
	pause_ms(150);
	pub_end(SOME);
	over = true;
	pthread_join(t, NULL);
	return 0;
}
