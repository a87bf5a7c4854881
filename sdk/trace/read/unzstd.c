/* unzstd.c - zstd's frames, for unpack.c. Contracts in unpack.h. */
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"
#include "read/unpack.h"

/* Of what a frame may ask memory for: 128 MiB, as zstd(1) without --long allows, and all its levels
 * keep to. */
enum { WINDOW_LOG_MAX = 27 };

/* A frame, or one to skip, which some compressors begin with. */
static bool begins(const char *p, size_t len)
{
	return len >= UNPACK_MAGIC &&
		(!memcmp(p, "\x28\xb5\x2f\xfd", 4) ||
			((*p & 0xf0) == 0x50 && !memcmp(p + 1, "\x2a\x4d\x18", 3)));
}

static void *new(void)
{
	ZSTD_DCtx *z = need(ZSTD_createDCtx());

	ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return z;
}

static const char *run(void *state, struct packed *p)
{
	ZSTD_inBuffer in = { p->in, p->in_left, 0 };
	ZSTD_outBuffer out = { p->out, p->out_left, 0 };
	size_t got = ZSTD_decompressStream(state, &out, &in);

	p->in += in.pos;
	p->in_left -= in.pos;
	p->out += out.pos;
	p->out_left -= out.pos;
	if (!got || in.pos)
		p->whole = !got;
	if (!ZSTD_isError(got))
		return NULL;
	if (ZSTD_getErrorCode(got) == ZSTD_error_frameParameter_windowTooLarge)
		return "it needs more than 128 MiB of memory; pipe it through zstd -dc --long=31";
	return ZSTD_getErrorName(got);
}

static void end(void *state)
{
	ZSTD_freeDCtx(state);
}

const struct codec unzstd = { begins, new, run, end };
