/* reader.c - the fast scanner and the complete parser must say the same of every line, neither may crash, and no member of an
 * event that belongs to another kind may be a wild pointer.
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
	return SAME(kind) && SAME(run) && SAME(has) && SAME(v1) && SAME(is_active) && SAME(done) &&
		SAME(probe_id) && SAME(tid) && SAME(addr) && SAME(seq) && SAME(ts) && SAME(n) && SAME(site) && SAME(parent) &&
		SAME(by) && SAME(stack) && on_same(&a->on, &b->on) && SAME_TEXT(reason) && SAME_TEXT(name) &&
		/* of each kind: two texts, and behind them what can be compared as bytes */
		SAME_TEXT(map.path) && SAME_TEXT(map.build_id) &&
		!memcmp(&a->map.pid, &b->map.pid, offsetof(struct ctt_event, line) - offsetof(struct ctt_event, map.pid));
}

/* Every text of every kind, whichever kind the event is: of the line or its scratch, or NULL, and walked as any list without
 * a byte read beyond. */
#define TEXTS(X) X(meta.tool) X(meta.format) X(process.path) X(map.path) X(map.build_id) X(thread.role) X(site_line.func) \
	X(site_line.file) X(stack_line.frames) X(stack_line.sites) X(name_line.role) X(end.lines) X(state.doubt) \
	X(symbol.path) X(symbol.at)

static bool within(struct ctt_text t, const char *p, size_t len)
{
	return t.p >= p && t.p <= p + len && t.len <= (size_t)(p + len - t.p);
}

static bool texts_are_texts(const struct ctt_event *ev, const char *line, const char *scratch, size_t len)
{
#define MEMBER(member) ev->member,
	const struct ctt_text texts[] = { TEXTS(MEMBER) };
	char *room = malloc(len + 1);
	struct ctt_symbol symbol;
	bool good = true;
	uint64_t v;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct ctt_text numbers = texts[i], symbols = texts[i];

		good &= texts[i].p ? within(texts[i], line, len) || within(texts[i], scratch, len) : !texts[i].len;
		while (good && ctt_next_number(&numbers, &v))
			;
		while (good && ctt_next_symbol(&symbols, &symbol, room))
			good &= symbol.func.len <= len && symbol.file.len <= len;
	}
	free(room);
	return good;
}

static unsigned long fast_lines, good_lines;
static uint64_t kinds_seen;
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
		same &= texts_are_texts(&slow, line, scratch, len) && (!taken || texts_are_texts(&fast, line, scratch, len));
		kinds_seen |= 1ull << slow.kind;
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
	"{\"ev\":\"dequeue\",\"ts\":5,\"tid\":1,\"probe_id\":7,\"by\":1,\"site\":4}",
	"{\"ev\":\"deadline\",\"ts\":5,\"tid\":1,\"probe_id\":7,\"by\":1,\"on\":\"timer:99\",\"site\":4}",
	"{\"ev\":\"stop\",\"ts\":5,\"tid\":1,\"pid\":4}",
	"{\"ev\":\"start\",\"ts\":5,\"tid\":1,\"pid\":4}",
	"{\"ev\":\"leg\",\"ts\":5,\"tid\":1,\"probe_id\":7,\"n\":3,\"on\":\"room:0x10\",\"site\":4}",
	"{\"ev\":\"lost\",\"ts\":5,\"tid\":1,\"count\":12,\"from\":1,\"to\":5}",
	"{\"ev\":\"sync\",\"ts\":5}",
	"{\"ev\":\"exit\",\"ts\":5,\"pid\":4,\"signal\":9}",
	"{\"ev\":\"waker\",\"ts\":5,\"tid\":1,\"probe_id\":7,\"by\":1,\"op\":\"clone\"}",
	"{\"ev\":\"site\",\"site\":3,\"func\":\"a\\u00e9\\ud83d\\ude00\\n\",\"file\":\"s.cc\",\"line\":42, \"x\":[1,{\"y\":[]},null]}",
	"{\"ev\":\"meta\",\"ts\":5,\"format\":\"corotrace\",\"version\":2,\"tool\":\"r\\u0065c\",\"attached\":true,\"snapshot\":true}",
	"{\"ev\":\"attach\",\"ts\":5,\"live\":1,\"states\":1,\"history\":2,\"before\":3}",
	"{\"ev\":\"process\",\"ts\":5,\"pid\":281474976710655,\"path\":\"/a\\tb\",\"ended\":true,\"alive\":18446744073709551615}",
	"{\"ev\":\"map\",\"ts\":5,\"pid\":4,\"start\":\"0x7f0000000000\",\"end\":\"0xffffffffffffffff\",\"offset\":4096,"
		"\"path\":\"/a\",\"build_id\":\"8f3c\"}",
	"{\"ev\":\"thread\",\"ts\":5,\"tid\":1,\"pid\":4,\"name\":\"w\",\"role\":\"worker\"}",
	"{\"ev\":\"stack\",\"stack\":9,\"frames\":[\"0x55\",\"0x56\"]}",
	"{\"ev\":\"stack\",\"stack\":9,\"sites\":[3,4]}",
	"{\"ev\":\"name\",\"ts\":5,\"tid\":1,\"probe_id\":7,\"name\":\"conn\",\"role\":\"system\"}",
	"{\"ev\":\"unpark\",\"ts\":5,\"tid\":1,\"depth\":18446744073709551615}",
	"{\"ev\":\"close\",\"ts\":5,\"tid\":1,\"on\":\"fd:42\"}",
	"{\"ev\":\"acquire\",\"ts\":5,\"tid\":1,\"on\":\"mutex:0x7f\"}",
	"{\"ev\":\"release\",\"ts\":5,\"tid\":1,\"on\":\"mutex:0x7f\"}",
	"{\"ev\":\"end\",\"ts\":5,\"events\":9,\"lost\":12,\"live\":4,\"alive\":4,\"lines\":{\"create\":5,\"site\":6}}",
	"{\"ev\":\"cut\",\"tool\":\"w\",\"expr\":\"x\",\"count\":140737488355327}",
	"{\"ev\":\"symbol\",\"addr\":\"0x55\",\"path\":\"/a\",\"at\":[{\"func\":\"s\\u00e9\",\"file\":\"s.cc\",\"line\":42},{}]}",
	"{\"probe_id\":7,\"tid\":0,\"addr\":\"0x0000000000000000\",\"seq\":4,\"is_active\":false,\"ts\":5,\"ev\":\"state\",\"n\":2,"
		"\"since\":\"before\",\"wakers\":140737488355327,\"refs\":1,\"leaked\":true,\"closed\":true,\"doubt\":\"freed?\"}",
	"{\"ev\":\"unheard-of\",\"ts\":5,\"value\":140737488355327,\"path\":\"/a\"}",
};
/* Those of the frequent kinds, but for two with numbers of 20 digits: what is read the slow way is read as well. */
enum { SEEDS = sizeof(seeds) / sizeof(seeds[0]), CANONICAL = 18 };

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
	ok(kinds_seen == CTT_KIND(KINDS) - 1, "there is a seed of every kind");
	ok(good_lines == SEEDS && fast_lines == CANONICAL, "all seeds are good lines, %d of them canonical: %lu", CANONICAL, fast_lines);
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
