/* busy.c - write the trace of a made-up server: busy EVENTS [COROUTINES [WORKERS [LOST]]]. Unlike gen.c's, its times,
 * places and objects are drawn at random (always the same): what a page of ct-html has to hold in earnest. LOST
 * coroutines are forgotten when what they wait on is closed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SITES = 12 };
struct coroutine { uint64_t id, n, life; char on[40]; };
struct due { uint64_t at; int who; };
static struct coroutine *all;
static struct due *heap;
static uint64_t state = 88172645463325252u, next_id = 1, events;
static int due_count;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static uint64_t about(double mean)		/* exponentially distributed */
{
	return (uint64_t)(-log(1 - (double)(draw() >> 11) / 9007199254740992.0) * mean) + 1;
}

static void add_due(uint64_t at, int who)
{
	int k = due_count++;

	for (; k && heap[(k - 1) / 2].at > at; k = (k - 1) / 2)
		heap[k] = heap[(k - 1) / 2];
	heap[k] = (struct due){ at, who };
}

static struct due take_due(void)
{
	struct due first = heap[0], last = heap[--due_count];
	int k = 0;

	for (int m = 1; m < due_count; k = m, m = 2 * m + 1) {
		m += m + 1 < due_count && heap[m + 1].at < heap[m].at;
		if (heap[m].at >= last.at)
			break;
		heap[k] = heap[m];
	}
	heap[k] = last;
	return first;
}

static void own(struct coroutine *c, int worker, uint64_t ts, const char *ev, const char *rest)
{
	printf("{\"probe_id\":%" PRIu64 ",\"tid\":%d,\"addr\":\"0x%016" PRIx64 "\",\"seq\":%" PRIu64 ",\"is_active\":%s,\"ts\":%" PRIu64
		",\"ev\":\"%s\",\"n\":%" PRIu64 "%s}\n", c->id, 4000 + worker, *ev == 'r' ? 0 : 0x7f3a10000000 + 256 * c->id,
		2 * (c->n + 1), *ev == 'r' ? "true" : "false", ts, ev, c->n + 1, rest);
	c->n++;
	events++;
}

static void wake(const struct coroutine *c, int worker, uint64_t ts)
{
	printf("{\"probe_id\":%" PRIu64 ",\"tid\":%d,\"addr\":\"0x0000000000000000\",\"seq\":0,\"is_active\":false,\"ts\":%" PRIu64
		",\"ev\":\"wake\",\"site\":10,\"on\":\"%s\"}\n", c->id, 4000 + worker, ts, c->on);
	events++;
}

static void choose_object(struct coroutine *c, int site, uint64_t ts)
{
	switch (site % 4) {
	case 0: snprintf(c->on, sizeof(c->on), "fd:%" PRIu64, 5 + draw() % 500); break;
	case 1: snprintf(c->on, sizeof(c->on), "chan:0x00007f%010" PRIx64, draw() % 300 * 64); break;
	case 2: snprintf(c->on, sizeof(c->on), "timer:%" PRIu64, ts + 1000000); break;
	default: snprintf(c->on, sizeof(c->on), "mutex:0x00007e%010" PRIx64, draw() % 40 * 64);
	}
}

static void head(uint64_t ts, int workers)
{
	static const char *const func[SITES] = { "serve", "fetch", "query", "lock", "reply", "flush", "accept", "beat",
		"compact",
		"read_frame", "write_frame", "resolve" };

	printf("{\"ev\":\"meta\",\"ts\":%" PRIu64 ",\"format\":\"corotrace\",\"version\":2,\"tool\":\"busy\",\"command\":[\"./server\"]}\n", ts);
	for (int i = 0; i < workers; i++)
		printf("{\"ev\":\"thread\",\"ts\":%" PRIu64 ",\"tid\":%d,\"pid\":1,\"name\":\"worker %d\",\"role\":\"worker\"}\n", ts, 4000 + i, i + 1);
	for (int i = 0; i < SITES; i++)
		printf("{\"ev\":\"site\",\"site\":%d,\"func\":\"%s\",\"file\":\"src/%s.cc\",\"line\":%d}\n", i + 1,
			func[i], func[i], 20 + 13 * i);
}

static struct coroutine fresh(void)
{
	return (struct coroutine){ .id = next_id++, .life = 5 + draw() % 400 };
}

int main(int argc, char *argv[])
{
	uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000, now = 5000000000u, from, until;
	int count = argc > 2 ? atoi(argv[2]) : 3000, workers = argc > 3 ? atoi(argv[3]) : 8,
		lost = argc > 4 ? atoi(argv[4]) : 0;
	uint64_t busy_until[64] = { 0 };
	char rest[100];

	if (count < 1 || workers < 1 || workers > 64 || !(all = calloc((size_t)count, sizeof(*all))) ||
	    !(heap = calloc((size_t)count + 1, sizeof(*heap))))
		return 2;
	head(now, workers);
	for (int i = 0; i < count; i++) {
		all[i] = fresh();
		add_due(now + about(1e7), i);
	}
	while (events < most && due_count) {
		struct due d = take_due();
		struct coroutine *c = &all[d.who];
		int w = (int)(draw() % (uint64_t)workers), site = 1 + (int)(draw() % SITES);

		now = d.at;
		if (c->n) {
			wake(c, (int)(draw() % (uint64_t)workers), now);
		} else {
			own(c, w, now, "create", ",\"site\":7");
			if (d.who % 3 == 0)
				printf("{\"ev\":\"name\",\"ts\":%" PRIu64 ",\"tid\":%d,\"probe_id\":%" PRIu64 ",\"name\":\"conn %" PRIu64 "\"}\n",
					now, 4000 + w, c->id, c->id);
		}
		from = (busy_until[w] > now ? busy_until[w] : now) + about(3000);
		until = busy_until[w] = from + about(5000);
		own(c, w, from, "resume", "");
		if (c->n > c->life) {
			own(c, w, until, "destroy", ",\"done\":true");
			*c = fresh();
			add_due(until + about(1e6), d.who);
			continue;
		}
		choose_object(c, site, until);
		snprintf(rest, sizeof(rest), ",\"site\":%d,\"on\":\"%s\"", site, c->on);
		own(c, w, until, "suspend", rest);
		if (lost && events > most / 10 * 6 && draw() % 200 == 0) {
			printf("{\"ev\":\"close\",\"ts\":%" PRIu64 ",\"tid\":%d,\"on\":\"%s\",\"site\":5}\n",
				until + 500, 4000 + w, c->on);
			lost--;
		} else {
			add_due(until + about(2e3 * count), d.who);
		}
	}
	printf("{\"ev\":\"end\",\"ts\":%" PRIu64 ",\"events\":%" PRIu64 ",\"lost\":0}\n", now + 300000000, events);
	return 0;
}
