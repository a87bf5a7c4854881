/* values.h - chance by a seed, and values that nobody expects, as JSON: what mutate.c and generate.c share. */
#ifndef FUZZ_VALUES_H
#define FUZZ_VALUES_H

#include <stdbool.h>
#include <stdint.h>

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (state * 0x2545f4914f6cdd1dull >> 16) % below : 0;
}

static bool one_in(uint64_t n)
{
	return !draw(n);
}

#define ANY(list) list[draw(sizeof(list) / sizeof(*list))]

static void draw_from(uint64_t seed)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	draw(0);
}

static const char *const numbers[] = {
	"0", "1", "2", "3", "7", "9", "255", "256", "65535", "65536", "1000000007", "2147483647", "2147483648", "4294967295", "4294967296",
	"4611686018427387904", "9007199254740991", "9007199254740993", "9223372036854775807", "9223372036854775808",
	"18446744073709551614", "18446744073709551615", "18446744073709551616", "99999999999999999999999", "-1", "-0", "1.5", "1e3",
	"1e400", "0.0",
};
static const char *const others[] = {
	"null", "true", "false", "[]", "{}", "\"\"", "[1,2,3]", "[[[[]]]]", "{\"a\":{\"line\":[1,2]}}", "\"12\"", "\"0x10\"", "\"0x\"",
	"\"0xffffffffffffffff\"", "\"0xfffffffffffffffff\"", "[\"0x1\",\"0xffffffffffffffff\"]", "[18446744073709551615]",
	"[{\"func\":\"f\",\"file\":\"g\",\"line\":18446744073709551615}]", "[{\"func\":1}]", "[{}]", "[null]", "\"\\u0000\"",
	"\"\\ud83d\\ude00\"", "\"\\ud800\"", "\"\\u202e\\u2066abc\"", "\"\\u001b[31m\"", "\"\xe2\x80\xaex\"", "\"\xff\xfe\"", "\"\x01\"",
	"\"';drop table x;--\"", "\"<script>\"", "\"a,b\\\"c\\r\\nd\"", "\"%s%n%s\"", "\"fd:\"", "\"fd:18446744073709551615\"", "\"mutex:0x0\"",
	"\"coro:7\"", "\"chan:\"", "\"user:'\"", "\":\"", "\"timer:99999999999999999999\"", "\"nokind\"", "\"join:1\"", "\"cond:1\"", "\"sem:1\"",
};
#endif
