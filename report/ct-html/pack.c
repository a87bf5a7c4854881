/* pack.c - columns of numbers and a JSON text as deflated base64. Contracts in html.h. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "html.h"

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

static char *base64_digits(char *p, unsigned a, unsigned b, unsigned c)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	*p++ = digit[a >> 2];
	*p++ = digit[(a & 3) << 4 | b >> 4];
	*p++ = digit[(b & 15) << 2 | c >> 6];
	*p++ = digit[c & 63];
	return p;
}

enum { DEFLATED = 1 << 12 };
/* n: at most DEFLATED */
static void base64_put(struct base64 *b, const unsigned char *p, size_t n)
{
	char text[4 * (DEFLATED / 3 + 2)], *end = text;

	for (size_t i = 0; i < n; i++) {
		b->rest[b->count++] = p[i];
		if (b->count < 3)
			continue;
		end = base64_digits(end, b->rest[0], b->rest[1], b->rest[2]);
		b->count = 0;
	}
	fwrite(text, 1, (size_t)(end - text), b->out);
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
	unsigned char out[DEFLATED];

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
