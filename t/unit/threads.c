/* threads.c - the C probe's threads (sdk/c/ct-thread.h) against the region of probe.c: which ring one takes, from where on, the stations that
 * all share, what begins and what ends. threads CASE; t/cases/probe.t runs each.
 */
#include <stdbool.h>
#include <stdint.h>

#include "../../sdk/c/ct.c"
#define main probe_main
#include "probe.c"
#undef main

static struct ct_writer other;		/* another thread's */

static struct ct_writer *writer_of(uint32_t tid)
{
	memset(&other, 0, sizeof other);
	other.ours = 1;
	other.tid = tid;
	other.hdr = ct_p_.hdr;
	other.stations = ct_p_.stations;
	other.flags = ct_p_.flags;
	return &other;
}

/* Nobody has begun yet. */
static void begin(uint32_t flags)
{
	attach(1, 64, flags);
	ct_p_.pid = 77;
}

static void takes(void)
{
	struct ct_writer *me;
	uint64_t now;

	begin(0);
	me = writer_of(5);
	rings[0].owner = CTP_OWNER(77, 4);
	rings[1].head = 7;
	rings[1].dropped = 3;
	rings[1].reported = 9;
	ok(!ct_p_take_ring(me, 0, CTP_RING_FREE) && rings[0].owner == CTP_OWNER(77, 4) && !me->ring && !h->rings_used, "not one that another has");
	ok(ct_p_open_slots(1), "its slots may be used");
	slots[64 + 6].timestamp = now = ct_p_now(me->flags);
	ok(ct_p_take_ring(me, 1, CTP_RING_FREE) == 1 && rings[1].owner == CTP_OWNER(77, 5) && me->ring == &ct_p_.rings[1] && h->rings_used == 2, "a free one");
	ok(me->head == 7 && me->limit == 7 && me->mask == 63 && me->reported == 3 && me->slots == (void *)(ct_p_.slots + 64 * 64) && me->last_ts == now,
		"where its last owner stopped");
	h->rings_used = 3;
	rings[2].owner = CTP_RING_FREE;
	me = writer_of(6);
	ok(ct_p_open_slots(2) && ct_p_take_ring(me, 2, CTP_RING_FREE) && h->rings_used == 3 && !me->head && !me->last_ts, "as many as were used");
	rings[1].tail = 7;
	ct_p_own_ring(me, &ct_p_.rings[1], 1);
	ok(me->head == 7, "all was read");
	rings[1].tail = 7 + 64;
	ct_p_own_ring(me, &ct_p_.rings[1], 1);
	ok(me->head == 7 + 64 && me->limit == 7 + 64, "from what was read on, where its head came late");
	rings[1].tail = 7 + 65;
	ct_p_own_ring(me, &ct_p_.rings[1], 1);
	ok(me->head == 7 && me->limit == 7, "not where it never was");
}

/* The ring's last time: kept, unless it is nonsense. */
static uint64_t after(uint64_t last, uint64_t mine)
{
	struct ct_writer *me = writer_of(5);

	me->last_ts = mine;
	rings[1].head = 64 + 3;
	slots[64 + 1].timestamp = 1;
	slots[64 + 2].timestamp = last;
	ct_p_own_ring(me, &ct_p_.rings[1], 1);
	return me->last_ts;
}

static void times(void)
{
	uint64_t now;

	begin(0);
	ok(ct_p_open_slots(1), "its slots may be used");
	now = ct_p_now(0);
	ok(after(now - 5, 0) == now - 5 && after(now - 5, now - 6) == now - 5 && after(now - 5, now - 4) == now - 4, "a ring's times never fall");
	ok(after(now + 1000000000000, 0) == 0 && after(now + 1000000000000, 3) == 3, "no garbage sends the clock into the future");
	ct_p_.overwrites = 1;
	rings[1].dropped = 3, rings[1].reported = 9;
	after(now, 0);
	ok(other.reported == 9, "a box keeps what was reported");
}

static void claims(void)
{
	struct ct_writer *me;

	begin(0);
	rings[0].owner = rings[2].owner = CTP_OWNER(77, 4);
	me = writer_of(5);
	ok(ct_p_claim(me) == 1 && me->ring == &ct_p_.rings[1], "the first that is free");
	me = writer_of(6);
	ok(ct_p_claim(me) == 1 && me->ring == &ct_p_.rings[3] && h->rings_used == 4, "the next");
	me = writer_of(7);
	rings[2].owner |= CTP_RING_RETIRED;
	ok(!ct_p_claim(me) && !me->ring, "none: who has ended is read first");
	rings[2].owner = CTP_RING_FREE;
	ok(ct_p_claim(me) && me->ring == &ct_p_.rings[2], "then it is free");
}

static void shared(void)
{
	struct ct_writer *me;
	uint32_t i = 99;
	uint64_t tag;

	begin(0);
	me = writer_of(5);
	ok(!ct_p_pop_station(&i) && ct_p_open_station(STATIONS - 1), "none was given back");
	ct_p_push_station(me, 3);
	tag = h->stations_free >> 32;
	ok((uint32_t)h->stations_free == 4 && !stations[3].arg, "one is");
	ct_p_push_station(me, 7);
	ok((uint32_t)h->stations_free == 8 && stations[7].arg == 4 && h->stations_free >> 32 == tag + 1, "another before it, under another tag");
	ok(ct_p_pop_station(&i) && i == 7 && (uint32_t)h->stations_free == 4 && h->stations_free >> 32 == tag + 2, "the last first");
	ok(ct_p_pop_station(&i) && i == 3 && !(uint32_t)h->stations_free && h->stations_free >> 32 == tag + 3 && !ct_p_pop_station(&i), "all");
	h->stations_free = 5ull << 32 | (STATIONS + 1);
	ok(!ct_p_pop_station(&i), "one that cannot be");
	h->stations_free = 5ull << 32 | STATIONS;
	stations[STATIONS - 1].arg = 0xffffffff00000002;
	ok(ct_p_pop_station(&i) && i == STATIONS - 1 && h->stations_free == (6ull << 32 | 2), "the last of the table; the number is 32 bits");
}

static void more(void)
{
	struct ct_writer *me;

	begin(0);
	me = writer_of(5);
	ok(ct_p_more_stations(me) == 1 && me->station_count == 15 && me->station[14] == 1 && me->station[0] == 15 && h->stations_used == 16, "by sixteen");
	me->station_count = 0;
	ct_p_push_station(me, 3);
	ok(ct_p_more_stations(me) == 4 && !me->station_count && h->stations_used == 16, "one that was given back first");
	h->stations_used = STATIONS - 5;
	ok(ct_p_more_stations(me) == STATIONS - 4 && me->station_count == 3 && me->station[0] == STATIONS - 2 && h->stations_used == STATIONS - 1, "as many as there are");
	me->station_count = 0;
	ok(ct_p_more_stations(me) == STATIONS && !me->station_count && h->stations_used == STATIONS && !h->lost_no_station, "the last");
	ok(!ct_p_more_stations(me) && h->lost_no_station == 1, "none: counted");
	h->stations_used = 0;
	ct_p_.station_part.open = 0;
	ct_p_.station_part.at = (char *)(1ull << 62);
	ok(!ct_p_more_stations(me) && h->lost_no_station == 2 && !me->station_count, "nor where their memory cannot be used");
	ct_p_.station_part = (struct ct_part){ .at = mmap(NULL, 1 << 22, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), .size = 1 << 22 };
	ct_p_.station_count = 1 << 16;
	h->stations_used = CT_STEP / sizeof(struct ctp_event) - 16;
	ok(ct_p_more_stations(me) && ct_p_.station_part.open == CT_STEP && ct_p_more_stations(me) && ct_p_.station_part.open == 2 * CT_STEP,
		"which is opened as they need it");
}

static void begins(void)
{
	struct ctp_event e;
	struct ct_writer *me;

	begin(0);
	errno = 5;
	me = ct_p_thread_begin(1);
	ok(me && me == ct_me_ && errno == 5 && me->idle == 1 && me->ours == 1 && me->tid == (uint64_t)getpid() && me->hdr == ct_p_.hdr &&
		me->stations == ct_p_.stations && pthread_getspecific(ct_p_.key) == me, "a writer of its own");
	ok(take(0, &e) && e.kind == CTP_THREAD && e.n == 77 && e.arg == CTP_ROLE_OTHER && e.tid == (uint64_t)getpid() && !strcmp(text(e.addr), "threads"), "it says so");
	ok(me->slow == ((ct_p_.flags & (CTP_F_TSC | CTP_F_FENCE)) != CTP_F_TSC), "quick where it may be");
	ct_me_ = NULL;
	ctp_store(&ct_flag_.on, 0);
	ok(!ct_p_thread_begin(1) && !ct_me_, "nobody records");
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	ct_p_.hdr = NULL;
	ok(!ct_p_thread_begin(1) && !ct_me_, "nor where there is no region");
}

/* A child by vfork() has its parent's memory, until it executes something. */
static void borrowed(void)
{
	uint32_t original = 1;

	begin(0);
	ct_p_.original = &original;
	ct_p_.process = getpid() + 1;
	ok(!ct_p_thread_begin(2) && !ct_me_ && h->lost_no_ring == 2 && ct_p_.process == getpid() + 1 && ct_p_.pid == 77, "what it does is counted, and changes nothing");
	ctp_store(&ct_flag_.on, 0);
	ok(!ct_p_thread_begin(2) && h->lost_no_ring == 2, "not where nobody records");
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	original = 0;
	ok(ct_p_thread_begin(1) && original == 1 && ct_p_.process == getpid() && ct_p_.pid == (uint32_t)getpid() && h->lost_no_ring == 2, "a copy is a child of its own");
	ct_p_.pid = 77;
	original = 0;
	ok(ct_p_is_ours() == 1 && original == 1 && ct_p_.pid == (uint32_t)getpid(), "whose number may be its parent's");
	ct_p_.pid = 77;
	ok(ct_p_is_ours() == 1 && ct_p_.pid == 77, "once");
	ct_p_.store = &other;
	original = 0;
	ok(ct_p_is_ours() == 1 && !original && ct_p_.pid == 77, "where no call is to be made, it is not asked");
}

static void numbered(void)
{
	int is_main = 7;

	begin(0);
	ok(ct_p_tid(&is_main) == (uint32_t)getpid() && is_main == 1, "its number");
	h->next_number = CTP_NUMBERS + 3;
	ct_p_.pid = CTP_NUMBERS - 1;
	ok(ct_p_tid(&is_main) == (uint32_t)getpid() && h->next_number == CTP_NUMBERS + 3, "the largest that is a number of ours");
	ct_p_.pid = CTP_NUMBERS;
	ok(ct_p_tid(&is_main) == CTP_NUMBERS && is_main == 1 && h->next_number == CTP_NUMBERS + 3, "of another namespace the process's");
	ct_p_.store = &other;
	ok(ct_p_tid(&is_main) == CTP_NUMBERS + 3 && !is_main && h->next_number == CTP_NUMBERS + 4, "or one of the recorder's, where no call is made");
}

static void ends(void)
{
	struct ctp_event e;
	struct ct_writer *me;

	begin(0);
	me = ct_p_thread_begin(1);
	while (take(0, &e))
		;
	me->station[0] = 3, me->station[1] = 5;
	me->station_count = 2;
	ct_p_open_station(STATIONS - 1);
	me->ours = 0;
	ct_p_thread_end(me);
	ok(!take(0, &e) && rings[0].owner == CTP_OWNER(77, getpid()) && !h->stations_free && !ct_me_, "a child's copy of it ends without a word");
	me->ours = 1;
	ct_p_thread_end(me);
	ok(take(0, &e) && e.kind == CTP_THREAD && e.arg == CTP_ROLE_ENDED && !e.addr && !take(0, &e), "it says that it ends");
	ok(rings[0].owner == (CTP_OWNER(77, getpid()) | CTP_RING_RETIRED) && !ct_me_, "its ring is nobody's");
	ok((uint32_t)h->stations_free == 4 && stations[3].arg == 6 && !stations[5].arg, "its stations are everybody's");
}

/* As many events as it takes to leave `room` slots. */
static struct ct_writer *nearly_full(uint64_t room)
{
	struct ct_writer *me = ct_p_thread_begin(1);

	while (me->head - rings[0].tail < 64 - room)
		ct_p_event(me, 0, 0, 0, 0, CT_KINDS(CTP_PARK, 0, 0));
	return me;
}

static void ends_in_full(void)
{
	struct ct_writer *me;
	uint64_t head;

	begin(0);
	me = nearly_full(1);
	head = me->head;
	ct_p_thread_end(me);
	ok(rings[0].head == head && rings[0].owner & CTP_RING_RETIRED, "no room for the word and a loss: the loss would be more");
}

static void ends_with_loss(void)
{
	struct ctp_event e;
	struct ct_writer *me;

	begin(0);
	me = nearly_full(0);
	ct_p_drop(me);
	ct_p_drop(me);
	for (int i = 0; i < 60; i++)
		take(0, &e);
	ct_p_thread_end(me);
	for (int i = 0; i < 4; i++)
		take(0, &e);
	ok(take(0, &e) && e.kind == CTP_LOST && e.arg == 2 && take(0, &e) && e.kind == CTP_THREAD && !take(0, &e), "what was lost, then the end");
	/* by a handler that came between a look and its use */
	me = ct_p_thread_begin(1);
	me->limit = me->head + 30;
	ct_p_drop(me);
	while (take(1, &e))
		;
	ct_p_thread_end(me);
	ok(take(1, &e) && e.kind == CTP_THREAD && take(1, &e) && e.kind == CTP_LOST && e.arg == 1 && !take(1, &e), "or behind it");
}

/* What a thread has is given back, and a child finds that it is its parent's. */
static void owned(void)
{
	struct ct_writer *me;
	int status;

	begin(0);
	me = ct_p_thread_begin(1);
	ok(me->ours == 1 && me->idle == 1, "its own");
	if (!fork())
		_exit(me->ours || me->idle);
	ok(wait(&status) > 0 && !status, "and no child's");
	ct_p_thread_end(me);
	ok(msync(me, sizeof *me, MS_ASYNC) && errno == ENOMEM, "given back");
}

static void owned_store(void)
{
	struct ct_writer *me;

	begin(CTP_F_QUIET);
	me = ct_p_thread_begin(1);
	ct_p_thread_end(me);
	ok(me == &ct_p_.store[0] && !me->taken && !me->idle && !ct_me_, "a place for the next");
	me->idle = 1;
	ok(ct_p_new_writer() == me && !me->idle, "who begins anew");
}

static void stored(void)
{
	struct ct_writer *me, *next;

	begin(CTP_F_QUIET);
	me = ct_p_new_writer();
	ok(me == &ct_p_.store[0] && me->taken == 1 && !me->idle, "one that was made before");
	me->tid = me->head = 5;
	me->station_count = 3;
	next = ct_p_new_writer();
	ok(next == &ct_p_.store[1] && next->taken == 1, "the next");
	ct_p_free_writer(me);
	ok(!me->taken && me->tid == 5, "given back");
	ok(ct_p_new_writer() == me && me->taken == 1 && !me->tid && !me->head && !me->station_count, "and new again");
	for (uint32_t i = 2; i < RINGS; i++)
		ok(ct_p_new_writer() == &ct_p_.store[i], "all");
	ok(!ct_p_new_writer(), "no more");
	ct_me_ = &other;
	ok(!ct_p_thread_begin(3) && !ct_me_ && h->lost_no_ring == 3, "who finds none is counted, by events");
	ok(ct_p_open_slots(1), "slots are open");
}

static void named(void)
{
	struct ctp_event e;
	struct ct_writer *me;

	begin(0);
	me = ct_p_thread_begin(1);
	while (take(0, &e))
		;
	rings[0].name = rings[0].role = 99;
	ct_p_say_thread(me, CTP_ROLE_WORKER, "worker");
	ok(rings[0].name == 99 && rings[0].role == 99 && take(0, &e) && e.arg == CTP_ROLE_WORKER && !strcmp(text(e.addr), "worker"), "said");
	ct_p_.overwrites = 1;
	h->look_slots = 16;
	ct_p_say_thread(me, CTP_ROLE_WORKER, "other");
	ok(rings[0].role == CTP_ROLE_WORKER && !strcmp(text(rings[0].name), "other"), "and written down where it is overwritten");
	ct_p_say_thread(me, CTP_ROLE_ENDED, NULL);
	ok(rings[0].role == CTP_ROLE_WORKER && !strcmp(text(rings[0].name), "other"), "an end is not");
}

/* A signal handler's calls within one of ours: each event that they are made of counts. */
static void interrupted_by_several(void)
{
	struct ct_coro c = { 0 }, d = { 0 };
	struct ct_leg legs[] = { { ct_fd(5), CT_HERE, 0 }, { ct_timer(9), CT_HERE, 0 }, { ct_fd(6), CT_HERE, 0 } };
	struct ct_writer *me;

	begin(0);
	me = ct_p_thread_begin(1);
	ct_create(&c, 0, CT_HERE, &c, NULL);
	me->idle = 0;
	ct_create(&d, 0, CT_HERE, &d, NULL);
	ok(rings[0].dropped == 1, "a birth");
	ct_create(&d, 0, CT_HERE, &d, "named");
	ok(rings[0].dropped == 3 && d.id, "a birth and a name");
	ct_create_at(&d, 0, 0, &d, "named");
	ok(rings[0].dropped == 5, "a birth and a name there");
	ct_suspend_any(&c, CT_HERE, legs, 3);
	ok(rings[0].dropped == 9, "three legs and their suspend");
	h->on_kinds = CTP_ON_ALL_OF;
	ct_suspend_all(&c, CT_HERE, legs, 3);
	ok(rings[0].dropped == 10, "a recorder that knows no legs misses none");
	h->on_kinds = CTP_ON_ALL_OF + 1;
	h->kinds = CTP_LEG;
	ct_suspend_any(&c, CT_HERE, legs, 3);
	ok(rings[0].dropped == 11, "by their kind, too");
	h->kinds = CTP_LEG + 1;
	ct_suspend_any(&c, CT_HERE, legs, 3);
	ok(rings[0].dropped == 15, "the first that knows them does");
	ct_p_.forked = ct_p_.old = c.id;
	ct_p_set_floor();
	ct_suspend_any(&c, CT_HERE, legs, 3);
	ok(rings[0].dropped == 15 && !h->lost_no_ring, "a parent's coroutine does nothing here");
	me->ring = NULL;
	ct_create(&d, 0, CT_HERE, &d, "named");
	ok(h->lost_no_ring == 2, "without a ring counted there");
}

static void interrupted(void)
{
	struct ct_writer *me;

	begin(0);
	me = ct_p_thread_begin(1);
	me->idle = 0;
	ok(!ct_p_enter() && rings[0].dropped == 1 && !me->limit, "in a probe call: counted, and to be reported by the next");
	me->ring = NULL;
	me->limit = 5;
	ok(!ct_p_enter() && h->lost_no_ring == 1 && me->limit == 5, "without a ring counted there");
	me->ours = 0;
	ok(ct_p_enter() != NULL && ct_me_ != me && ct_me_->ours == 1 && !ct_me_->idle, "a writer of a parent's is not ours");
	ct_p_leave(ct_me_);
	ok(ct_me_->idle == 1, "done");
}

static const struct unit_case all[] = {
	{ "takes", takes }, { "times", times }, { "claims", claims }, { "shared", shared }, { "more", more }, { "begins", begins }, { "borrowed", borrowed }, { "numbered", numbered },
	{ "ends", ends }, { "ends_in_full", ends_in_full }, { "ends_with_loss", ends_with_loss }, { "owned", owned }, { "owned_store", owned_store }, { "stored", stored }, { "named", named },
	{ "interrupted", interrupted }, { "interrupted_by_several", interrupted_by_several },
};

int main(int argc, char *argv[])
{
	return run_case("threads", all, sizeof all / sizeof *all, argc, argv);
}
