/* lines.c - each line that the recorder prints (record/event.c, line.c, site.c, extra/stack.c; complain.c), byte by byte, with and without each of
 * its members; which records cannot be true; and what the end line counts. The memory ends where its last table ends.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "../../record/complain.h"
#include "../../record/event.h"
#include "../../record/extra/stack.h"
#include "../../record/line.h"
#include "../../record/site.h"
#include "../../record/totals.h"
#include "numbers.h"
#include "writers.h"

enum { SITES = 64, STRINGS = 4096, TEXT = 1, FILE_C = 3, FRAMES = 4, FRAMES_OF_SITES = 12, LAST = STRINGS / 8 - 1 };
#define ALL (~0ull >> 1)

static void string(uint32_t at, const void *text, size_t len)
{
	struct ctp_string *s = (struct ctp_string *)(void *)(r.strings + 8 * (size_t)at);

	memcpy(s->text, text, len);
	s->len = (uint32_t)len + 1;
}

static void begin(int out)
{
	static const uint64_t frames[] = { 0x1234, 0xabcdef }, of_sites[] = { CTP_SITE_FRAME | 1, CTP_SITE_FRAME | 2 };
	char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(p + 8192, 4096, PROT_NONE);
	r.strings = p + 4096;
	r.strings_size = STRINGS;
	r.sites = (void *)p;
	r.site_count = SITES;
	r.stacks = true;
	string(TEXT, "te\"xt", 5);
	string(FILE_C, "f.c", 3);
	string(FRAMES, frames, sizeof frames);
	string(FRAMES_OF_SITES, of_sites, sizeof of_sites);
	r.sites[1] = (struct ctp_site){ TEXT, 8, 1, FILE_C };
	r.sites[2] = (struct ctp_site){ FILE_C, 9, 1, TEXT };
	print_open(out, NULL, 0);
	site_init(&r);
	stack_init(&r);
	start = clock_ns();
}

static void tell(struct ctp_event e)
{
	e.tid = e.tid ? e.tid : 7;
	e.probe_id = e.probe_id == ALL ? 0 : e.probe_id ? e.probe_id : 1;
	e.n = e.n ? e.n : 3;
	print_event(&r, &e, start + 10, 40, e.spare);
}
#define TELL(...) tell((struct ctp_event){ __VA_ARGS__ })

static void objects(void)
{
	for (uint8_t on = 0; on < CTP_ON_KINDS; on++) {
		TELL(.kind = CTP_SUSPEND, .arg_kind = on, .arg = on == CTP_ON_USER ? TEXT : 26);
		TELL(.kind = CTP_SUSPEND, .arg_kind = on | CTP_ON_ANY, .arg = 26);
	}
	number("events", totals.events);
	number("impossible", totals.impossible);
}

static void coroutines(void)
{
	TELL(.kind = CTP_CREATE, .addr = 0xabc0, .seq = 2, .site = 1);
	TELL(.kind = CTP_CREATE, .arg = 12, .site = 1);
	TELL(.kind = CTP_CREATE, .arg = CTP_UNKNOWN);
	TELL(.kind = CTP_CREATE, .arg = CTP_UNTRACED);
	TELL(.kind = CTP_CREATE, .spare = 1, .arg = 12);
	TELL(.kind = CTP_RESUME, .is_active = 1, .site = 2);
	TELL(.kind = CTP_RESUME, .is_active = 1, .spare = 1);
	TELL(.kind = CTP_SUSPEND, .arg_kind = CTP_ON_FD, .arg = 5, .site = 2);
	TELL(.kind = CTP_SUSPEND, .spare = 1);
	TELL(.kind = CTP_WAKE, .addr = 77);
	TELL(.kind = CTP_WAKE, .arg = 5, .site = 1, .arg_kind = CTP_ON_FD, .addr = 6);
	for (uint64_t how = 0; how < 5; how++)
		TELL(.kind = CTP_DESTROY, .arg = how);
	number("events", totals.events);
	number("states", totals.states);
}

static void times(void)
{
	static const uint64_t all[] = { 1, 99999999, 100000000, 100000001, 1999999999, 200000000, 12345678901234567ull, 12345678900000000ull, UINT64_MAX };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		print_event(&r, &(struct ctp_event){ .kind = CTP_RESUME, .tid = 5 + i % 3, .probe_id = 1, .n = 1 }, all[i], 40, false);
}

static void others(void)
{
	for (uint64_t role = 0; role <= CTP_ROLE_ENDED; role++)
		TELL(.kind = CTP_THREAD, .arg = role, .addr = TEXT, .n = 40);
	TELL(.kind = CTP_THREAD, .arg = 9, .n = 40);
	TELL(.kind = CTP_NAME, .arg = TEXT);
	for (uint64_t by = 0; by < 2; by++) {
		TELL(.kind = CTP_WAKER_CLONE, .arg = by);
		TELL(.kind = CTP_WAKER_DROP, .arg = by);
		TELL(.kind = CTP_DEQUEUE, .arg = by, .site = 1);
		TELL(.kind = CTP_DEADLINE, .addr = by, .arg_kind = CTP_ON_TIMER, .arg = 9, .site = (uint32_t)by);
		TELL(.kind = CTP_DEADLINE, .addr = by, .arg_kind = CTP_ON_TIMER, .arg = CTP_UNKNOWN, .site = (uint32_t)by);
	}
	TELL(.kind = CTP_LEG, .arg_kind = CTP_ON_CHAN, .arg = 16, .site = 1);
	TELL(.kind = CTP_STOP, .n = 40);
	TELL(.kind = CTP_START, .n = 40);
	TELL(.kind = CTP_PARK, .addr = CTP_UNKNOWN);
	TELL(.kind = CTP_PARK, .addr = 5);
	TELL(.kind = CTP_UNPARK, .addr = CTP_UNKNOWN);
	TELL(.kind = CTP_UNPARK, .addr = 0);
	number("events", totals.events);
}

static void things(void)
{
	for (uint8_t kind = CTP_OPEN; kind <= CTP_RELEASE; kind++) {
		TELL(.kind = kind, .arg_kind = CTP_ON_SEM, .arg = 16, .addr = TEXT, .site = 1);
		TELL(.kind = kind, .arg_kind = CTP_ON_SEM, .arg = 16, .probe_id = ALL);
	}
	number("events", totals.events);
}

/* What each kind must have. */
static void without(void)
{
	for (uint8_t kind = 0; kind <= CTP_KINDS; kind++) {
		struct ctp_event e = { .tid = 7, .probe_id = 1, .n = 3, .kind = kind }, none = e;

		none.probe_id = 0;
		print_event(&r, &none, start + 10, 40, false);
		number("nobody", totals.impossible);
		none = e;
		none.n = 0;
		print_event(&r, &none, start + 10, 40, false);
		number("no_n", totals.impossible);
		none = e;
		none.arg_kind = CTP_ON_ANY_OF;
		print_event(&r, &none, start + 10, 40, false);
		number("none", totals.impossible);
		print_event(&r, &e, 0, 40, false);
		number("never", totals.impossible);
		totals.impossible = 0;
	}
}

static void stack(uint32_t n, uint8_t kind)
{
	struct ctp_event e = { .tid = 7, .probe_id = 1, .n = 3, .kind = kind };

	memcpy(e.stack, &n, sizeof n);
	print_event(&r, &e, start + 10, 40, false);
}

static void stacks(void)
{
	static const uint64_t mixed[] = { CTP_SITE_FRAME | 1, 5 }, nowhere[] = { CTP_SITE_FRAME | 3 }, one[] = { 77 };

	for (uint8_t kind = CTP_CREATE; kind < CTP_KINDS; kind++)
		if (kind != CTP_LOST && kind != CTP_THREAD)
			stack(FRAMES, kind);
	stack(FRAMES_OF_SITES, CTP_WAKE);
	stack(FRAMES_OF_SITES, CTP_WAKE);
	number("stacks", totals.stacks);
	number("unreadable", totals.unreadable);
	string(20, mixed, sizeof mixed);
	string(30, nowhere, sizeof nowhere);
	string(40, one, 7);
	string(50, one, 0);
	string(70, mixed, 12);
	((struct ctp_string *)(void *)(r.strings + 8 * LAST))->len = 9;	/* more than there is room for */
	for (uint32_t n = 20; n < 60; n += 10)
		stack(n, CTP_WAKE);
	stack(60, CTP_WAKE);
	stack(70, CTP_WAKE);		/* no whole addresses */
	stack(LAST, CTP_WAKE);
	stack(STRINGS / 8, CTP_WAKE);
	stack(UINT32_MAX, CTP_WAKE);
	number("unreadable", totals.unreadable);
	stack(0, CTP_WAKE);		/* it has none */
	number("unreadable", totals.unreadable);
	string(LAST - 1, one, 8);
	stack(LAST - 1, CTP_WAKE);
	stack(63, CTP_WAKE);
	string(64, one, 8);
	stack(64, CTP_WAKE);
	string(65, one, 8);
	stack(65, CTP_WAKE);
	number("unreadable", totals.unreadable);
	r.stacks = false;
	stack(FRAMES, CTP_WAKE);
}

/* All that it tells of stacks would not fit into its memory: it tells of some again and again. */
static void too_many_stacks(void)
{
	uint64_t frames[100] = { 5, 6 };

	for (uint32_t n = 100; n < 140; n++) {
		string(n, frames, sizeof frames);
		stack(n, CTP_WAKE);
	}
	number("stacks", totals.stacks);
	number("unreadable", totals.unreadable);
}

static void long_stacks(void)
{
	uint64_t frames[CTP_STACK_MAX + 1] = { 5, 6 };

	string(20, frames, sizeof frames);
	stack(20, CTP_WAKE);
	number("stacks", totals.stacks);
	string(20, frames, sizeof frames - 8);
	stack(20, CTP_WAKE);
	number("stacks", totals.stacks);
}

static void births(void)
{
	struct ctp_birth b = { .id = 9, .parent = 4, .site = 1 | CTP_BIRTH_UNSEEN, .name = TEXT };

	print_birth(&r, &b, start + 10);
	b.site = 1;
	b.name = 0;
	b.parent = 0;
	print_birth(&r, &b, start + 10);
	b.site = 0;
	print_birth(&r, &b, start + 10);
	number("impossible", totals.impossible);
	print_birth(&r, &b, 0);
	b.site = SITES;
	print_birth(&r, &b, start + 10);
	number("impossible", totals.impossible);
	b.site = SITES - 1;		/* is none yet */
	print_birth(&r, &b, start + 10);
	number("events", totals.events);
	number("unreadable", totals.unreadable);
	print_end(start + 20, false, 0);
}

static void version_1(void)
{
	print_v1_life(5, start + 10, true);
	print_v1(5, &(struct ctp_event){ .tid = 7, .seq = 2, .addr = 16, .is_active = 1, .timestamp = start + 11 }, 8);
	number("lines", totals.v1);
	print_v1_life(5, start + 12, false);
	number("lines", totals.v1);
	print_end(start + 20, false, 0);
}

static void an_end(void)
{
	print_end(start + 10, false, 0);		/* of nothing */
	TELL(.kind = CTP_THREAD, .addr = TEXT, .n = 40);
	print_end(start + 20, false, 0);
	print_end(start + 20, true, 0);
	TELL(.kind = CTP_PARK);			/* as many events as threads */
	print_end(start + 20, true, 0);
	print_end(start + 20, true, start + 12);	/* stopped */
}

/* As many as there is room for, and each once more. */
static void many_sites(void)
{
	for (uint32_t i = 1; i < SITES; i++)
		r.sites[i] = (struct ctp_site){ FILE_C, i, 1, FILE_C };
	for (uint32_t turn = 0; turn < 2; turn++)
		for (uint32_t i = 1; i < SITES; i++)
			TELL(.kind = CTP_RESUME, .site = i);
	number("sites", totals.sites);
}

/* Sites are one where all that they say is equal, and else are not. */
static void same_sites(void)
{
	static const char *const texts[] = { "ab", "bb", "ac", "a", "a longer one that stands where shorter ones are copied to", "ab" };
	enum { N = sizeof texts / sizeof *texts };

	for (uint32_t i = 0; i < N; i++) {
		string(100 + 10 * i, texts[i], strlen(texts[i]));
		r.sites[1 + i] = (struct ctp_site){ 1, 5, 100 + 10 * i, FILE_C };
		r.sites[1 + N + i] = (struct ctp_site){ 1, 5, FILE_C, 100 + 10 * i };
	}
	for (uint32_t i = 1; i <= 2 * N; i++)
		TELL(.kind = CTP_RESUME, .site = i);
	number("sites", totals.sites);
	number("none", site_number(&r, 0));
	number("none", site_number(&r, SITES));
	number("none", site_number(&r, SITES + 1));
}

/* Numbers of texts that there are none of. */
static void no_texts(void)
{
	static const uint32_t none[] = { STRINGS / 8, STRINGS / 8 + 1, 1u << 29, UINT32_MAX };

	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		TELL(.kind = CTP_NAME, .arg = none[i]);
		number("unreadable", totals.unreadable);
	}
}

static void counts(void)
{
	for (uint8_t kind = CTP_CREATE; kind < CTP_KINDS; kind++)
		for (int i = 0; i < kind; i++)
			TELL(.kind = kind, .site = 1);
	TELL(.kind = CTP_RESUME, .spare = 1);
	print_lost("tid", 5, 3, start, start + 1);
	print_end(start + 20, true, 0);
}

static void processes(void)
{
	print_process(start + 10, 5, 4, "/a\\b");
	print_map(start + 10, 5, 0x1000, 0x2fff, 0x30, "/lib", "0a");
	print_map(start + 10, 5, 0x1000, 0x2fff, 0, "/lib", "");
	print_process_end(start + 10, 5, start + 9);
	print_exit(start + 10, 5, 3 << 8, start + 9);
	print_exit(start + 10, 5, SIGTERM, start + 9);
	print_exit(start + 10, 5, -1, start + 9);
	print_sync(start + 10, 0);
	print_sync(start + 10, 6);
	print_attach(start + 10, 1, 2, 3, 4);
	print_name(start + 10, 5, "n");
	number("events", totals.events);
	print_lost(NULL, 5, 2, start, start + 1);
	number("lost", totals.lost);
}

static void meta(void)
{
	static char name[] = "a\"b", other[] = "c";
	char *command[] = { name, other, NULL };

	print_meta(command, start + 10, start + 11, ",\"more\":1");
}

/* Texts of the target's: too long to be printed whole, and as long as the memory is. */
static void long_texts(void)
{
	r.strings_size = STRINGS;
	memset(r.strings + 8 * TEXT, 'x', STRINGS - 8 * TEXT);
	((struct ctp_string *)(void *)(r.strings + 8 * TEXT))->len = STRINGS - 8 * TEXT - 4 + 1;
	TELL(.kind = CTP_NAME, .arg = TEXT);
	((struct ctp_string *)(void *)(r.strings + 8 * TEXT))->len++;
	TELL(.kind = CTP_NAME, .arg = TEXT);
	number("unreadable", totals.unreadable);
}

/* ---- numbers, texts, and the buffer ---- */

static size_t bad;

static void both(uint64_t v)
{
	char got[32], want[32];

	*put_number(got, v) = '\0';
	snprintf(want, sizeof want, "%llu", (unsigned long long)v);
	bad += strcmp(got, want) != 0;
	*put_hex(got, v) = '\0';
	snprintf(want, sizeof want, "%016llx", (unsigned long long)v);
	bad += strcmp(got, want) != 0;
}

static void numbers(void)
{
	each_number(both, 20000);
	number("bad", bad);
}

static unsigned code_of(const unsigned char *s, size_t n)
{
	unsigned code = n == 1 ? s[0] : s[0] & (0x7fu >> n);

	for (size_t k = 1; k < n; k++)
		code = code << 6 | (s[k] & 0x3fu);
	return code;
}

/* On a terminal: controls, and what turns the direction of writing. */
static bool acts(unsigned code)
{
	static const unsigned ranges[][2] = { { 0, 0x1f }, { 0x7f, 0x9f }, { 0x61c, 0x61c }, { 0x200e, 0x200f }, { 0x202a, 0x202e }, { 0x2066, 0x2069 } };

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

/* What of these bytes is UTF-8 (RFC 3629) stands there, what must be escaped is, all else is U+FFFD. */
static void bytes(const unsigned char *s, size_t len)
{
	static const unsigned char least[] = { 0, 0, 0x80, 0xa0, 0x90 };
	char want[64] = "", *w = want, *from = print_begin(), *end;

	for (size_t i = 0, n; i < len; i += n) {
		n = s[i] < 0x80 ? 1 : s[i] >= 0xc2 && s[i] < 0xe0 ? 2 : s[i] >= 0xe0 && s[i] < 0xf0 ? 3 : s[i] >= 0xf0 && s[i] < 0xf5 ? 4 : 0;
		if (n > len - i)
			n = 0;
		for (size_t k = 1; k < n; k++)
			if (s[i + k] < 0x80 || s[i + k] > 0xbf)
				n = 0;
		if (n > 2 && (((s[i] == 0xe0 || s[i] == 0xf0) && s[i + 1] < least[n]) || (s[i] == 0xed && s[i + 1] > 0x9f) || (s[i] == 0xf4 && s[i + 1] > 0x8f)))
			n = 0;
		if (!n)
			w += sprintf(w, "\xef\xbf\xbd");
		else if (n == 1 && (s[i] == '"' || s[i] == '\\'))
			w += sprintf(w, "\\%c", s[i]);
		else if (acts(code_of(s + i, n)))
			w += sprintf(w, "\\u%04x", code_of(s + i, n));
		else
			w = (char *)memcpy(w, s + i, n) + n;
		n += !n;
	}
	end = put_escaped(from, (const char *)s, len);
	bad += (size_t)(end - from) != (size_t)(w - want) || memcmp(from, want, (size_t)(w - want)) || print_at != end;
	print_at = from;
}

static void escaped(void)
{
	static const unsigned char edges[] = { 0, 0x1f, 0x20, '"', '\\', 0x7e, 0x7f, 0x80, 0x81, 0x8d, 0x8e, 0x8f, 0x90, 0x9b, 0x9c, 0x9d, 0x9f, 0xa0, 0xa5, 0xa6,
		0xa9, 0xaa, 0xae, 0xaf, 0xbf, 0xc0, 0xc1, 0xc2, 0xd8, 0xdf, 0xe0, 0xe1, 0xe2, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff };
	enum { N = sizeof edges };

	for (unsigned i = 0; i < N * N * N * N; i++) {
		unsigned char s[4] = { edges[i % N], edges[i / N % N], edges[i / N / N % N], edges[i / N / N / N] };

		bytes(s, i % 5 ? 4 : i / 5 % 4);
	}
	number("bad", bad);
}

/* Many blocks, written in order and once; of a text that is longer than one, too. */
static bool long_trace(void)
{
	int fd = memfd_create("out", MFD_CLOEXEC), status;
	enum { TEXT_SIZE = 700000, LINES = 60000 };
	static char want[8 << 20], got[8 << 20], text[TEXT_SIZE];
	char *w = want;
	ssize_t size;
	pid_t pid;

	memset(text, 'y', TEXT_SIZE);
	if (!(pid = fork())) {
		begin(fd);
		for (unsigned i = 0; i < LINES; i++) {
			print_sync(i, 0);
			if (i % 1000 == 0)
				print_flush();
			if (i == LINES / 2)
				print_at = put_escaped(print_begin(), text, TEXT_SIZE);
		}
		leave(!print_close() || print_failed() || print_behind_ns());
	}
	waitpid(pid, &status, 0);
	for (unsigned i = 0; i < LINES; i++) {
		w += sprintf(w, "{\"ev\":\"sync\",\"ts\":%u}\n", i);
		if (i == LINES / 2)
			w = (char *)memcpy(w, text, TEXT_SIZE) + TEXT_SIZE;
	}
	size = pread(fd, got, sizeof got, 0);
	return !status && size == w - want && !memcmp(got, want, (size_t)size);
}

/* Nobody reads any more: that is no failure; a full disk is, and told once. */
static bool unwritable(int fd, bool good, const char *says)
{
	int err = memfd_create("err", MFD_CLOEXEC), status;
	char text[400] = "";
	pid_t pid = fork();

	if (!pid) {
		dup2(err, 2);
		signal(SIGPIPE, SIG_IGN);
		begin(fd);
		for (unsigned i = 0; i < 20000; i++)
			print_sync(i, 0);
		print_flush();
		for (int i = 0; i < 10000 && !print_failed(); i++)
			usleep(1000);
		print_sync(1, 0);
		print_flush();
		leave(!print_failed() || print_close() != good);
	}
	waitpid(pid, &status, 0);
	if (pread(err, text, sizeof text - 1, 0) < 0)
		return false;
	close(err);
	return !status && !strcmp(text, says);
}

/* What is said on stderr, and the status. */
static char *complaint(void (*run)(void), int *status)
{
	static char text[2000];
	int err = memfd_create("err", MFD_CLOEXEC);
	pid_t pid = fork();

	if (!pid) {
		dup2(err, 2);
		run();
		leave(0);
	}
	waitpid(pid, status, 0);
	text[pread(err, text, sizeof text - 1, 0)] = '\0';
	close(err);
	return text;
}

static void too_long(void)
{
	complain("%02000d", 7);
}

static void no_memory(void)
{
	need(&start);
	need(NULL);
}

static uint64_t digest(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ull;

	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3ull;
	return h;
}

int main(void)
{
	/* what was read and found right, as a number; a case that fails prints what it is now */
	static const struct { void (*run)(void); uint64_t digest; const char *what; } cases[] = {
		{ objects, 0x9527bddae01f4212, "what a coroutine waits for" },
		{ coroutines, 0xff3e21e43d9999cf, "coroutines: born, run, wait, woken, ended; states" },
		{ times, 0xbc94d9915e0faf32, "times of any length, threads in turn" },
		{ others, 0xa93d32b5befc6a09, "threads, names, wakers, queues, deadlines, legs, stop and start, park" },
		{ things, 0xcdf364e691c5aca7, "things: with and without name, waker, site" },
		{ without, 0x4cdef5a56843884a, "records that have not what their kind must have" },
		{ stacks, 0x6f18ecd14ac5db45, "call stacks, of addresses and of sites, and what is none" },
		{ too_many_stacks, 0x9106a7d0fa55c104, "more stacks than its memory holds" },
		{ long_stacks, 0xbae8bbef55f3b55a, "the longest stack, and one longer" },
		{ births, 0x6f54de9432b40cbf, "births in a box" },
		{ version_1, 0x66e014ccea158c33, "version 1: no kinds are counted" },
		{ an_end, 0xd2401e64ad885734, "the end of nothing, and of threads alone" },
		{ many_sites, 0x1844b4e32ad609e3, "each site once" },
		{ same_sites, 0x7c32bc4608ffedc8, "equal sites are one" },
		{ no_texts, 0x20a7e7b0059f2a99, "texts that are none" },
		{ counts, 0xb513a2e5fc7fdb82, "each kind is counted" },
		{ processes, 0x2419cf54161ca283, "processes, their code and their ends; sync, attach, loss" },
		{ long_texts, 0xace025e3c7dc62c9, "a text as long as there is room for" },
	};
	struct timespec before, after;
	char *got, host[256] = "", named[300];
	uint64_t wall;
	int ends[2], status;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		got = printed(cases[i].run);
		if (ok(digest(got) == cases[i].digest, "%s", cases[i].what))
			continue;
		printf("# digest 0x%016llx\n", (unsigned long long)digest(got));
		for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n"))
			printf("# %s\n", line);
	}
	prints(numbers, SAYS("bad", "0"), "numbers as printf has them");
	prints(escaped, SAYS("bad", "0"), "any four bytes as JSON");
	ok(long_trace(), "a trace of many blocks, and a text that is longer than one");
	if (pipe(ends))
		return 99;
	close(ends[0]);
	ok(unwritable(ends[1], true, ""), "nobody reads any more: that is no failure");
	ok(unwritable(open("/dev/full", O_WRONLY), false,
		"ct-record: cannot write the trace: No space left on device; the program runs on, but the trace ends here\n"), "a full disk is one, told once");
	clock_gettime(CLOCK_REALTIME, &before);
	wall = wall_ns();
	clock_gettime(CLOCK_REALTIME, &after);
	ok(wall >= (uint64_t)before.tv_sec * 1000000000 + (uint64_t)before.tv_nsec && wall <= (uint64_t)after.tv_sec * 1000000000 + (uint64_t)after.tv_nsec,
		"the time on the wall");
	got = printed(meta);
	ok(strstr(got, "{\"ev\":\"meta\",\"ts\":+10,\"format\":\"corotrace\",\"version\":2,\"tool\":\"ct-record " CT_VERSION
		"\",\"command\":[\"a\\\"b\",\"c\"],\"host\":\"") == got && strstr(got, "\",\"wall\":+11,\"clock\":\"monotonic\",\"more\":1}\n"),
		"the first line");
	gethostname(host, sizeof host - 1);
	snprintf(named, sizeof named, "\"host\":\"%s\",", host);
	ok(strstr(got, named) != NULL, "with the machine's name");
	got = complaint(too_long, &status);
	ok(strlen(got) == 1023 && !strncmp(got, "ct-record: 000", 14) && got[1022] == '\n', "a long message is cut");
	got = complaint(no_memory, &status);
	ok(!strcmp(got, "ct-record: out of memory\n") && WEXITSTATUS(status) == 125, "no memory");
	return done_testing();
}
