/* lines.c - the lines of the trace. Contracts in lines.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "cttrace.h"
#include "lines.h"

struct lines lines;

static void text(const char *key, const char *s)
{
	if (!s || !*s)
		return;
	printf(",\"%s\":", key);
	ctt_out_json(stdout, s, strlen(s));
}

static void seen(uint64_t ts)
{
	lines.last = ts > lines.last ? ts : lines.last;
}

/* Of a line that is about no coroutine's own step. */
static void head(const char *ev, uint64_t ts)
{
	seen(ts);
	printf("{\"ev\":\"%s\",\"ts\":%" PRIu64, ev, ts);
}

static void coroutine(const struct coro *c, uint32_t tid, uint64_t ts, const char *ev)
{
	seen(ts);
	printf("{\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"addr\":\"0x%016" PRIx64
	       "\",\"seq\":%" PRIu64 ",\"is_active\":%s,\"ts\":%" PRIu64 ",\"ev\":\"%s\"",
		c->id, tid, c->addr, 2 * c->n, c->active ? "true" : "false", ts, ev);
}

/* The next event of a coroutine, which comes not before its last. False: nothing is to be
 * printed. */
static bool step(struct coro *c, uint32_t tid, uint64_t ts, bool active, const char *ev)
{
	c->n++;
	c->last = ts > c->last ? ts : c->last;
	c->active = active;
	c->before = false;
	if (lines.muted)
		return false;
	lines.events++;
	coroutine(c, tid, c->last, ev);
	printf(",\"n\":%" PRIu64, c->n);
	return true;
}

static void words(char *const *command)
{
	for (size_t i = 0; command[i]; i++) {
		putchar(i ? ',' : '[');
		ctt_out_json(stdout, command[i], strlen(command[i]));
	}
	putchar(']');
}

void line_meta(uint64_t ts, int pid, char *const *command)
{
	struct timespec now;

	head("meta", ts);
	printf(",\"format\":\"corotrace\",\"version\":2,\"tool\":\"ct-uprobe " CT_VERSION
	       "\",\"command\":");
	if (command)
		words(command);
	else
		printf("[\"-p\",\"%d\"]", pid);
	if (!clock_gettime(CLOCK_REALTIME, &now))
		printf(",\"wall\":%" PRIu64,
			(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
	puts(",\"clock\":\"monotonic\",\"attached\":true}");
}

void line_process(uint64_t ts, int pid, const char *path)
{
	head("process", ts);
	printf(",\"pid\":%d", pid);
	text("path", path);
	puts("}");
}

void line_child(uint64_t ts, int pid, int parent, const char *path)
{
	head("process", ts);
	printf(",\"pid\":%d,\"ppid\":%d", pid, parent);
	text("path", path);
	puts(",\"untraced\":true}");
}

void line_thread(uint64_t ts, uint32_t tid, int pid, const char *role)
{
	char path[64], name[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%" PRIu32 "/comm", pid, tid);
	f = fopen(path, "r");
	if (f && fgets(name, sizeof(name), f))
		name[strcspn(name, "\n")] = '\0';
	if (f)
		fclose(f);
	head("thread", ts);
	printf(",\"tid\":%" PRIu32 ",\"pid\":%d", tid, pid);
	text("name", name);
	text("role", role);
	puts("}");
}

void line_attach(uint64_t ts, uint64_t live)
{
	head("attach", ts);
	printf(",\"live\":%" PRIu64 ",\"states\":%" PRIu64 ",\"history\":0,\"before\":0}\n", live,
		live);
}

void line_create(struct coro *c, uint32_t tid, uint64_t ts, uint64_t parent)
{
	if (!step(c, tid, ts, false, "create"))
		return;
	if (parent)
		printf(",\"parent\":%" PRIu64, parent);
	puts("}");
}

void line_resume(struct coro *c, uint32_t tid, uint64_t ts)
{
	c->tid = tid;
	c->watches = NONE;
	if (step(c, tid, ts, true, "resume"))
		puts("}");
}

void line_suspend(struct coro *c, uint32_t tid, uint64_t ts, uint32_t site)
{
	if (!step(c, tid, ts, false, "suspend"))
		return;
	if (site)
		printf(",\"site\":%" PRIu32, site);
	if (c->watches == ONE)
		printf(",\"on\":\"fd:%" PRIu64 "\"", c->fd);
	puts("}");
}

void line_destroy(struct coro *c, uint32_t tid, uint64_t ts, enum done done)
{
	if (!step(c, tid, ts, false, "destroy"))
		return;
	puts(done == DONE_UNKNOWN    ? "}" :
			done == FINISHED ? ",\"done\":true}" :
					   ",\"done\":false}");
}

void line_wake(const struct coro *c, uint32_t tid, uint64_t ts, uint64_t by)
{
	if (lines.muted)
		return;
	lines.events++;
	coroutine(c, tid, ts, "wake");
	if (by)
		printf(",\"by\":%" PRIu64, by);
	puts("}");
}

void line_name(const struct coro *c, uint64_t ts, const char *name)
{
	if (lines.muted || !name || !*name)
		return;
	lines.events++;
	head("name", ts);
	printf(",\"tid\":%" PRIu32 ",\"probe_id\":%" PRIu64, c->tid, c->id);
	text("name", name);
	puts("}");
}

void line_last_waker(const struct coro *c, uint32_t tid, uint64_t ts, uint64_t by)
{
	if (lines.muted)
		return;
	lines.events++;
	head("waker", ts);
	printf(",\"tid\":%" PRIu32 ",\"probe_id\":%" PRIu64, tid, c->id);
	if (by)
		printf(",\"by\":%" PRIu64, by);
	puts(",\"op\":\"drop\"}");
}

static void thread(const char *ev, uint64_t ts, uint32_t tid)
{
	lines.events++;
	head(ev, ts);
	printf(",\"tid\":%" PRIu32 "}\n", tid);
}

void line_park(uint64_t ts, uint32_t tid)
{
	thread("park", ts, tid);
}

void line_unpark(uint64_t ts, uint32_t tid)
{
	thread("unpark", ts, tid);
}

void line_descriptor(bool opened, uint64_t ts, uint32_t tid, uint64_t by, uint64_t fd)
{
	if (lines.muted)
		return;
	lines.events++;
	head(opened ? "open" : "close", ts);
	printf(",\"tid\":%" PRIu32, tid);
	if (by)
		printf(",\"by\":%" PRIu64, by);
	printf(",\"on\":\"fd:%" PRIu64 "\"}\n", fd);
}

void line_held(const struct coro *c, uint64_t ts, const char *on, const char *doubt)
{
	if (lines.muted)
		return;
	lines.events++;
	head("acquire", ts);
	/* No thread does anything there: one that rests does so on. */
	printf(",\"tid\":0,\"by\":%" PRIu64 ",\"on\":\"%s\",\"since\":\"before\"", c->id, on);
	text("doubt", doubt);
	puts("}");
}

void line_leg(const struct coro *c, uint64_t ts, const char *on, uint32_t site, uint32_t stack)
{
	if (lines.muted)
		return;
	head("leg", ts);
	printf(",\"probe_id\":%" PRIu64 ",\"n\":%" PRIu64, c->id, c->n);
	if (on)
		printf(",\"on\":\"%s\"", on);
	if (site)
		printf(",\"site\":%" PRIu32, site);
	if (stack)
		printf(",\"stack\":%" PRIu32, stack);
	puts("}");
}

void line_state(const struct coro *c, uint64_t ts, const struct state *s)
{
	if (lines.muted)
		return;
	coroutine(c, c->tid, ts, "state");
	printf(",\"n\":%" PRIu64, c->n);
	if (s->site)
		printf(",\"site\":%" PRIu32, s->site);
	if (s->on)
		printf(",\"on\":\"%s\"", s->on);
	if (s->legs)
		printf(",\"%s\":%zu", s->all ? "all_of" : "any_of", s->legs);
	if (s->stack)
		printf(",\"stack\":%" PRIu32, s->stack);
	text("reason", s->reason);
	if (s->before)
		fputs(",\"since\":\"before\"", stdout);
	if (s->wakers >= 0)
		printf(",\"wakers\":%" PRId64, s->wakers);
	if (s->refs >= 0)
		printf(",\"refs\":%" PRId64, s->refs);
	text("doubt", s->doubt);
	puts("}");
}

void line_lost(uint64_t ts, uint64_t count, uint64_t from, uint64_t to)
{
	lines.lost += count;
	head("lost", ts);
	printf(",\"count\":%" PRIu64 ",\"from\":%" PRIu64 ",\"to\":%" PRIu64 "}\n", count, from, to);
}

void line_sync(uint64_t ts)
{
	head("sync", ts);
	puts("}");
}

void line_exit(uint64_t ts, int pid, uint64_t alive, int status)
{
	head("exit", ts);
	printf(",\"pid\":%d,\"alive\":%" PRIu64, pid, alive);
	if (status >= 0 && WIFSIGNALED(status))
		printf(",\"signal\":%d", WTERMSIG(status));
	else if (status >= 0)
		printf(",\"status\":%d", WEXITSTATUS(status));
	puts("}");
}

void line_end(uint64_t ts, uint64_t live, uint64_t alive)
{
	head("end", ts > lines.last ? ts : lines.last);
	printf(",\"events\":%" PRIu64 ",\"lost\":%" PRIu64, lines.events, lines.lost);
	if (live != UINT64_MAX)
		printf(",\"live\":%" PRIu64, live);
	if (alive)
		printf(",\"alive\":%" PRIu64, alive);
	puts("}");
}
