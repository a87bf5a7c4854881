/* world.h - stories of a program that could be: of tasks that act (acts.h), while whoever should wake one now and then does not, workers park
 * and end, lines are missing, or the program takes itself apart. */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include "scenes.h"

static void run_one(int w, int t)
{
	struct line *l;

	if (worker[w].ended)
		return;
	if (worker[w].parked && parks)
		put("unpark", 11 + (uint64_t)w)->value = draw(3);
	worker[w].parked = false;
	worker[w].task = t;
	task[t].tid = 11 + (uint64_t)w;
	task[t].life = RUNS;
	l = own("resume", t);
	l->site = one_in(5) ? (int)draw(7) : 0;
}

/* What comes from outside, or befalls a worker. */
static void befall(void)
{
	int w = (int)draw(3), t = any_task(WAITS);
	struct line *l;

	switch (draw(9)) {
	case 0: case 1:
		if (parks && !worker[w].task && !worker[w].parked && !worker[w].ended) {
			l = put("park", 11 + (uint64_t)w);
			l->value = one_in(3) ? draw(3) : 0;
			l->flag = one_in(4);
			worker[w].parked = true;
		}
		break;
	case 2: case 3:
		if (t && !(go && names_who) && (task[t].waits <= FD2 || task[t].waits == TIMER))
			wake(t, 0, PLAIN, task[t].waits);
		else if (fds && one_in(2)) {
			level[w & 1] = 1;
			on("level", 0, w & 1, PLAIN)->value = 1;
			wake_some(w & 1, 0, PLAIN, one_in(3) ? 0 : 1);
		}
		break;
	case 4:
		for (int i = 1; theme == 8 && i <= TASKS && !(t && waits_on(t, TIMER)); i++)
			t = task[i].life == WAITS ? i : t;
		if (t && waits_on(t, TIMER)) {
			l = put("deadline", PLAIN);
			l->id = (uint64_t)t;
			l->object = one_in(4) ? 9 : TIMER;
			l->deadline_us = one_in(2) ? now - draw(2000) : now + draw(300000);
		}
		break;
	case 5:
		if ((t = any_task(READY)) && one_in(2))
			put("dequeue", 11 + (uint64_t)w)->id = (uint64_t)t;
		break;
	case 6:
		if (one_in(3)) {
			int object = one_in(2) ? COND : one_in(2) ? CHAN : SEM;

			level[object] += 1;
			l = on("level", 0, object, PLAIN + (uint64_t)one_in(3));
			l->value = (uint64_t)level[object];
			wake_some(object, 0, PLAIN + (uint64_t)one_in(3), 1);
		}
		break;
	case 7:
		if (one_in(3))
			t = any_task(READY);
		if (t && one_in(task[t].waits <= FD2 ? 2 : 9)) {	/* destroyed where it waits, or was woken */
			task[t].tid = one_in(2) ? PLAIN : 12;
			finish(t, one_in(9) ? ",\"result\":true" : NULL);
		}
		break;
	default:
		task[0].tid = PLAIN + (uint64_t)one_in(3);
		task[0].retry = -1;
		if (one_in(30)) {
			l = put("thread", 11 + (uint64_t)w);
			l->value = two_pids && w == 2 ? 2 : 1;
			l->more = ",\"ended\":true";
			worker[w].ended = true;
		} else if (!one_in(3)) {
			act(0);
		}
	}
}

/* The program takes itself apart, and its process ends. */
static void take_apart(void)
{
	for (int w = 0; w < 3; w++) {
		struct line *l;

		if (worker[w].task && one_in(2))
			wait_for(worker[w].task, FD);
		if (worker[w].ended || one_in(8))
			continue;
		l = put("thread", 11 + (uint64_t)w);
		l->value = two_pids && w == 2 ? 2 : 1;
		l->more = ",\"ended\":true";
		worker[w].ended = true;
	}
	for (int t = 1; t <= TASKS; t++)
		if ((task[t].life == WAITS || task[t].life == READY) && !one_in(4)) {
			task[t].tid = PLAIN;
			now += grid ? 0 : draw(3);
			finish(t, NULL);
		}
}

static const char *const state_words[] = { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
	",\"since\":\"before\"", ",\"wakers\":0", ",\"refs\":0", ",\"refs\":1,\"wakers\":2",
	",\"leaked\":true", ",\"doubt\":\"torn\"", ",\"since\":\"before\",\"refs\":0", ",\"since\":\"before\",\"wakers\":0" };

static void tell_states(void)
{
	for (int t = 1; t <= TASKS; t++)
		if (task[t].life == READY || task[t].life == RUNS || task[t].life == WAITS) {
			struct line *l = put("state", task[t].tid);

			l->id = (uint64_t)t;
			l->n = task[t].n;
			l->flag = task[t].life == RUNS;
			l->object = task[t].leg_count ? -1 : task[t].waits;
			l->deadline_us = task[t].deadline;
			l->more = state_words[draw(sizeof state_words / sizeof *state_words)];
		}
}

/* How many of each there are, by which a reader sees what is missing. */
static void count_lines(void)
{
	static const char *const kinds[] = { "create", "resume", "suspend", "destroy", "wake", "level", "acquire", "release", "thread", "close", "notify" };
	size_t at = (size_t)snprintf(counts, sizeof counts, ",\"lines\":{\"site\":8");

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		unsigned n = 0;

		for (int i = 0; i < line_count; i++)
			n += !strcmp(lines[i].ev, kinds[k]);
		if (n)
			at += (size_t)snprintf(counts + at, sizeof counts - at, ",\"%s\":%u", kinds[k], n);
	}
	snprintf(counts + at, sizeof counts - at, "}");
}

/* Lines are lost, with or without a word; or come late. */
static void lose_lines(uint64_t rate, const char *kinds, bool told)
{
	int kept = 0;

	for (int i = 0; i < line_count; i++) {
		if (is_of(&lines[i], kinds) && one_in(rate)) {
			if (!told)
				continue;
			lines[i] = (struct line){ .ev = "lost", .us = lines[i].us, .tid = lines[i].tid, .object = -1, .id = lines[i].id };
			lines[i].id = one_in(4) ? lines[i].id : 0;
			lines[i].value = draw(50);
			lines[i].flag = one_in(5);
		}
		lines[kept++] = lines[i];
	}
	line_count = kept;
}

/* What was before is not recorded. */
static void come_late(void)
{
	int from = (int)draw((uint64_t)line_count);

	for (int i = 0; i < from; i++)
		if (!is_of(&lines[i], "thread process "))
			lines[i].ev = "sync";
	lose_lines(1, "sync ", false);
}

static void start_world(void)
{
	static const char *const roles[] = { ",\"role\":\"worker\"", ",\"role\":\"worker\",\"name\":\"w 1\"", ",\"role\":\"blocking\"", NULL };
	static const char *const metas[] = { ",\"snapshot\":true", ",\"attached\":true", ",\"attached\":true,\"born_before\":true", ",\"dead\":true", ",\"dead\":true,\"snapshot\":true",
		",\"snapshot\":true,\"memory\":\"running\"", "v1" };
	bool told = !one_in(4);

	line_count = 0;
	now = 1000;
	memset(task, 0, sizeof task);
	memset(worker, 0, sizeof worker);
	memset(holder, 0, sizeof holder);
	memset(level, 0, sizeof level);
	names_what = !one_in(3); names_who = !one_in(4); wakers = one_in(5); levels = !one_in(3); room = !one_in(3); parks = !one_in(3);
	holds = one_in(2); ends = one_in(3); go = one_in(6); handoff = one_in(4); two_pids = one_in(4); closes = one_in(2); unopened = one_in(2);
	readers = one_in(6); grid = one_in(3); lock_levels = one_in(6);
	lose = one_in(4) ? 0 : 4 + draw(20);
	theme = one_in(4) ? 0 : 1 + (int)draw(8);
	closes |= theme == 8;
	fds = one_in(3);
	odd_lines = one_in(20) ? 1 + (int)draw(4) : 0;
	if (go)
		names_who = !one_in(6);
	crowd = one_in(12);
	runs = one_in(20) ? 2 : 1;
	victim = one_in(3) ? 1 + (int)draw(TASKS) : 0;
	meta = one_in(4) ? metas[draw(sizeof metas / sizeof *metas)] : "";
	language = go ? "go" : one_in(3) ? "rs" : "cc";
	level[ROOM] = 1 + (int)draw(3);
	level[ROOM2] = (int)draw(2);
	level[SEM] = crowd ? 20 : (int)draw(3);
	holds |= crowd;
	for (int pid = 1; told && pid <= 1 + two_pids; pid++)
		if (!one_in(4)) {
			struct line *l = put("process", 0);

			l->value = (uint64_t)pid;
			l->more = one_in(20) ? ",\"untraced\":true" : ",\"path\":\"/bin/app\"";
		}
	for (int w = 0; w < WORKERS; w++) {
		struct line *l;

		if (one_in(12))
			continue;
		l = put("thread", 11 + (uint64_t)w);
		l->value = two_pids && w == 2 ? 2 : 1;
		l->more = w == 3 ? ",\"role\":\"other\"" : told ? roles[one_in(5) ? draw(4) : 0] : NULL;
	}
	for (int i = 0; levels && i < 3; i++)
		if (one_in(2))
			on("level", 0, i ? i == 1 ? SEM : COND : ROOM, PLAIN)->value = (uint64_t)level[i ? i == 1 ? SEM : COND : ROOM];
	if (ends && one_in(2))
		on("acquire", 0, one_in(3) ? COND : one_in(2) ? CHAN : ROOM, PLAIN);
	for (uint64_t i = 2 + draw(6) + (crowd ? 12 : 0); i--;)
		spawn(0, one_in(3) ? PLAIN : 11);
	if (strstr(meta, "attached"))
		put("attach", 0);
}

static void set_scene(void)
{
	struct line *l;

	scene = one_in(4) ? NO_SCENE : 1 + draw(SCENES - 1);
	guards = one_in(3);
	untold = one_in(8);
	language = one_in(2) ? "rs" : language;
	if (one_in(8)) {	/* the main thread, which blocks */
		l = put("thread", 1);
		l->value = 1;
		l->more = one_in(4) ? ",\"role\":\"other\"" : ",\"role\":\"blocking\",\"name\":\"main\"";
	}
}

static void end_world(void)
{
	struct line *l;

	for (int w = 0, all = !one_in(3); w < 3; w++)
		if (worker[w].task && all && !one_in(4))
			act(worker[w].task);
	for (int w = 0, all = !one_in(3); w < 3; w++)
		if (worker[w].task && all && !one_in(9))
			wait_for(worker[w].task, any_thing(worker[w].task));
	for (int w = 0, rest = one_in(2); rest && parks && w < 3; w++)
		if (!worker[w].task && !worker[w].parked && !worker[w].ended) {
			put("park", 11 + (uint64_t)w)->value = one_in(9) ? draw(3) : 0;
			worker[w].parked = true;
			now += grid ? 0 : draw(3);
		}
	if (one_in(6))
		take_apart();
	if (one_in(6))
		tell_states();
	now += grid ? 100000 * draw(12) : one_in(3) ? draw(100) : draw(3000000);
	if (one_in(5)) {
		l = put("process", 0);
		l->value = two_pids && one_in(2) ? 2 : 1;
		l->more = ",\"ended\":true";
		l->deadline_us = one_in(2) ? now - (grid ? 100000 * draw(2) : draw(150000)) : 0;
	}
	if (one_in(5)) {
		l = put("exit", 0);
		l->value = 1;
		l->more = ",\"status\":0";
		l->deadline_us = one_in(2) ? now - (grid ? 100000 * draw(2) : draw(150000)) : 0;
	}
	if (one_in(20))
		return;
	count_lines();
	l = put("end", 0);
	l->more = one_in(4) ? counts : NULL;
	if (one_in(3))
		l->us += grid ? 100000 * draw(12) : draw(3000000);
}

static void world(bool with_scene)
{
	/* so that two are often the same, or one ten times the other */
	static const uint64_t round_times[] = { 0, 0, 0, 0, 0, 0, 0, 0, 10000, 10000, 10000, 10000, 10000, 100000, 100000, 1000000 };
	const char *kinds;
	bool told;

	start_world();
	scene = NO_SCENE;
	guards = untold = false;
	if (with_scene)
		set_scene();
	for (uint64_t steps = 40 + draw(220), at = scene ? steps - draw(one_in(2) ? 20 : steps) : 0; steps && line_count < LINES - 60; steps--) {
		int w = (int)draw(3), t = worker[w].task;

		now += grid ? round_times[draw(sizeof round_times / sizeof *round_times)] : one_in(4) ? 0 : one_in(40) ? draw(250000) : draw(30);
		if (steps == at) {
			play();
			if (scene == LOOK || one_in(2))
				break;
		} else if (one_in(5))
			befall();
		else if (t)
			act(t);
		else if ((t = any_task(READY)))
			run_one(w, t);
		else if (one_in(6))
			spawn(0, PLAIN);
	}
	if (scene == LOOK && !one_in(3))
		put("end", 0);
	else
		end_world();
	if (strstr(meta, "attached") && one_in(2))
		come_late();
	else if (strstr(meta, "v1"))
		lose_lines(1, "create wake destroy level acquire release thread process notify open close park unpark waker leg name state dequeue "
			"deadline exit end ", false);
	if (one_in(6)) {
		told = one_in(2);
		kinds = one_in(3) ? "wake level acquire release notify close waker park " : "create resume suspend destroy wake ";
		lose_lines(20 + draw(100), kinds, told);
	}
	if (with_scene && one_in(8)) {
		kinds = one_in(2) ? "thread process " : one_in(2) ? "wake " : "site wake notify ";
		lose_lines(one_in(2) ? 2 : 1, kinds, false);
	}
	for (int i = 1; one_in(3) && i < line_count; i++)
		if (one_in(30) && lines[i].us > 3000)
			lines[i].us -= draw(one_in(2) ? 3 : 2000);
}
#endif
