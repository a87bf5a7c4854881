/* scenes.c - what a driver is made to do, one scene a promise or several. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/stdout.h"
#include "probe.h"

#define OPTIONS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Everything once, with a recorder that keeps up. */
static void one_by_one(void)
{
	struct script s;
	char on[64];

	script_begin(&s, "one by one", WITH_RECORDER, NULL);
	stage_go(&s.stage);
	say_create(&s, 1, NULL);
	say_resume(&s, 1);
	say_create(&s, 2, NULL);
	say_suspend(&s, 1, "fd:7");
	if (say_wake(&s, 1, "fd:7") == UNKNOWN)
		not_tried(WAKES, "wake");
	say_resume(&s, 1);
	say_wake(&s, 2, "chan:0x0000000000001000");
	say_suspend(&s, 1, "chan:0x0000000000001000");
	say_resume(&s, 2);
	snprintf(on, sizeof on, "coro:%" PRIu64, s.actors[1].id);
	say_suspend(&s, 2, on);
	if (say_create(&s, 3, "tea") == UNKNOWN)
		not_tried(STRINGS, "create 3 tea");
	else
		say_resume(&s, 3), say_suspend(&s, 3, "user:more tea");
	say_thread(&s, "worker", 1);
	say_resume(&s, 1);
	say_suspend(&s, 1, "mutex:0x0000000000002000");
	say_flood(&s, 1, 20);
	say_resume(&s, 1);
	say_destroy(&s, 1, true);
	say_destroy(&s, 2, false);
	say_waiting(&s, 4);
	script_end(&s);
	if (came_through(&s, EVENTS))
		verify_lines(&s, EVENTS);
	if (!broken(EVENTS) && !broken(NUMBERS) && !broken(SITES) && !broken(STRINGS))
		check_notices(EVENTS, s.stage.scene);
	script_free(&s);
}

/* A full ring, and what goes on behind it: the lost event, or nothing more. */
static void loss(const char *scene, bool goes_on)
{
	struct script s;

	script_begin(&s, scene, WITH_RECORDER, OPTIONS("--ring-slots=64"));
	stage_go(&s.stage);
	say_waiting(&s, 1);
	say_waiting(&s, 2);
	say_waiting(&s, 3);
	stage_wait(&s.stage, region_is_read);
	stage_stop(&s.stage);
	say_flood(&s, 1, 1000);
	say_create(&s, 4, NULL);
	say_resume(&s, 4);
	say_suspend(&s, 4, "fd:7");
	say_destroy(&s, 2, false);
	say_resume(&s, 3);
	if (goes_on) {
		stage_continue(&s.stage);
		stage_wait(&s.stage, region_is_read);
		say_suspend(&s, 3, "fd:8");
		say_flood(&s, 1, 2);
		say_resume(&s, 1);
	}
	script_end(&s);
	if (came_through(&s, LOSS)) {
		verify_loss(&s);
		if (!broken(STATIONS) && !broken(SITES) && !broken(STRINGS))
			check_notices(LOSS, s.stage.scene);
	}
	script_free(&s);
}

static void room(void)
{
	struct script s;
	pid_t waker;

	script_begin(&s, "a full ring waits", WITH_RECORDER,
		OPTIONS("--ring-slots=64", "--on-full=block"));
	stage_go(&s.stage);
	say_waiting(&s, 1);
	waker = stage_pause(&s.stage, 100);
	say_flood(&s, 1, 3000);
	waitpid(waker, NULL, 0);
	script_end(&s);
	if (came_through(&s, ROOM))
		verify_lines(&s, ROOM);
	script_free(&s);
}

/* The recorder reads while the same slots are written again and again. */
static void read_meanwhile(void)
{
	struct script s;

	script_begin(&s, "read meanwhile", WITH_RECORDER, OPTIONS("--ring-slots=64"));
	stage_go(&s.stage);
	say_waiting(&s, 1);
	for (int i = 0; i < 5; i++)
		say_flood(&s, 1, 4000);
	script_end(&s);
	if (came_through(&s, WHOLE)) {
		verify_whole(&s);
		if (!broken(LOSS) && !broken(SITES) && !broken(STRINGS))
			check_notices(WHOLE, s.stage.scene);
	}
	script_free(&s);
}

/* Killed by SIGKILL at some moment. */
static void killed(unsigned after_ms)
{
	struct script s;

	script_begin(&s, "killed", WITH_RECORDER, NULL);
	stage_go(&s.stage);
	say_waiting(&s, 1);
	if (!s.stage.failed)
		dprintf(s.stage.to, "flood 1 100000000\n");
	stage_sleep(after_ms);
	if (came_through(&s, WHOLE)) {
		stage_kill(&s.stage, s.stage.driver);
		script_end(&s);
		verify_whole(&s);
		if (!broken(SITES) && !broken(STRINGS))
			check_notices(WHOLE, s.stage.scene);
	} else {
		script_end(&s);
	}
	script_free(&s);
}

static void whole(void)
{
	read_meanwhile();
	for (unsigned i = 0; i < 4 && !broken(WHOLE); i++)
		killed(20 + 13 * i);
	keeps(WHOLE);
}

/* Whoever swaps tracer_sleeping from 1 to 0 wakes it: seen where the recorder, stopped, cannot. */
static void bell(void)
{
	bool asleep = false, rang = false;
	struct script s;

	script_begin(&s, "asleep", WITH_RECORDER, NULL);
	stage_go(&s.stage);
	say_create(&s, 1, NULL);
	for (int i = 0; i < 50 && !asleep && stage_wait(&s.stage, region_sleeping); i++) {
		stage_stop(&s.stage);
		asleep = region_sleeping(&s.stage.region);
		if (!asleep)
			stage_continue(&s.stage);
	}
	say_resume(&s, 1);
	rang = !region_sleeping(&s.stage.region);
	say_suspend(&s, 1, "");
	script_end(&s);
	if (came_through(&s, BELL)) {
		if (asleep && !rang)
			breaks(BELL, "the recorder sleeps, and an event leaves tracer_sleeping 1");
		else if (asleep)
			verify_lines(&s, BELL);
	}
	script_free(&s);
}

/* What the owner words of the rings say, while nobody reads. */
static void owners(struct script *s)
{
	struct stage *st = &s->stage;
	uint64_t stranger = region_stranger(&st->region, s->pid, s->pid);

	if (st->failed)
		return;
	if (stranger)
		breaks(THREADS, "the owner of a ring is 0x%016" PRIx64
			", expected pid << 32 | tid of process 0x%lx", stranger, (long)s->pid);
	else if (!region_ring(&st->region, s->pid, s->pid, false))
		breaks(THREADS, "no ring's owner is the main thread, pid << 32 | tid: 0x%lx%08lx",
			(long)s->pid, (long)s->pid);
	else if (region_ring(&st->region, s->pid, 0, false) ||
		!region_ring(&st->region, s->pid, 0, true))
		breaks(RINGS, "a thread has ended, and the owner of its ring is not "
			"pid << 32 | tid with the top bit");
	keeps(THREADS);
}

/* More threads, one after another, than there are rings. */
static void threads(void)
{
	char name[16] = "w0";
	struct script s;

	script_begin(&s, "threads end", WITH_RECORDER, OPTIONS("--threads=4"));
	stage_go(&s.stage);
	say_waiting(&s, 1);
	stage_wait(&s.stage, region_is_read);
	stage_stop(&s.stage);
	if (say_thread(&s, name, 1) == UNKNOWN) {
		not_tried(RINGS, "thread");
		not_tried(THREADS, "thread");
		script_end(&s);
		return script_free(&s);
	}
	owners(&s);
	stage_continue(&s.stage);
	for (int i = 1; i < 20; i++) {
		stage_wait(&s.stage, region_is_read);
		stage_sleep(20);	/* it frees a ring when it has read it */
		snprintf(name, sizeof name, "w%d", i);
		say_thread(&s, name, 1);
	}
	script_end(&s);
	if (came_through(&s, RINGS))
		verify_lines(&s, RINGS);
	script_free(&s);
}

/* Does it take commands at all? What is wrong is kept for who asks. */
static bool answers(int how, char why[300])
{
	struct script s;
	bool good;

	script_begin(&s, "first words", how, NULL);
	stage_go(&s.stage);
	say_create(&s, 1, NULL);
	good = !s.stage.failed;
	snprintf(why, 300, "%.290s", s.stage.why);
	script_end(&s);
	script_free(&s);
	return good;
}

int check_probe(char **driver, const char *argv0, uint64_t timeout_ns, bool json)
{
	char why[300];
	int status;

	stage_prepare(argv0, driver, timeout_ns);
	if (!answers(WITH_RECORDER, why) && !answers(ALONE_AT_ALL, why)) {
		stage_clean();
		ctt_die("ct-check", driver[0], why);
	}
	one_by_one();
	threads();
	loss("more than a ring holds", true);
	loss("more than a ring holds, at the end", false);
	room();
	whole();
	bell();
	scene_forks();
	scene_old_recorder();
	scene_later_version();
	scene_recorder_dies("the recorder is killed", OPTIONS("--ring-slots=64"));
	scene_recorder_dies("the recorder is killed, a full ring waits",
		OPTIONS("--ring-slots=64", "--on-full=block"));
	keeps(GONE);
	scene_alone("no recorder", ALONE_AT_ALL);
	scene_alone("a recorder that is not there", RECORDER_NOWHERE);
	keeps(ALONE);
	stage_clean();
	status = print_promises(json);
	return stdout_close("ct-check") ? status : 2;
}
