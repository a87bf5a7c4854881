/* gobound.c - what ct-fromgo (file.c) holds of one generation has a bound, at its very byte and batch. The 2 GiB before it are
 * pages that nobody touches.
 */
#include <sys/mman.h>
#include "../../filters/ct-fromgo/file.c"
#include "tap.h"

static struct go_file *f;

/* One that has read all but the last `room` bytes of what a generation may have, and has a batch of 10 bytes, its head 5, before it. */
static enum found take_with(size_t room)
{
	static const unsigned char batch[] = { GO_BATCH, 1, 1, 1, 10 };

	f->pos = GENERATION_MAX - room;
	f->len = f->pos + 64;
	f->eof = true;
	f->gen.any = true;
	f->gen.number = 1;
	*f->why = '\0';
	memcpy(f->buf + f->pos, batch, sizeof(batch));
	return take(f);
}

int main(void)
{
	static struct go_file file;

	f = &file;
	f->minor = 26;
	f->buf = mmap(NULL, GENERATION_MAX + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->buf == MAP_FAILED) {
		printf("1..0 # SKIP no 2 GiB of addresses\n");
		return 0;
	}
	ok(take_with(15) == BATCH && f->pos == GENERATION_MAX && f->gen.batches == 1, "a batch that ends at the bound is held");
	ok(take_with(14) == BAD && !strncmp(f->why, "more than 2 GiB", 15) && f->gen.batches == 1, "one that ends a byte behind it is not");
	f->gen.batches = GO_ITEMS_MAX;
	ok(take_with(4096) == BAD && !strncmp(f->why, "more than 2 GiB or 2^24 batches", 31), "nor is one more than 2^24");
	return done_testing();
}
