/* pub2-ok-ping-pong.c - two actors have talked to each other, and rest, each at its own mailbox.
 * expect: nothing proven */
#include "pub.h"

static struct chan box[2] = { { .room = 4 }, { .room = 4 } };
static void actor(void *arg)
{
	int mine = arg != NULL;

	if (!mine)
		chan_put(&box[1]);
	for (int i = 0; i < 6; i++) {
		chan_get(&box[mine]);
		if (i < 5 || !mine)
			chan_put(&box[!mine]);
	}
	chan_get(&box[mine]);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&box[0]), 0);
	ct_level(ct_chan(&box[1]), 0);
	leave();
	go(actor, NULL, "ping");
	go(actor, "1", "pong");
	return pub_end(SOME);
}
