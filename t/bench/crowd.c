/* crowd.c - write a trace with very many of one thing: crowd KIND N. For the bench and for the tests of what must stay linear.
 *
 * threads	N threads of one process run a coroutine each and end, while one outside wakes another again and again
 * teardown	the workers have stopped, and N lines of a thread outside follow
 * comeback	the same, and then a worker goes on
 * collide	N coroutines and objects whose numbers meet in a table that multiplies them by the golden ratio
 * sites	N coroutines, each created and suspended at a site of its own
 * processes	N processes, each with a worker, a mapping, a stack and a coroutine
 * ended	the same, and each ends while the others go on
 * naps		a worker gets up N times, and before it sleeps again a thread outside opens what has a long name
 * nested	N coroutines run at once on one thread, and the first to begin is the first to suspend
 * holder	one has N locks, creates N coroutines, wakes each twice, and waits as often
 * closed	N wait for a thing, N for it among others, N for a coroutine: N times it is closed and opened again, and that one ends
 * started	N live, and N times the state of one is reported and the process recorded anew
 * readers	N have a lock, and each created one that wants it
 * permits	N of Rust have a permit each, and want one more
 * writers	N have a lock that N others want, and one waits at a full channel
 * lossy	N wait for what was closed, each in a process of its own, and N other processes lost events
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t ts = 1000000000, events;

static uint64_t now(void)
{
	return ts += 1000;
}

static void own(uint64_t id, uint64_t tid, uint64_t n, const char *ev, const char *rest)
{
	events++;
	printf("{\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"addr\":\"0x0000000000000000\",\"seq\":%" PRIu64
		",\"is_active\":%s,\"ts\":%" PRIu64 ",\"ev\":\"%s\",\"n\":%" PRIu64 "%s}\n", id, tid, 2 * n,
		!strcmp(ev, "resume") ? "true" : "false", now(), ev, n, rest);
}

static void wake(uint64_t id, uint64_t tid)
{
	events++;
	printf("{\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"addr\":\"0x0000000000000000\",\"seq\":0,\"is_active\":false,\"ts\":%"
		PRIu64 ",\"ev\":\"wake\",\"on\":\"chan:1\"}\n", id, tid, now());
}

static void thread(uint64_t tid, uint64_t pid, const char *rest)
{
	printf("{\"ev\":\"thread\",\"ts\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"pid\":%" PRIu64 "%s}\n", now(), tid, pid, rest);
}

static void park(uint64_t tid)
{
	events++;
	printf("{\"ev\":\"park\",\"ts\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"depth\":0}\n", now(), tid);
}

static void level(uint64_t tid, uint64_t object, uint64_t value)
{
	events++;
	printf("{\"ev\":\"level\",\"ts\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"on\":\"sem:%" PRIu64 "\",\"value\":%" PRIu64 "}\n",
		now(), tid, object, value);
}

enum { WORKER = 11, OUTSIDE = 12, FIRST = 1000 };

/* A coroutine waits; a worker sleeps, and a thread is there that runs none. */
static void begin(void)
{
	thread(WORKER, 1, ",\"name\":\"w\",\"role\":\"worker\"");
	thread(OUTSIDE, 1, ",\"name\":\"reactor\",\"role\":\"other\"");
	own(1, WORKER, 1, "create", ",\"site\":1");
	own(1, WORKER, 2, "resume", "");
	own(1, WORKER, 3, "suspend", ",\"site\":1,\"on\":\"chan:1\"");
	park(WORKER);
}

static void threads(uint64_t n)
{
	uint64_t order = 3;

	begin();
	for (uint64_t i = 0; i < n; i++) {
		uint64_t tid = FIRST + i;

		thread(tid, 1, ",\"name\":\"short\",\"role\":\"worker\"");
		own(tid, tid, 1, "create", ",\"site\":1");
		own(tid, tid, 2, "resume", "");
		own(tid, tid, 3, "destroy", ",\"done\":true");
		thread(tid, 1, ",\"ended\":true");
		wake(1, OUTSIDE);
		own(1, WORKER, ++order, "resume", "");
		own(1, WORKER, ++order, "suspend", ",\"site\":1,\"on\":\"chan:1\"");
		park(WORKER);
	}
}

static void teardown(uint64_t n)
{
	begin();
	thread(WORKER, 1, ",\"ended\":true");
	for (uint64_t i = 0; i < n; i++)
		level(OUTSIDE, i % 10, i % 3);
}

static void comeback(uint64_t n)
{
	teardown(n);
	thread(WORKER + 2, 1, ",\"name\":\"w2\",\"role\":\"worker\"");
	park(WORKER + 2);
}

static void naps(uint64_t n)
{
	begin();
	for (uint64_t i = 0; i < n; i++) {
		printf("{\"ev\":\"unpark\",\"ts\":%" PRIu64 ",\"tid\":%d,\"depth\":0}\n", now(), WORKER);
		for (int k = 0; k < 3; k++)
			printf("{\"ev\":\"open\",\"ts\":%" PRIu64 ",\"tid\":%d,\"on\":\"user:a%0100d\"}\n", now(), OUTSIDE, k);
		events += 4;
		park(WORKER);
	}
}

static void collide(uint64_t n)
{
	uint64_t inverse = 0x9E3779B97F4A7C15ull;	/* of the golden ratio modulo 2^64, by Newton's method */
	char rest[100];

	for (int i = 0; i < 6; i++)
		inverse *= 2 - 0x9E3779B97F4A7C15ull * inverse;
	begin();
	for (uint64_t i = 1; i <= n; i++) {
		uint64_t id = i * inverse;

		snprintf(rest, sizeof(rest), ",\"site\":1,\"on\":\"chan:%" PRIu64 "\"", id);
		own(id, WORKER, 1, "create", ",\"site\":1");
		own(id, WORKER, 2, "suspend", rest);
	}
}

static void sites(uint64_t n)
{
	char rest[100];

	begin();
	for (uint64_t i = 2; i <= n; i++) {
		snprintf(rest, sizeof(rest), ",\"site\":%" PRIu64, i);
		own(i, WORKER, 1, "create", rest);
		own(i, WORKER, 2, "resume", "");
		own(i, WORKER, 3, "suspend", rest);
	}
}

static void processes(uint64_t n)
{
	for (uint64_t pid = 1; pid <= n; pid++) {
		uint64_t tid = FIRST + pid;

		printf("{\"ev\":\"process\",\"ts\":%" PRIu64 ",\"pid\":%" PRIu64 ",\"ppid\":1,\"path\":\"/nowhere/app\"}\n", now(), pid);
		for (uint64_t i = 0; i < 4; i++)
			printf("{\"ev\":\"map\",\"ts\":%" PRIu64 ",\"pid\":%" PRIu64 ",\"start\":\"0x%016" PRIx64 "\",\"end\":\"0x%016" PRIx64
				"\",\"offset\":0,\"path\":\"/nowhere/app\"}\n", now(), pid, (uint64_t)(i + 1) << 24, ((uint64_t)(i + 1) << 24) + 4096);
		thread(tid, pid, ",\"name\":\"w\",\"role\":\"worker\"");
		printf("{\"ev\":\"stack\",\"stack\":%" PRIu64 ",\"frames\":[\"0x%016" PRIx64 "\"]}\n", pid, ((uint64_t)1 << 24) + pid % 4096);
		own(pid, tid, 1, "create", ",\"site\":1");
		own(pid, tid, 2, "resume", "");
		own(pid, tid, 3, "suspend", ",\"site\":1,\"on\":\"chan:1\"");
		park(tid);
		wake(pid, tid);
	}
}

static void ended(uint64_t n)
{
	processes(n);
	for (uint64_t pid = 1; pid <= n; pid++)
		printf("{\"ev\":\"process\",\"ts\":%" PRIu64 ",\"pid\":%" PRIu64 ",\"ended\":true}\n", now(), pid);
}

static void nested(uint64_t n)
{
	for (uint64_t i = 1; i <= n; i++)
		own(i, WORKER, 1, "resume", "");
	for (uint64_t i = 1; i <= n; i++)
		own(i, WORKER, 2, "suspend", ",\"site\":1");
}

static void line(const char *ev, uint64_t tid, const char *rest)
{
	printf("{\"ev\":\"%s\",\"ts\":%" PRIu64 ",\"tid\":%" PRIu64 "%s}\n", ev, now(), tid, rest);
}

static void wake_by(uint64_t id, uint64_t by, const char *rest)
{
	printf("{\"probe_id\":%" PRIu64 ",\"tid\":%d,\"addr\":\"0x0000000000000000\",\"seq\":0,\"is_active\":false,\"ts\":%" PRIu64
		",\"ev\":\"wake\",\"by\":%" PRIu64 "%s}\n", id, WORKER, now(), by, rest);
}

static void holder(uint64_t n)
{
	uint64_t order = 3;
	char rest[100];

	begin();
	own(1, WORKER, ++order, "resume", "");
	for (uint64_t i = 0; i < n; i++) {
		snprintf(rest, sizeof(rest), ",\"by\":1,\"on\":\"mutex:%" PRIu64 "\"", i);
		line("acquire", WORKER, rest);
	}
	for (uint64_t i = 0; i < n; i++) {
		own(FIRST + i, WORKER, 1, "create", ",\"site\":1,\"parent\":1");
		wake_by(FIRST + i, 1, "");
		wake_by(FIRST + i, 1, ",\"on\":\"chan:2\"");
		own(1, WORKER, ++order, "suspend", ",\"site\":1,\"on\":\"chan:1\"");
		own(1, WORKER, ++order, "resume", "");
	}
}

static void waiter(uint64_t id, uint64_t tid, const char *rest)
{
	own(id, tid, 1, "create", ",\"site\":1");
	own(id, tid, 2, "resume", "");
	own(id, tid, 3, "suspend", rest);
}

static void closed(uint64_t n)
{
	char rest[100];

	begin();
	for (uint64_t i = 0; i < n; i++) {
		uint64_t id = FIRST + 3 * i;

		waiter(id, WORKER, ",\"site\":1,\"on\":\"user:it\"");
		waiter(id + 1, WORKER, ",\"site\":1,\"on\":\"join:2\"");
		for (int k = 0; k < 2; k++) {
			snprintf(rest, sizeof(rest), ",\"probe_id\":%" PRIu64 ",\"n\":3,\"on\":\"user:%s\"", id + 2, k ? "it" : "that");
			line("leg", WORKER, rest);
		}
		waiter(id + 2, WORKER, ",\"site\":1,\"any_of\":2");
	}
	own(1, WORKER, 4, "resume", "");
	for (uint64_t i = 0; i < n; i++) {
		line("close", WORKER, ",\"by\":1,\"on\":\"user:it\"");
		line("notify", WORKER, ",\"by\":1,\"on\":\"user:it\",\"woken\":1");
		line("open", WORKER, ",\"by\":1,\"on\":\"user:it\"");
		own(2, WORKER, 1, "create", ",\"site\":1");
		own(2, WORKER, 2, "destroy", ",\"done\":true");
	}
}

static void started(uint64_t n)
{
	begin();
	for (uint64_t i = 0; i < n; i++)
		waiter(FIRST + i, WORKER, ",\"site\":1");
	for (uint64_t i = 0; i < n; i++) {
		line("stop", WORKER, ",\"pid\":1");
		own(1, WORKER, 3, "state", ",\"site\":1,\"on\":\"chan:1\"");
		line("start", WORKER, ",\"pid\":1");
	}
}

static void lossy(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		thread(FIRST + i, FIRST + i, ",\"role\":\"worker\"");
		waiter(FIRST + i, FIRST + i, ",\"site\":1,\"on\":\"fd:3\"");
		line("close", FIRST + i, ",\"on\":\"fd:3\"");
		park(FIRST + i);
	}
	for (uint64_t tid = FIRST + n; tid < FIRST + 2 * n; tid++) {
		thread(tid, tid, ",\"role\":\"worker\"");
		line("lost", tid, ",\"count\":1,\"from\":1,\"to\":9000000000000000000");
	}
}

static void takes(uint64_t id, const char *rest)
{
	char by[100];

	own(id, WORKER, 1, "create", ",\"site\":1");
	own(id, WORKER, 2, "resume", "");
	snprintf(by, sizeof(by), ",\"by\":%" PRIu64 ",%s", id, rest);
	line("acquire", WORKER, by);
}

static void readers(uint64_t n)
{
	char rest[100];

	begin();
	for (uint64_t i = 0; i < n; i++) {
		takes(FIRST + i, "\"on\":\"mutex:9\"");
		snprintf(rest, sizeof(rest), ",\"site\":1,\"parent\":%" PRIu64, FIRST + i);
		own(FIRST + n + i, WORKER, 1, "create", rest);
		own(FIRST + i, WORKER, 3, "suspend", ",\"site\":1");
	}
	for (uint64_t i = 0; i < n; i++) {
		own(FIRST + n + i, WORKER, 2, "resume", "");
		own(FIRST + n + i, WORKER, 3, "suspend", ",\"site\":1,\"on\":\"mutex:9\"");
	}
}

static void permits(uint64_t n)
{
	begin();
	printf("{\"ev\":\"site\",\"site\":2,\"func\":\"take\",\"file\":\"take.rs\",\"line\":9}\n");
	for (uint64_t i = 0; i < n; i++) {
		takes(FIRST + i, "\"site\":2,\"on\":\"sem:9\"");
		own(FIRST + i, WORKER, 3, "suspend", ",\"site\":2,\"on\":\"sem:9\"");
	}
}

static void writers(uint64_t n)
{
	begin();
	for (uint64_t i = 0; i < n; i++) {
		takes(FIRST + i, "\"on\":\"mutex:9\"");
		own(FIRST + i, WORKER, 3, "suspend", ",\"site\":1,\"on\":\"fd:3\"");
	}
	for (uint64_t i = 0; i < n; i++)
		waiter(FIRST + n + i, WORKER, ",\"site\":1,\"on\":\"mutex:9\"");
	own(2, WORKER, 1, "create", ",\"site\":1");
	own(2, WORKER, 2, "resume", "");
	line("level", WORKER, ",\"by\":2,\"on\":\"room:7\",\"value\":1");
	line("level", WORKER, ",\"by\":2,\"on\":\"room:7\",\"value\":0");
	own(2, WORKER, 3, "suspend", ",\"site\":1,\"on\":\"room:7\"");
}

int main(int argc, char *argv[])
{
	static const struct { const char *name; void (*write)(uint64_t); } kinds[] = { { "threads", threads },
		{ "teardown", teardown }, { "comeback", comeback }, { "naps", naps }, { "collide", collide }, { "sites", sites },
		{ "processes", processes }, { "ended", ended }, { "nested", nested }, { "holder", holder },
		{ "closed", closed }, { "started", started }, { "readers", readers }, { "permits", permits },
		{ "writers", writers }, { "lossy", lossy } };
	uint64_t n = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	size_t i = 0;

	while (i < sizeof(kinds) / sizeof(kinds[0]) && (argc != 3 || strcmp(argv[1], kinds[i].name)))
		i++;
	if (i == sizeof(kinds) / sizeof(kinds[0]) || !n) {
		fprintf(stderr, "usage: crowd threads|teardown|comeback|naps|collide|sites|processes|ended|nested|holder|closed|started|readers|permits|writers|lossy N\n");
		return 2;
	}
	printf("{\"ev\":\"meta\",\"ts\":%" PRIu64 ",\"format\":\"corotrace\",\"version\":2,\"tool\":\"crowd\"}\n", ts);
	printf("{\"ev\":\"site\",\"site\":1,\"func\":\"serve\",\"file\":\"serve.cc\",\"line\":42}\n");
	kinds[i].write(n);
	printf("{\"ev\":\"end\",\"ts\":%" PRIu64 ",\"events\":%" PRIu64 ",\"lost\":0}\n", now() + 1000000000, events);
	return fflush(stdout) != 0;
}
