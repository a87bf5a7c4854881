/* probe.h - ct-check --probe: is a probe as ctp(7) has it? promises.c holds what was found out,
 * stage.c runs the driver under a recorder, region.c looks into their shared memory, script.c gives
 * the driver commands and notes what has to come of them, verify.c compares that with the trace,
 * and scenes.c and scenes-life.c are the plays. proc.c reads /proc. */
#ifndef PROBE_H
#define PROBE_H

#include <sys/types.h>

#include "cttrace.h"

/* ---- promises.c ---- */

enum promise {
	EVENTS,
	NUMBERS,
	TIMES,
	THREADS,
	SITES,
	STRINGS,
	WAKES,
	WHOLE,
	LOSS,
	STATIONS,
	ROOM,
	BELL,
	RINGS,
	FORK,
	KINDS,
	VERSION,
	GONE,
	ALONE,
	PROMISES
};

/* Nothing was seen that speaks against it; says nothing where something else did. */
void keeps(enum promise);
/* Broken: a phrase of what was expected and what came. The first counts. */
void breaks(enum promise, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As above, and the line of the trace that shows it. */
void breaks_at(enum promise, const char *scene, const struct ctt_event *, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The driver does not know what it needs. */
void not_tried(enum promise, const char *command);
bool broken(enum promise);
/* Print one line a promise; the exit status. */
int print_promises(bool json);

/* ---- proc.c: what /proc tells of a process ---- */

/* A variable of the environment that it was started with; false: none, or it cannot be read. */
bool proc_environ(pid_t, const char *variable, char *value, size_t size);
/* Is it dead, though nobody has reaped it? */
bool proc_is_dead(pid_t);
/* Has the child a socket that is not its parent's? True where it cannot be known. */
bool proc_has_own_socket(pid_t child, pid_t parent);

/* ---- region.c: what ct-record and the driver share ---- */

struct region {
	struct ctp_header *h;
	struct ctp_ring *rings;
	size_t size, rings_size;
	void *rings_at;
};
/* The region that the environment of process `pid` names. */
bool region_open(struct region *, pid_t pid);
void region_close(struct region *);
/* Make it that of a recorder that knows kinds only as long as there have been any; of a later
 * version. */
void region_make_old(struct region *);
void region_make_later(struct region *);
bool region_sleeping(const struct region *);
/* Has the recorder read all? */
bool region_is_read(const struct region *);
/* A ring whose owner is that, 0 of tid: any thread but the main one. NULL: there is none. */
const struct ctp_ring *region_ring(const struct region *, pid_t, pid_t tid, bool retired);
/* The owner word of the first ring that has none of the processes `a` and `b` for its owner, 0:
 * there is none. */
uint64_t region_stranger(const struct region *, pid_t a, pid_t b);

/* ---- stage.c: a driver in a scene ---- */

enum answer { ANSWERED, UNKNOWN, NO_ANSWER };

enum { WITH_RECORDER, ALONE_AT_ALL, RECORDER_NOWHERE };

struct stage {
	const char *scene;
	pid_t child, driver;	/* ct-record, or the driver by itself */
	bool reaped;
	int how, status;	/* as of waitpid, when it has ended */
	int to, from;
	struct region region;
	char answer[1024];	/* behind the "ok " */
	/* it does not answer any more: why */
	bool failed;
	char why[300];
};

struct stage_options {
	char **driver;
	uint64_t timeout_ns;
	char recorder[4096];	/* ct-record */
	char folder[4096];	/* for its files */
};
extern struct stage_options stage_options;

/* ---- aftermath.c ---- */

/* From here on `clean` is called, by another process, when this one is over, be it killed; and the
 * last process group that was named is killed before. */
void aftermath_begin(void (*clean)(void));
void aftermath_group(pid_t);	/* 0: it is over */
void aftermath_end(void);	/* now, and wait for that */

/* Find ct-record, make the folder. Ends the program where it cannot. */
void stage_prepare(const char *argv0, char **driver, uint64_t timeout_ns);
void stage_clean(void);
/* The path of one of its files: trace, recorder, driver (what these two said), answers. */
const char *stage_file(const char *name);
/* What the recorder or the driver said, in the file of that name, on one line; NULL: nothing. */
const char *said(const char *name);
/* Start the driver, until it could attach. options: of ct-record, or NULL. */
void stage_start(struct stage *, const char *scene, int how, const char *const *options);
/* And let it. */
void stage_go(struct stage *);
/* One command. Where it fails, `failed` is set and all later ones fail at once. */
enum answer stage_say(struct stage *, const char *command);
/* The recorder stops, and goes on. */
void stage_stop(struct stage *);
void stage_continue(struct stage *);
/* It stops, and goes on so much later, while the driver is at its next command: then wait for the
 * process that it returns. */
pid_t stage_pause(struct stage *, unsigned ms);
void stage_kill(struct stage *, pid_t);
/* Wait until the condition holds: false, it did not. */
bool stage_wait(struct stage *, bool (*)(const struct region *));
void stage_sleep(unsigned ms);
/* Say "exit", unless the driver is dead, and wait for the end of all. */
void stage_end(struct stage *);

/* ---- script.c: commands, and what has to come of them ---- */

struct expected {
	enum ctt_ev_kind kind;
	uint64_t id, n, parent, by;
	pid_t tid, pid;		/* tid 0: another thread than the main one */
	bool done;
	uint64_t times;		/* as many pairs of resume and suspend */
	char on[64], site[256], name[64];
};

enum { ACTORS = 16 };
struct actor {
	uint64_t id, n;
	bool lives, runs;
	char on[64];
};

struct script {
	struct stage stage;
	struct expected *lines;
	size_t count, room;
	uint64_t events;	/* that they are */
	struct actor actors[ACTORS];
	int running;		/* an actor, 0 = none */
	pid_t pid, parent;	/* who takes the commands now, and who forked it */
};

void script_begin(struct script *, const char *scene, int how, const char *const *options);
void script_end(struct script *);	/* waits for the end of the scene */
void script_free(struct script *);
enum answer say_create(struct script *, int actor, const char *name);
void say_resume(struct script *, int actor);
/* It is created, runs and waits for what it does not say. */
void say_waiting(struct script *, int actor);
/* on: "" = not declared */
enum answer say_suspend(struct script *, int actor, const char *on);
enum answer say_wake(struct script *, int actor, const char *on);
void say_destroy(struct script *, int actor, bool done);
/* That many resumes and as many suspends. */
void say_flood(struct script *, int actor, uint64_t pairs);
enum answer say_thread(struct script *, const char *name, int actor);
enum answer say_fork(struct script *);
void say_exit_child(struct script *);

/* ---- verify.c ---- */

/* Is the trace line by line as was expected? Breaks or keeps EVENTS to WAKES, but in `charge`
 * those that are no matter of single lines. */
void verify_lines(struct script *, enum promise charge);
/* Of a trace with losses: is all accounted for, and the last state of each coroutine as was
 * expected? */
void verify_loss(struct script *);
/* Of a driver that was killed, or read meanwhile: is what came true? */
void verify_whole(struct script *);
/* The lines of the kinds, a set of CTT_KIND; of version 2 alone. */
uint64_t count_lines(uint64_t kinds);
/* Does a suspend wait for something of that kind? */
bool has_on(enum ctt_on_kind);

/* Did the driver come to the end of it? False: the promise in charge is broken. */
bool came_through(struct script *, enum promise charge);
/* The recorder's own words, where it read what cannot be, break the promise. */
void check_notices(enum promise, const char *scene);

/* ---- scenes-life.c: processes that come and go ---- */

void scene_forks(void);
void scene_old_recorder(void);		/* one that knows the first kinds alone */
void scene_later_version(void);
/* The recorder is killed: while it sleeps, and where a full ring waits for it. */
void scene_recorder_dies(const char *scene, const char *const *options);
void scene_alone(const char *scene, int how);

/* ---- scenes.c ---- */

int check_probe(char **driver, const char *argv0, uint64_t timeout_ns, bool json);

#endif
