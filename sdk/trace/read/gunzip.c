/* gunzip.c - gzip's members, for unpack.c. Contracts in unpack.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/mem.h"
#include "read/unpack.h"

static bool begins(const char *p, size_t len)
{
	return len >= 2 && !memcmp(p, "\x1f\x8b", 2);
}

static void *new(void)
{
	enum { GZIP_ONLY = 16 };
	z_stream *z = need(calloc(1, sizeof(*z)));

	if (inflateInit2(z, GZIP_ONLY + MAX_WBITS) != Z_OK)
		need(NULL);
	return z;
}

static uInt at_most(size_t n)
{
	return n < UINT_MAX ? (uInt)n : UINT_MAX;
}

/* Behind a member zeros may fill up a block, as of a tape: gzip(1) passes over them, too. */
static void skip_zeros(struct packed *p)
{
	while (p->in_left && !*p->in) {
		p->in++;
		p->in_left--;
	}
}

static const char *run(void *state, struct packed *p)
{
	z_stream *z = state;
	uInt in, out;
	int got;

	if (p->whole)
		skip_zeros(p);
	in = at_most(p->in_left);
	out = at_most(p->out_left);
	z->next_in = (const Bytef *)p->in;
	z->avail_in = in;
	z->next_out = (Bytef *)p->out;
	z->avail_out = out;
	got = inflate(z, Z_NO_FLUSH);
	p->in += in - z->avail_in;
	p->in_left -= in - z->avail_in;
	p->out += out - z->avail_out;
	p->out_left -= out - z->avail_out;
	if (got == Z_STREAM_END)
		inflateReset(z);	/* another member may follow */
	if (got == Z_STREAM_END || in != z->avail_in)
		p->whole = got == Z_STREAM_END;
	if (got == Z_OK || got == Z_STREAM_END || got == Z_BUF_ERROR)
		return NULL;
	return got == Z_MEM_ERROR ? "out of memory" : z->msg ? z->msg : "it needs a dictionary";
}

static void end(void *state)
{
	inflateEnd(state);
	free(state);
}

const struct codec gunzip = { begins, new, run, end };
