/* pub-ok-actors.c - actors that wait for mail at one place; one gets none.
 * expect: nothing proven */
#include "pub.h"

static struct chan box[12];
static void actor(void *arg)
{
	for (struct chan *c = arg; chan_get(c);)
		;
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 12; i++) {
		box[i].room = 4;
		go(actor, &box[i], "actor");
	}
	settle();
	for (int i = 1; i < 12; i++) {
		enter();
		ct_level(ct_chan(&box[i]), ++box[i].n);
		wake_first(&box[i].out);
		leave();
		settle();
	}
	for (int i = 1; i < 12; i++)
		chan_close(&box[i]);
	return pub_end(SOME);
}
