/* pack.c - columns of numbers and a JSON text as deflated base64. Contracts in html.h. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "html.h"

enum { COLUMNS = 64 };
struct pack {
	struct buf b;
	struct { const char *name, *type; size_t from; } column[COLUMNS];
	unsigned columns;
};

struct pack *pack_new(void)
{
	return need(calloc(1, sizeof(struct pack)));
}

void pack_column(struct pack *p, const char *name, const char *type)
{
	p->column[p->columns].name = name;
	p->column[p->columns].type = type;
	p->column[p->columns++].from = p->b.len;
}

void pack_number(struct pack *p, uint64_t v)
{
	char b[10];
	size_t n = 0;

	for (; v > 127; v >>= 7)
		b[n++] = (char)(v | 128);
	b[n++] = (char)v;
	buf_add(&p->b, b, n);
}

void pack_signed(struct pack *p, int64_t v)
{
	pack_number(p, v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1);
}

void pack_byte(struct pack *p, uint8_t v)
{
	buf_byte(&p->b, (char)v);
}

void pack_float(struct pack *p, float v)
{
	uint32_t u;

	memcpy(&u, &v, sizeof(u));
	for (int i = 0; i < 4; i++)
		buf_byte(&p->b, (char)(u >> 8 * i));
}

void pack_text(struct pack *p, const char *s)
{
	buf_add(&p->b, s, strlen(s) + 1);
}

void pack_list(const struct pack *p, FILE *out)
{
	for (unsigned i = 0; i < p->columns; i++)
		fprintf(out, "%s[\"%s\",\"%s\",%zu]", i ? "," : "[", p->column[i].name,
			p->column[i].type,
			(i + 1 < p->columns ? p->column[i + 1].from : p->b.len) -
				p->column[i].from);
	fputs("]", out);
}

/* Base64, three bytes at a time; `rest` keeps those that wait for more. */
struct base64 { FILE *out; unsigned char rest[3]; unsigned count; };

static void base64_digits(char four[4], unsigned a, unsigned b, unsigned c)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	four[0] = digit[a >> 2];
	four[1] = digit[(a & 3) << 4 | b >> 4];
	four[2] = digit[(b & 15) << 2 | c >> 6];
	four[3] = digit[c & 63];
}

static void base64_put(struct base64 *b, const unsigned char *p, size_t n)
{
	char four[4];

	for (size_t i = 0; i < n; i++) {
		b->rest[b->count++] = p[i];
		if (b->count < 3)
			continue;
		base64_digits(four, b->rest[0], b->rest[1], b->rest[2]);
		fwrite(four, 1, 4, b->out);
		b->count = 0;
	}
}

static void base64_end(struct base64 *b)
{
	unsigned n = b->count;
	char four[4];

	if (!n)
		return;
	base64_digits(four, b->rest[0], n > 1 ? b->rest[1] : 0, 0);
	four[3] = '=';
	if (n == 1)
		four[2] = '=';
	fwrite(four, 1, 4, b->out);
}

static void deflate_all(z_stream *z, struct base64 *b, const void *p, size_t n, int flush)
{
	unsigned char out[1 << 15];

	z->next_in = (unsigned char *)p;
	do {
		z->avail_in = n > 1 << 30 ? 1 << 30 : (uInt)n;
		n -= z->avail_in;
		do {
			z->next_out = out;
			z->avail_out = sizeof(out);
			deflate(z, n ? Z_NO_FLUSH : flush);
			base64_put(b, out, sizeof(out) - z->avail_out);
		} while (!z->avail_out);
	} while (n);
}

void pack_write(struct pack *p, FILE *out, const char *json, size_t len)
{
	unsigned char head[4] = { (unsigned char)len, (unsigned char)(len >> 8),
		(unsigned char)(len >> 16), (unsigned char)(len >> 24) };
	struct base64 b = { .out = out };
	z_stream z = { 0 };

	if (deflateInit(&z, 6) != Z_OK)
		need(NULL);
	deflate_all(&z, &b, head, sizeof(head), Z_NO_FLUSH);
	deflate_all(&z, &b, json, len, Z_NO_FLUSH);
	deflate_all(&z, &b, p->b.p, p->b.len, Z_FINISH);
	base64_end(&b);
	deflateEnd(&z);
	free(p->b.p);
	free(p);
}
