/* pub-full-channels.c - each sends to the other while its own channel is full.
 * expect: nothing proven; suspected: deadlock 1
 * After cockroachdb/cockroach#2448. Mended, they receive when they cannot send. */
#include "pub.h"

static struct chan to[2] = { { .room = 1 }, { .room = 1 } };
static void node(void *arg)
{
	int mine = arg != NULL;

	for (int i = 0; i < 4; i++) {
		enter();
		while (to[!mine].n == to[!mine].room) {
			if (mended && to[mine].n) {
				ct_level(ct_chan(&to[mine]), --to[mine].n);
				wake_first(&to[mine].in);
			}
			if (to[!mine].n == to[!mine].room && !mended)
				wait_for(&to[!mine].in, ct_chan(&to[!mine]));
			else if (to[!mine].n == to[!mine].room)
				wait_until(&to[!mine].in, ct_chan(&to[!mine]), 5);
		}
		ct_level(ct_chan(&to[!mine]), ++to[!mine].n);
		wake_first(&to[!mine].out);
		leave();
		sleep_ms(10);
	}
	if (!mended)
		chan_get(&to[mine]);
	if (mended)
		to[!mine].room = 100;
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(node, NULL, "node 0");
	go(node, "1", "node 1");
	pause_ms(150);
	return pub_end(SOME);
}
