/* pub-mailboxes.c - two workers send to each other while both mailboxes are full.
 * expect: deadlock 1
 * After build-trust/ockam#1947. Each has declared that it alone receives from its own. Mended, there is room. */
#include "pub.h"

struct box { uint64_t n, room; struct wl senders; };
static struct box of[2] = { { .room = 1 }, { .room = 1 } };
static void send_to(struct box *b)
{
	enter();
	while (b->n == b->room)
		wait_for(&b->senders, ct_room(b));
	b->n++;
	ct_level(ct_chan(b), b->n);
	ct_level(ct_room(b), b->room - b->n);
	leave();
}
static void worker_task(void *arg)
{
	struct box *mine = arg, *other = arg == &of[0] ? &of[1] : &of[0];

	ct_acquire(ct_room(mine));		/* nobody else makes room in it */
	sleep_ms(10);
	for (int i = 0; i < 3; i++)
		send_to(other);
	enter();
	mine->n = 0;
	ct_level(ct_chan(mine), 0);
	ct_level(ct_room(mine), mine->room);
	wake_all(&mine->senders);
	leave();
	ct_release(ct_room(mine));
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	if (mended)
		of[0].room = of[1].room = 10;
	go(worker_task, &of[0], "one");
	go(worker_task, &of[1], "two");
	pause_ms(100);
	return pub_end(SOME);
}
