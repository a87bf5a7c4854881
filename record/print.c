/* print.c - the trace's buffer, and the thread that writes it out. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "complain.h"
#include "extra/memory.h"
#include "pack.h"
#include "print.h"
#include "totals.h"
#include "utf8.h"

/* Blocks go from us, who fill them, to a thread that writes them out, and back: a slow reader keeps
 * nobody from the rings until there are as many as --buffer allows and all are full. Each side moves
 * its own count, with release, when it is done with a block; the other's acquire sees what stands in
 * it. Waking a thread takes longer than eight events of version 1: while there is work the writer
 * polls, and only when idle for long it waits for the bell. */
enum { BLOCK = 256 << 10, BLOCKS = 16, NAP = 1000000, NAPS = 20 };
/* Where nothing is said of the buffer: this share of the memory that there is, and so much at most. */
enum { SHARE = 32, SHARE_MOST = 256 << 20 };
/* Of a compressed trace, what a recorder that is killed takes with it: so many bytes of lines, or
 * lines of so many ns. */
enum { UNFLUSHED_MAX = 1 << 20, UNFLUSHED_NS = 1000000000 };

struct totals totals;
char *print_at;
char digits_4[10000][4];
static char *block;		/* the one being filled */
static struct {
	/* full ones, at their number modulo `most` */
	struct { char *text; size_t len; } *full;
	unsigned most, made;
	/* 64 bits: a block a look is 2^32 in some weeks, of which `most` is no divisor */
	uint64_t again;		/* those before it were written, and taken to be filled again */
	_Atomic uint64_t filled, written;
	atomic_bool asleep, over;
	sem_t bell;
	pthread_t thread;
	int fd;
	atomic_int error;		/* of errno, by the writer; the harvest looks, too */
	struct pack *pack;		/* NULL: the trace is written as it is */
	size_t unflushed;		/* bytes given to it since it was flushed, at */
	uint64_t flushed_ns;
	uint64_t waited_ns;		/* the harvest, while all blocks were full */
} out;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The program's standard input may be the terminal that we write to: what it sets there (O_NONBLOCK)
 * is set for us. */
static int write_all(const char *p, size_t len)
{
	struct pollfd ready = { .fd = out.fd, .events = POLLOUT };

	while (len) {
		ssize_t n = write(out.fd, p, len);

		if (n < 0 && errno == EAGAIN)
			poll(&ready, 1, -1);
		else if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static int pack(const char *p, size_t len, enum pack_how how)
{
	uint64_t now = now_ns();

	out.unflushed += len;
	if (how == PACK_GO_ON &&
		(out.unflushed > UNFLUSHED_MAX || now - out.flushed_ns > UNFLUSHED_NS))
		how = PACK_FLUSH;
	if (how != PACK_GO_ON) {
		out.unflushed = 0;
		out.flushed_ns = now;
	}
	return pack_put(out.pack, p, len, how, write_all);
}

/* After a failure all is discarded: what reads the rings must go on. */
static void put(const char *p, size_t len, enum pack_how how)
{
	int error;

	if (out.error || out.fd < 0)
		return;
	out.error = error = out.pack ? pack(p, len, how) : write_all(p, len);
	if (error && error != EPIPE)
		complain("cannot write the trace: %s; the program runs on, but the trace ends here",
			strerror(error));
}

static void nap(void)
{
	struct timespec ts = { 0, NAP };

	nanosleep(&ts, NULL);
}

/* Whoever sets asleep looks once more; whoever clears it rings. In one order for all (seq_cst), so
 * that we see its work or it sees us asleep. */
static void sleep_until_bell(void)
{
	out.asleep = true;
	if ((out.written == out.filled && !out.over) || !atomic_exchange(&out.asleep, false))
		sem_wait(&out.bell);
}

static void ring_bell(void)
{
	if (out.asleep && atomic_exchange(&out.asleep, false))
		sem_post(&out.bell);
}

static void *writer(void *arg)
{
	unsigned naps = 0;
	uint64_t i;
	bool over;

	for (;;) {
		/* before the look at filled: nothing is filled after it is set */
		over = out.over;
		i = out.written % out.most;
		if (out.written != out.filled) {
			put(out.full[i].text, out.full[i].len, PACK_GO_ON);
			out.written++;
			naps = 0;
		} else if (over) {
			put(NULL, 0, PACK_END);
			return arg;
		} else if (naps++ < NAPS) {
			nap();
		} else {
			if (out.unflushed)
				put(NULL, 0, PACK_FLUSH);
			sleep_until_bell();
		}
	}
}

static uint64_t sane_share(void)
{
	uint64_t limit = memory_left(), all = (uint64_t)sysconf(_SC_PHYS_PAGES) *
		(uint64_t)sysconf(_SC_PAGESIZE), share = (limit < all ? limit : all) / SHARE;

	return share < SHARE_MOST ? share : SHARE_MOST;
}

/* All blocks are full. */
static void wait_for_writer(void)
{
	uint64_t from = now_ns();

	while (out.again == out.written)
		nap();
	out.waited_ns += now_ns() - from;
}

/* One that was written; else a new one, while there may be more: memory that others need is not
 * taken. */
static char *take_block(void)
{
	char *p = NULL;

	if (out.again == out.written && out.made < out.most &&
		(out.made < BLOCKS || !memory_short()))
		p = malloc(BLOCK + LINE_ROOM);
	out.made += p != NULL;
	if (p)
		return p;
	if (!out.made)
		need(NULL);
	if (out.again == out.written)
		wait_for_writer();
	return out.full[out.again++ % out.most].text;
}

void print_open(int fd, struct pack *pack, uint64_t buffer)
{
	sigset_t all, mask;
	int i, error;

	for (i = 0; i < 10000; i++) {
		digits_4[i][0] = (char)('0' + i / 1000);
		digits_4[i][1] = (char)('0' + i / 100 % 10);
		digits_4[i][2] = (char)('0' + i / 10 % 10);
		digits_4[i][3] = (char)('0' + i % 10);
	}
	/* in a fork of who has written others, or could not */
	out.error = 0;
	out.filled = out.written = out.again = out.made = 0;
	out.fd = fd;
	out.pack = pack;
	out.flushed_ns = now_ns();
	buffer = (buffer ? buffer : sane_share()) / BLOCK;
	out.most = buffer < BLOCKS ? BLOCKS : (unsigned)buffer;
	out.full = need(calloc(out.most, sizeof *out.full));
	print_at = block = take_block();
	sem_init(&out.bell, 0, 0);
	sigfillset(&all);		/* signals are the main thread's */
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	error = pthread_create(&out.thread, NULL, writer, NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (error) {
		complain("cannot start a thread: %s", strerror(error));
		exit(125);
	}
}

void print_flush(void)
{
	if (print_at == block)
		return;
	out.full[out.filled % out.most].text = block;
	out.full[out.filled % out.most].len = (size_t)(print_at - block);
	out.filled++;
	ring_bell();
	print_at = block = take_block();
}

uint64_t print_behind_ns(void)
{
	return out.pack ? out.waited_ns : 0;
}

bool print_failed(void)
{
	return out.error != 0;
}

bool print_close(void)
{
	print_flush();
	out.over = true;
	ring_bell();
	pthread_join(out.thread, NULL);
	return !out.error || out.error == EPIPE;
}

char *print_begin(void)
{
	if (print_at - block >= BLOCK)
		print_flush();
	return print_at;
}

char *put_escaped(char *p, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = utf8_length(s + i, len - i);
		if (n == 0) {
			p = put_const(p, "\xEF\xBF\xBD");	/* U+FFFD */
			n = 1;
		} else if (s[i] == '"' || s[i] == '\\') {
			*p++ = '\\';
			*p++ = (char)s[i];
		} else if (utf8_acts(s + i, n)) {
			p += sprintf(p, "\\u%04x", utf8_code(s + i, n));
		} else {
			memcpy(p, s + i, n);
			p += n;
		}
		print_at = p;
		p = print_begin();		/* a long text may be written in parts */
	}
	return p;
}
