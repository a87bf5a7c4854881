/* go.c - the goroutines of a Go program: what each waits on, since when, and its stack. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "go.h"
#include "search.h"

enum {
	RUNNABLE = 1,
	RUNNING = 2,
	SYSCALL = 3,
	WAITING = 4,
	DEAD = 6,
	PREEMPTED = 9,
	LEAKED = 10,
	SCAN = 0x1000
};
enum { FRAMES = 100, MAX_CASES = 256 };

static struct sema *semas;
static size_t sema_count;

static bool find(struct target *t, struct take *take)
{
	if (!go_types(t))
		return false;
	take->chase = go_chase;
	return true;
}

static uint64_t field(const struct target *t, uint64_t g, uint64_t at, size_t size)
{
	return at == UINT64_MAX ? 0 : mem_number(t, g + at, size);
}

/* ---- what it waits on ---- */

static const struct sema *sema_of(uint64_t g)
{
	size_t i = first_from(semas, sema_count, sizeof(*semas), g);

	return i < sema_count && semas[i].g == g ? &semas[i] : NULL;
}

/* The object around a semaphore, where the type is known. */
static struct wait_on sync_wait(uint64_t g, enum ctt_on_kind kind, uint64_t offset)
{
	const struct sema *s = sema_of(g);

	return (struct wait_on){ kind, s, false,
		s ? s->addr - (offset == UINT64_MAX ? 0 : offset) : 0 };
}

static struct wait_on channel_wait(const struct target *t, uint64_t g, char *text, size_t size)
{
	uint64_t sudog = field(t, g, go.at.waiting, 8), chan = mem_number(t, sudog + go.at.chan, 8);
	uint64_t room = field(t, chan, go.at.room, 8);

	if (!sudog || !chan)
		return (struct wait_on){ .kind = CTT_ON_CHAN };
	if (room)
		snprintf(text + strlen(text), size - strlen(text), " (%" PRIu64 " of %" PRIu64 ")",
			field(t, chan, go.at.count, 8), room);
	return (struct wait_on){ CTT_ON_CHAN, true, false, chan };
}

/* Each case but those of nil channels; one case alone is what it waits on. */
static struct wait_on select_wait(const struct target *t, struct task *task, uint64_t g)
{
	uint64_t sudog = field(t, g, go.at.waiting, 8);
	struct leg *leg = NULL;
	size_t cases = 0, room = 0;
	struct wait_on only;

	for (; sudog && cases <= MAX_CASES; sudog = mem_number(t, sudog + go.at.wait_link, 8))
		*ADD(leg, cases, room) = (struct leg){ .on = { CTT_ON_CHAN, true, false,
			mem_number(t, sudog + go.at.chan, 8) } };
	if (cases > 1 && cases <= MAX_CASES) {
		task->leg = leg;
		task->legs = cases;
		return (struct wait_on){ .kind = CTT_ON_NONE };
	}
	only = cases == 1 ? leg->on : (struct wait_on){ .kind = CTT_ON_CHAN };
	free(leg);
	return only;
}

/* The pollDesc, one of the words on its stack, has the goroutine as its reader or writer. */
static struct wait_on socket_wait(const struct target *t, uint64_t g)
{
	uint64_t sp = field(t, g, go.at.sp, 8), desc;

	for (uint64_t at = sp;
		go.at.poll_fd != UINT64_MAX && at < sp + 1024 && mem_word(t, at, &desc); at += 8)
		if (desc &&
			(field(t, desc, go.at.poll_read, 8) == g ||
				field(t, desc, go.at.poll_write, 8) == g))
			return (struct wait_on){ CTT_ON_FD, true, false,
				field(t, desc, go.at.poll_fd, 8) };
	return (struct wait_on){ .kind = CTT_ON_FD };
}

static struct wait_on wait_of(
	const struct target *t, struct task *task, uint64_t g, char *text, size_t size)
{
	static const struct { const char *reason; enum ctt_on_kind kind; } plain[] = {
		{ "chan receive (nil chan)", CTT_ON_NEVER },
		{ "chan send (nil chan)", CTT_ON_NEVER },
		{ "select (no cases)", CTT_ON_NEVER },
	};
	uint64_t when = field(t, g, go.at.sleep, 8);

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcmp(text, plain[i].reason))
			return (struct wait_on){ .kind = plain[i].kind };
	if (!strcmp(text, "chan receive") || !strcmp(text, "chan send"))
		return channel_wait(t, g, text, size);
	if (!strcmp(text, "select"))
		return select_wait(t, task, g);
	if (!strcmp(text, "IO wait"))
		return socket_wait(t, g);
	if (!strcmp(text, "sleep"))
		return (struct wait_on){ CTT_ON_TIMER, t->live && when, false, when };
	if (!strcmp(text, "sync.Mutex.Lock"))
		return sync_wait(g, CTT_ON_MUTEX, go.at.mutex_sema);
	if (!strcmp(text, "sync.RWMutex.Lock"))
		return sync_wait(g, CTT_ON_MUTEX, go.at.writer_sema);
	if (!strcmp(text, "sync.RWMutex.RLock"))
		return sync_wait(g, CTT_ON_MUTEX, go.at.reader_sema);
	if (!strcmp(text, "sync.Cond.Wait"))
		return sync_wait(g, CTT_ON_COND, go.at.cond_list);
	if (!strcmp(text, "sync.WaitGroup.Wait"))
		return sync_wait(g, CTT_ON_SEM, UINT64_MAX);
	if (!strcmp(text, "semacquire"))
		return sync_wait(g, CTT_ON_SEM, UINT64_MAX);
	return (struct wait_on){ .kind = CTT_ON_RUNTIME };
}

/* ---- where it is ---- */

static void add_frame(
	struct snapshot *s, uint64_t pc, uint32_t stack[STACK_DEPTH], size_t *depth, uint32_t *at)
{
	struct go_frame frame[GO_INLINED];
	size_t count = go_lines(s, pc, frame);

	for (size_t i = 0; i < count && *depth < STACK_DEPTH; i++) {
		stack[(*depth)++] = frame[i].site;
		if (!*at && frame[i].own)
			*at = frame[i].site;
	}
}

/* By frame pointers: each frame has the one before it, and behind it where it returns to. */
static void read_stack(struct snapshot *s, struct task *task, uint64_t pc, uint64_t bp, uint64_t hi)
{
	uint32_t stack[STACK_DEPTH];
	size_t depth = 0;
	uint64_t back;

	if (pc)
		add_frame(s, pc, stack, &depth, &task->site);
	for (int i = 0; i < FRAMES && bp && bp < hi && mem_word(s->target, bp + 8, &back) && back;
		i++) {
		uint64_t next = 0;

		add_frame(s, back - 1, stack, &depth, &task->site);
		if (!mem_word(s->target, bp, &next) || next <= bp)
			break;
		bp = next;
	}
	task->stack = stack_of(s->sites, stack, depth);
	if (!task->site && depth)
		task->site = stack[0];
}

/* As ct-fromgo(1) has it: the runtime's own, but not what the runtime starts of the program. */
static bool is_system(const char *name)
{
	return !name ||
		((!strncmp(name, "runtime.", 8) && strncmp(name, "runtime.main", 12) &&
			 strncmp(name, "runtime.cgocallback", 19)) ||
			!strncmp(name, "runtime/trace.", 14));
}

static const struct thread *thread_of(const struct target *t, uint64_t g)
{
	uint64_t m = field(t, g, go.at.m, 8),
		 tid = m && go.at.procid != UINT64_MAX ? mem_number(t, m + go.at.procid, 8) : 0;

	for (size_t i = 0; tid && i < t->threads; i++)
		if (t->thread[i].tid == tid)
			return &t->thread[i];
	return NULL;
}

static void set_state(struct snapshot *s, struct task *task, uint64_t g, unsigned status)
{
	const struct target *t = s->target;
	uint64_t hi = field(t, g, go.at.stack_hi, 8), pc = field(t, g, go.at.pc, 8),
		 bp = field(t, g, go.at.bp, 8);
	const struct thread *th = status == RUNNING || status == SYSCALL ? thread_of(t, g) : NULL;
	char text[600] = "";

	task->tid = th ? th->tid : 0;
	if (status == RUNNING) {
		task->state = TASK_RUNS;
		pc = th ? th->reg[16] : 0;
		bp = th && th->sp < hi && th->reg[4] < hi ? th->reg[4] : 0;
	} else if (status == RUNNABLE || status == PREEMPTED) {
		task->state = TASK_READY;
		task->on.kind = CTT_ON_SCHED;
	} else if (status == SYSCALL) {
		task->on.kind = CTT_ON_SYSCALL;
	} else {
		go_reason(t, field(t, g, go.at.reason, 1), text, sizeof(text));
		task->on = task->system ? (struct wait_on){ .kind = CTT_ON_RUNTIME } :
					  wait_of(t, task, g, text, sizeof(text));
		task->since = t->live && !t->halted ? field(t, g, go.at.since, 8) : 0;
	}
	if (*text)
		task->reason = need(strdup(text));
	read_stack(s, task, pc, bp, hi);
}

static void add(struct snapshot *s, uint64_t g, unsigned status)
{
	const struct target *t = s->target;
	uint64_t hi = field(t, g, go.at.stack_hi, 8), sp = field(t, g, go.at.sp, 8),
		 len = hi - sp < 4096 ? hi - sp : 4096;
	const char *start = go_function(field(t, g, go.at.startpc, 8));
	const unsigned char *bytes = sp && sp < hi ? mem_at(t, sp, len) : NULL;
	struct task *task = snap_task(s);

	task->addr = g;
	task->id = field(t, g, go.at.goid, 8);
	task->parent = field(t, g, go.at.parent, 8);
	task->system = is_system(start);
	task->leaked = status == LEAKED;
	task->counted = go.at.runs != UINT64_MAX;
	task->runs = (uint8_t)field(t, g, go.at.runs, 1);
	task->mark = mark_of(status | (uint64_t)task->runs << 32, bytes, bytes ? len : 0);
	task->name = need(strdup(!start               ? "runtime" :
			strcmp(start, "runtime.main") ? start :
							"main.main"));
	set_state(s, task, g, status);
}

static void read_goroutines(struct snapshot *s)
{
	struct target *t = s->target;
	uint64_t all = mem_number(t, go.allgs, 8), count = go_count(t), there = 0, g, last;
	size_t before = s->tasks;

	if (!t->live)
		go_chase(t);
	semas = go_semas(t, &sema_count);
	for (uint64_t i = 0; i < count && mem_word(t, all + i * 8, &g); i++) {
		unsigned status = (unsigned)mem_number(t, g + go.at.status, 4) & ~(unsigned)SCAN;

		if (!mem_word(t, g + go.at.g_size - 8, &last))
			continue;
		there++;
		if (status && status != DEAD && mem_number(t, g + go.at.goid, 8))
			add(s, g, status);
	}
	for (size_t i = 0; i < t->threads; i++)
		if (!t->thread[i].role)
			t->thread[i].role = "worker";
	note("%zu goroutines, %zu of %" PRIu64 " ever made\n", s->tasks - before, s->tasks - before,
		count);
	if (!t->live && there < count) {
		s->unread += count - there;
		note("%" PRIu64 " of them cannot be read: the core does not hold their memory\n",
			count - there);
	}
	free(semas);
	semas = NULL;
}

/* One that waits in a loop may stand there with the same stack whenever it is looked at, and once in 256
 * times with the same count: not again and again. */
static void watch(struct target *t, struct snapshot *s)
{
	struct piece *runs = need(malloc((s->tasks + 1) * sizeof(*runs)));
	struct task **of = need(malloc((s->tasks + 1) * sizeof(*of)));
	size_t count = 0;

	for (size_t i = 0; i < s->tasks; i++)
		if (s->task[i].counted) {
			runs[count] = (struct piece){ s->task[i].addr + go.at.runs, 1, NULL };
			of[count++] = &s->task[i];
		}
	target_fetch(t, runs, count);
	for (size_t i = 0; i < count; i++)
		of[i]->moved |= runs[i].copy && *runs[i].copy != of[i]->runs;
	free(runs);
	free(of);
}

static void forget(void)
{
	go_lines_free();
	go_earlier_forget();
	go_types_free();
}

const struct runtime go_runtime = { "Go", find, read_goroutines, forget, watch };
