/* tokio-messages.c - what was sent into an mpsc channel and not received yet. Contracts in tokio.h.
 *
 * An actor's mailbox has the senders by which it is to answer: nobody else can answer before that task
 * goes on. The queue is a list of blocks with a fixed number of slots each; the channel counts the
 * slots, and a bit of the block says which of its own are written.
 */
#include <string.h>

#include "tokio.h"

enum { BLOCKS = 4096, SLOTS = 64 };

struct queue {
	Dwarf_Die item;
	uint64_t first, next, tail;	/* a block; slots: the next to be received, to be sent */
	uint64_t start_at, next_at, ready_at, values_at;	/* in a block */
	uint64_t block_size, item_size, slots;
};

/* In the list of the receiver: the first block that is not freed, and what blocks are like. */
static bool blocks_of(const struct target *t, struct queue *q, uint64_t list_at, Dwarf_Die *list)
{
	Dwarf_Die pointer, block, values, none;
	uint64_t head = list_at, index = list_at;

	if (!die_parameter(list, "T", &q->item) || !die_member(list, "index", &index, NULL) ||
		!die_member(list, "free_head", &head, &pointer) ||
		!die_down(&pointer, "pointer", &head, &pointer) || !die_type(&pointer, &block) ||
		!die_down(&block, "start_index", &q->start_at, &none) ||
		!die_down(&block, "next", &q->next_at, &none) ||
		!die_down(&block, "ready_slots", &q->ready_at, &none) ||
		!die_down(&block, "values", &q->values_at, &values) ||
		!mem_word(t, index, &q->next) || !mem_word(t, head, &q->first))
		return false;
	q->block_size = die_size(&block);
	q->item_size = die_size(&q->item);
	q->slots = q->item_size ? die_size(&values) / q->item_size : 0;
	return q->slots && q->slots < SLOTS;
}

static bool queue_of(const struct target *t, struct queue *q, uint64_t at, Dwarf_Die *common)
{
	uint64_t fields_at = at, tail_at = at;
	Dwarf_Die fields, list, none;

	memset(q, 0, sizeof(*q));
	return die_down(common, "rx_fields", &fields_at, &fields) &&
		die_down(&fields, "list", &fields_at, &list) &&
		die_down(common, "tail_position", &tail_at, &none) &&
		mem_word(t, tail_at, &q->tail) && blocks_of(t, q, fields_at, &list);
}

/* What is claimed and not written yet may be anything. */
static void block(const struct target *t, struct queue *q, uint64_t at, message_fn *fn, void *arg)
{
	uint64_t start = mem_number(t, at + q->start_at, 8),
		 ready = mem_number(t, at + q->ready_at, 8);

	fn(arg, MESSAGE_BLOCK, at, q->block_size, NULL);
	for (uint64_t i = 0; i < q->slots; i++)
		if (start + i >= q->next && start + i < q->tail)
			fn(arg, ready >> i & 1 ? MESSAGE_WRITTEN : MESSAGE_UNKNOWN,
				at + q->values_at + i * q->item_size, q->item_size, &q->item);
}

void messages_each(const struct target *t, uint64_t channel, Dwarf_Die *common, message_fn *fn,
	void *arg)
{
	struct queue q;

	if (!queue_of(t, &q, channel, common))
		return;
	for (int n = 0; q.first && n < BLOCKS; n++) {
		block(t, &q, q.first, fn, arg);
		q.first = mem_number(t, q.first + q.next_at, 8);
	}
}
