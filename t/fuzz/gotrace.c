/* gotrace.c - ct-fromgo must neither crash nor print a line that cannot stand where it does, whatever bytes it reads.
 *
 * Under libFuzzer (-fsanitize=fuzzer -DLIBFUZZER): LLVMFuzzerTestOneInput. Else a program: gotrace [ROUNDS [SEED]]
 * [TRACE ...] mutates small traces that it makes and those named, the same way at each run, cuts them at every byte, and
 * prints TAP. `gotrace --seeds DIR` writes the traces that it makes, for a corpus.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../filters/ct-check/check.h"
#include "read/internal.h"
#include "tap.h"

/* The program itself, all but its main. */
#define main fromgo_main
#include "../../filters/ct-fromgo/main.c"
#undef main

enum { ROOM = 1 << 20, OUTPUT = 1 << 25 };

static FILE *input, *output;
static char *text;		/* the output of the last conversion */
static size_t text_len;
static unsigned long problems, whole, events;

static void tell(struct tally *t, const struct ctt_event *ev, enum problem p, uint64_t from, uint64_t to, const char *what)
{
	(void)t;
	if (p == P_LOST)
		return;
	problems++;
	printf("# line %lu: coroutine %lu: %s, from %lu to %lu\n", (unsigned long)ev->line, (unsigned long)ev->probe_id, what,
	       (unsigned long)from, (unsigned long)to);
}

/* Is every line good, and in order within its coroutine? */
static void check_output(void)
{
	static char scratch[1 << 16];
	struct order *order = order_new(tell);
	struct tally tally = { 0 };
	char why[WHY_SIZE];
	struct ctt_event ev;

	for (const char *p = text, *end; p < text + text_len; p = end + 1) {
		const char *wrong;

		end = memchr(p, '\n', (size_t)(text + text_len - p));
		wrong = !end ? "no newline" : end - p > (ptrdiff_t)sizeof(scratch) ? "too long" : json_parse(&ev, p, end, scratch, why);
		if (wrong) {
			problems++;
			printf("# %s: %.200s\n", wrong, p);
			break;
		}
		ev.line++;
		order_apply(order, &tally, &ev);
	}
	events += tally.events;
	order_free(order);
}

/* Convert `len` bytes: text is what comes of it. The status. */
static int run(const unsigned char *bytes, size_t len)
{
	struct go_file f;
	int status = 2;

	rewind(input);
	if (ftruncate(fileno(input), 0) || pwrite(fileno(input), bytes, len, 0) != (ssize_t)len || ftruncate(fileno(output), 0))
		abort();
	lseek(fileno(input), 0, SEEK_SET);
	rewind(output);
	out_open(output);
	if (go_open(&f, fileno(input), "input"))
		status = convert(&f);
	go_close(&f);
	out_at = out_flush(out_at);
	fflush(output);
	text_len = (size_t)pread(fileno(output), text, OUTPUT, 0);
	whole += status == 0;
	return status;
}

static void begin(void)
{
	input = tmpfile();
	output = tmpfile();
	text = malloc(OUTPUT);
	if (!input || !output || !text)
		abort();
	opt.flags = CTT_TRACE_QUIET;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	if (!input)
		begin();
	syscalls = (enum go_syscalls)(size % 3);
	run(data, size);
	return 0;
}

/* ---- small traces of each version, in which everything happens once ---- */

struct build { unsigned char b[1 << 18]; size_t n, body; };

static void number(struct build *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		b->b[b->n++] = (unsigned char)(v | 0x80);
	b->b[b->n++] = (unsigned char)v;
}

/* The body's length is filled in by end(): three bytes of a form that is not the shortest, which is legal. */
static void batch(struct build *b, uint64_t gen, uint64_t m, uint64_t time)
{
	b->b[b->n++] = GO_BATCH;
	number(b, gen);
	number(b, m);
	number(b, time);
	b->body = b->n += 3;
}

static void end(struct build *b)
{
	size_t len = b->n - b->body;

	b->b[b->body - 3] = (unsigned char)(len | 0x80);
	b->b[b->body - 2] = (unsigned char)(len >> 7 | 0x80);
	b->b[b->body - 1] = (unsigned char)(len >> 14);
}

static void event(struct build *b, const char *args)
{
	char *rest;

	for (; *args; args = rest)
		number(b, strtoull(args, &rest, 10));
}

static void strings(struct build *b, uint64_t gen, uint64_t time)
{
	static const char *const s[] = { "main.main", "main.worker", "/src/main.go", "chan receive", "sync", "runtime.main",
		"runtime.bgsweep", "/go/src/runtime/proc.go", "sync.(*Mutex).Lock", "preempted", "stop \"it\"\n\xff", "select" };

	batch(b, gen, UINT64_MAX, time);
	b->b[b->n++] = GO_STACKS;
	event(b, "3 1 2  4096 1 3 10  4097 6 8 20");
	event(b, "3 2 1  8192 2 3 30");
	event(b, "3 3 3  1 9 8 1  2 2 3 31  3 2 3 32");
	event(b, "3 4 1  9 7 8 40");
	end(b);
	batch(b, gen, UINT64_MAX, time);
	b->b[b->n++] = GO_STRINGS;
	for (size_t i = 0; i < sizeof(s) / sizeof(s[0]); i++) {
		b->b[b->n++] = GO_STRING;
		number(b, i + 1);
		number(b, strlen(s[i]));
		memcpy(b->b + b->n, s[i], strlen(s[i]));
		b->n += strlen(s[i]);
	}
	end(b);
}

/* Type, dt, arguments: of thread 100, of thread 101, of nobody, in the first generation and in the second. */
static const char *const scenario[2][3][40] = { {
	{ "25 1 1 100 2", "13 1 0 1", "9 1 2 1", "28 1 1", "40 1 7 0 1 1", "42 1 7 2 1", "14 1 2 2 1", "44 1 7 1 11 1",
	  "14 1 3 2 1", "20 1 4 1", "16 1 2 1", "29 9 3 2", "22 1 1 2", "23 1", "35 1 2", "36 1", "20 1 5 3", "16 9 1 2", "43 1 7 2 1",
	  "41 1 7 1", "26 2 11 1", "27 1", "19 1 10 1", "12 20 1 3 101",
	  "11 1" },
	{ "13 2 1 2", "10 20 1 1", "16 1 3 1", "30 1 2", "21 1 1 1 2", "22 1 2 2", "24 9", "10 1 1 4", "16 1 3 2", "37 1 4096",
	  "39 1 2", "32 1 2", "33 1 5 6", "21 1 2 2 3", "17 1", "11 1" },
	{ "25 9 9 18446744073709551615 4" },
}, {
	{ "13 1 0 2", "25 1 1 18446744073709551615 1", "10 1 0 1", "16 1 1 1", "47 1 20 2 1", "45 1 20 1", "45 1 1 2", "45 1 20 2",
	  "46 1 1 3", "14 1 4 2 1", "17 1", "16 1 4 1", "22 1 2 1", "11 1" },
	{ "13 2 1 2", "25 1 2 18446744073709551615 1", "10 1 1 1", "16 1 2 1", "20 1 12 2", "11 1", "15 1 40", "18 1", "15 1 40" },
	{ "25 9 9 18446744073709551615 4" },
} };

/* Which cannot be in files of older versions are left out from where they stand. */
static void make(struct build *b, unsigned minor)
{
	*b = (struct build){ .n = 0 };
	b->n = (size_t)snprintf((char *)b->b, sizeof(b->b), "go 1.%u trace", minor) + 3;
	for (uint64_t gen = 1; gen <= 2; gen++) {
		uint64_t time = gen * 1000;

		batch(b, gen, UINT64_MAX, time);
		if (minor >= 25) {
			b->b[b->n++] = GO_SYNC;
			event(b, "8 15625000  51 5 64000 1700000000 5");
		} else {
			event(b, "8 15625000");
		}
		end(b);
		for (int m = 0; m < 3; m++) {
			batch(b, gen, m == 2 ? UINT64_MAX : 100 + (unsigned)m, time);
			for (const char *const *ev = scenario[gen - 1][m]; *ev; ev++) {
				if (minor < 23 && **ev == '4' && ((*ev)[1] == '5' || (*ev)[1] == '7'))
					break;
				event(b, *ev);
			}
			end(b);
		}
		strings(b, gen, time + 500);
		if (minor >= 26)
			b->b[b->n++] = GO_GENERATION_END;
	}
}

static int write_seeds(const char *dir)
{
	static const unsigned minors[] = { 22, 23, 25, 26 };
	struct build b;
	char name[4096];
	FILE *f;

	for (int i = 0; i < 4; i++) {
		make(&b, minors[i]);
		snprintf(name, sizeof(name), "%s/seed-%u.trace", dir, minors[i]);
		f = fopen(name, "w");
		if (!f || fwrite(b.b, 1, b.n, f) != b.n || fclose(f)) {
			perror(name);
			return 2;
		}
	}
	return 0;
}

#ifndef LIBFUZZER
struct seed { unsigned char *b; size_t n; char *text; size_t text_len; };
static struct seed seeds[64];
static unsigned seed_count;
static unsigned long long state;

static unsigned random_below(size_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)((state >> 33) % n);
}

static void add_seed(const unsigned char *b, size_t n)
{
	struct seed *s = &seeds[seed_count++];

	syscalls = SYSCALLS_ALL;
	s->b = malloc(n + 1);
	memcpy(s->b, b, n);
	s->n = n;
	run(b, n);
	s->text = malloc(text_len + 1);
	memcpy(s->text, text, text_len);
	s->text_len = text_len;
}

/* Change, remove, insert, double or splice bytes; mostly to numbers that mean something. */
static size_t mutate(unsigned char *b, size_t len)
{
	static const unsigned char likely[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 20, 21, 22, 24, 25, 45, 46, 47, 0x7f, 0x80, 0xff };
	size_t at = 16 + random_below(len - 16), n = random_below(40), from = 0;
	const struct seed *other = &seeds[random_below(seed_count)];

	switch (random_below(6)) {
	case 0:
		b[at] = (unsigned char)random_below(256);
		break;
	case 1: case 2:
		b[at] = likely[random_below(sizeof(likely))];
		break;
	case 3:
		n = n < len - at ? n : len - at;
		memmove(b + at, b + at + n, len - at - n);
		return len - n;
	case 4:
		n = n < len - at ? n : len - at;
		if (len + n > ROOM)
			break;
		memmove(b + at + n, b + at, len - at);
		return len + n;
	default:
		from = random_below(other->n);
		n = n < other->n - from ? n : other->n - from;
		if (at + n <= len)
			memcpy(b + at, other->b + from, n);
		break;
	}
	return len;
}

/* Up to its last line, which says what is lost, the output of a cut trace is the beginning of the whole one's, as soon as
 * there is a generation. Only the first two lines know how much there is. */
static bool is_beginning(const struct seed *s)
{
	const char *sync = strstr(text, "\n{\"ev\":\"sync\""), *lost;

	text[text_len] = 0;
	sync = strstr(text, "\n{\"ev\":\"sync\"");
	if (!sync)
		return true;
	for (lost = text + text_len - 1; lost > text && lost[-1] != '\n'; lost--)
		;
	return (size_t)(lost - text) <= s->text_len && !memcmp(text, s->text, (size_t)(lost - text));
}

/* Cut at every byte, or at every so many. */
static void cut(const struct seed *s, unsigned i, size_t step)
{
	unsigned long odd = 0, silent = 0;
	unsigned char *b = malloc(s->n);

	memcpy(b, s->b, s->n);
	syscalls = SYSCALLS_ALL;
	for (size_t n = 0; n < s->n; n += step) {
		int status = run(b, n);

		/* Between two generations nothing shows that there were more. */
		silent += status == 0;
		if (status != 0 && n > 16 && !is_beginning(s) && !odd++)
			printf("# seed %u cut at %zu\n", i, n);
		if (status == 3)
			check_output();
	}
	free(b);
	ok(!odd, "seed %u, cut anywhere: what is printed is how the whole one begins", i);
	ok(silent <= 1, "seed %u, cut anywhere: told, but between generations (%lu)", i, silent);
}

/* The oldest event waits for a goroutine of which the youngest tells, and each thread has one: less than the square of their number. */
static void crowd(unsigned threads)
{
	static struct build b;
	char args[80];
	clock_t from = clock();

	b.n = (size_t)snprintf((char *)b.b, sizeof(b.b), "go 1.22 trace") + 3;
	for (unsigned i = 0; i < threads; i++) {
		snprintf(args, sizeof(args), i ? "13 0 %u 2" : "21 0 7 1 0", i);
		batch(&b, 1, i, i + 1);
		event(&b, args);
		end(&b);
	}
	batch(&b, 1, threads, threads + 1);
	event(&b, "25 0 7 18446744073709551615 4");
	end(&b);
	batch(&b, 1, UINT64_MAX, 1);
	event(&b, "8 15625000");
	end(&b);
	strings(&b, 1, threads);
	ok(run(b.b, b.n) == (threads > 100 ? 3 : 0) && clock() - from < 8 * CLOCKS_PER_SEC,
	   "of %u threads the oldest waits for the youngest: in order, or told soon that it is not", threads);
	check_output();
}

int main(int argc, char *argv[])
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
	static const unsigned minors[] = { 22, 23, 25, 26 };
	static unsigned char bytes[ROOM];
	struct build b;

	if (argc == 3 && !strcmp(argv[1], "--seeds"))
		return write_seeds(argv[2]);
	begin();
	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (int i = 0; i < 4; i++) {
		make(&b, minors[i]);
		add_seed(b.b, b.n);
		check_output();
		ok(whole == seed_count, "a made trace of Go 1.%u is good", minors[i]);
	}
	for (int i = 3; i < argc && seed_count < 64; i++) {
		FILE *f = fopen(argv[i], "r");
		size_t n = f ? fread(bytes, 1, ROOM, f) : 0;

		if (f)
			fclose(f);
		if (n > 16)
			add_seed(bytes, n);
	}
	for (unsigned i = 0; i < seed_count; i++)
		cut(&seeds[i], i, seeds[i].n < 5000 ? 1 : seeds[i].n / 499);
	crowd(100);
	crowd(12000);
	ok(!problems, "no line of these is bad or out of order");
	problems = whole = events = 0;
	for (unsigned long i = 0; i < rounds; i++) {
		const struct seed *s = &seeds[random_below(seed_count)];
		size_t len = s->n;

		memcpy(bytes, s->b, len);
		for (unsigned n = random_below(6) + 1; n && len > 16; n--)
			len = mutate(bytes, len);
		syscalls = (enum go_syscalls)random_below(3);
		if (run(bytes, len) == 2)
			continue;
		check_output();
		if (problems && problems < 5)
			printf("# in round %lu\n", i);
	}
	ok(!problems, "%lu mutated traces make no line that is bad or out of order", rounds);
	ok(whole > rounds / 100 && events > rounds, "enough of them were whole (%lu) or had events (%lu)", whole, events);
	return done_testing();
}
#endif
