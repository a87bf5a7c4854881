/* record.h - the parts of ct-record: region, clock, print, harvest, v1, process, target, boxes. It
 * knows nothing of analysis. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include "ctp.h"

#define HOLD_BACK_NS 50000u	/* newest part of every cut that waits for the next: ctp(7), "Order" */
#define FUTURE_NS 1000000000u	/* an event from further ahead than this cannot be true */

struct options {
	uint32_t v1_stations, rings, ring_slots;
	bool block, follow, quiet, stacks, no_syscalls;
	const char *output, *target_stdout;
	char **command;			/* or what is read instead of a program: */
	bool attach, box;		/* a running process, or what a box holds */
	pid_t pid;
	/* keep so much in memory, and write it `on` something; 0: record */
	uint64_t last_ns, hang_ns;
	enum { ON_CRASH = 1, ON_EXIT = 2, ON_SIGNAL = 4, ON_HANG = 8 } on;
	const char *directory;
	pid_t dump;			/* the recorder that is asked to; 0: none */
	const char *name, *file;	/* a regex; a box or a core; NULL: none */
};

struct options options_parse(int argc, char **argv);	/* exits where they are wrong */

/* ---- region.c: the shared memory, as this side knows it. Sizes are ours: nothing is read back
 * from the header. ---- */
struct region {
	char *base;
	uint64_t size;
	int fd, listener;
	struct ctp_header *h;
	struct ctp_v1_station *v1;
	struct ctp_ring *rings;
	struct ctp_event *slots, *stations;
	struct ctp_site *sites;
	char *strings;
	uint64_t strings_size;
	uint32_t v1_count, ring_count, ring_slots, station_count, site_count;
	bool membarrier, stacks;
	struct ctp_birth *births;
	struct ctp_header birth;	/* a box's, as it was checked */
	bool overwrites;	/* ours, of minor 3 */
	bool foreign;		/* its pids are not of our namespace */
	bool box, still;		/* still: an image, to which nothing is written any more */
	char dir[64], sock_path[96], shm_path[64];
};
/* Make it and the socket, which is removed at exit; false after a message. */
bool region_create(struct region *, const struct options *);
/* Remove socket and directory; async-signal-safe. */
void region_remove(const struct region *);

/* ---- record/extra/clock.c: the writers' ticks to CLOCK_MONOTONIC ns, by one function that never
 * falls ---- */
void clock_init(void);
bool clock_is_tsc(void);
uint64_t clock_ns(void);		/* CLOCK_MONOTONIC */
uint64_t clock_ticks(void);		/* what a writer would read now */
/* the same, and up to there clock_to_ns() knows of any sleep of the machine */
uint64_t clock_cut(void);
/* ns that it slept, as found by clock_cut() since the last call */
uint64_t clock_slept(void);
uint64_t clock_to_ns(uint64_t ticks);
uint64_t clock_from_ns(uint64_t ns_span);	/* a span */
/* The writers' clock is that of a box's header; now: of this boot, so that our own clock counts
 * on. */
void clock_use(const struct ctp_header *, bool now);
void clock_tick(void);			/* call now and then: follows CLOCK_MONOTONIC's slewing */

/* ---- print.c: JSON lines into one buffer ---- */
struct totals {
	uint64_t events, lost, states;
	uint64_t lines[CTP_KINDS], sites;	/* printed, by kind; site lines */
	uint64_t v1;		/* lines of version 1 stations */
	uint64_t before;	/* of lost: what a box had overwritten before we came */
	uint64_t impossible;	/* records that cannot be true */
	uint64_t unreadable;	/* strings, sites and call stacks that cannot */
	uint64_t stacks;	/* printed */
	uint64_t unconnected;	/* processes that wrote without a connection */
	/* as the writers counted; known at the end */
	uint64_t no_ring, no_station, no_string, no_stack, no_v1_station;
};
extern struct totals totals;
void print_open(int fd);
bool print_failed(void);		/* nobody can read it any more */
void print_flush(void);		/* have written what is buffered */
/* the same, and wait for it; false when the trace could not be written */
bool print_close(void);
/* wall: CLOCK_REALTIME at ts; more: members of it, begun by a comma, or "". */
void print_meta(char *const *command, uint64_t ts, uint64_t wall, const char *more);
void print_attach(uint64_t ts, uint64_t live, uint64_t states, uint64_t history, uint64_t before);
uint64_t wall_ns(void);
void print_process(uint64_t ts, uint32_t pid, uint32_t ppid, const char *path);
void print_process_end(uint64_t ts, pid_t pid, uint64_t alive);
void print_map(uint64_t ts, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset,
	const char *path, const char *build_id);
void print_name(uint64_t ts, uint64_t id, const char *name);
/* who: "tid", "probe_id" or NULL */
void print_lost(const char *who, uint64_t id, uint64_t count, uint64_t from, uint64_t to);
void print_sync(uint64_t ts, uint64_t slept);	/* slept: ns, 0 for not */
/* alive: last seen to be. status -1: it is not known how it ended. */
void print_exit(uint64_t ts, pid_t pid, int status, uint64_t alive);
void print_end(uint64_t ts, bool all_states);

/* ---- event.c: the lines of events ---- */
void event_init(const struct region *);
/* A version 2 record (a private copy; ts already ns) of that process (0: not known). state: print
 * it as a station's. Counts it when it cannot be true. */
void print_event(
	const struct region *, const struct ctp_event *, uint64_t ts, uint32_t pid, bool state);
/* as its create and name would be */
void print_birth(const struct region *, const struct ctp_birth *, uint64_t ts);
void print_v1(uint64_t id, const struct ctp_event *, uint64_t n);
void print_v1_life(uint64_t id, uint64_t ts, bool born);

/* ---- record/extra/stack.c: the lines of call stacks ---- */
void stack_init(const struct region *);
/* The number of the event's call stack, printed by now; 0: it has none, or none was asked for. pid:
 * as print_event. */
uint32_t stack_told(const struct region *, const struct ctp_event *, uint32_t pid);

/* ---- harvest.c: the rings and stations of version 2 ---- */
void harvest_init(const struct region *);
/* Print everything up to the hold-back. Returns the number of events. */
uint64_t harvest(const struct region *);
void harvest_save_memory(bool);		/* give back that of rings whose threads end */
void harvest_reap(const struct region *);	/* retire the rings of threads that are gone */
/* those of a process that is gone: pid as in owner */
void harvest_retire(const struct region *, uint32_t pid);
/* Ring i of a box, which was written to before we came: it is read from tail on; told: as the
 * ring's. */
void harvest_adopt(uint32_t i, uint64_t tail, uint64_t told);
/* Copy a station that may be written to; false: it holds none, or half of one. */
bool harvest_station(const struct ctp_event *, struct ctp_event *copy);
/* the first from i on that lies in no hole */
uint64_t harvest_written_station(const struct region *, uint64_t i);
uint32_t harvest_rings(const struct region *);
uint64_t harvest_tail(uint32_t i);		/* events of ring i below it are printed */
/* Call it where a process records again, since `ticks`, before that is printed. */
void harvest_on_start(void (*)(const struct region *, uint64_t ticks));
/* Is that coroutine from before the process's probe was switched off, and on again? Then nothing is
 * known of it. */
bool harvest_forgotten(const struct region *, uint64_t id);
/* The first position of ring i from `low` on that is no older than `from`. */
uint64_t harvest_since(const struct region *, uint32_t i, uint64_t low, uint64_t from);
const struct ctp_event *harvest_slot(const struct region *, uint32_t i, uint64_t position);
bool harvest_pending(const struct region *);	/* is anything published and not read? */
bool harvest_states(const struct region *);	/* `state` lines of live coroutines; true: of all */
void harvest_end(const struct region *);	/* what the writers counted */

/* ---- record/extra/v1.c ---- */
void v1_init(const struct region *);
uint64_t v1_scan(const struct region *);
void v1_end(const struct region *);	/* the rest */

/* ---- record/extra/process.c ---- */
/* number: as the trace names it, its pid but for one of another pid namespace. again: it has
 * attached, anew where it was known (exec). Else an event of it was read. */
void process_seen(uint32_t number, pid_t pid, bool again);
bool process_known(uint32_t number);
void process_forget(uint32_t number);	/* it has ended: the next one of this number is another */
/* Its arguments as /proc has them, each ended by a 0, no more than size - 1 bytes; the text is
 * terminated. Returns their length. */
size_t process_arguments(pid_t, char *text, size_t size);
void process_command(pid_t, struct options *);	/* becomes the command */
/* is that inode of a pid namespace another than ours? */
bool process_is_foreign(uint64_t pid_ns);
uint32_t process_inner(pid_t);		/* its number in the innermost namespace that it is in */
void boot_id(uint8_t id[16]);		/* left alone where it is not known */
bool process_is_inner(pid_t pid);	/* does it live in another pid namespace than we do? */
/* Before a call stack is printed: where a frame lies in no code printed of that process, see what
 * it has mapped since. */
void process_code(uint32_t number, const uint64_t *frames, unsigned count);
bool process_lives(pid_t);		/* neither stopped nor on its way out */
bool process_is_go(pid_t);		/* a program that Go's linker made? */
bool process_exists(pid_t);		/* it may be stopped */
/* has it a file of ours, by that inode, in its memory? */
bool process_maps(pid_t, uint64_t inode);

/* ---- peer.c: the connections ---- */
bool peer_init(const struct region *);	/* false after a message */
/* in the program, before exec: its limits are its own again */
void peer_forked(void);
void peer_accept(void);			/* whoever waits for it */
/* the same, and answer them, if the last time is a while ago */
void peer_serve(uint64_t now);
/* until something comes over a socket, a child changes, or so long */
void peer_wait(uint64_t ns);
/* an event names the process: print it first, be it connected or not */
void peer_meet(uint32_t number);
void peer_look(uint64_t now);		/* note who lives */
/* of those gone: print it, free their rings; call it often */
void peer_reap(uint64_t now);
bool peer_following(void);		/* is there one that still may write? */
bool peer_attached(void);		/* was there ever one? */

/* ---- record/box: exit statuses ---- */
int attach(struct options *);		/* -p PID, --name */
int dump(struct options *);		/* --box */
int watch(struct options *);		/* --last */
int watch_ask(pid_t);			/* --dump */

/* ---- record/extra/memory.c: the cgroup's memory ---- */
uint64_t memory_limit(void);		/* bytes, UINT64_MAX: none */
bool memory_short(void);		/* is it nearly used up? After memory_limit() */

/* ---- notice.c: on stderr ---- */
void notice_memory(bool is_short);	/* once */
/* once, when none has attached for a while; call it often */
void notice_no_probe(uint64_t now, pid_t target);
void notice_losses(const struct options *);	/* at the end: what the trace's reader will miss */

/* ---- target.c ---- */
/* -1: could not; *exit status in target_error */
pid_t target_start(const struct region *, const struct options *);
extern int target_error;
extern volatile sig_atomic_t target_changed;	/* SIGCHLD came */
/* a signal to end came when the target was gone already */
extern volatile sig_atomic_t target_stop;
bool target_ended(int *status);			/* reaps it */
pid_t target_pid(void);				/* 0: it has ended */

/* "ct-record: ...\n" on stderr */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
