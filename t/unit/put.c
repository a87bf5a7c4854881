/* put.c - the text writer (base/put.h): as printf writes, and whole UTF-8 whatever comes. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/put.h"
#include "numbers.h"
#include "tap.h"

static size_t bad;

static void both(uint64_t v)
{
	char got[32], want[32];

	*put_number(got, v) = '\0';
	snprintf(want, sizeof(want), "%" PRIu64, v);
	bad += strcmp(got, want) != 0;
	*put_hex(got, v) = '\0';
	snprintf(want, sizeof(want), "0x%016" PRIx64, v);
	bad += strcmp(got, want) != 0;
}

static void numbers(void)
{
	each_number(both, 200000);
	ok(!bad, "numbers as printf has them: %zu differ", bad);
}

static void texts(void)
{
	static const struct { const char *in, *out; } cases[] = { { "", "" }, { "plain", "plain" },
		{ "\xc3\xa4 \xe2\x82\xac", "\xc3\xa4 \xe2\x82\xac" },
		{ "a\xff.", "a\xef\xbf\xbd." },
		{ "a\x80.\x7f\x80", "a\xef\xbf\xbd.\x7f\xef\xbf\xbd" },
		{ "cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd" } };
	char got[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		*put_utf8(got, cases[i].in, strlen(cases[i].in)) = '\0';
		ok(!strcmp(got, cases[i].out), "UTF-8, case %zu", i);
	}
}

static void kept(void)
{
	struct kept k = { NULL, 0 };
	char text[200], got[300];

	memset(text, 'x', sizeof(text));
	bad = 0;
	for (size_t len = 0; len <= sizeof(text); len += 33) {
		put_keep(&k, text, text + len);
		bad += (size_t)(put_kept(got, &k) - got) != len || memcmp(got, text, len) != 0;
	}
	ok(!bad, "what is kept is put again");
	free(k.text);
}

int main(void)
{
	numbers();
	texts();
	kept();
	return done_testing();
}
