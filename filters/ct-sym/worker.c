/* worker.c - what files of code say is asked of a process apart. Contracts in sym.h.
 *
 * A trace may name any file, and its debug information may be written to harm: refer to itself,
 * unpack to terabytes, meet a bug of a library. The worker then dies, or is killed when its time is
 * up, and one file stays without names.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "cttrace.h"
#include "snap/elf-stack.h"
#include "sym.h"

enum { TEXT_MAX = 1 << 20 };

struct question { uint64_t offset; uint32_t path, build_id; };	/* lengths of the texts behind it */
struct answer {
	uint32_t count, missing;	/* length of a text, which follows the rest */
	/* lengths, +1: 0 is NULL */
	struct { uint32_t func, file; uint64_t line, column; } at[SYM_DEPTH];
};

static struct { pid_t pid; int to, from; } worker;
static struct refused { struct refused *next; char *path, *build_id; const char *why; } *refused;

/* ---- both sides: whole messages ---- */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* By `until`, in ms; 0: wait for ever. */
static bool get(int fd, void *to, size_t len, uint64_t until)
{
	char *p = to;

	while (len) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		uint64_t now = until ? now_ms() : 0;
		ssize_t n;

		if (until && (now >= until || poll(&ready, 1, (int)(until - now)) == 0))
			return errno = ETIMEDOUT, false;
		n = read(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return errno = n ? errno : EPIPE, false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool put(int fd, const void *from, size_t len)
{
	for (const char *p = from; len;) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* A text of that length, on the heap; NULL: it did not come. */
static char *get_text(int fd, uint32_t len, uint64_t until)
{
	char *s = len > TEXT_MAX ? NULL : need(calloc(1, (size_t)len + 1));

	if (s && get(fd, s, len, until))
		return s;
	free(s);
	return NULL;
}

/* ---- the worker ---- */

static uint32_t length(const char *s)
{
	size_t len = s ? strlen(s) + 1 : 0;

	return len > TEXT_MAX ? TEXT_MAX : (uint32_t)len;
}

static bool reply(int fd, const struct symbols *s)
{
	struct answer a = { .count = (uint32_t)s->count, .missing = length(s->missing) };
	bool good;

	for (size_t i = 0; i < s->count; i++) {
		a.at[i].func = length(s->at[i].func);
		a.at[i].file = length(s->at[i].file);
		a.at[i].line = s->at[i].line;
		a.at[i].column = s->at[i].column;
	}
	good = put(fd, &a, sizeof(a)) && (!a.missing || put(fd, s->missing, a.missing - 1));
	for (size_t i = 0; i < s->count && good; i++)
		good = (!a.at[i].func || put(fd, s->at[i].func, a.at[i].func - 1)) &&
			(!a.at[i].file || put(fd, s->at[i].file, a.at[i].file - 1));
	return good;
}

_Noreturn static void work(const char *program, const char *root, int in, int out)
{
	struct rlimit none = { 0, 0 };
	struct question q;

	setrlimit(RLIMIT_CORE, &none);
	guard_memory(0);
	guard_opens(root);
	while (get(in, &q, sizeof(q), 0)) {
		char *path = get_text(in, q.path, 0),
		     *build_id = path ? get_text(in, q.build_id, 0) : NULL;
		struct symbols s;

		if (!build_id)
			break;
		sym_lookup(sym_open(program, root, path, build_id), q.offset, &s);
		if (!reply(out, &s))
			break;
		symbols_free(&s);
		free(path);
		free(build_id);
	}
	_exit(0);
}

/* ---- who asks ---- */

static void start(const char *program, const char *root)
{
	int ask[2], answer[2];

	if (!elf_stack())
		ctt_die(program, "debug information",
			"takes 256 KB of stack to read: raise its limit (ulimit -s)");
	fflush(stdout);
	if (pipe(ask) || pipe(answer) || (worker.pid = fork()) < 0)
		ctt_die(program, "cannot start a process", strerror(errno));
	if (!worker.pid) {
		close(ask[1]);
		close(answer[0]);
		work(program, root, ask[0], answer[1]);
	}
	close(ask[0]);
	close(answer[1]);
	worker.to = ask[1];
	worker.from = answer[0];
	signal(SIGPIPE, SIG_DFL);
}

static void stop(void)
{
	if (!worker.pid)
		return;
	close(worker.to);
	close(worker.from);
	kill(worker.pid, SIGKILL);
	waitpid(worker.pid, NULL, 0);
	worker.pid = 0;
}

static bool ask(const struct question *q, const char *path, const char *build_id)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);	/* it may have died since */
	bool good = put(worker.to, q, sizeof(*q)) && put(worker.to, path, q->path) &&
		put(worker.to, build_id, q->build_id);

	signal(SIGPIPE, old);
	return good;
}

static bool listen(struct symbols *s, uint64_t until)
{
	static char missing[200];
	struct answer a;
	char *text;

	if (!get(worker.from, &a, sizeof(a), until) || a.count > SYM_DEPTH)
		return false;
	if (a.missing) {
		if (!(text = get_text(worker.from, a.missing - 1, until)))
			return false;
		snprintf(missing, sizeof(missing), "%s", text);
		s->missing = missing;
		free(text);
	}
	for (s->count = 0; s->count < a.count; s->count++) {
		struct symbol *at = &s->at[s->count];

		if ((a.at[s->count].func &&
			    !(at->func = get_text(worker.from, a.at[s->count].func - 1, until))) ||
			(a.at[s->count].file &&
				!(at->file = get_text(
					  worker.from, a.at[s->count].file - 1, until))))
			return false;
		at->line = a.at[s->count].line;
		at->column = a.at[s->count].column;
	}
	return true;
}

static const char *refuse(const char *program, const char *path, const char *build_id, bool late)
{
	struct refused *r = need(calloc(1, sizeof(*r)));

	*r = (struct refused){ refused, need(strdup(path)), need(strdup(build_id)),
		late ? "reading its debug information takes too long" :
		       "its debug information is broken" };
	refused = r;
	fprintf(stderr, "%s: ", program);
	ctt_out_text(stderr, path, strlen(path));
	fprintf(stderr, ": %s: not used\n", r->why);
	return r->why;
}

void sym_ask(const struct sym_files *f, const char *path, const char *build_id, uint64_t offset,
	struct symbols *s)
{
	struct question q = { offset, (uint32_t)strlen(path), (uint32_t)strlen(build_id) };
	const char *why = NULL;

	memset(s, 0, sizeof(*s));
	for (struct refused *r = refused; r && !why; r = r->next)
		if (!strcmp(r->path, path) && !strcmp(r->build_id, build_id))
			why = r->why;
	if (!why && (q.path > TEXT_MAX || q.build_id > TEXT_MAX))
		why = "its name is too long";
	if (!why && !worker.pid)
		start(f->program, f->root);
	if (!why && (!ask(&q, path, build_id) || !listen(s, now_ms() + f->limit_ns / 1000000))) {
		why = refuse(f->program, path, build_id, errno == ETIMEDOUT);
		stop();
		symbols_free(s);
		memset(s, 0, sizeof(*s));
	}
	if (why)
		s->missing = why;
}

void sym_end(void)
{
	stop();
	for (struct refused *r = refused, *next; r; r = next) {
		next = r->next;
		free(r->path);
		free(r->build_id);
		free(r);
	}
	refused = NULL;
}
