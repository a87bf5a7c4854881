/* pub-ok-put-off.c - a keepalive is put off with each packet, another is switched off.
 * expect: nothing proven */
#include "pub.h"

static struct task *keepalive, *off;
static void wait_long(void *arg)
{
	(void)arg;
	sleep_ms(30);
}
static void packets(void *arg)
{
	uint64_t until;

	(void)arg;
	for (int i = 0; i < 5; i++) {
		until = now() + (i == 4 ? 100000 : 60) * 1000000ull;
		enter();
		ct_deadline(keepalive->id, keepalive->deadline = until);
		if (i == 0)
			ct_deadline(off->id, off->deadline = CT_NEVER);
		leave();
		sleep_ms(10);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	keepalive = go(wait_long, NULL, "keepalive");
	off = go(wait_long, NULL, "off");
	settle();
	go(packets, NULL, "packets");
	settle();
	return pub_end(SOME);
}
