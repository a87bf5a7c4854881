/* print.c - the trace's buffer (record/print.c), in a world of its own in which there is one thread: the writer's turns come when this program
 * says so, or when a nap or the bell lets it run. What is written when, in which blocks, flushed, waited for; what fails.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../record/complain.h"
#include "../../record/extra/memory.h"
#include "../../record/pack.h"
#include "../../record/print.h"
#include "tap.h"
#include "told.h"

static struct {
	uint64_t now, limit;		/* time; the memory that there is */
	long pages;
	bool is_short, poor;		/* no memory that others need; none at all */
	int no_thread;
	int fails, part, interrupted, none;	/* write(): by this error; so many bytes; so often first; nothing */
	int busy;			/* so often it would block */
	void (*in_nap)(void), (*in_wait)(void);
	unsigned naps;
	jmp_buf end;
} world;

static ssize_t world_write(int fd, const char *p, size_t n)
{
	if (world.interrupted > 0) {
		world.interrupted--;
		errno = EINTR;
		return -1;
	}
	if (world.busy > 0) {
		world.busy--;
		errno = EAGAIN;
		return -1;
	}
	if (world.none > 0) {
		world.none--;
		errno = 0;
		return 0;
	}
	if (world.fails) {
		errno = world.fails;
		return -1;
	}
	n = world.part && n > (size_t)world.part ? (size_t)world.part : n;
	tell("%d:%.*s%s ", fd, (int)(n < 10 ? n : 3), p, n < 10 ? "" : "...");
	return (ssize_t)n;
}

static int world_poll(struct pollfd *p, nfds_t n, int ms)
{
	tell("%s", n == 1 && p->fd == 7 && p->events == POLLOUT && ms == -1 ? "polls " : "polls what? ");
	return 1;
}

static void world_nap(void)
{
	if (++world.naps > 1000)
		exit(99);
	world.now += 1000000;
	if (world.in_nap)
		world.in_nap();
}

static int world_create(pthread_t *t, void *(*run)(void *))
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	tell("thread%s ", sigismember(&mask, SIGTERM) && sigismember(&mask, SIGCHLD) && run ? "" : " with signals");
	memset(t, 0, sizeof *t);
	return world.no_thread;
}

static int world_pack(const char *p, size_t n, enum pack_how how, int (*put)(const char *, size_t))
{
	tell("%s", how == PACK_END ? "end" : how == PACK_FLUSH ? "flush " : "");
	if (p)
		tell("%.*s ", (int)(n < 10 ? n : 0), p);
	else
		tell("%zu ", n);
	return put(".", 1);
}

/* Found by who looks for memory that nobody knows of any more. */
static void *known(void *p)
{
	static void *all[2000];
	static size_t n;

	return all[n++ % 2000] = p;
}

static void *world_need(void *p)
{
	if (!p)
		longjmp(world.end, 125);
	return p;
}

#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define memory_left() (world.limit)
#define memory_short() (world.is_short)
#define sysconf(what) ((what) == _SC_PHYS_PAGES ? world.pages : 4096)
#define clock_gettime(clock, t) ((t)->tv_sec = (time_t)(world.now / 1000000000), (t)->tv_nsec = (long)(world.now % 1000000000))
#define nanosleep(t, rest) ((t)->tv_sec == 0 && (t)->tv_nsec == 1000000 ? world_nap() : exit(99))
#define write(fd, p, n) world_write(fd, p, n)
#define poll(p, n, ms) world_poll(p, n, ms)
#define pthread_create(t, attr, run, arg) world_create(t, run)
#define pthread_join(t, result) writer(NULL)
#define sem_wait(s) (tell("waits "), world.in_wait())
#define sem_post(s) tell("rings ")
#define pack_put(pack, p, n, how, put) world_pack(p, n, how, put)
#define malloc(n) (world.poor ? NULL : known((malloc)(n)))
#define calloc(n, size) known((calloc)(n, size))
#define need(p) world_need(p)
#define exit(status) longjmp(world.end, status)
#include "../../record/print.c"
#undef exit
#undef malloc
#undef calloc

static void fresh(void)
{
	memset(&world, 0, sizeof world);
	memset(&out, 0, sizeof out);
	world.now = 5000000000;
	world.limit = 1 << 30;
	world.pages = 1 << 18;
	told[0] = '\0';
}

static struct pack *packed = (struct pack *)&world;

static void starts(struct pack *p, uint64_t buffer)
{
	print_open(7, p, buffer);
	if (!is("thread "))
		ok(0, "the writer is started, and takes no signal");
}

static void line(const char *text)
{
	char *p = print_begin();

	print_at = stpcpy(p, text);
}

static void fill(char c)		/* a block */
{
	memset(print_begin(), c, BLOCK);
	print_at += BLOCK;
}

static void one_is_written(void) { out.written++; }
static void is_over(void) { out.over = true; }

static void sizes(void)
{
	static const struct { uint64_t asked, limit; long pages; unsigned most; } all[] = {
		{ 0, UINT64_MAX, 1 << 18, 128 }, { 0, 1 << 30, 1 << 20, 128 }, { 0, 1 << 28, 1 << 18, 32 }, { 0, 1 << 26, 1 << 18, 16 },
		{ 0, 1ull << 40, 1l << 25, 1024 }, { 0, (1ull << 33) - 4096, 1l << 25, 1023 }, { 1 << 20, 0, 0, 16 }, { 16 * BLOCK, 0, 0, 16 }, { 17 * BLOCK - 1, 0, 0, 16 }, { 17 * BLOCK, 0, 0, 17 },
		{ 1ull << 32, 0, 0, 1 << 14 },
	};
	sigset_t mask;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		fresh();
		world.limit = all[i].limit, world.pages = all[i].pages;
		starts(NULL, all[i].asked);
		ok(out.most == all[i].most && out.made == 1 && out.fd == 7 && !out.filled && print_at == block, "%u blocks", all[i].most);
	}
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	ok(!sigismember(&mask, SIGTERM) && !sigismember(&mask, SIGCHLD), "signals are ours");
	for (unsigned i = 0; i < 10000; i++) {
		char text[5];

		snprintf(text, sizeof text, "%04u", i);
		if (memcmp(digits_4[i], text, 4)) {
			ok(0, "digits of %u", i);
			return;
		}
	}
	ok(1, "digits");
}

static void no_thread(void)
{
	fresh();
	world.no_thread = EAGAIN;
	if (!setjmp(world.end)) {
		print_open(7, NULL, 0);
		ok(0, "no thread");
	} else {
		ok(is("thread cannot start a thread: Resource temporarily unavailable|"), "no thread");
	}
	fresh();
	world.poor = true;
	if (!setjmp(world.end)) {
		print_open(7, NULL, 0);
		ok(0, "no memory");
	} else {
		ok(is(""), "no memory");
	}
}

static void blocks(void)
{
	fresh();
	starts(NULL, 0);
	print_flush();
	ok(!out.filled, "nothing is no block");
	line("one ");
	line("two ");
	ok(!out.filled, "not before it is full or flushed");
	print_flush();
	ok(out.filled == 1 && out.made == 2 && is(""), "nobody is rung who is awake");
	memset(print_at, 'x', BLOCK - 1);
	print_at += BLOCK - 1;
	line("y");
	ok(out.filled == 1 && print_at - block == BLOCK, "full");
	line("z");
	ok(out.filled == 2 && print_at - block == 1 && *block == 'z', "the next one");
	ok(print_close() && is("7:one two  7:xxx... 7:z ") && out.filled == 3 && out.written == 3, "all, in order");
	ok(!print_failed(), "well");
}

static void taken(void)
{
	char *first;

	fresh();
	starts(NULL, 0);
	first = block;
	for (int i = 0; i < 3; i++)
		line("a"), print_flush();
	ok(out.made == 4 && !out.again, "new ones, while none was written");
	out.written = 1;
	line("a"), print_flush();
	ok(out.made == 4 && out.again == 1 && block == first, "else that");
	world.is_short = true;
	while (out.made < BLOCKS)
		line("a"), print_flush();
	ok(!world.naps, "the fewest are taken even where memory is short");
	world.in_nap = one_is_written;
	line("a"), print_flush();
	ok(out.made == BLOCKS && world.naps == 1 && out.waited_ns == 1000000 && out.again == 2, "no more: then it waits");
	ok(!print_behind_ns(), "for the reader");
	out.pack = packed;
	ok(print_behind_ns() == 1000000, "or for the compression");
	world.is_short = false;
	line("a"), print_flush();
	ok(out.made == BLOCKS + 1 && world.naps == 1, "else more");
	world.poor = true;
	line("a"), print_flush();
	ok(out.made == BLOCKS + 1 && world.naps == 2 && print_behind_ns() == 2000000, "as long as there is memory");
	world.poor = false;
	while (out.made < out.most)
		line("a"), print_flush();
	ok(world.naps == 2 && out.most == 128, "up to the most");
	line("a"), print_flush();
	ok(world.naps == 3 && out.made == 128, "and none beyond");
}

/* Blocks are counted on. */
static void beyond_32_bits(void)
{
	char text[3] = "a ";

	fresh();
	starts(NULL, 17 * BLOCK);
	out.filled = out.written = out.again = UINT32_MAX - 4;
	for (; *text <= 'p'; ++*text)
		line(text), print_flush();
	ok(out.made == 17 && !world.naps && print_close() && is("7:a  7:b  7:c  7:d  7:e  7:f  7:g  7:h  7:i  7:j  7:k  7:l  7:m  7:n  7:o  7:p  "),
		"beyond 2^32 of them");
}

static void writes(void)
{
	fresh();
	starts(NULL, 0);
	world.interrupted = world.none = 2;
	world.part = 3;
	line("abcdefgh");
	ok(print_close() && is("7:abc 7:def 7:gh "), "in parts, and again when interrupted");
	fresh();
	starts(NULL, 0);
	world.busy = 2;
	line("a");
	ok(print_close() && !print_failed() && is("polls polls 7:a "), "waited for where it would block");
	fresh();
	starts(NULL, 0);
	world.fails = ENOSPC;
	line("a"), print_flush();
	line("b");
	ok(!print_close() && print_failed() && is("cannot write the trace: No space left on device; the program runs on, but the trace ends here|") &&
		out.written == 2, "what cannot be written is said once, and the rest discarded");
	fresh();
	starts(NULL, 0);
	world.fails = EPIPE;
	line("a");
	ok(print_close() && print_failed() && is(""), "a reader that has enough is no failure");
}

/* Who forks, and prints to somewhere else there, while its writer is anywhere. */
static void anew(void)
{
	for (unsigned written = 0; written < 3; written++)
		for (unsigned again = 0; again <= written; again++) {
			fresh();
			starts(NULL, 0);
			line("a"), print_flush();
			line("b"), print_flush();
			out.written = written;
			out.again = again;
			line("c");
			starts(NULL, 0);
			ok(print_at && print_at == block && out.made == 1, "a block of its own, %u written, %u taken", written, again);
			line("d");
			ok(print_close() && is("7:d "), "and nothing of the other's");
		}
}

/* So where it could not write what went before; and what goes nowhere fails nowhere. */
static void nowhere(void)
{
	fresh();
	starts(NULL, 0);
	world.fails = EBADF;
	line("a");
	ok(!print_close() && print_failed(), "it cannot be written");
	world.fails = 0;
	told[0] = '\0';
	starts(NULL, 0);
	line("b");
	ok(print_close() && !print_failed() && is("7:b "), "what comes behind it in a fork can");
	print_open(-1, NULL, 0);
	line("c");
	told[0] = 0;
	ok(print_close() && !print_failed() && !strstr(told, "-1:"), "nobody is to have it");
}

static void comes_in_naps(void)
{
	if (world.naps == 5 || world.naps == 30)
		line("a"), print_flush();
}

static unsigned waits;
static void rung(void)
{
	tell("%u ", world.naps);
	if (++waits == 1) {
		ok(out.asleep, "asleep");
		line("b");
		print_flush();
		ok(!out.asleep, "awake");
		line("c");
		print_flush();
	} else {
		is_over();
		ring_bell();
	}
}

static void sleeps(void)
{
	fresh();
	starts(NULL, 0);
	world.in_wait = rung;
	world.in_nap = comes_in_naps;
	waits = 0;
	writer(NULL);
	ok(is("7:a waits 25 rings 7:b 7:c 7:a waits 50 rings "), "after 20 naps without work; the bell is rung once");
	fresh();
	starts(NULL, 0);
	out.over = true;
	sleep_until_bell();
	ok(!out.asleep && is(""), "not where all is over");
	out.over = false;
	out.filled = 1;
	sleep_until_bell();
	ok(!out.asleep && is(""), "nor where something came");
	ring_bell();
	ok(is(""), "nobody sleeps");
	fresh();
	starts(NULL, 0);
	out.asleep = true;
	ok(print_close() && is("rings "), "who sleeps is rung at the end");
}

static void compressed(void)
{
	fresh();
	starts(packed, 0);
	ok(out.flushed_ns == 5000000000, "since when");
	line("a"), print_flush();
	world.now += 1000000000;
	out.over = true;
	writer(NULL);
	ok(is("a 7:. end0 7:. ") && !out.unflushed, "to its end");
	fresh();
	starts(packed, 0);
	world.now += 1000000001;
	line("a");
	print_close();
	ok(is("flush a 7:. end0 7:. ") && out.flushed_ns == world.now, "flushed when it is old");
	fresh();
	starts(packed, 0);
	for (int i = 0; i < 4; i++)
		fill('x');
	line("b"), print_flush();
	line("c");
	print_close();
	ok(is(" 7:.  7:.  7:.  7:. flush b 7:. c 7:. end0 7:. "), "or much");
	fresh();
	starts(packed, 0);
	world.in_wait = is_over;
	line("a"), print_flush();
	writer(NULL);
	ok(is("a 7:. flush 0 7:. waits end0 7:. ") && world.naps == 20, "or before it sleeps");
	fresh();
	starts(packed, 0);
	world.in_wait = is_over;
	writer(NULL);
	ok(is("waits end0 7:. ") && world.naps == 20, "unless there is nothing");
	fresh();
	starts(packed, 0);
	world.fails = ENOSPC;
	line("a");
	ok(!print_close() && is("a cannot write the trace: No space left on device; the program runs on, but the trace ends here|"), "what fails is not gone on with");
}

int main(void)
{
	alarm(100);
	sizes();
	no_thread();
	blocks();
	taken();
	beyond_32_bits();
	writes();
	anew();
	nowhere();
	sleeps();
	compressed();
	return done_testing();
}
