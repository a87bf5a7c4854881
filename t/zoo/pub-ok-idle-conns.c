/* pub-ok-idle-conns.c - a server: some connections come, talk and go, others stay idle.
 * expect: nothing proven */
#include "pub.h"

static struct wl conns[24];
static struct task *client[24];
static void serve(void *arg)
{
	int i = (int)(long)arg;

	for (int k = 0; k < 2; k++) {
		enter();
		wait_for(&conns[i], ct_fd(100 + i));
		leave();
	}
	ct_close(ct_fd(100 + i));
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (long i = 0; i < 24; i++) {
		ct_open(ct_fd(100 + (int)i), "conn");
		client[i] = go(serve, (void *)i, "conn");
	}
	settle();
	for (int k = 0; k < 2; k++)
		for (int i = 4; i < 24; i++) {
			enter();
			wake_first(&conns[i]);
			leave();
			settle();
		}
	return pub_end(SOME);
}
