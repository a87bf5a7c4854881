/* stations-v1.c - the recorder's reading of version 1's stations (record/extra/v1.c), call by call, of a region whose writers this
 * program plays: eight slots a coroutine, overwritten in turn; births, deaths and addresses that are used again.
 */
#include <fcntl.h>
#include <stdint.h>
#include <time.h>

static void meanwhile(void);
#define __builtin_prefetch(slot) ((void)(slot), meanwhile())
#define born station_born
#include "../../record/extra/v1.c"
#undef born
#undef __builtin_prefetch
#include "../../record/line.h"
#include "../../record/site.h"
#include "../../record/totals.h"
#include "writers.h"

enum { STATIONS = 10 };

static void begin(int out)
{
	r.size = 1 << 16;
	r.base = mmap(NULL, r.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	r.h = (void *)r.base;
	r.v1 = (void *)(r.base + sizeof *r.h);
	r.v1_count = STATIONS;
	r.h->next_probe_id = 1;
	print_open(out, NULL, 0);
	site_init(&r);
	start = clock_ns();
	while (clock_ns() < start + 2000000)
		usleep(100);
	v1_init(&r);
}

static void born(uint32_t i, uint64_t id, uint64_t ts)
{
	r.v1[i].probe_id = id;
	r.v1[i].birth_ts = ts ? start + ts : 0;
	if (r.h->allocated_count <= i)
		r.h->allocated_count = i + 1;
}

/* Events `from` up to before `to`, from 0; event k is at time 10 + k. */
static struct ctp_event *wrote(uint32_t i, unsigned from, unsigned to)
{
	struct ctp_event *e = NULL;

	for (unsigned k = from; k < to; k++) {
		e = &r.v1[i].slots[k % 8];
		*e = (struct ctp_event){ .probe_id = r.v1[i].probe_id, .tid = 7, .addr = 16, .seq = 2 * (k / 8 + 1), .is_active = k % 2,
			.timestamp = start + 10 + k };
	}
	return e;
}

/* A writer that goes on while its event is printed, so often. */
static unsigned more;

static void meanwhile(void)
{
	if (more) {
		more--;
		wrote(0, (unsigned)stations[0].count + 1, (unsigned)stations[0].count + 2);
	}
}

static void without_end(void)
{
	born(0, 5, 1);
	born(1, 6, 2);
	wrote(0, 0, 1);
	wrote(1, 0, 2);
	more = 1000;
	number("events", v1_scan(&r));
	number("and", v1_scan(&r));
	v1_end(&r);
	number("more", 1000 - more);
	wrote(0, (unsigned)stations[0].count, (unsigned)stations[0].count + 1);
	more = 3;
	v1_end(&r);
	number("lost", totals.lost);
	number("lines", totals.v1);
}

#define LIFE(id, ts, ev) "{\"probe_id\":" id ",\"tid\":0,\"addr\":\"0x0000000000000000\",\"seq\":0,\"is_active\":false,\"ts\":" ts ",\"ev\":\"" ev "\"}\n"
#define BORN(id, ts) LIFE(id, "+" ts, "create")
#define EVENT(id, seq, active, ts, n) "{\"probe_id\":" id ",\"tid\":7,\"addr\":\"0x0000000000000010\",\"seq\":" seq ",\"is_active\":" active \
	",\"ts\":+" ts ",\"n\":" n "}\n"
#define LOST(id, count, from, to) "{\"ev\":\"lost\",\"ts\":+" to ",\"probe_id\":" id ",\"count\":" count ",\"from\":+" from ",\"to\":+" to "}\n"
#define NAMED(id, own, ts) "{\"ev\":\"name\",\"ts\":+" ts ",\"probe_id\":" id ",\"name\":\"v1 probe_id " own "\"}\n"

static void in_order(void)
{
	number("nothing", v1_scan(&r));
	born(0, 5, 1);
	number("nothing", v1_scan(&r));
	wrote(0, 0, 3);
	number("three", v1_scan(&r));
	number("nothing", v1_scan(&r));
	wrote(0, 3, 9);			/* into the second lap */
	number("six", v1_scan(&r));
	number("lost", totals.lost);
}

static void lapped(void)
{
	born(0, 5, 1);
	wrote(0, 0, 12);			/* four are gone */
	number("eight", v1_scan(&r));
	wrote(0, 12, 29);			/* nine more */
	number("eight", v1_scan(&r));
	number("lost", totals.lost);
	number("overwritten", totals.overwritten);
}

/* The first slot is being written a second time. */
static void lapped_just_now(void)
{
	born(0, 5, 1);
	wrote(0, 0, 9)->seq--;
	number("seven", v1_scan(&r));
	wrote(0, 8, 9);
	number("one", v1_scan(&r));
	number("lost", totals.lost);
}

static void half_written(void)
{
	struct ctp_event *e;

	born(0, 5, 1);
	e = wrote(0, 0, 2);
	e->seq = 1;
	number("one", v1_scan(&r));
	e->seq = 2;
	wrote(0, 2, 5)->seq++;			/* the fifth is overwritten just now */
	number("three", v1_scan(&r));
	wrote(0, 4, 9);
	wrote(0, 9, 10)->seq = 3;		/* the second slot's second lap */
	number("five", v1_scan(&r));
}

static void births(void)
{
	born(0, 0, 1);				/* no id yet, no event */
	born(1, 1ull << 40, 0);			/* no time */
	born(2, 1ull << 41, 3);
	number("none", v1_scan(&r));
	wrote(0, 0, 1);
	wrote(1, 0, 1);
	number("two", v1_scan(&r));
	born(3, 8, 20000000000);		/* in the future: now */
	v1_scan(&r);
}

static void deaths(void)
{
	born(0, 5, 1);
	wrote(0, 0, 2);
	r.v1[0].is_dead = 1;
	number("two", v1_scan(&r));
	wrote(0, 2, 4);				/* nobody can */
	number("nothing", v1_scan(&r));
	born(1, 6, 2);
	r.v1[1].is_dead = 2;			/* no death */
	v1_scan(&r);
}

/* Its last events and its death are read before the next one's birth, wherever that has its station. */
static void used_again(void)
{
	born(2, 1ull << 40, 1);
	wrote(2, 0, 1);
	v1_scan(&r);
	wrote(2, 1, 2);
	r.v1[2].is_dead = 1;
	born(0, 1ull << 40, 3);
	wrote(0, 0, 1);
	v1_scan(&r);
}

/* Of several processes that use the address one has the id itself, and of that the rest is read first. */
static void used_again_by_one(void)
{
	for (uint32_t i = 5; i < 8; i++)
		born(i, 1ull << 40, i);
	v1_scan(&r);
	wrote(5, 0, 2);
	r.v1[5].is_dead = 1;
	born(0, 1ull << 40, 9);
	v1_scan(&r);
}

static void two_of_one_id(void)
{
	born(0, 5, 1);
	born(1, 5, 2);				/* of another process */
	born(2, 7, 3);				/* where version 2's counter stands */
	born(3, 6, 4);				/* it has passed that: not to be told from one of those */
	born(4, 0xffffffff, 5);
	born(5, 1ull << 40, 6);			/* an address: the counter does not come there */
	v1_scan(&r);
	number("next", r.h->next_probe_id);
}

static void hostile_counter(void)
{
	r.h->next_probe_id = 0;
	born(3, 0, 1);
	wrote(3, 0, 1);
	v1_scan(&r);
}

static void impossible(void)
{
	born(0, 5, 1);
	wrote(0, 0, 1)->tid = 0;
	wrote(0, 1, 2)->tid = 1ull << 32;
	wrote(0, 2, 3)->timestamp = 0;
	wrote(0, 3, 4)->is_active = 2;
	wrote(0, 4, 5)->tid = 0xffffffff;
	number("five", v1_scan(&r));
	number("impossible", totals.impossible);
	born(1, 6, 1);
	wrote(1, 0, 1)->seq = 1ull << 62;	/* nobody wrote so many */
	v1_scan(&r);
	number("impossible", totals.impossible);
	wrote(1, 0, 1);
	number("nothing", v1_scan(&r));
	born(2, 7, 1);
	wrote(2, 0, 1)->seq = clock_ns() / 8 * 2;	/* so many there may have been since the machine was started, but not since v1_init() */
	v1_scan(&r);
	number("impossible", totals.impossible);
	born(3, 8, 1);
	wrote(3, 0, 1)->seq = (1ull << 63) + 4;	/* as if the ninth, in 64 bits */
	v1_scan(&r);
	number("impossible", totals.impossible);
}

static void beyond_counts(void)
{
	born(0, 1ull << 32, 1);			/* an address: the counter does not come there */
	v1_scan(&r);
	number("next", r.h->next_probe_id);
}

static void more_than_there_are(void)
{
	r.h->allocated_count = STATIONS + 3;
	r.v1[STATIONS - 1].probe_id = 5;
	r.v1[STATIONS - 1].birth_ts = start + 1;
	wrote(STATIONS - 1, 0, 1);
	v1_end(&r);
	number("without", totals.no_v1_station);
	r.h->allocated_count = STATIONS;
	v1_end(&r);
	number("without", totals.no_v1_station);
}

/* Ids of one hash, ended in any order: the others are still found. */
static void of_one_hash(void)
{
	for (uint32_t round = 0; round < 20; round++) {
		for (uint32_t i = 0; i < 4; i++) {
			memset(&r.v1[i], 0, sizeof r.v1[i]);
			born(i, (1ull << 40) + 16 * i, 1);
		}
		v1_init(&r);
		v1_scan(&r);
		for (uint32_t i = 0; i < 4; i++) {
			r.v1[(i * (round % 3 ? 3 : 1) + round) % 4].is_dead = 1;
			v1_scan(&r);
		}
		born(4, (1ull << 40) + 16 * (round % 4), 2);	/* free again: keeps its own id */
		v1_scan(&r);
		r.v1[4].is_dead = 1;
		v1_scan(&r);
		memset(&r.v1[4], 0, sizeof r.v1[4]);
	}
}

/* As of a writer that leaves probe_id 0, or of many processes that count from 1. */
static bool many_of_one_id(void)
{
	enum { MANY = 30000 };
	clock_t before;
	int status;

	if (fork())
		return wait(&status) > 0 && !status;
	begin(open("/dev/null", O_WRONLY));
	r.v1 = mmap(NULL, MANY * sizeof *r.v1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	r.v1_count = MANY;
	v1_init(&r);
	for (uint32_t i = 0; i < MANY; i++)
		born(i, 5, 1);
	before = clock();
	v1_scan(&r);
	_exit(clock() - before > CLOCKS_PER_SEC || r.h->next_probe_id != MANY + 5);
}

int main(void)
{
	char *got;
	size_t named;

	prints(in_order, SAYS("nothing", "0") BORN("5", "1") SAYS("nothing", "0") EVENT("5", "2", "false", "10", "1") EVENT("5", "2", "true", "11", "2")
		EVENT("5", "2", "false", "12", "3") SAYS("three", "3") SAYS("nothing", "0") EVENT("5", "2", "true", "13", "4")
		EVENT("5", "2", "false", "14", "5") EVENT("5", "2", "true", "15", "6") EVENT("5", "2", "false", "16", "7")
		EVENT("5", "2", "true", "17", "8") EVENT("5", "4", "false", "18", "9") SAYS("six", "6") SAYS("lost", "0"), "event after event, lap after lap");
	got = printed(lapped);
	ok(!strncmp(got, BORN("5", "1") LOST("5", "4", "1", "14") EVENT("5", "2", "false", "14", "5"), sizeof BORN("5", "1")
		LOST("5", "4", "1", "14") EVENT("5", "2", "false", "14", "5") - 1) && strstr(got, EVENT("5", "4", "true", "21", "12") SAYS("eight", "8")
		LOST("5", "9", "21", "31") EVENT("5", "6", "true", "31", "22")) && strstr(got, SAYS("eight", "8") SAYS("lost", "13") SAYS("overwritten", "13")),
		"what was overwritten unseen is counted, between the times of its neighbours");
	got = printed(lapped_just_now);
	ok(!strncmp(got, BORN("5", "1") LOST("5", "1", "1", "11") EVENT("5", "2", "true", "11", "2"), sizeof BORN("5", "1") LOST("5", "1", "1", "11")
		EVENT("5", "2", "true", "11", "2") - 1) && strstr(got, EVENT("5", "2", "true", "17", "8") SAYS("seven", "7") EVENT("5", "4", "false", "18", "9")
		SAYS("one", "1") SAYS("lost", "1")), "one of eight that is being overwritten");
	got = printed(without_end);
	ok(strstr(got, EVENT("6", "2", "true", "11", "2") SAYS("events", "67")) && strstr(got, SAYS("and", "65")) && strstr(got, SAYS("more", "652")) &&
		strstr(got, SAYS("lost", "0") SAYS("lines", "658")), "one that writes without end: the others have their turn, and the end comes");
	got = printed(half_written);
	ok(strstr(got, EVENT("5", "2", "false", "10", "1") SAYS("one", "1") EVENT("5", "2", "true", "11", "2")) &&
		strstr(got, EVENT("5", "2", "true", "13", "4") SAYS("three", "3") EVENT("5", "2", "false", "14", "5")) && strstr(got, SAYS("five", "5")) &&
		!strstr(got, "\"ts\":+19"), "a slot that is being written is read when it is whole");
	got = printed(births);
	ok(!strncmp(got, BORN("2199023255552", "3") SAYS("none", "0"), sizeof BORN("2199023255552", "3") SAYS("none", "0") - 1) &&
		strstr(got, BORN("1", "10") NAMED("1", "0", "10") EVENT("1", "2", "false", "10", "1")) &&
		strstr(got, BORN("1099511627776", "10") EVENT("1099511627776", "2", "false", "10", "1")) && !strstr(got, "+20000000000"),
		"an old writer's coroutine without id or time of birth is born with its first event; none is born in the future");
	got = printed(deaths);
	ok(strstr(got, EVENT("5", "2", "true", "11", "2") "{\"probe_id\":5,\"tid\":0") && strstr(got, SAYS("two", "2") SAYS("nothing", "0")) &&
		!strstr(got, "\"probe_id\":6,\"tid\":0,\"addr\":\"0x0000000000000000\",\"seq\":0,\"is_active\":false,\"ts\":+2,\"ev\":\"destroy") &&
		!strstr(strstr(got, "destroy") + 1, "destroy"), "events, then death, once");
	got = printed(used_again);
	{
		char *last = strstr(got, EVENT("1099511627776", "2", "true", "11", "2")), *death = strstr(got, "\"ev\":\"destroy\""), *next = strstr(got, BORN("1099511627776", "3"));

		ok(last && death && next && last < death && death < next && !strstr(got, "name"), "an address is used again behind the death of its last user");
	}
	got = printed(used_again_by_one);
	{
		char *death = strstr(got, "\"ev\":\"destroy\""), *next = strstr(got, BORN("1099511627776", "9"));

		ok(death && next && death < next, "of several at one address, that one's death");
	}
	prints(two_of_one_id, BORN("5", "1") BORN("6", "2") NAMED("6", "5", "2") BORN("7", "3") BORN("8", "4") NAMED("8", "6", "4")
		BORN("4294967295", "5") BORN("1099511627776", "6") SAYS("next", "4294967296"), "an id that another has is another number, with a name");
	prints(beyond_counts, BORN("4294967296", "1") SAYS("next", "1"), "the counter is moved past what it may come to");
	got = printed(hostile_counter);
	ok(strstr(got, BORN("9223372036854775811", "10")), "a counter that stands at 0 gives none");
	got = printed(impossible);
	ok(strstr(got, "\"tid\":4294967295") && strstr(got, "\"ts\":+14,\"n\":5}\n" SAYS("five", "5") SAYS("impossible", "4")) &&
		strstr(got, SAYS("impossible", "5") SAYS("nothing", "0")) && strstr(got, SAYS("impossible", "6") BORN("8", "1") SAYS("impossible", "7")) && !strstr(got, "\"tid\":4294967296"), "records that cannot be are counted, and the next is read");
	got = printed(more_than_there_are);
	ok(strstr(got, SAYS("without", "3") SAYS("without", "0")) && strstr(got, EVENT("5", "2", "false", "10", "1")), "more coroutines than stations are counted");
	got = printed(of_one_hash);
	for (named = 0; (got = strstr(got, "\"ev\":\"name\"")); named++)
		got++;
	ok(!named, "stations of one hash are found whoever of them ends first: %zu were not", named);
	ok(many_of_one_id(), "30,000 of one id cost what as many of others do");
	return done_testing();
}
