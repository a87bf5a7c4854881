/* file.c - a Go trace's header and batches: one generation at a time, whole, in one buffer. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "events.h"

enum {
	HEADER = 16,
	BODY_MAX = 65536,
	BATCH_HEADER = 2 + 4 * 10,
	FIRST_SIZE = 1 << 20,
	BLOCK = 1 << 18,
	PAD = 64
}; /* an event may be read so far beyond its batch before that is seen */
static const size_t GENERATION_MAX = (size_t)1 << 31;

/* read(2) of the file, or of what decompresses it; of either what is wrong stays in f->error. */
static size_t take_bytes(struct go_file *f, unsigned char *to, size_t room)
{
	ssize_t got;

	do
		got = read(f->from, to, room);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		snprintf(f->error, sizeof(f->error), "%s", strerror(errno));
	if (!got && f->unpack) {
		unpack_end(f->unpack, f->error);
		f->unpack = NULL;
	}
	return got > 0 ? (size_t)got : 0;
}

/* Have `n` bytes from pos on; false: the file has fewer. */
static bool more(struct go_file *f, size_t n)
{
	while (f->len - f->pos < n && !f->eof) {
		size_t room, got;

		if (f->size - f->len < BODY_MAX) {
			f->size = f->size ? f->size * 2 : FIRST_SIZE;
			f->buf = need(realloc(f->buf, f->size + PAD));
		}
		room = f->size - f->len;
		got = take_bytes(f, f->buf + f->len, room < BLOCK ? room : BLOCK);
		f->eof = !got;
		f->len += got;
		memset(f->buf + f->len, 0, PAD);
	}
	return f->len - f->pos >= n;
}

static const char *what_else(const struct go_file *f)
{
	const char *foreign = ctt_foreign((const char *)f->buf, f->len);

	if (f->len && *f->buf == '{')
		return "not a Go execution trace, but perhaps what ct-fromgo made of one";
	return foreign && strncmp((const char *)f->buf, "go 1.", f->len < 5 ? f->len : 5) ?
		foreign :
		"not a Go execution trace";
}

/* Have the first bytes, decompressed where they are compressed. */
static bool begin(struct go_file *f)
{
	if (!more(f, HEADER) && !f->len)
		return false;
	if (unpack_known((const char *)f->buf, f->len)) {
		f->unpack = unpack_start(f->fd, (const char *)f->buf, f->len, &f->from);
		f->eof = !f->unpack;
		if (!f->unpack)
			snprintf(f->error, sizeof(f->error), "%s", strerror(errno));
		f->len = 0;
	}
	return more(f, HEADER);
}

/* "go 1.26 trace" and three NUL bytes. */
static bool header(struct go_file *f)
{
	const unsigned char *p;
	unsigned minor;

	if (!begin(f) || memcmp(f->buf, "go 1.", 5) || memcmp(f->buf + 7, " trace\0\0", 9))
		return go_fail(f, 0, "%s", *f->error ? f->error : what_else(f));
	p = f->buf;
	minor = (unsigned)(p[5] - '0') * 10 + (unsigned)(p[6] - '0');
	if (p[5] < '0' || p[5] > '9' || p[6] < '0' || p[6] > '9')
		return go_fail(f, 0, "not a Go execution trace");
	if (minor <= 21)
		return go_fail(f, 0,
			"written by Go 1.21 or older; build the program with Go 1.22 or later and trace it again");
	if (minor == 24 || minor > 26)
		return go_fail(f, 0,
			"format \"go 1.%u\" is not known: written by a newer Go than 1.26", minor);
	f->minor = minor;
	f->pos = HEADER;
	return true;
}

bool go_open(struct go_file *f, int fd, const char *name)
{
	*f = (struct go_file){ .name = name, .fd = fd, .from = fd };
	interrupt_outlive(fd);
	return header(f);
}

void go_close(struct go_file *f)
{
	char why[UNPACK_WHY];

	if (f->unpack)
		unpack_end(f->unpack, why);
	free(f->buf);
	free(f->gen.batch);
	free(f->gen.string);
	free(f->gen.stack);
	hash_free(&f->gen.strings);
	hash_free(&f->gen.stacks);
	free(f->gen.stack_at);
}

/* What was read is done with: the rest of the buffer moves to its front. */
static void slide(struct go_file *f)
{
	memmove(f->buf, f->buf + f->pos, f->len - f->pos);
	f->base += f->pos;
	f->len -= f->pos;
	f->pos = 0;
}

struct head { uint64_t gen, m, time, size; };

static const unsigned char *numbers(
	const unsigned char *p, const unsigned char *end, struct head *h)
{
	uint64_t *const to[] = { &h->gen, &h->m, &h->time, &h->size };

	for (int i = 0; i < 4 && p; i++)
		p = go_number(p, end, to[i]);
	return p;
}

static bool cut_off(struct go_file *f, const char *what)
{
	if (*f->error)
		return go_fail(f, f->len, "%s", f->error);
	return go_fail(f, f->len, "the trace was cut off within %s", what);
}

/* The next batch, its body from pos on. False: f->why. */
static bool batch_head(struct go_file *f, struct head *h)
{
	size_t at = f->pos, type = f->buf[at], head;
	const unsigned char *p;

	if (type != GO_BATCH && type != GO_EXPERIMENT)
		return go_fail(f, at, "event %zu stands where a batch should begin", type);
	more(f, BATCH_HEADER);
	head = type == GO_EXPERIMENT ? 2 : 1;
	p = f->len - at < head ? NULL : numbers(f->buf + at + head, f->buf + f->len, h);
	if (!p)
		return f->len - at < BATCH_HEADER ? cut_off(f, "a batch") :
						    go_fail(f, at, "a batch's header is malformed");
	if (h->size > BODY_MAX)
		return go_fail(
			f, at, "a batch of %" PRIu64 " bytes, which Go never writes", h->size);
	if (!h->gen)
		return go_fail(f, at, "a batch of generation 0");
	f->pos = (size_t)(p - f->buf);
	if (!more(f, h->size))
		return cut_off(f, "a batch");
	return true;
}

static void add_batch(struct go_file *f, unsigned type, const struct head *h)
{
	struct go_gen *g = &f->gen;
	unsigned first = h->size ? f->buf[f->pos] : 0;

	if (!g->any || h->time < g->min_time)
		g->min_time = h->time;
	if (h->time > g->max_time)
		g->max_time = h->time;
	g->any = true;
	g->number = h->gen;
	g->has_strings |= type == GO_BATCH && first == GO_STRINGS;
	if (type == GO_EXPERIMENT || !h->size || first == GO_SAMPLES)
		return;
	*ADD(g->batch, g->batches, g->batch_room) = (struct go_batch){ h->m, h->time, f->pos, h->size, 0 };
}

enum found { BATCH, LAST, BAD };

/* Take one batch, or find that the generation is over. */
static enum found take(struct go_file *f)
{
	size_t at = f->pos;
	unsigned type;
	struct head h;

	if (!more(f, 1)) {
		if (*f->error || (f->gen.any && (f->minor >= 26 || !f->gen.has_strings)))
			return cut_off(f, "this generation"), BAD;
		return LAST;
	}
	type = f->buf[at];
	if (type == GO_GENERATION_END && f->minor >= 26) {
		f->pos++;
		return f->gen.any ? LAST : (go_fail(f, at, "a generation without a batch"), BAD);
	}
	if (!batch_head(f, &h)) {
		f->pos = at;
		return BAD;
	}
	/* Go's reader does not look at that since 1.26: one that is missing, or there twice, may
	 * contradict nothing, where a program rests. */
	if (!f->gen.any && f->last_gen && h.gen != f->last_gen + 1) {
		go_fail(f, at, "generation %" PRIu64 " follows generation %" PRIu64, h.gen,
			f->last_gen);
		f->pos = at;
		return BAD;
	}
	if (f->gen.any && h.gen != f->gen.number) {
		f->pos = at;
		if (f->minor < 26 && h.gen == f->gen.number + 1)
			return LAST;
		go_fail(f, at,
			"a batch of generation %" PRIu64 " stands within generation %" PRIu64,
			h.gen, f->gen.number);
		return BAD;
	}
	if (f->pos + h.size > GENERATION_MAX || f->gen.batches == GO_ITEMS_MAX) {
		go_fail(f, at, "more than 2 GiB or 2^24 batches, which is not held in memory");
		return BAD;
	}
	add_batch(f, type, &h);
	f->pos += h.size;
	return BATCH;
}

enum go_read go_next(struct go_file *f)
{
	enum found found;

	slide(f);
	f->last_gen = f->gen.number;
	go_forget(&f->gen);
	while ((found = take(f)) == BATCH)
		;
	if (found == LAST && !f->gen.any)
		return GO_READ_END;
	/* Before 1.26 a generation may be whole though something that follows is not. */
	if (found == BAD && (f->minor >= 26 || !f->gen.has_strings))
		return GO_READ_CUT;
	if (!go_tables(f))
		return GO_READ_CUT;
	return GO_READ_GEN;
}
