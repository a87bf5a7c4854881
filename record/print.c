/* print.c - the trace's buffer, and every line but those of events. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "print.h"

/* Blocks go round between us, who fill them, and a thread that writes them out, so that a slow
 * reader keeps nobody from the rings until all are full. Each side moves its own count, with
 * release, when it is done with a block; the other's acquire sees what stands in it. Waking a
 * thread takes longer than eight events of version 1: while there is work the writer polls, and
 * only when idle for long it waits for the bell. */
enum { BLOCK = 256 << 10, BLOCKS = 16, NAP = 1000000, NAPS = 20 };

struct totals totals;
char *print_at;
char digits_4[10000][4];
static char *block;		/* the one being filled: text[filled % BLOCKS] */
static struct {
	char *text[BLOCKS];
	size_t len[BLOCKS];
	atomic_uint filled, written;
	atomic_bool asleep, over;
	sem_t bell;
	pthread_t thread;
	int fd, error;
} out;

static int write_all(const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(out.fd, p, len);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
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

/* After a failure all is discarded: what reads the rings must go on. */
static void *writer(void *arg)
{
	unsigned i, naps = 0;
	bool over;

	for (;;) {
		/* before the look at filled: nothing is filled after it is set */
		over = out.over;
		i = out.written % BLOCKS;
		if (out.written != out.filled) {
			if (!out.error && (out.error = write_all(out.text[i], out.len[i])) &&
				out.error != EPIPE)
				complain(
					"cannot write the trace: %s; the program runs on, but the trace ends here",
					strerror(out.error));
			out.written++;
			naps = 0;
		} else if (over) {
			return arg;
		} else if (naps++ < NAPS) {
			nap();
		} else {
			sleep_until_bell();
		}
	}
}

void print_open(int fd)
{
	sigset_t all, mask;
	int i, error;

	for (i = 0; i < 10000; i++) {
		digits_4[i][0] = (char)('0' + i / 1000);
		digits_4[i][1] = (char)('0' + i / 100 % 10);
		digits_4[i][2] = (char)('0' + i / 10 % 10);
		digits_4[i][3] = (char)('0' + i % 10);
	}
	out.fd = fd;
	for (i = 0; i < BLOCKS; i++)
		if (!(out.text[i] = malloc(BLOCK + LINE_ROOM))) {
			complain("out of memory");
			exit(125);
		}
	print_at = block = out.text[0];
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
	out.len[out.filled % BLOCKS] = (size_t)(print_at - block);
	out.filled++;
	ring_bell();
	while (out.filled - out.written == BLOCKS)
		nap();
	print_at = block = out.text[out.filled % BLOCKS];
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

/* Length of the UTF-8 sequence at s, 0 when it is none. */
static size_t utf8_length(const unsigned char *s, size_t len)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 :
		   s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
	size_t i;

	if (n == 0 || n > len)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
		(s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
		return 0;
	return n;
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
		} else if (s[i] < 0x20 || s[i] == 0x7F) {
			p += sprintf(p, "\\u%04x", s[i]);
		} else {
			memcpy(p, s + i, n);
			p += n;
		}
		print_at = p;
		p = print_begin();		/* a long text may be written in parts */
	}
	return p;
}

static char *put_quoted(char *p, const char *text)
{
	*p++ = '"';
	p = put_escaped(p, text, strlen(text));
	*p++ = '"';
	return p;
}

/* One of these lines: begin, keys, end. */
static char *line_begin(const char *ev, uint64_t ts)
{
	char *p = print_begin();

	p = put_const(p, "{\"ev\":\"");
	return put_key(stpcpy(p, ev), "\",\"ts\":", ts);
}

static void line_end(char *p)
{
	print_at = put_const(p, "}\n");
}

void print_name(uint64_t ts, uint64_t id, const char *name)
{
	char *p = line_begin("name", ts);

	p = put_key(p, ",\"probe_id\":", id);
	p = put_const(p, ",\"name\":");
	line_end(put_quoted(p, name));
	totals.events++;
}

void print_lost(const char *who, uint64_t id, uint64_t count, uint64_t from, uint64_t to)
{
	char *p = line_begin("lost", to);

	if (who) {
		p = put_const(p, ",\"");
		p = put_key(stpcpy(p, who), "\":", id);
	}
	p = put_key(p, ",\"count\":", count);
	p = put_key(p, ",\"from\":", from);
	line_end(put_key(p, ",\"to\":", to));
	totals.lost += count;
}

void print_sync(uint64_t ts, uint64_t slept)
{
	char *p = line_begin("sync", ts);

	line_end(slept ? put_key(p, ",\"slept\":", slept) : p);
}

void print_process_end(uint64_t ts, pid_t pid, uint64_t alive)
{
	char *p = put_key(line_begin("process", ts), ",\"pid\":", (uint64_t)pid);

	line_end(put_key(stpcpy(p, ",\"ended\":true"), ",\"alive\":", alive));
}

void print_exit(uint64_t ts, pid_t pid, int status, uint64_t alive)
{
	char *p = put_key(
		put_key(line_begin("exit", ts), ",\"pid\":", (uint64_t)pid), ",\"alive\":", alive);

	if (status == -1)
		;
	else if (WIFSIGNALED(status))
		p = put_key(p, ",\"signal\":", (uint64_t)WTERMSIG(status));
	else
		p = put_key(p, ",\"status\":", (uint64_t)WEXITSTATUS(status));
	line_end(p);
}

void print_end(uint64_t ts, bool all_states)
{
	char *p = put_key(put_key(line_begin("end", ts), ",\"events\":", totals.events),
		",\"lost\":", totals.lost);

	line_end(put_counts(all_states ? put_key(p, ",\"live\":", totals.states) : p));
}

uint64_t wall_ns(void)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	return (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
}

void print_meta(char *const *command, uint64_t ts, uint64_t wall, const char *more)
{
	char host[256] = "", *const *arg, *p = line_begin("meta", ts);

	gethostname(host, sizeof host - 1);
	p = put_const(p,
		",\"format\":\"corotrace\",\"version\":2,\"tool\":\"ct-record " CT_VERSION
		"\",\"command\":[");
	for (arg = command; *arg; arg++) {
		if (arg != command)
			*p++ = ',';
		p = put_quoted(p, *arg);
	}
	p = put_const(p, "],\"host\":");
	p = put_quoted(p, host);
	p = put_key(p, ",\"wall\":", wall);
	p = stpcpy(p, clock_is_tsc() ? ",\"clock\":\"tsc\"" : ",\"clock\":\"monotonic\"");
	line_end(stpcpy(p, more));
}

void print_attach(uint64_t ts, uint64_t live, uint64_t states, uint64_t history, uint64_t before)
{
	char *p = put_key(line_begin("attach", ts), ",\"live\":", live);

	p = put_key(put_key(p, ",\"states\":", states), ",\"history\":", history);
	line_end(put_key(p, ",\"before\":", before));
}

void print_process(uint64_t ts, uint32_t pid, uint32_t ppid, const char *path)
{
	char *p = put_key(line_begin("process", ts), ",\"pid\":", pid);

	p = put_key(p, ",\"ppid\":", ppid);
	p = put_const(p, ",\"path\":");
	line_end(put_quoted(p, path));
}

static char *put_address(char *p, const char *key, uint64_t v)
{
	p = put_const(stpcpy(p, key), "\"0x");
	p = put_hex(p, v);
	*p++ = '"';
	return p;
}

void print_map(uint64_t ts, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset,
	const char *path, const char *build_id)
{
	char *p = put_key(line_begin("map", ts), ",\"pid\":", pid);

	p = put_address(p, ",\"start\":", start);
	p = put_address(p, ",\"end\":", end);
	p = put_key(p, ",\"offset\":", offset);
	p = put_const(p, ",\"path\":");
	p = put_quoted(p, path);
	if (*build_id)
		p = put_quoted(put_const(p, ",\"build_id\":"), build_id);
	line_end(p);
}

void complain(const char *fmt, ...)
{
	char line[1024] = "ct-record: ";
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + 11, sizeof line - 12, fmt, ap);
	va_end(ap);
	len = strlen(line);
	line[len++] = '\n';
	if (write(2, line, len) < 0)	/* in one piece: the target writes there too */
		return;
}
