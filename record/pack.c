/* pack.c - the trace compressed by gzip or zstd, at their fastest levels. Contracts in pack.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifndef WITHOUT_zlib
#define ZLIB_CONST
#include <zlib.h>
#endif
#ifndef WITHOUT_libzstd
#include <zstd.h>
#endif
#include "complain.h"
#include "pack.h"

enum { LEVEL = 1, OUT = 128 << 10 };

struct pack {
	/* Compress *p, of which *len are left, into `out`, of which *made were used: one step. The
	 * errno; *more: another step is needed. */
	int (*step)(struct pack *, const char **p, size_t *len, enum pack_how, size_t *made,
		bool *more);
	void *state;
	char out[OUT];
};

#ifndef WITHOUT_zlib
static int step_gzip(
	struct pack *k, const char **p, size_t *len, enum pack_how how, size_t *made, bool *more)
{
	static const int flush[] = { Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH };
	z_stream *z = k->state;
	int got;

	z->next_in = (const Bytef *)*p;
	z->avail_in = (uInt)*len;
	z->next_out = (Bytef *)k->out;
	z->avail_out = OUT;
	got = deflate(z, flush[how]);
	*p += *len - z->avail_in;
	*len = z->avail_in;
	*made = OUT - z->avail_out;
	*more = *len || !z->avail_out;
	return got == Z_STREAM_ERROR ? EIO : 0;
}

static bool start_gzip(struct pack *k)
{
	enum { GZIP = 16, MEMORY = 8 };
	z_stream *z = k->state = calloc(1, sizeof *z);

	k->step = step_gzip;
	return z && deflateInit2(z, LEVEL, Z_DEFLATED, GZIP + MAX_WBITS, MEMORY,
			    Z_DEFAULT_STRATEGY) == Z_OK;
}
#else
#define start_gzip NULL
#endif

#ifndef WITHOUT_libzstd
static int step_zstd(
	struct pack *k, const char **p, size_t *len, enum pack_how how, size_t *made, bool *more)
{
	static const ZSTD_EndDirective flush[] = { ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end };
	ZSTD_inBuffer in = { *p, *len, 0 };
	ZSTD_outBuffer out = { k->out, OUT, 0 };
	size_t left = ZSTD_compressStream2(k->state, &out, &in, flush[how]);

	*p += in.pos;
	*len -= in.pos;
	*made = out.pos;
	*more = *len || (how != PACK_GO_ON && left);
	return ZSTD_isError(left) ? EIO : 0;
}

static bool start_zstd(struct pack *k)
{
	k->step = step_zstd;
	k->state = ZSTD_createCCtx();
	if (!k->state)
		return false;
	/* a sum of each frame's bytes, as zstd(1) and gzip write */
	ZSTD_CCtx_setParameter(k->state, ZSTD_c_checksumFlag, 1);
	return !ZSTD_isError(ZSTD_CCtx_setParameter(k->state, ZSTD_c_compressionLevel, LEVEL));
}
#else
#define start_zstd NULL
#endif

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && !strcmp(name + len - n, end);
}

struct pack *pack_new(const char *name)
{
	static const struct { const char *end; bool (*start)(struct pack *); } formats[] = {
		{ ".gz", start_gzip }, { ".zst", start_zstd }
	};
	size_t i, count = sizeof formats / sizeof *formats;
	struct pack *k;

	for (i = 0; i < count && !ends_in(name, formats[i].end); i++)
		;
	if (i == count)
		return NULL;
	if (!formats[i].start) {
		complain("%s: this build cannot compress so: it was made without the library", name);
		exit(125);
	}
	k = need(calloc(1, sizeof *k));
	return need(formats[i].start(k) ? k : NULL);
}

int pack_put(struct pack *k, const char *p, size_t len, enum pack_how how,
	int (*write)(const char *, size_t))
{
	bool more = true;
	int error = 0;

	while (!error && more) {
		size_t made;

		error = k->step(k, &p, &len, how, &made, &more);
		if (!error && made)
			error = write(k->out, made);
	}
	return error;
}
