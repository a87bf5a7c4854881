/* pack.c - the trace compressed (record/pack.c): by which name, one step after another until all is taken and written, what fails; and that it
 * can be read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"
#include "told.h"
#include "../../record/pack.c"

static const struct { size_t takes, makes; int error; bool more; } *steps;
static int no_more;			/* write() fails */

static int step(struct pack *k, const char **p, size_t *len, enum pack_how how, size_t *made, bool *more)
{
	tell("%.*s/%d ", (int)*len, *p, how);
	memset(k->out, 'o', steps->makes);
	*p += steps->takes, *len -= steps->takes;
	*made = steps->makes, *more = steps->more;
	return steps++->error;
}

static int write_out(const char *p, size_t len)
{
	tell("%.*s ", (int)len, p);
	return no_more;
}

static int put(const void *by)
{
	static struct pack k = { .step = step };

	steps = by;
	return pack_put(&k, "abcd", 4, PACK_FLUSH, write_out);
}
#define PUT(...) put(&(struct { size_t takes, makes; int error; bool more; }[]){ __VA_ARGS__ })

static void turns(void)
{
	ok(!PUT({ 4, 0, 0, false }) && is("abcd/1 "), "taken, and nothing to write yet");
	ok(!PUT({ 2, 3, 0, true }, { 1, 0, 0, true }, { 1, 1, 0, false }) && is("abcd/1 ooo cd/1 d/1 o "), "in as many steps as it takes");
	ok(PUT({ 2, 3, EIO, true }) == EIO && is("abcd/1 "), "what fails is not written");
	no_more = ENOSPC;
	ok(PUT({ 2, 3, 0, true }) == ENOSPC && is("abcd/1 ooo "), "nor gone on with");
	no_more = 0;
}

static char text[3 * OUT], packed[4 * OUT], again[3 * OUT + 1];
static size_t size;

static int keep(const char *p, size_t len)
{
	memcpy(packed + size, p, len);
	size += len;
	return 0;
}

static void formats(void)
{
	static const char *const none[] = { "x", "", ".gz", ".zst", "x.gzz", "x.g", "xgz", "x.gz.y" };
	uint64_t any = 88172645463325252ull;
	struct pack *k;

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		ok(!pack_new(none[i]), "\"%s\" is as it is", none[i]);
	for (size_t i = 0; i < sizeof text; i++) {
		any = any * 6364136223846793005ull + 1442695040888963407ull;
		text[i] = (char)(any >> 60 | (i % 3 ? 0 : any >> 40));
	}
#ifndef WITHOUT_zlib
	z_stream z = { 0 };

	size = 0;
	k = pack_new("x.gz");
	ok(!pack_put(k, text, 1000, PACK_FLUSH, keep) && size, "gzip");
	z.next_in = (const Bytef *)packed, z.avail_in = (uInt)size;
	z.next_out = (Bytef *)again, z.avail_out = sizeof again;
	ok(inflateInit2(&z, 16 + MAX_WBITS) == Z_OK && inflate(&z, Z_SYNC_FLUSH) == Z_OK && z.total_out == 1000 && !memcmp(text, again, 1000), "flushed, it can be read");
	ok(!pack_put(k, text + 1000, sizeof text - 1000, PACK_GO_ON, keep) && !pack_put(k, NULL, 0, PACK_END, keep), "and gone on with");
	z.avail_in = (uInt)((Bytef *)packed + size - z.next_in);
	ok(inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == sizeof text && !memcmp(text, again, sizeof text) && !z.avail_in, "to its end");
	inflateEnd(&z);
	deflateEnd(k->state);
	free(k->state);
	free(k);
#endif
#ifndef WITHOUT_libzstd
	size = 0;
	k = pack_new("dir.gz/x.zst");
	ok(!pack_put(k, text, 1000, PACK_FLUSH, keep) && size, "zstd");
	ZSTD_inBuffer in = { packed, size, 0 };
	ZSTD_outBuffer o = { again, sizeof again, 0 };
	ZSTD_DCtx *d = ZSTD_createDCtx();
	ok(!ZSTD_isError(ZSTD_decompressStream(d, &o, &in)) && o.pos == 1000 && !memcmp(text, again, 1000), "flushed, it can be read");
	ok(!pack_put(k, text + 1000, sizeof text - 1000, PACK_GO_ON, keep) && !pack_put(k, NULL, 0, PACK_END, keep), "and gone on with");
	in.size = size;
	while (in.pos < in.size && !ZSTD_isError(ZSTD_decompressStream(d, &o, &in)))
		;
	ok(o.pos == sizeof text && !memcmp(text, again, sizeof text), "to its end");
	ok(!memcmp(packed, "\x28\xb5\x2f\xfd", 4) && (packed[4] & 4), "with a sum of its bytes");
	ZSTD_freeDCtx(d);
	ZSTD_freeCCtx(k->state);
	free(k);
#endif
}

int main(void)
{
	turns();
	formats();
	return done_testing();
}
