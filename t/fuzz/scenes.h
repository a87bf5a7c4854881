/* scenes.h - what acts.h comes to too seldom by chance: families, rings, crowds, workers that are kept, one look at a process. Of world.h alone. */
#ifndef FUZZ_SCENES_H
#define FUZZ_SCENES_H

#include "acts.h"

enum scene { NO_SCENE, FAMILY, RING, CROWD, PINS, LOOK, BARRIER, EARLY_TIMER, RELAY, MAILBOXES, GROUP, MANY_WAKERS, EDGE, SPARES, SCENES };
static enum scene scene;

/* It runs, on the thread given. */
static void run_on(int t, uint64_t tid)
{
	task[t].tid = tid;
	task[t].life = RUNS;
	own("resume", t);
}

/* One more, and it runs; 0: there is no room. */
static int start(int parent, uint64_t tid)
{
	int t = spawn(parent, tid);

	if (t)
		run_on(t, tid);
	return t;
}

/* Who has a lock, an end of a channel or a permit creates some who wait for it, or for something else, and waits itself: for one of them, for a
 * thing, or for what no line tells. */
static void family(void)
{
	static const int kept[] = { LOCK, LOCK, LOCK2, SEM, CHAN, ROOM, COND };
	int parent = start(0, 11), object = kept[draw(sizeof kept / sizeof *kept)], kid = 0;
	int other;
	bool all = one_in(2);

	if (!parent)
		return;
	if (object == ROOM || object == CHAN)
		on("acquire", names_taker() ? parent : 0, object == ROOM ? CHAN : ROOM, 11);
	on("acquire", names_taker() ? parent : 0, object, 11);
	if ((other = one_in(4) ? start(0, 12) : 0))
		on("acquire", other, object, 12);
	for (uint64_t i = 1 + draw(3); i--;)
		if ((kid = start(parent, 11)))
			wait_for(kid, !all && one_in(3) ? any_thing(kid) : object == CHAN && one_in(2) ? ROOM : object);
	if (other)
		wait_for(other, kid && !one_in(3) ? AWAITED + 2 * (kid - 1) : object);
	if (!all && one_in(3))
		announce(parent, one_in(2) ? CHAN : COND);
	wait_for(parent, one_in(all ? 4 : 2) || !kid ? (one_in(2) ? -1 : any_thing(parent)) : AWAITED + 2 * (kid - 1) + (int)draw(2));
}

/* Each waits for the next. */
static void ring(void)
{
	static const int things[] = { LOCK, LOCK2, SEM, CHAN };
	int member[TASKS], count = 0, most = 1 + (int)(one_in(3) ? draw(TASKS) : draw(4)), base = (int)draw(4), other;
	bool locks = one_in(2);

	while (count < most && (count < 4 || !locks) && (member[count] = start(0, 11 + draw(3))))
		count++;
	if (locks && one_in(3) && (other = start(0, 12))) {	/* one never gave it back */
		on("acquire", other, things[base], 12);
		finish(other, NULL);
	}
	for (int i = 0; locks && i < count; i++)
		on("acquire", names_taker() ? member[i] : 0, things[(base + i) % 4], task[member[i]].tid);
	for (int i = 0; i < count; i++) {
		int next = (i + 1) % count;

		now += draw(50);
		if (locks && one_in(6)) {
			task[member[i]].leg_count = 2;
			task[member[i]].all = one_in(2);
			task[member[i]].legs[0] = things[(base + next) % 4];
			task[member[i]].legs[1] = one_in(2) ? -1 : any_thing(member[i]);
			suspend(member[i], task[member[i]].legs[0]);
		} else
			wait_for(member[i], locks ? things[(base + next) % 4] :
				AWAITED + 2 * (member[next] - 1) + (one_in(4) ? 0 : 1));
	}
	if (one_in(3))
		return;
	now += one_in(3) ? draw(300) : draw(3000000);
	if (count && locks && one_in(4)) {	/* another had its guard: it goes on */
		on("release", member[0], things[base], PLAIN);
		now += draw(50);
		run_on(member[0], 12);
		if (one_in(2))
			wait_for(member[0], any_thing(member[0]));
		else
			finish(member[0], NULL);
		return;
	}
	for (int i = (int)draw(2); i < count && !one_in(6); i++) {
		if (locks && one_in(3))
			on("release", member[i], things[(base + i) % 4], task[member[i]].tid);
		finish(member[i], NULL);
	}
}

/* Two send to one another, and have read for a while: then both wait for room, or for an item. */
static void mailboxes(void)
{
	int a = start(0, 11), b = a ? start(0, 12) : 0, most = 1 + (int)draw(3), boxes[] = { CHAN, CHAN2 };
	bool full = !one_in(4);

	if (!b)
		return;
	for (uint64_t turns = 2 + draw(5); turns--;)
		for (int i = 0; i < 2; i++) {
			int from = i ? b : a, to = i ? a : b;

			level[boxes[i]] = 1 + (int)draw((uint64_t)most);
			on("level", from, boxes[i], task[from].tid)->value = (uint64_t)level[boxes[i]];
			if (one_in(3)) {
				wait_for(to, boxes[i]);
				now += draw(40);
				wake(to, from, task[from].tid, boxes[i]);
				run_on(to, task[to].tid);
			}
			now += draw(40);
			level[boxes[i]] = one_in(4) ? 1 : 0;
			on("level", to, boxes[i], task[to].tid)->value = (uint64_t)level[boxes[i]];
		}
	for (int i = 0; i < 2; i++) {
		level[boxes[i]] = full ? most : 0;
		on("level", i ? b : a, boxes[i], task[a].tid)->value = (uint64_t)level[boxes[i]];
		if (one_in(6))
			on("level", i ? a : b, boxes[i], task[a].tid)->value = (uint64_t)level[boxes[i]];
	}
	for (int t = 1; one_in(2) && t <= TASKS; t++)	/* nobody else is left */
		if (t != a && t != b && task[t].life != NONE && task[t].life != GONE)
			finish(t, NULL);
	if (one_in(2))
		wait_for_several(start(0, 13));
	wait_for(a, one_in(8) ? LOCK : boxes[!full]);
	wait_for(b, boxes[full]);
}

/* More have a permit, or read, than are looked through one by one; some end, give it back or take it again. */
static void take_all(void)
{
	int object = one_in(2) ? SEM : LOCK2, t;

	level[SEM] = 9 + (int)draw(9);
	if (one_in(2))
		on("level", 0, SEM, PLAIN)->value = (uint64_t)level[SEM];
	for (uint64_t i = 6 + draw(10); i--;) {
		if (!(t = start(0, 11)))
			break;
		on("acquire", names_taker() ? t : 0, object, 11);
		level[SEM] -= object == SEM && level[SEM];
		if (object == SEM && !one_in(4))
			say_level(one_in(9) ? 0 : t, SEM);
		if (one_in(8))
			on("acquire", t, object, 11);
		if (one_in(5)) {
			level[SEM]++;
			on("release", t, object, 11);
			say_level(t, SEM);
		}
		if (one_in(5))
			finish(t, NULL);
		else
			wait_for(t, one_in(4) ? object : any_thing(t));
	}
	if (one_in(6)) {
		level[SEM]++;
		on("level", 0, SEM, PLAIN)->value = (uint64_t)level[SEM];
	}
	if ((t = start(0, 11)))
		wait_for(t, object);
}

/* One waits for parts that others do, who say each time that it is not through; one part may never be done. */
static void group(void)
{
	int parent = start(0, 11), kid;
	uint64_t tid;

	if (!parent)
		return;
	on("level", parent, COND, 11)->value = 0;
	for (uint64_t i = 2 + draw(3); i--;) {
		tid = 11 + draw(3);
		if (!(kid = start(one_in(6) ? 0 : parent, tid)))
			break;
		if (!one_in(4)) {
			bool more = one_in(9);

			on("level", kid, COND, task[kid].tid)->value = more;
		}
		if (one_in(9))
			wait_for(kid, any_thing(kid));
		else
			finish(kid, NULL);
	}
	wait_for(parent, COND);
}

/* Each worker is kept by one that waits, and others wait to run. */
static void pin_all(void)
{
	for (uint64_t tid = 11; tid < 14; tid++) {
		int t = one_in(9) ? 0 : start(0, tid);

		if (!t)
			continue;
		on("open", t, PINNED, tid);
		wait_for(t, any_thing(t));
		if (one_in(6))
			on("close", t, PINNED, tid);
		worker[tid - 11].ended |= one_in(12);
	}
	for (uint64_t i = draw(4); i--;)
		spawn(0, 11);
	for (int t = any_task(WAITS); t && one_in(2); t = any_task(WAITS))
		wake(t, 0, PLAIN, task[t].waits);
}

/* All that is known is what was seen once: who waits for what, and who has what. */
static void one_look(void)
{
	static const int things[] = { LOCK, LOCK2, SEM, CHAN, ROOM, COND, USER, FD, TIMER };
	static const char *const metas[] = { ",\"snapshot\":true", ",\"snapshot\":true", ",\"snapshot\":true,\"memory\":\"running\"",
		",\"dead\":true,\"snapshot\":true" };

	int n = 1 + (int)draw(6);

	meta = one_in(9) ? "" : metas[draw(sizeof metas / sizeof *metas)];
	now = one_in(2) ? 0 : now;
	line_count = 0;
	memset(task, 0, sizeof task);
	memset(worker, 0, sizeof worker);
	for (int t = 1; t <= n; t++) {
		struct line *l;

		task[t] = (struct task){ .tid = one_in(2) ? 0 : 11 + draw(4), .n = 1 };
		l = put("state", task[t].tid);
		l->id = (uint64_t)t;
		l->deadline_us = now + draw(100000);
		l->flag = one_in(8);
		l->n = l->flag ? 2 : one_in(9) ? 1 : 3;
		l->object = one_in(4) ? AWAITED + (int)draw(2 * (uint64_t)n) : things[draw(sizeof things / sizeof *things)];
		l->site = 1 + (int)draw(7);
		l->more = one_in(9) ? ",\"since\":\"before\",\"refs\":0" : ",\"since\":\"before\"";
	}
	for (uint64_t i = draw(5); i--;) {
		int t = 1 + (int)draw((uint64_t)n), at = lines[one_in(2) ? t - 1 : (int)draw((uint64_t)n)].object;

		uint64_t tid = one_in(3) ? 0 : task[t].tid;

		on("acquire", t, at < TIMER && !one_in(3) ? at : things[draw(7)], tid)->more = ",\"since\":\"before\"";
	}
}

/* Some wait until all have come; who comes last lets the others go, or one is missing. */
static void barrier(void)
{
	int object = one_in(3) ? SEM : COND, count = 2 + (int)draw(4), t;

	for (int turn = 0, turns = 1 + (int)draw(3); turn < turns; turn++) {
		for (int i = 0; i < count; i++) {
			if (!(t = start(0, 11 + draw(3))))
				return;
			level[object] = i;
			if (one_in(2))
				say_level(t, object);
			wait_for(t, object);
		}
		if (turn + 1 == turns && !one_in(3))
			break;
		if ((t = start(0, 12))) {
			level[object] = one_in(2) ? 0 : count;
			say_level(t, object);
			wake_some(object, t, 12, one_in(4) ? count - 1 : count);
			finish(t, NULL);
		}
	}
}

/* Woken for the timer that it goes to wait for. */
static void early_timer(void)
{
	int t = start(0, 11);
	uint64_t deadline = now + 100 + draw(200000);
	struct line *l;

	if (!t)
		return;
	now += 1;
	l = put("wake", PLAIN);
	l->id = (uint64_t)t;
	l->object = one_in(5) ? COND : TIMER;
	l->deadline_us = one_in(5) ? 0 : deadline;
	now += 1;
	task[t].deadline = deadline;
	task[t].leg_count = 0;
	suspend(t, TIMER);
}

/* A lock, or permits, made of an event: who waited for it wakes the next, and one ends without. */
static void relay(void)
{
	int member[3], object = one_in(2) ? COND : CHAN;

	for (int i = 0; i < 3; i++)
		if (!(member[i] = start(0, 11 + (uint64_t)i)))
			return;
	for (uint64_t turns = 2 + draw(6); turns--;) {
		int first = member[draw(3)], next = member[draw(3)];

		now += 1 + draw(100);
		if (task[first].life == WAITS) {
			wake(first, next == first ? 0 : next, task[next].tid, object);
			run_on(first, task[first].tid);
		}
		if (one_in(8) && task[first].life == RUNS)
			finish(first, NULL);
		else if (task[first].life == RUNS)
			wait_for(first, object);
		if (one_in(6))
			announce(task[next].life == RUNS ? next : 0, object);
	}
}

/* Where one waits for what nobody names, few or many have woken it; then they wait there themselves. */
static void many_wakers(void)
{
	int by[12], count = 0, most = 2 + (int)draw(9), t = start(0, 11);

	while (t && count < most && (by[count] = start(0, 12)))
		count++;
	for (int i = 0; i < count; i++) {
		wait_for(t, GO_CHAN);
		now += draw(50);
		wake(t, one_in(40) ? 0 : by[i], 12, -1);
		run_on(t, 11);
	}
	for (int i = 0; i < count; i++)
		if (!one_in(30))
			wait_for(by[i], one_in(12) ? (int)FD : GO_CHAN);
	wait_for(t, GO_CHAN);
	for (int i = 0; i < count && one_in(3); i++) {
		wake(by[i], one_in(9) ? 0 : t, 11, -1);
		run_on(by[i], 12);
		wait_for(by[i], GO_CHAN);
	}
}

/* Woken as a descriptor can be read, it waits again, and may not have read all. */
static void edge(void)
{
	int t = start(0, 11);
	bool there;

	if (!t)
		return;
	there = one_in(8);
	on("level", one_in(4) ? t : 0, FD, 11)->value = there;
	for (uint64_t turns = 1 + draw(3); turns--;) {
		wait_for(t, FD);
		now += draw(2) * 40;
		on("level", one_in(9) ? t : 0, FD, PLAIN)->value = 1;
		wake(t, 0, PLAIN, FD);
		now += draw(2) * 40;
		run_on(t, 11);
		if (one_in(4))
			wake(t, 0, PLAIN, one_in(4) ? FD2 : FD);
		now += draw(2) * 40;
		if (one_in(3)) {
			there = one_in(4);
			on("level", one_in(2) ? t : 0, FD, 11)->value = there;
		}
	}
	wait_for(t, FD);
}

/* Of some who wait for items one is let go each time, and takes one, or more without waiting in between; at the end something is there. */
static void spares(void)
{
	int of[3], object = one_in(2) ? CHAN : one_in(3) ? SEM : COND, giver = start(0, 14), first = (int)draw(3);
	uint64_t pause;

	if (!giver)
		return;
	for (int i = 0; i < 3; i++) {
		if (!(of[i] = start(0, 11 + (uint64_t)i)))
			return;
		now += draw(20);
		wait_for(of[i], object);
	}
	for (uint64_t turns = 1 + draw(6); turns--;) {
		int t = of[one_in(3) ? (int)draw(3) : first], by = one_in(6) ? of[draw(3)] : giver;

		pause = draw(2);
		now += pause * (20 + draw(90000));
		on("level", giver, object, 14)->value = 1;
		now += draw(20);
		if (task[t].life == WAITS)
			wake(t, one_in(9) ? 0 : by, task[by].tid, object);
		now += draw(20);
		if (task[t].life != READY)
			continue;
		run_on(t, task[t].tid);
		for (uint64_t more = one_in(3) ? 1 + draw(3) : 1; more--; now += draw(20)) {
			on("level", t, object, task[t].tid)->value = 0;
			if (more)
				on("level", giver, object, 14)->value = 1;
		}
		now += draw(30);
		if (!one_in(12))
			wait_for(t, object);
	}
	now += 1 + draw(90000);
	level[object] = one_in(4) ? 2 : 1;
	on("level", giver, object, 14)->value = (uint64_t)level[object];
	wait_for(giver, one_in(2) ? TIMER : any_thing(giver));
}

static void play(void)
{
	static void (*const plays[SCENES])(void) = { [FAMILY] = family, [RING] = ring, [CROWD] = take_all, [PINS] = pin_all, [LOOK] = one_look,
		[BARRIER] = barrier, [EARLY_TIMER] = early_timer, [RELAY] = relay, [MAILBOXES] = mailboxes,
		[GROUP] = group, [MANY_WAKERS] = many_wakers,
		[EDGE] = edge, [SPARES] = spares };

	if (plays[scene])
		plays[scene]();
}
#endif
