/* acts.h - tasks on workers, and what they do: lock, send, wait for events, for one another, for any or all of several things, and end. What is
 * told of it, and in which way, is the story's: levels or holders, wakes with or without what for, wakers. Of world.h alone. */
#ifndef FUZZ_ACTS_H
#define FUZZ_ACTS_H

#include "story.h"

enum { TASKS = 24, WORKERS = 4, PLAIN = 14 };	/* threads 11 to 13 work, 14 and 15 do not */
enum { FD = 0, FD2, LOCK, LOCK2, CHAN, SEM, COND, USER, ROOM = 10, PINNED, GO_MUTEX, GO_JOIN, GO_SEM, GO_COND, CHAN2 = 20, ROOM2, GO_CHAN = 8 };
enum life { NONE, READY, RUNS, WAITS, GONE };

static struct task {
	enum life life;
	uint64_t n, tid, deadline;
	int waits, legs[3], leg_count, retry;
	int parent;
	bool all, system;
	uint64_t holds;		/* locks, by bit */
} task[TASKS + 1];
static struct { int task; bool parked, ended; } worker[WORKERS];
static int holder[USER + 1], level[ROOM2 + 1];	/* holder: a task plus one; 0: none */
static int theme, victim;	/* what most do; whom nobody wakes again, 0: any */
static uint64_t now, lose;	/* one of so many wakes is never made; 0: none */
static bool names_what, names_who, wakers, levels, lock_levels, room, parks, holds, ends, go, handoff, two_pids, closes, unopened, readers, grid, crowd, fds;
static bool guards, untold;		/* of those with scenes (scenes.h) */
static char counts[LINES];

static struct line *put(const char *ev, uint64_t tid)
{
	struct line *l = &lines[line_count];

	*l = (struct line){ .ev = ev, .us = now, .tid = tid, .object = -1 };
	line_count += line_count + 1 < LINES;
	return l;
}

static struct line *own(const char *ev, int t)
{
	struct line *l = put(ev, task[t].tid);

	l->id = (uint64_t)t;
	l->n = ++task[t].n;
	return l;
}

static struct line *on(const char *ev, int t, int object, uint64_t tid)
{
	struct line *l = put(ev, tid);

	l->by = (uint64_t)t;
	l->object = object;
	l->site = one_in(2) ? 1 + object % 7 : 0;
	return l;
}

/* Guards are anybody's: who took what is not told. */
static bool names_taker(void)
{
	return !guards || one_in(8);
}

static void say_level(int t, int object)
{
	if (levels && (room || (object != ROOM && object != ROOM2)))
		on("level", t, object, task[t].tid)->value = (uint64_t)level[object];
}

static bool waits_on(int t, int object)
{
	for (int i = 0; i < task[t].leg_count; i++)
		if (task[t].legs[i] == object)
			return true;
	return task[t].waits == object && !task[t].leg_count;
}

static void wake(int t, int by, uint64_t tid, int object)
{
	struct line *l;

	if (lose && one_in(lose))
		return;
	l = put("wake", tid);
	l->id = (uint64_t)t;
	l->by = names_who ? (uint64_t)by : 0;
	l->object = names_what && object < TIMER ? object : -1;
	l->site = one_in(2) ? 1 + (int)draw(9) : 0;
	if (task[t].life == WAITS)
		task[t].life = READY;
	if (wakers && one_in(2))
		*put("waker", tid) = (struct line){ .ev = "waker", .us = now, .tid = tid, .id = (uint64_t)t, .by = (uint64_t)by, .object = -1 };
}

/* So many who wait there, the first first; how many it were. */
static int wake_some(int object, int by, uint64_t tid, int most_of_them)
{
	int n = 0, from = (int)draw(TASKS);

	for (int i = 0; i < TASKS && n < most_of_them; i++) {
		int t = 1 + (from + i) % TASKS;

		if (task[t].life == WAITS && t != victim && waits_on(t, object)) {
			wake(t, by, tid, object);
			task[t].retry = object;
			n++;
		}
	}
	return n;
}

static void leave_worker(int t)
{
	for (int w = 0; w < WORKERS; w++)
		if (worker[w].task == t)
			worker[w].task = 0;
}

static const char *go_reason(int object, int t)
{
	switch (object) {
	case GO_CHAN:	return t % 3 ? ",\"reason\":\"chan send\"" : one_in(2) ? ",\"reason\":\"chan receive\"" : ",\"reason\":\"select\"";
	case GO_MUTEX:
	case GO_JOIN:	return ",\"reason\":\"sync\"";
	default:	return ",\"reason\":\"other\"";
	}
}

static void suspend(int t, int object)
{
	struct line *l;

	if (wakers && !one_in(4))
		*put("waker", task[t].tid) = (struct line){ .ev = "waker", .us = now, .tid = task[t].tid, .id = (uint64_t)t, .object = -1, .flag = true };
	for (int i = 0; i < task[t].leg_count; i++) {
		l = put("leg", task[t].tid);
		l->id = (uint64_t)t;
		l->n = task[t].n + 1;
		l->object = task[t].legs[i];
		l->deadline_us = task[t].deadline;
		l->site = one_in(2) ? (int)draw(8) : 0;
	}
	l = own("suspend", t);
	l->object = task[t].leg_count || (untold && one_in(4)) ? -1 : object;
	l->deadline_us = task[t].deadline;
	l->site = one_in(9) ? (int)draw(10) : 1 + (object + (task[t].parent & 1)) % 9;
	if (task[t].leg_count)
		l->more = task[t].all ? task[t].leg_count == 2 ? ",\"all_of\":2" : ",\"all_of\":3" :
			task[t].leg_count == 2 ? ",\"any_of\":2" : ",\"any_of\":3";
	else if (go)
		l->more = go_reason(object, t);
	task[t].waits = object;
	task[t].life = WAITS;
	leave_worker(t);
}

static void wait_for(int t, int object)
{
	if (!t)
		return;		/* a thread that runs no task */
	task[t].leg_count = 0;
	task[t].deadline = now + (grid ? 100000 * draw(3) : draw(300000));
	suspend(t, object);
}

static int any_task(enum life life)
{
	int from = (int)draw(TASKS);

	for (int i = 0; i < TASKS; i++)
		if (task[1 + (from + i) % TASKS].life == life)
			return 1 + (from + i) % TASKS;
	return 0;
}

/* That a lock is free, or is not. */
static void say_lock(int t, int object, int is_free)
{
	if (lock_levels && !one_in(4))
		on("level", t, object, task[t].tid)->value = (uint64_t)is_free;
}

static void acquired(int t, int object, uint64_t tid)
{
	const char *since = one_in(60) ? ",\"since\":\"before\"" : NULL;

	on("acquire", names_taker() ? t : 0, object, tid)->more = since;
}

static void take_lock(int t, int object, uint64_t tid)
{
	acquired(t, object, tid);
	say_lock(t, object, 0);
	holder[object] = t + 1;
	task[t].holds |= 1u << object;
}

static void lock(int t, int object)
{
	if (holder[object] && !(holder[object] == t + 1 ? one_in(4) : readers && !one_in(3)))
		wait_for(t, object);
	else
		take_lock(t, object, task[t].tid);
}

static void unlock(int t, int object)
{
	struct line *l = on("release", names_taker() ? t : 0, object, task[t].tid);
	int next = 0;

	holder[object] = 0;
	task[t].holds &= ~(1u << object);
	for (int i = 1; readers && i <= TASKS; i++)
		if (task[i].holds >> object & 1)
			holder[object] = i + 1;
	if (one_in(30))
		l->by = 0;
	say_lock(t, object, 1);
	for (int i = 1; handoff && i <= TASKS && !next; i++)
		if (task[i].life == WAITS && waits_on(i, object))
			next = i;
	if (handoff && one_in(4))
		next = any_task(WAITS);		/* as its wait there had come to its time limit */
	if (next) {
		wake(next, t, task[t].tid, object);
		take_lock(next, object, task[t].tid);
	} else
		wake_some(object, t, task[t].tid, 1);
}

/* False: it has none. */
static bool unlock_any(int t)
{
	for (int i = LOCK; i <= USER; i++)
		if (task[t].holds >> i & 1) {
			unlock(t, i);
			return true;
		}
	return false;
}

/* One less of what is there, or waits for that. */
static void take(int t, int object)
{
	if (!level[object]) {
		wait_for(t, one_in(20) ? FD : object);
		return;
	}
	level[object] -= one_in(9) ? level[object] : 1;
	say_level(t, object);
	if (object == SEM && holds)
		acquired(t, SEM, task[t].tid);
	if (object == CHAN || object == CHAN2) {
		level[object + (object == CHAN ? ROOM - CHAN : 1)]++;
		say_level(t, object == CHAN ? ROOM : ROOM2);
		wake_some(room ? object == CHAN ? ROOM : ROOM2 : object, t, task[t].tid, 1);
	}
}

static void give(int t, int object)
{
	int its_room = object == CHAN ? ROOM : object == CHAN2 ? ROOM2 : -1;

	if (its_room >= 0 && !level[its_room]) {
		wait_for(t, room ? its_room : object);
		return;
	}
	if (its_room >= 0)
		level[its_room]--;
	level[object] += one_in(9) ? 2 : 1;
	if (object == SEM && holds)
		on("release", names_taker() ? t : 0, SEM, task[t].tid);
	say_level(t, object);
	if (its_room >= 0)
		say_level(t, its_room);
	wake_some(object, t, task[t].tid, one_in(5) ? 2 : 1);
}

/* An event is set, or a condition notified of. */
static void announce(int t, int object)
{
	int n = 0;
	struct line *l;

	if (object == COND && !one_in(3)) {
		level[COND] = one_in(3) ? 0 : (int)draw(4);
		say_level(t, COND);
	}
	for (int i = 1; i <= TASKS; i++)
		n += task[i].life == WAITS && waits_on(i, object);
	n = one_in(2) ? n : n ? 1 : 0;
	if (one_in(2))
		n = wake_some(object, t, task[t].tid, n);
	if (!one_in(4)) {
		l = on("notify", t, object, task[t].tid);
		l->value = (uint64_t)n;
		l->flag = one_in(5);
		l->us -= guards && one_in(4) ? draw(20) : 0;	/* before what closed it */
	}
	wake_some(object, t, task[t].tid, n);
}

/* Of one that still runs, on its way to wait: it is woken, or who waits there notified, too early. */
static void announce_early(int t)
{
	static const int things[] = { COND, COND, CHAN, SEM, LOCK, USER, FD };
	int object = things[draw(sizeof things / sizeof *things)], who = any_task(RUNS);
	uint64_t tid = task[t].tid;

	if (!who || who == t)
		return;
	if (object <= COND && levels && !one_in(3)) {
		level[object] = (int)draw(3);
		on("level", one_in(4) ? who : t, object, tid)->value = (uint64_t)level[object];
	}
	if (one_in(2)) {
		wake(who, t, tid, object);
	} else {
		bool met = one_in(6);

		on("notify", one_in(6) ? who : t, object, tid)->value = met;
	}
	if (one_in(4))
		wake_some(object, t, tid, 1);
	now += grid ? 0 : draw(3);
	wait_for(who, object);
	victim = one_in(3) ? victim : who;
}

static int any_thing(int t)
{
	static const int things[] = { FD, FD2, LOCK, LOCK2, CHAN, SEM, COND, USER, ROOM, CHAN2, TIMER, TIMER };
	int other = one_in(2) ? any_task(WAITS) : any_task(READY);

	return other && other != t && one_in(3) ? AWAITED + 2 * (other - 1) + (int)draw(2) : things[draw(sizeof things / sizeof *things)];
}

static void wait_for_several(int t)
{
	if (!t)
		return;
	task[t].leg_count = 2 + (int)draw(2);
	task[t].all = one_in(2);
	task[t].deadline = now + (grid ? 100000 * draw(3) : draw(300000));
	for (int i = 0; i < task[t].leg_count; i++) {
		int gone = one_in(8) ? any_task(GONE) : 0;

		task[t].legs[i] = one_in(30) ? -1 : gone ? AWAITED + 2 * (gone - 1) + (int)draw(2) : any_thing(t);
	}
	suspend(t, task[t].legs[0]);
}

/* 0: there is no room for one more. */
static int spawn(int parent, uint64_t tid)
{
	int t = any_task(NONE);
	struct line *l;

	if (!t)
		return 0;
	task[t] = (struct task){ .life = one_in(5) ? WAITS : READY, .tid = tid, .waits = -1, .retry = -1, .parent = parent };
	l = own("create", t);
	l->by = (uint64_t)parent;
	l->site = 1 + (int)draw(9);
	l->more = untold && one_in(8) ? ",\"untraced\":true" : NULL;
	if (ends && parent && one_in(3))
		on("acquire", guards ? 0 : t, one_in(3) ? COND : one_in(2) ? CHAN : ROOM, tid);
	if (one_in(6)) {
		l = put("name", tid);
		l->id = (uint64_t)t;
		task[t].system = one_in(5);
		l->more = task[t].system ? ",\"name\":\"gc\",\"role\":\"system\"" : ",\"name\":\"one \\\"of\\\" many\"";
	}
	return t;
}

static void drop_guards(int t)
{
	for (int i = LOCK; i <= USER; i++)
		if (task[t].holds >> i & 1) {
			on("release", 0, i, task[t].tid);
			holder[i] = 0;
			wake_some(i, 0, task[t].tid, 1);
		}
	task[t].holds = 0;
}

static void finish(int t, const char *more)
{
	struct line *l;
	int guards;

	if (!t && !one_in(3))
		return;
	if (!t) {
		l = put("thread", task[0].tid);
		l->value = 1;
		l->more = ",\"ended\":true";
		return;
	}
	if (one_in(3))
		while (unlock_any(t) && !one_in(4))
			;
	/* the ends of its guards, which the thread that destroys it runs: before that is told, or after */
	guards = task[t].holds && one_in(2) ? 1 + (int)draw(2) : 0;
	if (guards == 1)
		drop_guards(t);
	l = own("destroy", t);
	l->flag = !one_in(4);
	l->value = untold && one_in(4);		/* whether it was done is not told */
	l->more = more;
	if (guards == 2)
		drop_guards(t);
	task[t].life = GONE;
	leave_worker(t);
	wake_some(AWAITED + 2 * (t - 1), t, task[t].tid, 3);
	wake_some(AWAITED + 2 * (t - 1) + 1, t, task[t].tid, 3);
}

static void act_go(int t)
{
	static const int kinds[] = { GO_CHAN, GO_CHAN, GO_MUTEX, GO_JOIN, GO_SEM, GO_COND, 16, 17, 18, FD };

	int object = kinds[draw(sizeof kinds / sizeof *kinds)];

	if (one_in(3))
		wake_some(kinds[draw(6)], t, task[t].tid, 1);
	else if (one_in(8))
		spawn(t, task[t].tid);
	else if (one_in(theme == 3 ? 3 : 20))
		finish(t, NULL);
	else if (theme)
		wait_for(t, one_in(5) ? object : kinds[theme % 6]);
	else
		wait_for(t, object);
}

static void act(int t)
{
	static const int themes[][8] = {
		{ 0, 0, 0, 3, 3, 10, 11, 15 }, { 4, 4, 5, 6, 6, 7, 11, 13 }, { 8, 8, 9, 9, 9, 8, 11, 10 }, { 12, 12, 13, 13, 15, 15, 11, 0 },
		{ 4, 6, 4, 6, 3, 0, 13, 10 }, { 10, 10, 11, 11, 17, 16, 8, 12 }, { 9, 9, 9, 9, 9, 9, 8, 8 }, { 11, 11, 11, 11, 16, 16, 13, 12 },
	};
	static const int locks[] = { LOCK, LOCK2, LOCK, USER }, chans[] = { CHAN, CHAN, CHAN2, SEM };
	int retry = task[t].retry, object = locks[draw(4)];

	task[t].retry = -1;
	if (retry >= LOCK && (retry < CHAN || retry == USER) && !(task[t].holds >> retry & 1) && !one_in(8)) {
		lock(t, retry);
		return;
	}
	if ((retry == CHAN || retry == CHAN2 || retry == SEM) && !one_in(8)) {
		take(t, retry);
		return;
	}
	if (go && !one_in(9)) {
		act_go(t);
		return;
	}
	if (fds && (task[t].waits == FD || task[t].waits == FD2) && one_in(2)) {	/* it read all, or not */
		level[task[t].waits] = one_in(3);
		on("level", t, task[t].waits, task[t].tid)->value = (uint64_t)level[task[t].waits];
	}
	switch (theme && !one_in(4) ? themes[theme - 1][draw(8)] : (int)draw(18)) {
	case 0: case 1: case 2:
		if (!unlock_any(t))
			lock(t, object);
		break;
	case 3: lock(t, object); break;
	case 4: case 5: take(t, crowd ? SEM : chans[draw(4)]); break;
	case 6: case 7: give(t, crowd && one_in(3) ? SEM : chans[draw(4)]); break;
	case 8: announce(t, one_in(3) ? (int)draw(2) : COND); break;
	case 9: wait_for(t, COND); break;
	case 10: wait_for(t, any_thing(t)); break;
	case 11: wait_for_several(t); break;
	case 12: spawn(t, task[t].tid); break;
	case 13: case 14: finish(t, one_in(3) ? ",\"result\":true" : NULL); break;
	case 15:
		if ((object = any_task(one_in(2) ? WAITS : READY)))
			wait_for(t, AWAITED + 2 * (object - 1) + (int)draw(2));
		break;
	case 16:
		object = one_in(3) ? any_thing(t) : (int)draw(2);
		if (closes && object < TIMER) {
			on(one_in(3) && !unopened ? "open" : "close", t, object, task[t].tid);
			if (one_in(2))
				announce(t, object);
		}
		break;
	default:
		if (one_in(3)) {
			announce_early(t);
			break;
		}
		if (one_in(3)) {
			on(one_in(2) ? "open" : "close", t, PINNED, task[t].tid);
			break;
		}
		if (one_in(3) && (object = any_task(GONE))) {
			wake(object, t, task[t].tid, task[object].waits);
			break;
		}
		object = any_task(WAITS);
		if (object && object != victim) {
			wake(object, t, task[t].tid, task[object].waits);
			task[object].retry = -1;
		}
	}
}
#endif
