/* text.c - whether two words name the same object; which bytes are UTF-8 (RFC 3629): every code point, and every sequence of up to four bytes near the borders. */
#include <string.h>

#include "cttrace/event.h"
#include "cttrace/text.h"
#include "tap.h"

static size_t encode(uint32_t c, unsigned char *to)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = len; i-- > 1; c >>= 6)
		to[i] = (unsigned char)(0x80 | (c & 0x3f));
	to[0] = (unsigned char)(first[len] | c);
	return len;
}

static int is_scalar(uint32_t c)
{
	return c < 0x110000 && (c < 0xd800 || c > 0xdfff);
}

/* What a sequence of those bytes is, by trying all lengths: the length whose code point is encoded so. */
static size_t length_of(const unsigned char *s, size_t size)
{
	for (size_t len = 1; len <= 4 && len <= size; len++) {
		uint32_t c = len == 1 ? s[0] : s[0] & (0x7f >> len);
		unsigned char again[4];

		for (size_t i = 1; i < len; i++)
			c = c << 6 | (s[i] & 0x3f);
		if (is_scalar(c) && encode(c, again) == len && !memcmp(again, s, len))
			return len;
	}
	return 0;
}

/* ctt_on_equal() */
static bool same(struct ctt_on a, struct ctt_on b)
{
	return ctt_on_equal(&a, &b) && ctt_on_equal(&b, &a) && ctt_on_key(&a) == ctt_on_key(&b);
}

static void names_an_object(void)
{
	struct ctt_on fd = { .kind = CTT_ON_FD, .known = true, .number = true, .value = 5 }, unknown = { .kind = CTT_ON_FD }, other = fd,
		      chan = fd, words = { .kind = CTT_ON_USER, .known = true, .text = { "user:a", 6 } }, more = words, nothing = { 0 };

	other.value = 6;
	chan.kind = CTT_ON_CHAN;
	more.text = (struct ctt_text){ "user:ab", 7 };
	ok(same(fd, fd) && !same(fd, other) && !same(fd, chan), "a number and a kind");
	ok(same(words, words) && !same(words, more) && !same(words, fd), "words");
	more.kind = CTT_ON_FD;
	ok(!same(more, fd) && !same(unknown, unknown) && !same(fd, unknown) && !same(nothing, nothing), "what is not known is not the same");
}

int main(void)
{
	static const unsigned char edges[] = { 0, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
		0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff };
	enum { N = sizeof edges };
	unsigned bad = 0;

	for (uint32_t c = 0; c < 0x110000; c++) {
		unsigned char s[4];
		size_t len = encode(c, s);

		bad += ctt_utf8_length((char *)s, (char *)s + len) != (is_scalar(c) ? len : 0);
		bad += len > 1 && ctt_utf8_length((char *)s, (char *)s + len - 1) != 0;
	}
	ok(!bad, "each code point is as long as it is, surrogates and what is cut off are none: %u wrong", bad);
	bad = 0;
	for (unsigned i = 0; i < N * N * N * N; i++) {
		unsigned char s[4] = { edges[i % N], edges[i / N % N], edges[i / N / N % N], edges[i / N / N / N] };

		for (size_t size = 1; size <= 4; size++)
			bad += ctt_utf8_length((char *)s, (char *)s + size) != length_of(s, size);
	}
	ok(!bad, "any four bytes: %u wrong", bad);
	names_an_object();
	return done_testing();
}
