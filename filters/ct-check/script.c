/* script.c - commands for a driver, and the lines of the trace that have to come of each. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe.h"

void script_begin(struct script *s, const char *scene, int how, const char *const *options)
{
	*s = (struct script){ 0 };
	stage_start(&s->stage, scene, how, options);
	s->pid = s->stage.driver;
}

void script_end(struct script *s)
{
	stage_end(&s->stage);
}

void script_free(struct script *s)
{
	free(s->lines);
}

static enum answer say(struct script *s, const char *command, bool needed)
{
	enum answer a = stage_say(&s->stage, command);

	if (a == UNKNOWN && needed) {
		stage_kill(&s->stage, s->stage.driver);
		stage_end(&s->stage);
		stage_clean();
		ctt_die("ct-check", "the driver does not know what each has to", command);
	}
	return a;
}

static struct expected *expect(struct script *s, enum ctt_ev_kind kind, const struct actor *a)
{
	struct expected *e = ADD(s->lines, s->count, s->room);

	*e = (struct expected){ .kind = kind, .id = a->id, .tid = s->pid, .pid = s->pid, .times = 1 };
	s->events++;
	return e;
}

/* The site that an answer ends in. */
static void note_site(struct expected *e, const char *answer)
{
	const char *space = strrchr(answer, ' '), *word = space ? space + 1 : answer;

	if (strchr(word, ':'))
		snprintf(e->site, sizeof e->site, "%s", word);
}

enum answer say_create(struct script *s, int actor, const char *name)
{
	struct actor *a = &s->actors[actor];
	struct expected *e;
	char command[128];
	enum answer got;

	snprintf(command, sizeof command, "create %d%s%s", actor, name ? " " : "", name ? name : "");
	got = say(s, command, !name);
	if (got != ANSWERED)
		return got;
	*a = (struct actor){ .id = strtoull(s->stage.answer, NULL, 10), .n = 1, .lives = true };
	e = expect(s, CTT_EV_CREATE, a);
	e->n = 1;
	e->parent = s->running ? s->actors[s->running].id : 0;
	note_site(e, s->stage.answer);
	if (name) {
		e = expect(s, CTT_EV_NAME, a);
		snprintf(e->name, sizeof e->name, "%s", name);
	}
	return got;
}

/* resume, suspend and destroy */
static struct expected *own(
	struct script *s, int actor, enum ctt_ev_kind kind, const char *command)
{
	struct actor *a = &s->actors[actor];
	enum answer got = say(s, command, kind != CTT_EV_SUSPEND);
	struct expected *e;

	if (got != ANSWERED)
		return NULL;
	e = expect(s, kind, a);
	e->n = ++a->n;
	a->runs = kind == CTT_EV_RESUME;
	s->running = a->runs ? actor : s->running == actor ? 0 : s->running;
	a->on[0] = 0;
	return e;
}

void say_resume(struct script *s, int actor)
{
	char command[64];

	snprintf(command, sizeof command, "resume %d", actor);
	own(s, actor, CTT_EV_RESUME, command);
}

enum answer say_suspend(struct script *s, int actor, const char *on)
{
	char command[128];
	struct expected *e;

	snprintf(command, sizeof command, "suspend %d%s%s", actor, *on ? " " : "", on);
	e = own(s, actor, CTT_EV_SUSPEND, command);
	if (!e)
		return s->stage.failed ? NO_ANSWER : UNKNOWN;
	snprintf(e->on, sizeof e->on, "%s", on);
	snprintf(s->actors[actor].on, sizeof e->on, "%s", on);
	note_site(e, s->stage.answer);
	return ANSWERED;
}

void say_destroy(struct script *s, int actor, bool done)
{
	char command[64];
	struct expected *e;

	snprintf(command, sizeof command, "destroy %d %d", actor, done);
	e = own(s, actor, CTT_EV_DESTROY, command);
	if (e)
		e->done = done;
	s->actors[actor].lives = false;
}

enum answer say_wake(struct script *s, int actor, const char *on)
{
	char command[128];
	struct expected *e;
	enum answer got;

	snprintf(command, sizeof command, "wake %d %s", actor, on);
	got = say(s, command, false);
	if (got != ANSWERED)
		return got;
	e = expect(s, CTT_EV_WAKE, &s->actors[actor]);
	e->by = s->running ? s->actors[s->running].id : 0;
	snprintf(e->on, sizeof e->on, "%s", on);
	note_site(e, s->stage.answer);
	return got;
}

static void moved(struct script *s, int actor, uint64_t pairs, pid_t tid)
{
	struct actor *a = &s->actors[actor];
	struct expected *e = expect(s, CTT_EV_SUSPEND, a);

	e->times = pairs;
	e->n = a->n + 1;
	e->tid = tid;
	a->n += 2 * pairs;
	a->on[0] = 0;
	s->events += 2 * pairs - 1;
}

void say_flood(struct script *s, int actor, uint64_t pairs)
{
	char command[64];

	snprintf(command, sizeof command, "flood %d %" PRIu64, actor, pairs);
	if (say(s, command, true) == ANSWERED)
		moved(s, actor, pairs, s->pid);
}

enum answer say_thread(struct script *s, const char *name, int actor)
{
	char command[128];
	enum answer got;

	snprintf(command, sizeof command, "thread %s %d", name, actor);
	got = say(s, command, false);
	if (got == ANSWERED)
		moved(s, actor, 1, 0);
	return got;
}

enum answer say_fork(struct script *s)
{
	enum answer got = say(s, "fork", false);

	if (got == ANSWERED) {
		s->parent = s->pid;
		s->pid = (pid_t)strtol(s->stage.answer, NULL, 10);
		s->running = 0;
	}
	return got;
}

void say_exit_child(struct script *s)
{
	say(s, "exit", true);
	s->pid = s->parent;
	s->parent = 0;
	s->running = 0;
}

void say_waiting(struct script *s, int actor)
{
	say_create(s, actor, NULL);
	say_resume(s, actor);
	say_suspend(s, actor, "");
}
