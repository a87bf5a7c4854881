/* scenes-life.c - the scenes of processes that come and go: children, other recorders, none. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#include "probe.h"

/* The child uses what its parent has made, and goes on by itself. */
static void in_child(struct script *s)
{
	struct actor *parents = &s->actors[1];
	struct actor before = *parents;
	size_t count = s->count;
	uint64_t events = s->events;

	say_resume(s, 1);	/* its parent's: not for the child to report */
	say_suspend(s, 1, "");
	*parents = before;
	s->count = count;
	s->events = events;
	s->running = 0;
	say_waiting(s, 2);
	say_create(s, 3, NULL);
	if (s->stage.failed)
		return;
	if (s->actors[2].id == parents->id || s->actors[3].id == parents->id)
		breaks(FORK, "the child gives its coroutine %" PRIu64 ", an id of its parent's",
			parents->id);
	if (!region_ring(&s->stage.region, s->pid, s->pid, false))
		breaks(FORK, "no ring's owner is the child, 0x%lx%08lx", (long)s->pid, (long)s->pid);
	if (!proc_has_own_socket(s->pid, s->parent))
		breaks(FORK, "the child has no connection of its own");
	say_flood(s, 2, 50);
	say_destroy(s, 3, false);
	say_exit_child(s);
}

void scene_forks(void)
{
	struct script s;

	script_begin(&s, "fork", WITH_RECORDER, NULL);
	stage_go(&s.stage);
	say_waiting(&s, 1);
	if (say_fork(&s) == UNKNOWN) {
		not_tried(FORK, "fork");
		script_end(&s);
		return script_free(&s);
	}
	in_child(&s);
	say_flood(&s, 1, 5);
	say_waiting(&s, 4);
	script_end(&s);
	if (came_through(&s, FORK))
		verify_lines(&s, FORK);
	script_free(&s);
}

/* A recorder that knows the first kinds alone. */
void scene_old_recorder(void)
{
	enum answer dequeue, wait;
	struct script s;

	script_begin(&s, "an older recorder", WITH_RECORDER, NULL);
	region_make_old(&s.stage.region);
	stage_go(&s.stage);
	say_waiting(&s, 1);
	dequeue = stage_say(&s.stage, "dequeue 1");
	say_resume(&s, 1);
	wait = say_suspend(&s, 1, "room:0x0000000000001000");
	script_end(&s);
	if (came_through(&s, KINDS)) {
		if (dequeue == UNKNOWN && wait == UNKNOWN)
			not_tried(KINDS, "dequeue\", \"suspend 1 room:0x0000000000001000");
		else
			keeps(KINDS);
		if (count_lines(CTT_KIND(DEQUEUE)))
			breaks(KINDS, "a dequeue event (kind 19) where the recorder's kinds is 0: 19");
		if (has_on(CTT_ON_ROOM))
			breaks(KINDS, "arg_kind room (10) where the recorder's on_kinds is 0: 10");
	}
	script_free(&s);
}

void scene_later_version(void)
{
	struct script s;
	uint64_t lines;

	script_begin(&s, "another minor", WITH_RECORDER, NULL);
	region_make_later(&s.stage.region);
	stage_go(&s.stage);
	say_waiting(&s, 1);
	say_flood(&s, 1, 50);
	script_end(&s);
	if (came_through(&s, VERSION)) {
		lines = count_lines(CTT_KIND(RESUME) | CTT_KIND(SUSPEND));
		if (lines)
			breaks(VERSION, "%" PRIu64 " events in rings of a region whose v2_minor is 99",
				lines);
		keeps(VERSION);
	}
	script_free(&s);
}

/* The recorder is killed: while it sleeps, and where a full ring waits for it. */
void scene_recorder_dies(const char *scene, const char *const *options)
{
	struct script s;

	script_begin(&s, scene, WITH_RECORDER, options);
	stage_go(&s.stage);
	say_waiting(&s, 1);
	stage_wait(&s.stage, region_sleeping);
	stage_stop(&s.stage);
	stage_kill(&s.stage, s.stage.child);
	stage_sleep(20);
	say_flood(&s, 1, 5000);
	say_waiting(&s, 2);
	script_end(&s);
	came_through(&s, GONE);
	script_free(&s);
}

void scene_alone(const char *scene, int how)
{
	struct script s;
	const char *words;

	script_begin(&s, scene, how, NULL);
	stage_go(&s.stage);
	say_waiting(&s, 1);
	say_thread(&s, "worker", 1);
	say_flood(&s, 1, 50);
	say_resume(&s, 1);
	say_destroy(&s, 1, true);
	script_end(&s);
	words = said("driver");
	if (came_through(&s, ALONE) && s.stage.status)
		breaks(ALONE, "the driver ends with status %d (scene \"%s\")%s%s",
			WIFEXITED(s.stage.status) ? WEXITSTATUS(s.stage.status) :
						    128 + WTERMSIG(s.stage.status),
			scene, words ? "; it says: " : "", words ? words : "");
	else if (how == ALONE_AT_ALL && words)
		breaks(ALONE, "the driver says on stderr, where nobody asked for anything: %s", words);
	script_free(&s);
}
