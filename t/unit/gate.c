/* gate.c - the C probe's coroutines (sdk/c/ct-coro.h) where recording stops and starts, is left and asked for again (ct-gate.h), and where
 * clocks disagree; against the region of probe.c. gate CASE; t/cases/probe.t runs each.
 */
#include <stdbool.h>
#include <stdint.h>

static void at_fence(void);
#define __atomic_thread_fence(order) (at_fence(), __atomic_thread_fence(order))
#include "../../sdk/c/ct.c"
#undef __atomic_thread_fence
#define main probe_main
#include "probe.c"
#undef main

/* Between a station's first store and its last: what it shows. */
static uint32_t station_fenced;		/* its number, counted from 1 */
static bool fence_good;
static uint64_t seq_at_fence, id_at_fence;
static int idle_at_fence;
static const struct ctp_event *v1_slot;		/* of version 1, and its seq at each fence */
static uint64_t v1_seq[4];
static unsigned v1_fences;
static void at_fence(void)
{
	if (v1_slot)
		v1_seq[v1_fences++ % 4] = v1_slot->seq;
	idle_at_fence = ct_me_ && ct_me_->idle;
	if (station_fenced) {
		seq_at_fence = stations[station_fenced - 1].seq;
		id_at_fence = stations[station_fenced - 1].probe_id;
		fence_good = true;
	}
}

/* All that came: kind, how often a loss of how many. */
static const char *events_came(void)
{
	static char text[4000];
	struct ctp_event e;
	size_t n = 0;

	text[0] = '\0';
	while (take(0, &e))
		n += (size_t)snprintf(text + n, sizeof text - n, e.kind == CTP_LOST ? "%u:%llu " : "%u ", e.kind, (unsigned long long)e.arg);
	return text;
}

static bool came(const char *expected)
{
	const char *is = events_came();

	if (!strcmp(is, expected))
		return true;
	printf("# came: %s\n# want: %s\n", is, expected);
	return false;
}

static void begin(struct ct_coro *c)
{
	attach(1, 64, 0);
	memset(c, 0, sizeof *c);
	ct_create(c, 0, CT_NOWHERE, c, NULL);
	events_came();
}

static void seqlock(void)
{
	struct ct_coro c;
	uint64_t id;

	begin(&c);
	station_fenced = c.station;
	ct_resume(&c);
	ok(fence_good && seq_at_fence == 3 && stations[c.station - 1].seq == 4, "odd while it is written, then even");
	ct_suspend(&c, CT_NOWHERE, ct_fd(3));
	ok(seq_at_fence == 5 && id_at_fence == c.id && stations[c.station - 1].seq == 6, "each time");
	id = c.id;
	ct_destroy(&c, 1);
	ok(seq_at_fence == 7 && id_at_fence == id && !stations[station_fenced - 1].probe_id && stations[station_fenced - 1].seq == 8, "and when it ends");
}

static bool took(uint32_t kind, const struct ct_coro *c, uint32_t n, uint8_t arg_kind, uint64_t arg, uint32_t site)
{
	const struct ctp_event *at = &stations[c->station - 1];
	struct ctp_event e;
	bool good = take(0, &e) && e.kind == kind && e.probe_id == c->id && e.n == n && e.arg_kind == arg_kind && e.arg == arg && e.site == site &&
		e.is_active == (kind == CTP_RESUME) && at->kind == kind && at->n == n && at->arg == arg && c->n == n && !idle_at_fence && ct_me_->idle &&
		ct_current() == (kind == CTP_RESUME ? c->id : 0);

	idle_at_fence = -1;
	return good;
}

/* With the processor's ticks, and a recorder that makes the fences. */
static void quick(void)
{
	struct ctp_event e;
	struct ct_coro c;
	uint32_t site;

	attach(1, 64, CTP_F_TSC);
	memset(&c, 0, sizeof c);
	ct_create(&c, 0, CT_NOWHERE, &c, NULL);
	site = ct_intern_site("f", "f.c", 1);
	events_came();
	ct_me_->slow = 0;
	ct_resume(&c);
	ok(took(CTP_RESUME, &c, 2, 0, 0, 0), "resumed");
	ct_suspend_at(&c, site, ct_fd(7));
	ok(took(CTP_SUSPEND, &c, 3, CTP_ON_FD, 7, site), "suspended, at the caller's place");
	for (uint32_t i = 0; i < 3; i++) {
		ct_resume(&c);
		ok(took(CTP_RESUME, &c, 4 + 2 * i, 0, 0, 0), "resumed");
		ct_suspend(&c, CT_HERE, ct_fd((int)i));
		ok(took(CTP_SUSPEND, &c, 5 + 2 * i, CTP_ON_FD, i, site + 1), "suspended here");
	}
	ct_suspend(&c, CT_NOWHERE, ct_fd(9));
	ok(took(CTP_SUSPEND, &c, 10, CTP_ON_FD, 9, 0), "or nowhere");
	ct_suspend_at(&c, site, ct_user("text"));
	ok(take(0, &e) && e.arg_kind == CTP_ON_USER && !strcmp(text(e.arg), "text") && e.site == site, "texts are stored");
	for (int i = 0; i < 2; i++) {
		ct_suspend(&c, CT_HERE, ct_user("more"));
		ok(take(0, &e) && e.arg_kind == CTP_ON_USER && !strcmp(text(e.arg), "more") && e.site == site + 2, "here, too");
	}
	for (int i = 0; i < 200; i++)
		if (i % 3 == 0)
			ct_resume(&c);
		else if (i % 3 == 1)
			ct_suspend(&c, CT_HERE, ct_fd(1));
		else
			ct_suspend_at(&c, site, ct_fd(2));
	ok(rings[0].dropped == 136 && rings[0].head - rings[0].tail == 64 && c.n == 213, "what finds no room is counted");
}

/* By the caller's place; where its birth was, where boxes ask for that; who runs here. */
static void created(void)
{
	struct ctp_birth births[STATIONS];
	struct ct_site here = { .func = "f", .file = "h.c", .line = 3 };
	struct ctp_event e;
	struct ct_coro c;
	uint32_t site, at;

	begin(&c);
	site = ct_intern_site("f", "f.c", 1);
	memset(births, 0, sizeof births);
	ct_p_.births = births;
	ct_create_at(&c, 7, site, &c, "its name");
	ok(take(0, &e) && e.kind == CTP_CREATE && e.probe_id == c.id && e.arg == 7 && e.site == site && e.addr == (uintptr_t)&c && ct_me_->idle, "at the caller's place");
	ok(births[c.station - 1].id == c.id && births[c.station - 1].parent == 7 && births[c.station - 1].site == site, "its birth is kept");
	ok(take(0, &e) && e.kind == CTP_NAME && e.probe_id == c.id && births[c.station - 1].name == e.arg, "with its name");
	at = births[c.station - 1].name;
	ct_name(&c, "another");
	ok(take(0, &e) && e.kind == CTP_NAME && e.arg != at && births[c.station - 1].name == e.arg, "or the last one");
	ct_stop();
	ct_create_at(&c, 7, site, &c, NULL);
	ok(births[c.station - 1].id == c.id && births[c.station - 1].site == (site | CTP_BIRTH_UNSEEN), "one that the ring has not says so");
	ct_start();
	for (int i = 0; i < 100; i++)
		ct_park(i);
	ct_create_at(&c, 7, site, &c, NULL);
	ok(births[c.station - 1].id == c.id && births[c.station - 1].site == site, "but not where it was full: others may have been told of it by then");
	events_came();
	ct_p_.births = NULL;
	ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
	memset(&c, 0x55, sizeof c);
	ct_create_at(&c, 7, site, &c, NULL);
	ok(!c.id && !c.station, "where nobody records it is nobody");
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	ct_create_at(&c, 0, 0, NULL, NULL);
	ct_resume(&c);
	ok(ct_current() == c.id, "it runs");
	ct_p_.old = c.id;
	ok(!ct_current(), "forgotten, it does not");
	ct_p_set_floor();
	ok(!ct_p_enter_for(c.id) && ct_me_->idle, "and is no longer known");
	ok(ct_p_here(&here) == site + 1 && here.index == site + 1 && ct_p_here(&here) == site + 1, "a place keeps its number");
}

static void clocks(void)
{
	uint64_t far;
	struct ctp_event e;
	struct ct_coro c;

	begin(&c);
	far = ct_p_now(ct_p_.flags) + 1000000000000;
	c.last_ts = far;
	ct_resume(&c);
	ok(take(0, &e) && e.timestamp == far + 1 && c.last_ts == far + 1 && ct_me_->last_ts == far + 1, "a coroutine's time rises");
	ct_me_->last_ts = far + 5;
	ct_suspend(&c, CT_NOWHERE, ct_fd(3));
	ok(take(0, &e) && e.timestamp == far + 5 && c.last_ts == far + 5 && stations[c.station - 1].timestamp == far + 5, "a ring's never falls");
	ct_wake(c.id, ct_fd(3));
	ok(take(0, &e) && e.timestamp == far + 5 && ct_me_->last_ts == far + 5, "whatever is in it");
	ct_me_->last_ts = 0;
	ct_wake(c.id, ct_fd(3));
	ok(take(0, &e) && e.timestamp < far - 900000000000 && ct_me_->last_ts == e.timestamp, "else it is the clock's");
	c.last_ts = UINT64_MAX - 5;
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	ok(take(0, &e) && e.kind == CTP_CREATE && e.timestamp < far - 900000000000, "one that is used again begins anew");
}

/* What is skipped is counted, and the stations go on. */
static void stopped(void)
{
	struct ct_leg leg = { ct_fd(5), CT_NOWHERE, 0 };
	struct ct_coro c, d = { 0 };
	struct ctp_event e;
	uint32_t site;

	begin(&c);
	ct_resume(&c);
	ct_p_.hdr = NULL;
	ct_stop();
	ct_p_.hdr = h;
	ct_p_.init = ct_p_asker();
	ct_stop();
	ct_p_.init = CT_DONE;
	ok(!ct_p_closed(), "not where nothing is recorded, nor in a handler that interrupts who sets up");
	site = ct_intern_site("f", "f.c", 1);
	events_came();
	ok(ct_start() == 1 && came(""), "started already");
	errno = 77;
	ct_stop();
	ok(errno == 77 && ct_p_.init == CT_DONE && ct_p_closed() && ct_me_->idle, "stopped");
	ok(take(0, &e) && e.kind == CTP_STOP && e.n == ct_p_.pid && !e.site && !e.probe_id && !e.arg && !e.addr && !e.seq && !e.arg_kind && !e.is_active &&
		came(""), "where, is in the ring");
	ct_stop();
	ok(came("") && ct_p_closed() && !rings[0].dropped, "once");
#define SKIPS(call) do { uint64_t was = rings[0].dropped; call; ok(rings[0].dropped == was + 1 && came("") && ct_me_->idle, #call); } while (0)
	SKIPS(ct_suspend(&c, CT_NOWHERE, ct_fd(3)));
	ok(stations[c.station - 1].kind == CTP_SUSPEND && stations[c.station - 1].arg == 3 && stations[c.station - 1].n == c.n, "its station shows it");
	SKIPS(ct_resume(&c));
	ok(stations[c.station - 1].kind == CTP_RESUME && ct_current() == c.id, "and that");
	SKIPS(ct_suspend_at(&c, site, ct_fd(4)));
	ok(stations[c.station - 1].arg == 4 && stations[c.station - 1].site == site && !ct_current(), "and where");
	SKIPS(ct_name(&c, "name"));
	SKIPS(ct_wake(c.id, ct_fd(5)));
	SKIPS(ct_wake_at(c.id, site, ct_fd(5)));
	SKIPS(ct_open(ct_fd(5), "x"));
	SKIPS(ct_acquire(ct_mutex(&c)));
	SKIPS(ct_acquire_for(c.id, ct_mutex(&c)));
	SKIPS(ct_create(&d, 0, CT_NOWHERE, NULL, NULL));
	ok(d.id > c.id && d.station && stations[d.station - 1].probe_id == d.id, "who is born has a station");
	SKIPS(ct_destroy(&d, 1));
	{
		uint64_t was = rings[0].dropped;

		ct_suspend_any(&c, CT_NOWHERE, &leg, 1);
		ok(rings[0].dropped == was + 2 && stations[c.station - 1].arg_kind == CTP_ON_ANY_OF, "legs, and their suspend");
		ct_create(&d, 0, CT_NOWHERE, NULL, "its name");
		ok(rings[0].dropped == was + 4, "a birth, and a name");
	}
	h->kinds = CTP_START;
	errno = 77;
	ok(ct_start() == 1 && errno == 77 && !ct_p_closed() && came(""), "an older recorder is not told");
	ct_stop();
	ok(came("") && ct_p_closed(), "neither way");
	h->kinds = CTP_KINDS;
	ok(ct_start() == 1, "started");
	{
		char start[40];

		snprintf(start, sizeof start, "%u:%llu %u ", CTP_LOST, (unsigned long long)rings[0].dropped, CTP_START);
		ok(came(start), "what was skipped, and that it goes on");
	}
	ct_resume(&c);
	ct_wake(c.id, ct_fd(5));
	ok(came("2 4 ") && stations[c.station - 1].kind == CTP_RESUME, "as before");
	ctp_store(&ct_flag_.on, 0);
	ct_stop();
	ok(!ct_p_closed(), "nothing to stop");
}

/* Version 1 has no gate: its events are left out, births and ends are not. */
static void stopped_v1(void)
{
	struct ct_coro c = { 0 }, d = { 0 };
	struct ctp_v1_station *s;
	uint64_t seq;
	uint32_t n;
	char byte;

	attach(0, 64, 0);
	s = (struct ctp_v1_station *)(void *)(base + 1024);
	s[0].is_dead = 1;
	ct_create(&c, 0, CT_NOWHERE, &c, NULL);
	ok(!s[0].is_dead && s[0].probe_id == c.id, "it lives");
	v1_slot = &s[0].slots[0];
	h->tracer_sleeping = 1;
	ct_resume(&c);
	v1_slot = NULL;
	ok(v1_fences == 3 && v1_seq[0] == 1 && v1_seq[1] == 2, "odd while it is written, and fenced then");
	ok(!h->tracer_sleeping && recv(recorder, &byte, 1, MSG_DONTWAIT) == 1, "a recorder that sleeps is rung");
	ct_suspend(&c, CT_NOWHERE, ct_fd(3));
	ok(recv(recorder, &byte, 1, MSG_DONTWAIT) < 0, "no other");
	ct_resume(&c);
	ct_stop();
	ok(ct_p_closed(), "stopped");
	n = c.n;
	seq = s[0].slots[1].seq;
	for (int i = 0; i < 8; i++) {
		ct_suspend(&c, CT_NOWHERE, ct_fd(3));
		ct_resume(&c);
	}
	ok(s[0].slots[1].seq == seq && c.n == n + 16, "no event");
	ct_create(&d, 0, CT_NOWHERE, &d, NULL);
	ok(d.id && s[1].probe_id == d.id && d.station == 2, "a birth");
	ct_destroy(&d, 1);
	ct_destroy(&c, 1);
	ok(s[1].is_dead == 1 && s[0].is_dead == 1, "an end");
	ok(ct_start() == 1 && !ct_p_closed(), "started");
}

/* Born on a thread that has no writer. */
static void unseen(void)
{
	struct ct_coro c;
	uint64_t next;

	begin(&c);
	next = h->next_probe_id;
	memset(&c, 0x55, sizeof c);
	ct_p_create_unseen(&c);
	ok(c.id == next && c.n == 1 && !c.station && !c.last_ts && !c.frame && h->next_probe_id == next + 1, "it has a number all the same");
#define NOT_BORN(set, reset, why) do { memset(&c, 0x55, sizeof c); set; ct_p_create_unseen(&c); reset; ok(!c.id && !c.n && !c.station && !c.last_ts && \
	h->next_probe_id == next + 1, why); } while (0)
	NOT_BORN(ct_flag_.on = 0, ct_flag_.on = CTP_FLAG_ON, "nobody records");
	NOT_BORN(ct_p_.v1 = 1, ct_p_.v1 = 0, "version 1");
	NOT_BORN(ct_p_.hdr = NULL, ct_p_.hdr = h, "no region");
	NOT_BORN(ct_p_.gate = CT_LEFT, ct_p_.gate = 0, "left");
	ct_p_.gate = CT_LEFT;
	ct_me_->id_next = ct_me_->id_end;
	memset(&c, 0x55, sizeof c);
	ct_p_create(ct_me_, &c, 0, 0, NULL, NULL);
	ok(!c.id && !c.n && !c.station && came(""), "left meanwhile");
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	ok(!c.id && came("") && ct_me_->idle, "left");
	ct_p_.gate = 0;
	ct_me_->id_next = ct_me_->id_end = 0;
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	next = c.id;
	ok(next && ct_me_->id_end == next + CT_IDS && ct_me_->id_next == next + 1, "numbers are taken by %d", CT_IDS);
	ct_p_.old = ct_me_->id_next;
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	ok(c.id == next + CT_IDS, "those from before are not used");
}

/* First seen when it moves. */
static void adopted(void)
{
	struct ct_coro c, d = { 0 };
	struct ctp_event e;
	uint32_t station;
	uint64_t old;

	begin(&c);
	ct_create(&d, 0, CT_NOWHERE, &d, NULL);
	events_came();
	old = d.id;
	station = c.station;
	ct_p_.old = ct_p_.forked = old;
	ct_p_set_floor();
	ct_p_.late = 1;
	ct_resume(&c);
	ok(c.id < old && came(""), "a copy of the parent's is not");
	ct_resume(&d);
	ok(d.id == old && came(""), "nor the last of them");
	ct_p_.forked = c.id - 1;
	ct_p_.late = 0;
	ct_resume(&c);
	ok(c.id < old && came(""), "nor one whose creation could not be recorded");
	ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
	ct_resume(&c);
	ok(c.id < old && came("") && ct_me_->idle, "nor where nobody was asked after all");
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	ct_p_.late = 1;
	ct_p_.gate = CT_LEFT;
	ct_resume(&c);
	ok(c.id < old && came(""), "nor where all was left");
	ct_p_.gate = 0;
	ct_wake(c.id, ct_fd(3));
	ct_name(&c, "x");
	ct_destroy(&d, 1);
	ok(came("") && !rings[0].dropped && d.station, "what others say of it, its name and its end are not enough");
	ct_resume(&c);
	ok(take(0, &e) && e.kind == CTP_CREATE && e.probe_id == c.id && e.arg == CTP_UNKNOWN && !e.site && e.n == 1 && c.id > old, "else it is, with a new number");
	ok(take(0, &e) && e.kind == CTP_RESUME && e.probe_id == c.id && e.n == 2 && ct_me_->idle, "and goes on");
	ok(c.station == station && stations[station - 1].probe_id == c.id && !take(0, &e), "in its station");
	ct_p_.old = c.id;
	ct_p_set_floor();
	stations[station - 1].probe_id = 7;
	ct_suspend(&c, CT_NOWHERE, ct_fd(3));
	ok(c.station && c.station != station && came("1 3 "), "which is another's now");
	station = d.station;
	ct_p_.station_count = station;
	ct_suspend_at(&d, 0, ct_fd(3));
	ok(d.id > ct_p_.old && d.station == station && came("1 3 "), "the last one, too");
	ct_p_.station_count = STATIONS;
	ct_p_.old = d.id;
	ct_p_set_floor();
	d.station = STATIONS + 1;
	ct_suspend(&d, CT_HERE, ct_fd(3));
	ok(d.id > ct_p_.old && d.station && d.station <= STATIONS, "one that cannot be is not its own");
	ct_p_.old = d.id;
	ct_p_set_floor();
	station = d.station;
	ct_me_->station_count = CT_STATIONS;
	ct_me_->station[CT_STATIONS - 1] = station;
	ct_suspend(&d, CT_HERE, ct_fd(3));
	ok(d.id > ct_p_.old && d.station == station + 1 && ct_me_->station_count == CT_STATIONS - 1, "nor is there room for more than a thread keeps");
}

static void left(void)
{
	struct ct_coro c;
	uint64_t next;

	begin(&c);
	ct_p_.box = 1;
	ct_p_.box_fd = -1;
	ctp_store(&ct_flag_.on, CTP_FLAG_LENT);
	h->leave = CTP_STAY;
	ct_p_switch_off(h);
	ok(h->leave == CTP_STAY && !ct_p_gone() && ct_flag_.on == CTP_FLAG_LENT, "nobody leaves");
	h->leave = CTP_LEAVE;
	ct_p_switch_off(h);
	ok(h->leave == CTP_LEFT && ct_p_gone() && ct_p_closed() && ct_flag_.on == CTP_FLAG_OFF, "left: switched off");
	ct_p_asked_again();
	ok(ct_p_gone(), "nobody asks");
	for (int i = 0; i < 3; i++) {
		struct ct_coro d;

		ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
		if (i == 2)
			ct_resume(&c);
		else if (i)
			ct_create(&d, 0, CT_NOWHERE, NULL, NULL);
		else
			ct_wake(c.id, ct_fd(3));
		ok(!ct_p_gone() && ct_flag_.on == CTP_FLAG_LENT && ct_me_->idle, "asked again: %s finds it", i == 2 ? "its move" : i ? "a birth" : "a wake of one from before");
		ok(i < 2 || c.id > ct_p_.old, "who moves is seen first then");
		events_came();
		h->leave = CTP_LEAVE;
		ct_p_switch_off(h);
	}
	next = h->next_probe_id;
	ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
	errno = 77;
	ct_p_asked_again();
	ok(errno == 77 && !ct_p_gone() && !ct_p_closed() && ct_flag_.on == CTP_FLAG_LENT && h->leave == CTP_STAY && ct_p_.init == CT_DONE, "asked again");
	ok(ct_p_.old == next - 1 && ct_p_.late && h->forget_ids == next - 1 && h->forget_ticks && ct_p_.floor == next - 1 && h->next_probe_id == next,
		"who lived before is forgotten");
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	h->leave = CTP_LEAVE;
	ct_p_.late = 0;
	ct_p_switch_off(h);
	ok(!ct_p_gone() && !ct_p_closed() && ct_flag_.on == CTP_FLAG_ON && h->leave == CTP_KEPT && ct_p_.late, "the program wants it: kept");
	ctp_store(&ct_flag_.on, CTP_FLAG_LENT);
	h->leave = CTP_STAY;
	ct_p_keep();
	ok(ct_flag_.on == CTP_FLAG_ON && h->leave == CTP_KEPT && !ct_p_closed(), "one that was lent is");
	h->leave = CTP_STAY;
	ct_p_keep();
	ok(ct_flag_.on == CTP_FLAG_ON && h->leave == CTP_STAY, "one that is its own, already");
	h->leave = CTP_LEFT;
	ct_p_keep_box();
	ok(h->leave == CTP_LEFT, "who left says so himself");
	ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
	ct_p_.gate = CT_LEFT;
	ct_p_set_floor();
	ct_p_keep();
	ok(ct_flag_.on == CTP_FLAG_ON && h->leave == CTP_KEPT && !ct_p_gone() && !ct_p_closed(), "one that was left is taken up again");
	ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
	ct_p_.init = CTP_OWNER(getpid(), 1);
	ok(ct_p_asked() == CTP_FLAG_OFF && ct_flag_.on == CTP_FLAG_ASKED, "another thread is at it");
	ct_p_.init = CT_DONE;
	ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
	ok(!ct_p_asked() && ct_p_.init == CT_DONE && ct_flag_.on == CTP_FLAG_OFF, "nobody asks any more");
}

/* A forked child of one whose box is there; fork() itself is played. */
static void left_by_child(void)
{
	struct ct_coro c;
	struct stat st;
	int fd;

	begin(&c);
	ct_p_.box = ct_p_.overwrites = 1;
	ct_p_.box_fd = -1;
	h->leave = CTP_STAY;
	ct_p_box_forked();
	ok(h->leave == CTP_KEPT && ct_p_.hdr && ct_p_.box, "it shares the box, which stays");
	ct_p_.gate = CT_LEFT;
	ct_p_.box_fd = dup(listener);
	fstat(listener, &st);
	ct_p_.box_dev = st.st_dev;
	ct_p_.box_ino = st.st_ino;
	fd = ct_p_.box_fd;
	ct_p_box_forked();
	ok(fcntl(fd, F_GETFD) < 0, "its descriptor is closed");
	ok(!ct_p_.hdr && !ct_p_.box && !ct_p_.overwrites && !ct_p_.gate && ct_p_.box_fd == -1 && ct_p_.forked == h->next_probe_id - 1 &&
		ct_p_.old == ct_p_.forked && ct_p_.floor == ct_p_.forked, "one that was left is its parent's");
}

/* A thread keeps so many stations, and gives half of them to all. */
static void given_back(void)
{
	struct ct_coro d;

	begin(&d);
	ct_me_->station_count = 0;
	for (uint32_t i = 0; i < STATIONS; i++)
		ct_me_->station[ct_me_->station_count++] = i;
	while (ct_me_->station_count < CT_STATIONS)
		ct_me_->station[ct_me_->station_count++] = 0;
	d.station = 17;
	ct_destroy(&d, 1);
	ok(ct_me_->station_count == CT_STATIONS / 2 + 1 && ct_me_->station[CT_STATIONS / 2] == 16 && (uint32_t)h->stations_free, "half of them");
}

static const struct unit_case all[] = {
	{ "seqlock", seqlock }, { "quick", quick }, { "created", created }, { "clocks", clocks }, { "stopped", stopped }, { "stopped_v1", stopped_v1 }, { "unseen", unseen }, { "adopted", adopted },
	{ "left", left }, { "left_by_child", left_by_child }, { "given_back", given_back },
};

int main(int argc, char *argv[])
{
	return run_case("gate", all, sizeof all / sizeof *all, argc, argv);
}
