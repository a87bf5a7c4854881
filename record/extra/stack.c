/* stack.c - call stacks, each printed as a line of its own ahead of the first event that names
 * it. */
#include <stdlib.h>
#include "../complain.h"
#include "../print.h"
#include "../region.h"
#include "../site.h"
#include "../totals.h"
#include "process.h"
#include "stack.h"

/* a bit for each number: 4 MiB, of which only what is used is there */
static uint64_t *printed;
/* of the arena, by the stacks reported: an honest target's do not overlap */
static uint64_t printed_bytes;

void stack_init(const struct region *r)
{
	printed = r->stacks ? need(calloc(r->strings_size / 8 / 64 + 1, sizeof *printed)) : NULL;
}

/* The frames of string `number`, how many; 0: it is no call stack. One copy is looked at: the
 * target may change it. */
static unsigned copy_frames(const struct region *r, uint32_t number, uint64_t frames[CTP_STACK_MAX])
{
	const struct ctp_string *s = (const void *)(r->strings + (uint64_t)number * 8);
	uint64_t bytes;

	if (number > (r->strings_size - sizeof *s) / 8)
		return 0;
	/* the addresses are whole; a 0 becomes too many */
	bytes = (uint64_t)ctp_load_acquire(&s->len) - 1;
	if (bytes % 8 || bytes > CTP_STACK_MAX * 8 ||
		bytes > r->strings_size - (uint64_t)number * 8 - sizeof s->len ||
		bytes > r->strings_size - printed_bytes)
		return 0;
	memcpy(frames, s->text, bytes);
	printed_bytes += bytes;
	return (unsigned)(bytes / 8);
}

/* Of sites: each is named before the line that has it. */
static bool print_sites(
	const struct region *r, uint32_t number, const uint64_t *frames, unsigned count)
{
	char *p;
	unsigned i;

	for (i = 0; i < count; i++)
		if (!(frames[i] & CTP_SITE_FRAME) || !site_number(r, (uint32_t)frames[i]))
			return false;
	p = put_key(print_begin(), "{\"ev\":\"stack\",\"stack\":", number);
	p = put_const(p, ",\"sites\":[");
	for (i = 0; i < count; i++)
		p = put_number(i ? put_const(p, ",") : p, site_number(r, (uint32_t)frames[i]));
	print_at = put_const(p, "]}\n");
	totals.stacks++;
	return true;
}

static void print_frames(uint32_t number, const uint64_t *frames, unsigned count)
{
	char *p = put_key(print_begin(), "{\"ev\":\"stack\",\"stack\":", number);
	unsigned i;

	p = put_const(p, ",\"frames\":[");
	for (i = 0; i < count; i++)
		p = put_const(
			put_hex(i ? put_const(p, ",\"0x") : put_const(p, "\"0x"), frames[i]), "\"");
	print_at = put_const(p, "]}\n");
	totals.stacks++;
}

uint32_t stack_print(const struct region *r, const struct ctp_event *e, uint32_t pid)
{
	uint64_t frames[CTP_STACK_MAX];
	unsigned count;
	uint32_t number;

	memcpy(&number, e->stack, sizeof number);
	if (number == 0)
		return 0;
	if (number < r->strings_size / 8 && printed[number / 64] >> number % 64 & 1)
		return number;
	count = copy_frames(r, number, frames);
	if (count == 0) {
		totals.unreadable++;
		return 0;
	}
	if (!(frames[0] & CTP_SITE_FRAME)) {
		process_code(pid, frames, count);
		print_frames(number, frames, count);
	} else if (!print_sites(r, number, frames, count)) {
		totals.unreadable++;
		return 0;
	}
	printed[number / 64] |= 1ull << number % 64;
	return number;
}
