/* reader.c - the fast scanner and the complete parser must say the same of every line, and neither may crash.
 *
 * Under libFuzzer (-fsanitize=fuzzer -DLIBFUZZER): LLVMFuzzerTestOneInput. Else a program: reader [ROUNDS [SEED]] mutates
 * the seeds below, the same way at each run, and prints TAP.
 */
#include <stdlib.h>
#include <string.h>

#include "read/internal.h"
#include "tap.h"

static bool text_equal(const struct ctt_text *a, const struct ctt_text *b)
{
	return !a->p == !b->p && a->len == b->len && (!a->len || !memcmp(a->p, b->p, a->len));
}

static bool on_same(const struct ctt_on *a, const struct ctt_on *b)
{
	return a->kind == b->kind && a->known == b->known && a->number == b->number && a->value == b->value &&
		text_equal(&a->text, &b->text);
}

#define SAME(field) (a->field == b->field)
#define SAME_TEXT(field) text_equal(&a->field, &b->field)
static bool same_event(const struct ctt_event *a, const struct ctt_event *b)
{
	return SAME(kind) && SAME(run) && SAME(has) && SAME(v1) && SAME(is_active) && SAME(done) && SAME(clone) && SAME(signaled) &&
		SAME(probe_id) && SAME(tid) && SAME(addr) && SAME(seq) && SAME(ts) && SAME(n) && SAME(site) && SAME(parent) &&
		SAME(by) && SAME(stack) && SAME(pid) && SAME(value) && SAME(from) && SAME(to) && on_same(&a->on, &b->on) &&
		SAME_TEXT(reason) && SAME_TEXT(name) && SAME_TEXT(role) && SAME_TEXT(func) && SAME_TEXT(file) &&
		SAME_TEXT(path) && SAME_TEXT(tool) && SAME_TEXT(format) && SAME(src_line);
}

static unsigned long fast_lines, good_lines;
static struct habits habits;

/* Every line between newlines, in a buffer of its own size, so that a sanitizer sees each byte read too far. */
static bool agree(const char *p, size_t len)
{
	char *line = malloc(len + 1 + LINE_PAD), *scratch = malloc(len + 1), why[WHY_SIZE];
	struct ctt_event fast, slow;
	const char *end;
	bool taken, early, good, same;

	memcpy(line, p, len);
	line[len] = '\n';
	memset(line + len + 1, 0, LINE_PAD);
	memset(&fast, 0xaa, sizeof(fast));
	memset(&slow, 0x55, sizeof(slow));
	end = line_parse(&fast, line, &habits);
	taken = end == line + len;
	early = end && !taken;
	good = !json_parse(&slow, line, line + len, scratch, why);
	same = !early && (!taken || (good && same_event(&fast, &slow)));
	if (good) {
		FILE *null = fopen("/dev/null", "w");

		slow.raw = line;
		slow.raw_len = len;
		ctt_out_event(null, &slow);
		fclose(null);
	}
	fast_lines += taken;
	good_lines += good;
	free(scratch);
	free(line);
	return same;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	if (!memchr(data, '\n', size) && !agree((const char *)data, size))
		abort();
	return 0;
}

#ifndef LIBFUZZER
static const char *const seeds[] = {
	"{\"probe_id\":7,\"tid\":4711,\"addr\":\"0x00007f3a10000b70\",\"seq\":18,\"is_active\":false,\"ts\":123456789}",
	"{\"probe_id\":7,\"tid\":4711,\"addr\":\"0x00007f3a10000b70\",\"seq\":18,\"is_active\":true,\"ts\":123456789,\"n\":3}",
	"{\"probe_id\":7,\"tid\":4711,\"addr\":\"0x00007f3a10000b70\",\"seq\":18,\"is_active\":false,\"ts\":123456789,"
		"\"ev\":\"suspend\",\"n\":9,\"site\":3,\"on\":\"fd:42\",\"stack\":4,\"reason\":\"chan receive\"}",
	"{\"probe_id\":18446744073709551615,\"tid\":4294967295,\"addr\":\"0xffffffffffffffff\",\"seq\":1,\"is_active\":false,"
		"\"ts\":9999999999999999999,\"ev\":\"create\",\"n\":1,\"site\":3,\"parent\":2}",
	"{\"probe_id\":7,\"tid\":1,\"addr\":\"0x0000000000000000\",\"seq\":0,\"is_active\":false,\"ts\":5,\"ev\":\"wake\",\"by\":3,"
		"\"on\":\"mutex:0x7f3a10000b70\"}",
	"{\"probe_id\":7,\"tid\":1,\"addr\":\"0x0000000000000000\",\"seq\":4,\"is_active\":false,\"ts\":5,\"ev\":\"destroy\",\"n\":2,"
		"\"done\":true}",
	"{\"probe_id\":94534565465456,\"tid\":1,\"addr\":\"0x00007f3a10000b70\",\"seq\":12345678,\"is_active\":true,"
		"\"ts\":12345678901234567,\"ev\":\"resume\",\"n\":123456789}",
	"{\"ev\":\"notify\",\"ts\":5,\"tid\":1,\"by\":17,\"on\":\"cond:0x7f\",\"woken\":0,\"site\":4}",
	"{\"ev\":\"level\",\"ts\":5,\"tid\":1,\"on\":\"chan:\",\"value\":3}",
	"{\"ev\":\"open\",\"ts\":5,\"tid\":1,\"by\":17,\"on\":\"fd:42\",\"name\":\"client\",\"site\":4}",
	"{\"ev\":\"park\",\"ts\":5,\"tid\":1,\"depth\":0}",
	"{\"ev\":\"lost\",\"ts\":5,\"tid\":1,\"count\":12,\"from\":1,\"to\":5}",
	"{\"ev\":\"sync\",\"ts\":5}",
	"{\"ev\":\"exit\",\"ts\":5,\"pid\":4,\"signal\":9}",
	"{\"ev\":\"waker\",\"ts\":5,\"tid\":1,\"probe_id\":7,\"by\":1,\"op\":\"clone\"}",
	"{\"ev\":\"site\",\"site\":3,\"func\":\"a\\u00e9\\ud83d\\ude00\\n\",\"file\":\"s.cc\",\"line\":42, \"x\":[1,{\"y\":[]},null]}",
};
enum { SEEDS = sizeof(seeds) / sizeof(seeds[0]) };

static unsigned long long state;

static unsigned random_below(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

/* Change, remove, insert, double or splice; the bytes are those that JSON lines are made of, or any. */
static size_t mutate(char *line, size_t len, size_t room)
{
	static const char bytes[] = "{}[]\",:\\0123456789abcdefxtrnuse. -+E\x7f\xc3\xa9\x01";
	const char *other = seeds[random_below(SEEDS)];
	size_t at = random_below((unsigned)len + 1), n = random_below(12), from = random_below((unsigned)strlen(other));
	char c = random_below(8) ? bytes[random_below(sizeof(bytes) - 1)] : (char)random_below(256);

	switch (random_below(5)) {
	case 0:
		if (at < len && c != '\n')
			line[at] = c;
		break;
	case 1:
		n = n < len - at ? n : len - at;
		memmove(line + at, line + at + n, len - at - n);
		return len - n;
	case 2:
		if (len == room || c == '\n')
			break;
		memmove(line + at + 1, line + at, len - at);
		line[at] = c;
		return len + 1;
	case 3:
		n = n < len - at ? n : len - at;
		if (len + n > room)
			break;
		memmove(line + at + n, line + at, len - at);
		return len + n;
	default:
		n = strlen(other) - from;
		if (at + n > room)
			break;
		memcpy(line + at, other + from, n);
		return at + n;
	}
	return len;
}

int main(int argc, char *argv[])
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000, differ = 0;
	char line[1024];

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (unsigned i = 0; i < SEEDS; i++)
		if (!ok(agree(seeds[i], strlen(seeds[i])), "seed %u reads the same both ways", i))
			printf("# %s\n", seeds[i]);
	ok(good_lines == SEEDS && fast_lines >= 11, "all seeds are good lines, most of them canonical");
	for (unsigned long i = 0; i < rounds; i++) {
		const char *seed = seeds[random_below(SEEDS)];
		size_t len = strlen(seed);

		memcpy(line, seed, len);
		for (unsigned n = random_below(4) + 1; n; n--)
			len = mutate(line, len, sizeof(line));
		if (agree(line, len) || ++differ > 5)
			continue;
		printf("# differs: %.*s\n", (int)len, line);
	}
	ok(!differ, "%lu mutated lines read the same both ways", rounds);
	ok(good_lines > rounds / 50 && fast_lines > rounds / 100, "enough of them were good (%lu) and canonical (%lu)", good_lines,
	   fast_lines);
	return done_testing();
}
#endif
