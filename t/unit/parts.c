/* parts.c - the C probe's parts (sdk/c/ct-coro.h, ct-things.h, ct-strings.h), by their own functions, against the region of probe.c: what each call
 * writes, field by field; tables that are full; regions that it must not use. parts CASE; t/cases/probe.t runs each.
 */
#include <stdbool.h>

#include "../../sdk/c/ct.c"
#define main probe_main
#include "probe.c"
#undef main

/* ---- what each call writes ---- */

static char told[1 << 17];
static size_t told_size;

static void tell(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	told_size += (size_t)vsnprintf(told + told_size, sizeof told - told_size, format, ap);
	va_end(ap);
}

static const char *name_of(uint64_t number)
{
	return number && number < STRINGS / 8 ? text(number) : "-";
}

static void tell_event(const struct ctp_event *e)
{
	const struct ctp_site *s = &sites[e->site < SITES ? e->site : 0];
	bool user = e->arg_kind == CTP_ON_USER, text_in_arg = e->kind == CTP_NAME || (user && e->kind != CTP_WAKE),
	     text_in_addr = e->kind == CTP_OPEN || e->kind == CTP_THREAD || (user && e->kind == CTP_WAKE);

	/* numbers of strings depend on how long a path this file has */
	tell("%u id %llu n %u seq %llu on %x arg %llx addr %llx active %u", e->kind, (unsigned long long)e->probe_id,
		e->kind == CTP_THREAD ? e->n == (uint32_t)getpid() : e->n, (unsigned long long)e->seq, e->arg_kind,
		text_in_arg ? 0 : (unsigned long long)e->arg, text_in_addr ? 0 : (unsigned long long)e->addr, e->is_active);
	if (e->site)
		tell(" at %s", name_of(s->func));
	if (text_in_arg)
		tell(" \"%s\"", name_of(e->arg));
	if (text_in_addr && (e->kind != CTP_THREAD || e->arg))	/* its name at first is the program's */
		tell(" \"%s\"", name_of(e->addr));
	tell("%s\n", e->kind && e->tid != (uint64_t)getpid() ? " of another thread" : "");
}

static void tell_all(const char *what)
{
	static uint64_t last;
	struct ctp_event e;

	tell("%s\n", what);
	while (take(0, &e)) {
		tell_event(&e);
		ok(e.timestamp >= last, "no time falls");
		last = e.timestamp;
	}
}

static void tell_stations(void)
{
	for (uint32_t i = 0; i < h->stations_used; i++)
		tell_event(&stations[i]);
	tell("free %llu\n", (unsigned long long)h->stations_free);
}

static void same(uint64_t digest)
{
	uint64_t is = 0xcbf29ce484222325ull;

	for (const char *p = told; *p; p++)
		is = (is ^ (unsigned char)*p) * 0x100000001b3ull;
	if (ok(is == digest, "what was written is what it should be"))
		return;
	printf("# digest 0x%016llx\n", (unsigned long long)is);
	for (char *line = strtok(told, "\n"); line; line = strtok(NULL, "\n"))
		printf("# %s\n", line);
}

#define FRAME(n) ((void *)(uintptr_t)(n))
#define OBJECT ((void *)0x5550)

static void waits_on(struct ct_coro *c, uint32_t site)
{
	const struct ct_on all[] = { ct_nothing(), ct_fd(5), ct_timer(6), ct_mutex(OBJECT), ct_cond(OBJECT), ct_sem(OBJECT), ct_chan(OBJECT),
		ct_room(OBJECT), ct_await(7), ct_join(8), ct_user("text"), ct_user(NULL), ct_any(CT_ON_FD), ct_any(CT_ON_ROOM), ct_any(CT_ON_USER) };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (int turn = 0; turn < 2; turn++) {
			ct_resume(c);
			if (site)
				ct_suspend_at(c, site, all[i]);
			else
				ct_suspend(c, CT_HERE, all[i]);
		}
}

static void coroutines(void)
{
	struct ct_coro a = { 0 }, b = { 0 }, d = { 0 };
	uint32_t site;

	attach(1, 256, 0);
	site = ct_intern_site("place", "its.c", 7);
	ct_create(&a, 0, CT_HERE, FRAME(0x10), "first");
	ct_create(&b, a.id, CT_NOWHERE, FRAME(0x20), NULL);
	ct_create_at(&d, 5, site, FRAME(0x30), "third");
	tell_all("born");
	ct_resume(&a);
	tell("runs %llu\n", (unsigned long long)ct_current());
	ct_suspend(&b, CT_HERE, ct_fd(3));
	tell("runs %llu\n", (unsigned long long)ct_current());
	ct_suspend_at(&a, site, ct_fd(4));
	tell("runs %llu\n", (unsigned long long)ct_current());
	ct_resume(&a);
	ct_resume(&b);
	tell("runs %llu\n", (unsigned long long)ct_current());
	ct_suspend_at(&a, 0, ct_fd(4));
	tell("runs %llu\n", (unsigned long long)ct_current());
	tell_all("run");
	waits_on(&a, 0);
	tell_all("wait");
	waits_on(&b, site);
	tell_all("wait there");
	{
		struct ct_leg legs[] = { { ct_fd(5), CT_HERE, 0 }, { ct_user("leg"), CT_NOWHERE, 0 }, { ct_timer(9), CT_NOWHERE, site } };

		ct_resume(&d);
		ct_suspend_any(&d, CT_HERE, legs, 3);
		tell("runs %llu\n", (unsigned long long)ct_current());
		ct_suspend_all(&d, CT_NOWHERE, legs, 1);
		ct_suspend_all(&d, CT_NOWHERE, legs, 0);
	}
	tell_all("legs");
	ct_name(&d, "renamed");
	ct_name(&d, NULL);
	ct_name(&(struct ct_coro){ 0 }, "nobody");
	tell_all("names");
	tell_stations();
	ct_resume(&a);
	ct_destroy(&b, 0);
	tell("runs %llu\n", (unsigned long long)ct_current());
	ct_destroy(&a, 7);
	tell("runs %llu\n", (unsigned long long)ct_current());
	ct_destroy(&a, 7);
	tell("%llu %u %d\n", (unsigned long long)a.id, a.station, a.last_ts == UINT64_MAX);
	tell_all("ends");
	tell_stations();
	ct_create(&a, 0, CT_NOWHERE, FRAME(0x40), NULL);
	tell_all("again");
	tell_stations();
	same(0x2ab27f20258bc689);
}

static void things(void)
{
	struct ct_coro a = { 0 };
	uint32_t site;

	attach(1, 256, 0);
	site = ct_intern_site("place", "its.c", 7);
	ct_create(&a, 0, CT_NOWHERE, NULL, NULL);
	for (int turn = 0; turn < 2; turn++) {
		ct_wake(9, ct_fd(5));
		ct_wake(9, ct_user("why"));
		ct_wake(0, ct_nothing());
		ct_wake_at(9, site, ct_sem(OBJECT));
		ct_wake_at(0, site, ct_sem(OBJECT));
		ct_wake_for(7, 9, ct_fd(5));
		ct_wake_for(0, 9, ct_user("why"));
		ct_open(ct_sem(OBJECT), "thing");
		ct_open(ct_fd(5), NULL);
		ct_open_at(ct_user("its"), "thing", site);
		ct_close(ct_fd(5));
		ct_close_at(ct_fd(5), site);
		ct_notify(ct_cond(OBJECT), 4);
		ct_notify_at(ct_cond(OBJECT), 5, site);
		ct_level(ct_chan(OBJECT), 6);
		ct_level_for(8, ct_chan(OBJECT), 6);
		tell_all("things");
		ct_acquire(ct_mutex(OBJECT));
		ct_acquire_at(ct_mutex(OBJECT), site);
		ct_release(ct_mutex(OBJECT));
		ct_release_at(ct_mutex(OBJECT), site);
		ct_acquire_for(8, ct_mutex(OBJECT));
		ct_acquire_for_at(8, ct_mutex(OBJECT), site);
		ct_release_for(8, ct_mutex(OBJECT));
		ct_release_for_at(8, ct_user("lock"), site);
		tell_all("locks");
		ct_dequeue(9);
		ct_dequeue_at(9, site);
		ct_dequeue(0);
		ct_deadline(9, 10);
		ct_deadline_at(9, CT_NEVER, site);
		ct_waker_clone(9);
		ct_waker_drop(9);
		ct_waker_clone(0);
		ct_waker_drop(0);
		ct_park(3);
		ct_unpark(CT_DEPTH_UNKNOWN);
		ct_thread(CT_WORKER, "worker");
		ct_thread(CT_BLOCKING, NULL);
		tell_all("others");
		ct_resume(&a);
		tell_all("the same of one that runs");
	}
	same(0xc8701f8543fb6682);
}

/* Each recorder is told what it knows. */
static void known(void)
{
	struct ct_leg leg = { ct_fd(5), CT_NOWHERE, 0 };
	struct ct_coro a = { 0 };

	attach(1, 256, 0);
	ct_create(&a, 0, CT_NOWHERE, NULL, NULL);
	for (h->kinds = CTP_DEQUEUE; h->kinds <= CTP_KINDS; h->kinds++) {
		ct_dequeue(9);
		ct_deadline(9, 10);
		ct_suspend_any(&a, CT_NOWHERE, &leg, 1);
		tell_all("kinds");
	}
	h->kinds = CTP_KINDS;
	for (h->on_kinds = CTP_ON_ROOM; h->on_kinds <= CTP_ON_KINDS; h->on_kinds++) {
		ct_suspend(&a, CT_NOWHERE, ct_room(OBJECT));
		ct_suspend(&a, CT_NOWHERE, ct_any(CT_ON_ROOM));
		ct_wake(9, ct_room(OBJECT));
		ct_suspend_any(&a, CT_NOWHERE, &leg, 1);
		tell_all("things");
	}
	same(0xbb142785ddf02096);
}

/* ---- version 1 ---- */

static void old(void)
{
	struct ct_coro a = { 0 }, b = { 0 };
	struct ctp_v1_station *s;
	char byte;

	attach(0, 64, 0);
	s = (struct ctp_v1_station *)(void *)(base + 1024);
	ct_create(&a, 0, CT_HERE, FRAME(0x10), "name");
	ct_create(&b, 0, CT_HERE, FRAME(0x20), NULL);
	ok(b.id == a.id + 1 && a.id == ((uint64_t)getpid() << 32 | 1) && s[1].probe_id == b.id && s[0].birth_ts == a.last_ts && a.n == 1 && a.station == 1 &&
		b.station == 2, "ids count from the process's number");
	for (int i = 0; i < 10; i++) {
		if (i % 3)
			ct_resume(&b);
		else
			ct_suspend(&b, CT_HERE, ct_user("x"));
		for (int k = 0; k < 8; k++)
			tell("%llu/%d/%llx%s ", (unsigned long long)s[1].slots[k].seq, s[1].slots[k].is_active, (unsigned long long)s[1].slots[k].addr,
				s[1].slots[k].seq && s[1].slots[k].tid != (uint64_t)getpid() ? "?" : "");
		tell("%d\n", s[1].slots[i % 8].timestamp == b.last_ts);
	}
	ok(!s[0].slots[0].seq && recv(recorder, &byte, 1, MSG_DONTWAIT) < 0, "nobody else's slots, and no bell for one that is awake");
	ctp_store(&h->tracer_sleeping, 1u);
	ct_destroy(&a, 1);
	ok(s[0].is_dead == 1 && !s[1].is_dead && recv(recorder, &byte, 1, MSG_DONTWAIT) == 1 && !h->tracer_sleeping, "an end rings for one that sleeps");
	ctp_store(&h->tracer_sleeping, 1u);
	ct_resume(&b);
	ok(recv(recorder, &byte, 1, MSG_DONTWAIT) == 1 && !h->tracer_sleeping, "so does an event");
	same(0xc553aad5f1b2445f);
}

/* ---- tables ---- */

static void bounded(void)
{
	uint64_t used = 10;
	uint32_t few = 3, got = 77;

	attach(1, 64, 0);
	ok(ct_p_take64(&used, 5, 15) == 10 && used == 15, "as much as there is");
	ok(!ct_p_take64(&used, 1, 15) && used == 15 && !ct_p_take64(&used, 0, 14) && used == 15, "no more, and none beyond");
	used = 16;
	ok(!ct_p_take64(&used, UINT64_MAX, 32) && used == 16, "however much");
	ok(ct_p_take32(&few, 2, 5, &got) && got == 3 && few == 5, "as many as there are");
	ok(!ct_p_take32(&few, 1, 5, &got) && few == 5 && !ct_p_take32(&few, 0, 4, &got) && !ct_p_take32(&few, UINT32_MAX, 6, &got) && few == 5, "no more");
}

static void strings(void)
{
	static char longest[CT_TEXT_MAX + 10];
	uint32_t one, two, n = 0, last = 0;
	uint64_t used, slots3[3] = { 0 };
	char name[32];

	attach(1, 64, 0);
	one = ct_p_text("one");
	ok(one == 1 && ct_p_text("one") == 1 && !strcmp(text(1), "one") && ((struct ctp_string *)(void *)(base + h->strings_off + 8))->len == 4 &&
		h->strings_used == 16, "once, in eight bytes");
	two = ct_p_text("four");
	ok(two == 2 && h->strings_used == 24 && ct_p_text("fives") == 3 && h->strings_used == 40 && ct_p_text("") == 5 && ct_p_text("") == 5 &&
		h->strings_used == 48 && !ct_p_text(NULL) && h->strings_used == 48, "each begins where eight bytes do");
	memset(longest, 'x', sizeof longest - 1);
	n = ct_p_text(longest);
	ok(n == 6 && h->strings_used == 48 + CT_TEXT_MAX + 8 && ((struct ctp_string *)(void *)(base + h->strings_off + 48))->len == CT_TEXT_MAX + 1,
		"a long one is cut");
	longest[CT_TEXT_MAX] = '\0';
	ok(ct_p_text(longest) == n, "to the one that is as long");
	used = h->strings_used;
	h->strings_used = STRINGS - 8;
	ok(ct_p_text("last") == STRINGS / 8 - 1 && !h->lost_no_string && !ct_p_text("more") && h->lost_no_string == 1 && h->strings_used == STRINGS,
		"to the last eight bytes; what finds no room is counted");
	ok(ct_p_text("one") == 1 && h->lost_no_string == 1, "what is there, is");
	/* memory is opened up to where a text ends, and no sooner */
	ct_p_.string_part.open = 8192;
	h->strings_used = 8192 - 16;
	ok(ct_p_text("to the edge!") && ct_p_.string_part.open == 8192, "up to an edge");
	h->strings_used = 8192 - 16;
	ok(ct_p_text("over the edge") && ct_p_.string_part.open > 8192, "over it");
	h->strings_used = used;
	for (unsigned i = 0; i < 500; i++) {
		snprintf(name, sizeof name, "n%u", i);
		n = ct_p_text(name);
		ok(n > last && ct_p_text(name) == n, "each text has its number");
		last = n;
	}
	used = h->strings_used;
	for (unsigned i = 0; i < CT_TABLE; i++)
		if (!ct_p_.text_table[i])
			ct_p_.text_table[i] = 1;
	n = ct_p_text("beyond");
	ok(n && !strcmp(text(n), "beyond") && ct_p_text("beyond") == n + 2 && h->strings_used == used + 32, "where the table is full, it costs a copy");
	ok(!ct_p_intern("stack", 5, 77, ct_p_.site_table, 1, STRINGS) == !h->strings_used, "in an empty table it is written");
	n = ct_p_intern("a", 1, 77, slots3, 3, STRINGS);
	ok(n && ct_p_intern("b", 1, 77, slots3, 3, STRINGS) > n && ct_p_intern("a", 1, 77, slots3, 3, STRINGS) == n &&
		ct_p_intern("a", 1, 77 + (3ull << 32), slots3, 3, STRINGS) != n, "texts that have one place differ");
	used = h->strings_used;
	ok(!ct_p_intern("c", 1, 77, slots3, 3, STRINGS) && h->strings_used == used, "where the table of stacks is full, it is left out");
	ok(ct_p_same_text(n, "a", 1) && !ct_p_same_text(n, "b", 1) && !ct_p_same_text(n, "a", 0), "the same are long and written alike");
	h->strings_used = STRINGS;
	memcpy(base + h->strings_off, "unharmed", 8);
	ok(!ct_p_write_text("x", 1, STRINGS) && !memcmp(base + h->strings_off, "unharmed", 8), "what finds no room is written nowhere");
}

static void walked(void)
{
	struct ct_writer *me;

	attach(1, 64, CTP_F_STACKS);
	me = ct_p_thread_begin(1);
	errno = 77;
	ok(!ct_p_stack(me, NULL) && errno == 77 && !h->lost_no_stack, "a stack that is not to be had is none, and not one without room");
	ok(ct_p_stack(me, __builtin_return_address(0)) && errno == 77 && !h->lost_no_stack, "one that is, is");
}

static void places(void)
{
	uint32_t first, n, key[3];
	uint64_t hash, *at;

	attach(1, 64, 0);
	first = ct_intern_site("f", "f.c", 1);
	ok(first == 1 && sites[1].ready == 1 && sites[1].line == 1 && !strcmp(text(sites[1].func), "f") && !strcmp(text(sites[1].file), "f.c"), "the first");
	ok(ct_intern_site("f", "f.c", 2) == 2 && ct_intern_site("g", "f.c", 1) == 3 && ct_intern_site("f", "g.c", 1) == 4 && ct_intern_site("f", "f.c", 1) == 1 &&
		h->sites_used == 5, "what differs in anything is another");
	ok(ct_p_site("f", "f.c", 2) == 2 && ct_p_site("f", "f.c", 1) == 1 && ct_p_site("g", "f.c", 1) == 3 && h->sites_used == 5, "from this thread's and from all");
	key[0] = ct_p_text("p"), key[1] = ct_p_text("p.c"), key[2] = 9;
	hash = ct_p_hash(key, sizeof key, 0xcbf29ce484222325ull);
	for (uint32_t i = 0; i < 5; i++) {
		at = &ct_p_.site_table[hash % CT_TABLE];
		*at = (hash >> 32 << 32) | 63;
		sites[63].func = i == 0 ? 1 : key[0], sites[63].file = i == 1 ? 1 : key[1], sites[63].line = i == 2 ? 1 : key[2];
		if (i == 3)
			*at ^= 1ull << 40;
		h->sites_used = 5;
		n = ct_p_site("p", "p.c", 9);
		ok(n == (i == 4 ? 63 : 5), "of one place in the table, all is compared: %u", i);
		ct_p_.site_table[(hash + 1) % CT_TABLE] = 0;
	}
	h->sites_used = 5;
	memset(&sites[63], 0, sizeof sites[63]);
	memset(&sites[5], 0, sizeof sites[5]);
	*at = 0;
	for (uint32_t i = 5; i < SITES; i++)
		ok(ct_intern_site("many", "m.c", i) == i, "one after another");
	ok(!h->lost_no_string && !ct_intern_site("many", "m.c", SITES) && h->lost_no_string == 1 && h->sites_used == SITES, "what finds no room is counted");
	ok(ct_p_site("many", "m.c", SITES - 1) == SITES - 1 && h->lost_no_string == 1, "what is there, is");
	h->sites_used = 10;
	for (unsigned i = 0; i < CT_TABLE; i++)
		if (!ct_p_.site_table[i])
			ct_p_.site_table[i] = 1;
	n = ct_p_site("beyond", "b.c", 1);
	ok(n == 10 && sites[10].line == 1 && !strcmp(text(sites[10].func), "beyond") && !strcmp(text(sites[10].file), "b.c") &&
		ct_p_site("beyond", "b.c", 1) == 11, "where the table is full, it costs a copy");
	h->sites_used = 0;
	ok(!ct_p_site("none", "b.c", 1) && h->lost_no_string == 2, "none is the first that is none");
	ct_p_.site_part.open = 8 * sizeof(struct ctp_site);
	h->sites_used = 7;
	ok(ct_p_site("edge", "b.c", 1) == 7 && ct_p_.site_part.open == 8 * sizeof(struct ctp_site), "up to where memory is opened");
	ok(ct_p_site("edge", "b.c", 2) == 8 && ct_p_.site_part.open > 8 * sizeof(struct ctp_site), "and over it");
	ct_p_.v1 = 1;
	ok(!ct_p_site("f", "f.c", 1), "version 1 has none");
}

/* ---- regions ---- */

static int fits(uint64_t change, uint64_t *field, uint64_t size)
{
	uint64_t was = *field;
	int is;

	*field = change;
	is = ct_p_check_v2(h, size);
	*field = was;
	return is;
}

static int fits32(uint32_t change, uint32_t *field, uint64_t size)
{
	uint32_t was = *field;
	int is;

	*field = change;
	is = ct_p_check_v2(h, size);
	*field = was;
	return is;
}

static void checked(void)
{
	uint64_t size, *offsets[] = { NULL, NULL, NULL, NULL, NULL };

	region(1, 64, 0);
	size = h->file_size;
	offsets[0] = &h->rings_off, offsets[1] = &h->slots_off, offsets[2] = &h->stations_off, offsets[3] = &h->sites_off, offsets[4] = &h->strings_off;
	ok(ct_p_check_v2(h, size) && ct_p_check_v2(h, size + 1) && !ct_p_check_v2(h, size - 1), "the file is as large as it says, or larger");
	for (int i = 0; i < 5; i++)
		ok(!fits(960, offsets[i], size) && !fits(*offsets[i] + 32, offsets[i], size) && !fits(size, offsets[i], size) && !fits(size + 64, offsets[i], size) &&
			!fits(1ull << 63, offsets[i], size) && fits(1024, offsets[i], size), "part %d begins within it, behind its header", i);
	ok(fits32(2, &h->ring_slots, size) && !fits32(1, &h->ring_slots, size) && !fits32(0, &h->ring_slots, size) && !fits32(63, &h->ring_slots, size) &&
		!fits32(1 << 20, &h->ring_slots, size), "slots: a power of two, two at least, and they fit");
	ok(!fits32(1 << 20, &h->ring_count, size) && !fits32(1 << 20, &h->site_count, size) && !fits32((1 << 24) + 1, &h->station_count, size) &&
		!fits(1 << 30, &h->strings_size, size) && fits32(0, &h->station_count, size), "no table ends behind it");
	h->file_size = size = 1ull << 40;
	ok(fits32(1 << 24, &h->station_count, size) && !fits32((1 << 24) + 1, &h->station_count, size), "no more than 2^24 stations");
	ok(fits(UINT32_MAX * (uint64_t)8, &h->strings_size, size) && !fits(UINT32_MAX * (uint64_t)8 + 1, &h->strings_size, size), "strings: as many as have numbers");
	h->births_off = 64;
	ok(ct_p_check_v2(h, size), "births are of boxes");
	h->v2_minor = CTP2_MINOR_BOX;
	ok(!ct_p_check_v2(h, size) && fits(0, &h->births_off, size) && fits(1024, &h->births_off, size), "and then within it");
	ok(ct_p_fits(1024, 5, 8, 1064) && !ct_p_fits(1024, 6, 8, 1064) && !ct_p_fits(1024, UINT64_MAX / 8, 8, 1064) && ct_p_fits(1088, 0, 8, 1088) &&
		!ct_p_fits(1152, 0, 8, 1088), "to the byte");
}

static int attached(const char *what)
{
	int on;

	memset(&ct_p_, 0, sizeof ct_p_);
	ctp_store(&ct_flag_.on, 0);
	on = ct_init();
	if (on || ct_enabled())
		printf("# %s: attached\n", what);
	return on;
}

static void refused(void)
{
	char path[200];

	region(1, 64, 0);
	listen_here();
	h->magic++;
	ok(!attached("magic"), "another magic");
	h->magic--;
	h->version++;
	ok(!attached("version"), "another version");
	h->version--;
	unsetenv(CTP_ENV_SHM);
	ok(!attached("no path"), "a socket without memory");
	setenv(CTP_ENV_SHM, shm_path, 1);
	unsetenv(CTP_ENV_SOCK);
	ok(!attached("no socket"), "memory without a socket");
	memset(path, 'x', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	setenv(CTP_ENV_SOCK, path, 1);
	ok(!attached("long"), "a path that is too long");
	path[sizeof addr.sun_path] = '\0';
	setenv(CTP_ENV_SOCK, path, 1);
	ok(!attached("long"), "by one");
	setenv(CTP_ENV_SOCK, addr.sun_path, 1);
	setenv(CTP_ENV_SHM, "/dev/null", 1);
	ok(!attached("small"), "no memory at all");
	setenv(CTP_ENV_SHM, shm_path, 1);
	ok(attached("") == 0 || ct_p_.sock >= 200, "a connection is out of the way");
	ok(ct_enabled() && ct_p_.hdr->next_probe_id == 1 && !ct_p_.v1 && ct_p_.ring_count == RINGS && ct_p_.station_count == STATIONS &&
		ct_p_.site_count == SITES && ct_p_.strings_size == STRINGS, "one that is right is used");
	h->v2_minor = CTP2_MINOR + 7;
	ok(attached("minor") && ct_p_.v1 && ct_p_.v1_max == V1, "of another minor version only version 1");
	h->max_stations = 2;
	ok(attached("") && ct_p_.v1_max == 2, "no more stations than there are");
	h->max_stations = 1 << 20;
	setenv(CTP_ENV_STATIONS, "3", 1);
	ok(attached("") && ct_p_.v1_max == 3, "nor than are said");
	unsetenv(CTP_ENV_STATIONS);
	ok(attached("") && ct_p_.v1_max < 1 << 20 && ct_p_.v1_max >= V1, "nor than the file holds");
}

static void halved(void)
{
	struct rlimit was, l;

	getrlimit(RLIMIT_AS, &was);
	ok(was.rlim_cur != RLIM_INFINITY || !ct_p_halvings(1ull << 50), "without a limit all of it is mapped");
	l = was;
	l.rlim_cur = 1ull << 40;
	if (setrlimit(RLIMIT_AS, &l))
		return;
	ok(!ct_p_halvings(1ull << 38) && ct_p_halvings((1ull << 38) + 4) == 0 + ((((1ull << 38) + 4) >> 0) > 1ull << 38) && ct_p_halvings(1ull << 39) == 1 &&
		ct_p_halvings(1ull << 41) == 3 && ct_p_halvings(UINT64_MAX) == 26, "no more than a quarter");
	setrlimit(RLIMIT_AS, &was);
}

/* ---- call frame information ---- */

static unsigned char table[4096];
static size_t table_size;

static void put(const void *p, size_t n)
{
	memcpy(table + table_size, p, n);
	table_size += n;
}
#define BYTES(...) put((unsigned char[]){ __VA_ARGS__ }, sizeof((unsigned char[]){ __VA_ARGS__ }))

static struct ct_rule rule;
enum { PC = 0x10000000, CODE_ALIGN = 4 };	/* offsets by -8 */

/* A rule by these instructions, `behind` bytes into a function of 0x1000; its unit begins with sp + 16 and the return address saved. */
static int by(size_t behind, const unsigned char *code, size_t size)
{
	uint64_t start = PC, length = 0x1000;
	uint32_t len, back;
	size_t cie, fde;

	memset(&rule, 0xee, sizeof rule);
	cie = table_size = 0;
	put("\0\0\0\0\0\0\0\0\1zR", 12);		/* length, id, version */
	BYTES(CODE_ALIGN, 0x78, CT_P_RA, 1, 0x00);	/* alignments, return address, one byte: absolute */
	BYTES(0x0c, CT_P_SP, 16, 0x80 | CT_P_RA, 1);
	len = (uint32_t)(table_size - cie - 4);
	memcpy(table + cie, &len, 4);
	fde = table_size;
	put("\0\0\0\0", 4);
	back = (uint32_t)(table_size - cie);
	put(&back, 4);
	put(&start, 8);
	put(&length, 8);
	BYTES(0);
	put(code, size);
	len = (uint32_t)(table_size - fde - 4);
	memcpy(table + fde, &len, 4);
	return ct_p_fde(table + fde, PC + behind, &rule);
}
#define BY(behind, ...) by(behind, (unsigned char[]){ __VA_ARGS__ }, sizeof((unsigned char[]){ __VA_ARGS__ }))

static int rule_is(unsigned base, int cfa, unsigned fp_in, int fp, unsigned ra_in, int ra)
{
	return rule.base == base && rule.cfa == cfa && rule.fp_in == fp_in && rule.fp == fp && rule.ra_in == ra_in && rule.ra == ra;
}
#define AS_FIRST(base, cfa, fp_in, fp) rule_is(base, cfa, fp_in, fp, CT_P_AT_CFA, -8)

static void instructions(void)
{
	enum { SP = CT_P_SP, FP = CT_P_FP, RA = CT_P_RA };

	ok(BY(0, 0) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_KEPT, 0) && rule.pc == PC, "as the unit begins");
	ok(BY(0xfff, 0) && !BY(0x1000, 0) && !BY((size_t)-1, 0), "for the function's code and no other");
	ok(BY(3, 0x41, 0x0e, 32) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_KEPT, 0) && BY(4, 0x41, 0x0e, 32) && AS_FIRST(CT_P_FROM_SP, 32, CT_P_KEPT, 0),
		"advance_loc, by code alignment");
	ok(BY(19, 0x02, 5, 0x0e, 32) && rule.cfa == 16 && BY(20, 0x02, 5, 0x0e, 32) && rule.cfa == 32, "by one byte");
	ok(BY(0x407, 0x03, 0x02, 0x01, 0x0e, 32) && rule.cfa == 16 && BY(0x408, 0x03, 0x02, 0x01, 0x0e, 32) && rule.cfa == 32, "by two");
	ok(BY(0x407, 0x04, 0x02, 0x01, 0, 0, 0x0e, 32) && rule.cfa == 16 && BY(0x408, 0x04, 0x02, 0x01, 0, 0, 0x0e, 32) && rule.cfa == 32, "by four");
	ok(BY(15, 0x01, 0x10, 0, 0, 0x10, 0, 0, 0, 0, 0x0e, 32) && rule.cfa == 16 && BY(16, 0x01, 0x10, 0, 0, 0x10, 0, 0, 0, 0, 0x0e, 32) && rule.cfa == 32,
		"set_loc");
	ok(BY(9, 0x42, 0x0e, 32, 0x41, 0x0e, 64) && rule.cfa == 32 && BY(12, 0x42, 0x0e, 32, 0x41, 0x0e, 64) && rule.cfa == 64, "one after another");
	ok(BY(0, 0x0c, FP, 24) && AS_FIRST(CT_P_FROM_FP, 24, CT_P_KEPT, 0) && BY(0, 0x0c, 3, 24) && rule.base == CT_P_OTHER, "def_cfa");
	ok(BY(0, 0x12, FP, 0x7d) && AS_FIRST(CT_P_FROM_FP, 24, CT_P_KEPT, 0), "def_cfa_sf");
	ok(BY(0, 0x0d, FP) && AS_FIRST(CT_P_FROM_FP, 16, CT_P_KEPT, 0), "def_cfa_register");
	ok(BY(0, 0x13, 0x7b) && AS_FIRST(CT_P_FROM_SP, 40, CT_P_KEPT, 0), "def_cfa_offset_sf");
	ok(BY(0, 0x0e, 0x80, 0x01) && AS_FIRST(CT_P_FROM_SP, 128, CT_P_KEPT, 0), "numbers of more than one byte");
	ok(BY(0, 0x12, SP, 0x80, 0x80, 0x80, 0x80, 0x70) && rule.base == CT_P_OTHER, "too far");
	ok(BY(0, 0x80 | FP, 2) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_AT_CFA, -16) && BY(0, 0x80 | 3, 2) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_KEPT, 0), "offset");
	ok(BY(0, 0x05, FP, 3) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_AT_CFA, -24), "offset_extended");
	ok(BY(0, 0x11, FP, 0x7e) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_AT_CFA, 16), "offset_extended_sf");
	ok(BY(0, 0x2f, FP, 3) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_AT_CFA, 24), "negative offset");
	ok(BY(0, 0x05, FP, 0x80, 0x80, 0x80, 0x80, 0x10) && rule.fp_in == CT_P_LOST, "saved too far off");
	ok(BY(0, 0x80 | FP, 2, 0xc0 | FP) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_KEPT, 0) && BY(0, 0x80 | RA, 2, 0xc0 | RA) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_KEPT, 0) &&
		BY(0, 0x80 | FP, 2, 0x06, FP) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_KEPT, 0), "restore");
	ok(BY(0, 0x07, RA) && rule_is(CT_P_FROM_SP, 16, CT_P_KEPT, 0, CT_P_LOST, 0) && BY(0, 0x07, FP) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_LOST, 0), "undefined");
	ok(BY(0, 0x08, RA) && rule_is(CT_P_FROM_SP, 16, CT_P_KEPT, 0, CT_P_KEPT, 0), "same_value");
	ok(BY(0, 0x09, FP, 3, 0x0e, 32) && AS_FIRST(CT_P_FROM_SP, 32, CT_P_LOST, 0) && BY(0, 0x14, FP, 3, 0x0e, 32) && AS_FIRST(CT_P_FROM_SP, 32, CT_P_LOST, 0) &&
		BY(0, 0x15, FP, 0x7f, 0x0e, 32) && AS_FIRST(CT_P_FROM_SP, 32, CT_P_LOST, 0), "in another register, or another value");
	ok(BY(0, 0x2d, 0x2e, 0x81, 0x01, 0x0e, 32) && AS_FIRST(CT_P_FROM_SP, 32, CT_P_KEPT, 0), "what says nothing of the frame");
	ok(BY(0, 0x0a, 0x0e, 32, 0x80 | FP, 2, 0x0b) && AS_FIRST(CT_P_FROM_SP, 16, CT_P_KEPT, 0), "remember and restore");
	ok(BY(0, 0x0e, 24, 0x0a, 0x0e, 32, 0x0a, 0x0e, 40, 0x0a, 0x0e, 48, 0x0a, 0x0e, 56, 0x0b, 0x0b, 0x0b) && rule.cfa == 32, "four deep");
	ok(!BY(0, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a) && !BY(0, 0x0b) && !BY(0, 0x0a, 0x0b, 0x0b), "no deeper, and none that is not kept");
	ok(BY(0, 0x0f, 3, 0x70 + FP, 0x78, 0x06) && AS_FIRST(CT_P_AT_FP, -8, CT_P_KEPT, 0), "what stands beside the frame");
	ok(BY(0, 0x0f, 2, 0x70 + FP, 0x78) && rule.base == CT_P_OTHER && BY(0, 0x0f, 3, 0x70 + FP, 0x78, 0x07) && rule.base == CT_P_OTHER &&
		BY(0, 0x0f, 3, 0x71 + FP, 0x78, 0x06) && rule.base == CT_P_OTHER && BY(0, 0x0f, 4, 0x70 + FP, 0x78, 0x06, 0) && rule.base == CT_P_OTHER &&
		BY(0, 0x0f, 9, 0x70 + FP, 0x78, 0x06) && rule.base == CT_P_OTHER, "no other expression");
	ok(BY(0, 0x0f, 9, 0x0e, 32) && rule.base == CT_P_OTHER && rule.cfa == 0, "one that is cut ends the entry");
	ok(BY(0, 0x0f, 1, 0x96, 0x0e, 32) && rule.base == CT_P_OTHER && rule.cfa == 32, "which is passed over");
	ok(BY(0, 0x10, FP, 2, 0x70 + FP, 0x70, 0x0e, 32) && AS_FIRST(CT_P_FROM_SP, 32, CT_P_BESIDE_FP, -16), "saved beside the frame");
	ok(BY(0, 0x16, FP, 2, 0x70 + FP, 0x70) && rule.fp_in == CT_P_LOST && BY(0, 0x10, FP, 3, 0x70 + FP, 0x70, 0x06) && rule.fp_in == CT_P_LOST, "a value is not");
	ok(!BY(0, 0x17, 0, 0) && !BY(0, 0x3f, 0) && !BY(0, 0x0e, 32, 0x1d, 0), "what is not known is not guessed");
	ok(BY(0, 0x0e) && rule.cfa == 0 && BY(0, 0x03, 1), "cut in the midst: no further");
}

/* The words that begin an entry: changed here and there. The unit's are the bytes 0 to 16, and 22 begins the function's. */
static int changed(size_t at, unsigned char to)
{
	unsigned char is;
	int found;

	BY(0, 0x0e, 32);
	is = table[at];
	table[at] = to;
	found = ct_p_fde(table + 22, PC, &rule);
	table[at] = is;
	return found;
}

/* What functions have in common, by these letters and what stands behind them: 2 it is, 1 it ends elsewhere, 0 it is refused. */
static int unit(const char *letters, uint8_t version, const void *behind, size_t size, struct ct_cfi *c)
{
	struct ct_in code;

	memset(c, 0, sizeof *c);
	table_size = 0;
	put("\0\0\0\0\0\0\0", 8);
	BYTES(version);
	put(letters, strlen(letters) + 1);
	BYTES(0x81, 0x01, 0x78);	/* alignments */
	put(behind, size);
	BYTES(0x0e, 99);
	table[0] = (unsigned char)(table_size - 4);
	return ct_p_cie(table, c, &code) ? 1 + (c->code_align == 129 && c->data_align == -8 && code.end - code.p == 2 && code.p[1] == 99) : 0;
}

static void units(void)
{
	static const unsigned char all[] = { CT_P_RA, 7, 0x9b, 1, 2, 3, 4, 0x1b, 0x03 }, two[] = { 0x80 | CT_P_RA, 0, 0, 0 };
	struct ct_cfi c;

	ok(unit("zPLRSB", 1, all, sizeof all, &c) == 2 && c.enc == 0x03 && c.is_signal, "each letter stands for what it does");
	ok(unit("zRPL", 1, (unsigned char[]){ CT_P_RA, 7, 0x03, 0x9b, 1, 2, 3, 4, 0x1b }, 9, &c) == 2 && c.enc == 0x03 && !c.is_signal, "in any order");
	ok(unit("z", 3, two, 3, &c) == 2 && unit("z", 1, all, 2, &c) == 2, "where it returns to: a number in version 3, a byte in version 1");
	ok(!unit("z", 1, two, 4, &c) && !unit("z", 3, (unsigned char[]){ CT_P_RA + 1, 0 }, 2, &c), "elsewhere it does not");
	ok(unit("z", 1, (unsigned char[]){ CT_P_RA, 0x80, 0x01 }, 3, &c) == 2, "how much stands behind letters is a number");
	ok(!unit("", 1, all, 1, &c) && !unit("x", 1, all, 2, &c) && !unit("z", 2, all, 2, &c) && !unit("zQ", 1, all, 9, &c), "no other letters, no other version");
}

static void entries(void)
{
	unsigned char fewer[] = { 5, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9 };
	struct ct_in in;
	int32_t index[32] = { 0, 0, 0, 0x100, 0x11, 0x200, 0x22, 0x300, 0x33 };
	unsigned char *hdr = (unsigned char *)index;

	ok(changed(0, 18) && !changed(0, 3) && !changed(3, 1) && changed(22, 27) && !changed(22, 3) && !changed(25, 1), "lengths");
#define ENTRY(...) ct_p_entry((unsigned char[]){ __VA_ARGS__ }, &in)
	ok(!ENTRY(3, 0, 0, 0) && ENTRY(4, 0, 0, 0) && ENTRY(255, 255, 255, 0) && in.end - in.p == 0xffffff && !ENTRY(0, 0, 0, 1) && !ENTRY(255, 255, 255, 255),
		"of entries that can be");
	ok(changed(46, 2) && rule.cfa == 16 && !changed(46, 3), "what letters stand for lies within it");
	ok(by(0, (unsigned char[]){ 0x0f, 0x0e, 32 }, 3) && (table[46] = 1, ct_p_fde(table + 22, PC, &rule)) && rule.cfa == 32, "and is passed over");
	ok(!changed(17, 0x3f), "a unit's instructions are known");
	ok(changed(10, 'S') && rule.base == CT_P_SIGNAL && changed(10, 'L') && rule.base == CT_P_FROM_SP, "a signal's frame is one");
	in = (struct ct_in){ fewer, fewer + 3 };
	ok(!ct_p_fixed(&in, 4) && in.p == in.end && !ct_p_fixed(&in, 1), "nothing is read behind the end");
	in = (struct ct_in){ fewer, fewer + 3 };
	ok(ct_p_fixed(&in, 3) == 5 && in.p == in.end, "all is up to it");
	in = (struct ct_in){ (const unsigned char *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", NULL };
	in.end = in.p + 10;
	ok(ct_p_uleb(&in) == UINT64_MAX && in.p == in.end, "the longest number");
	in = (struct ct_in){ (const unsigned char *)"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", NULL };
	in.end = in.p + 11;
	ok(ct_p_uleb(&in) == 0 && in.p == in.end - 1, "none is longer");
	in.p = in.end - 11;
	ok(ct_p_sleb(&in) == 0 && in.p == in.end - 1, "with a sign, too");
	in = (struct ct_in){ (const unsigned char *)"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", NULL };
	in.end = in.p + 10;
	ok(ct_p_sleb(&in) == INT64_MIN && in.p == in.end && !ct_p_sleb(&in), "the lowest; of nothing, 0");
	in = (struct ct_in){ (const unsigned char *)"\x3f\x40\xbf\x7f\x80", NULL };
	in.end = in.p + 5;
	ok(ct_p_sleb(&in) == 63 && ct_p_sleb(&in) == -64 && ct_p_sleb(&in) == -65 && ct_p_sleb(&in) == 0 && in.p == in.end, "signs, and an end in the midst");
	put(fewer, 0);
	memcpy(table, "\x10\0\0\0\xf0\xff\xff\xff\x01\0\0\0\x01\0\0\0", 16);
#define POINTER(enc) (in = (struct ct_in){ table, table + 16 }, ct_p_pointer(&in, enc))
	ok(POINTER(0x00) == 0xfffffff000000010 && in.p == table + 8 && POINTER(0x04) == 0xfffffff000000010 && POINTER(0x0c) == 0xfffffff000000010 &&
		POINTER(0x03) == 0x10 && in.p == table + 4 && POINTER(0x0b) == 0x10, "pointers of 8 and 4 bytes");
	in = (struct ct_in){ table + 4, table + 16 };
	ok(ct_p_pointer(&in, 0x0b) == (uint64_t)-16, "with a sign");
	in = (struct ct_in){ table + 4, table + 16 };
	ok(ct_p_pointer(&in, 0x1b) == (uintptr_t)(table + 4) - 16 && POINTER(0x13) == (uintptr_t)table + 0x10 && POINTER(0x10) == (uintptr_t)table + 0xfffffff000000010,
		"from where they stand");
	ok(!POINTER(0x23) && in.p == in.end && !POINTER(0x02) && in.p == in.end && !POINTER(0x05), "no others");

	memcpy(hdr, (unsigned char[]){ 1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 3, 0, 0, 0 }, 12);
#define FOUND(pc) (ct_p_find_fde(hdr, (uintptr_t)hdr + (pc)))
	ok(!FOUND(0) && !FOUND(0xff) && FOUND(0x100) == hdr + 0x11 && FOUND(0x1ff) == hdr + 0x11 && FOUND(0x200) == hdr + 0x22 && FOUND(0x2ff) == hdr + 0x22 &&
		FOUND(0x300) == hdr + 0x33 && FOUND(0x10000) == hdr + 0x33, "the index: the last that begins before");
	hdr[8] = 0;
	ok(!FOUND(0x200), "an empty one");
	hdr[8] = 3;
	for (int i = 0; i < 4; i++) {
		hdr[i]++;
		ok(!FOUND(0x200), "another form (%d)", i);
		hdr[i]--;
	}
	ok(FOUND(0x200) == hdr + 0x22, "this one");
}

static const struct unit_case parts[] = {
	{ "coroutines", coroutines }, { "things", things }, { "known", known }, { "old", old }, { "bounded", bounded }, { "strings", strings }, { "walked", walked },
	{ "places", places }, { "checked", checked }, { "refused", refused }, { "halved", halved }, { "instructions", instructions }, { "units", units },
	{ "entries", entries },
};

int main(int argc, char *argv[])
{
	return run_case("parts", parts, sizeof parts / sizeof *parts, argc, argv);
}
