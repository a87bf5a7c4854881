/* ct.h - the corotrace probe for C (and the base of the C++ one): report to a recorder what your
 * coroutines do.
 *
 * Drop ct.h and ct.c in their drop-in form (build/dropin) into your program, or link libct. Then,
 * in a scheduler:
 *
 *	ct_init();						once, before threads start
 *	ct_create(&co->ct, parent, CT_HERE, co, "conn");	a coroutine is born
 *	ct_resume(&co->ct);					right before it runs
 *	ct_suspend(&co->ct, CT_HERE, ct_fd(fd));		before anybody else can resume it
 *	ct_wake(id, ct_fd(fd));					before it is put on a run queue
 *	ct_destroy(&co->ct, 1);					it ended (1) or was cancelled (0)
 *	ct_park(queue_length); ct_unpark(queue_length);		around a worker's sleep
 *	ct_thread(CT_WORKER, "worker 1");			each worker thread, once
 *
 * ct_box("1") in the place of ct_init() keeps the last events for a recorder that comes when
 * something is wrong; ct_stop() and ct_start() leave out what is of no interest.
 *
 * Run untraced, every call is one predicted branch. Nothing here throws, allocates (after a
 * thread's first event), locks, raises a signal or changes errno. All calls are thread-safe; the
 * calls for one coroutine (create, resume, suspend, destroy, name) must be ordered by its
 * scheduler, as its resumption itself must be.
 *
 * Where the recorder asks for it (ct-record --stacks), suspends and wakes carry the call stack from
 * where they were called, found by the compiler's unwind tables: some nanoseconds a frame, about a
 * kilobyte of stack, on whichever stack it is. A function that ends in ct_suspend() or a call may
 * have left the stack by then: compilers jump there. Let a stack that you make by hand end in a
 * return address of 0, lest what lies above it be taken for callers.
 */
#ifndef CT_H
#define CT_H

#include <stddef.h>
#include <stdint.h>

/* A C++ header that has ct.c in it may be in several libraries of a process, of which each was built
 * with another edition of it: what they share is by the name of the edition, lest one take another's
 * memory for its own. */
#if defined __cplusplus && defined CT_HEADER_ONLY
#ifndef CT_EDITION
#define CT_EDITION ct_edition
#endif
inline namespace CT_EDITION {
#elif defined __cplusplus
#define CT_LANGUAGE_C_
extern "C" {
#endif

/* A coroutine's probe: put one, zeroed, where the coroutine lives. Zero id = not traced. Only ct.c
 * writes it. */
struct ct_coro {
	uint64_t id;		/* probe_id in the trace; unique for the recording, never reused */
	uint64_t last_ts;	/* so that its times never fall, whichever threads it runs on */
	uint64_t frame;
	uint64_t n;		/* its own events so far */
	uint32_t station;	/* 1 + index of its station, 0 = none */
};

/* A source location, interned at its first use. CT_HERE makes one for the line it stands on. */
struct ct_site {
	const char *func, *file;	/* must stay valid */
	uint32_t line;
	uint32_t index;			/* atomic; 0 until interned */
};
#define CT_HERE (__extension__({ static struct ct_site ct_site_ = { __func__, __FILE__, __LINE__, 0 }; &ct_site_; }))
#define CT_NOWHERE ((struct ct_site *)0)

/* What is waited on, closed, woken for: a kind and a value that names one thing of that kind. */
struct ct_on {
	uint64_t value;
	const char *text;	/* CT_ON_USER only; copied */
	uint8_t kind;		/* enum ctp_on of ctp.h, or CTP_ON_ANY with it */
};
/* These values equal enum ctp_on; ct.c asserts it. */
enum {
	CT_ON_NONE,
	CT_ON_CORO,
	CT_ON_FD,
	CT_ON_TIMER,
	CT_ON_MUTEX,
	CT_ON_COND,
	CT_ON_SEM,
	CT_ON_CHAN,
	CT_ON_JOIN,
	CT_ON_USER,
	CT_ON_ROOM
};

static inline struct ct_on ct_on_make(uint8_t kind, uint64_t value)
{
	struct ct_on on;
	on.value = value;
	on.text = NULL;
	on.kind = kind;
	return on;
}
static inline struct ct_on ct_nothing(void) { return ct_on_make(CT_ON_NONE, 0); }
static inline struct ct_on ct_fd(int fd) { return ct_on_make(CT_ON_FD, (uint64_t)(unsigned)fd); }
/* CLOCK_MONOTONIC */
static inline struct ct_on ct_timer(uint64_t deadline_ns)
{
	return ct_on_make(CT_ON_TIMER, deadline_ns);
}
static inline struct ct_on ct_mutex(const void *p) { return ct_on_make(CT_ON_MUTEX, (uintptr_t)p); }
static inline struct ct_on ct_cond(const void *p) { return ct_on_make(CT_ON_COND, (uintptr_t)p); }
static inline struct ct_on ct_sem(const void *p) { return ct_on_make(CT_ON_SEM, (uintptr_t)p); }
static inline struct ct_on ct_chan(const void *p) { return ct_on_make(CT_ON_CHAN, (uintptr_t)p); }
/* room in that channel, where ct_chan of it is its items: who waits to send, and how much is free */
static inline struct ct_on ct_room(const void *p) { return ct_on_make(CT_ON_ROOM, (uintptr_t)p); }
/* awaits its result */
static inline struct ct_on ct_await(uint64_t id) { return ct_on_make(CT_ON_CORO, id); }
/* waits for its end */
static inline struct ct_on ct_join(uint64_t id) { return ct_on_make(CT_ON_JOIN, id); }
/* kind known, object not */
static inline struct ct_on ct_any(uint8_t kind) { return ct_on_make((uint8_t)(kind | 0x80), 0); }
/* your own words; interned, so keep them few */
static inline struct ct_on ct_user(const char *text)
{
	struct ct_on on = ct_on_make(CT_ON_USER, 0);
	on.text = text;
	return on;
}

/* One of several things that a coroutine waits for, and where: {ct_chan(q), CT_HERE}, or NULL and a
 * number of ct_intern_site. */
struct ct_leg {
	struct ct_on on;
	struct ct_site *here;
	uint32_t site;
};

enum ct_role { CT_OTHER, CT_WORKER, CT_BLOCKING };
#define CT_DEPTH_UNKNOWN (~(uint64_t)0)

/* atomic `on`: nonzero while events are recorded. Use ct_enabled(). Alone in its page, so that a
 * recorder which comes later can be given the page, and ask for a box. */
#if defined __aarch64__
#define CT_PAGE_ 65536
#else
#define CT_PAGE_ 4096
#endif
struct ct_flag_page_ { int on; char rest[CT_PAGE_ - sizeof(int)]; };
extern struct ct_flag_page_ ct_flag_ __attribute__((aligned(CT_PAGE_)));
#define ct_enabled() __builtin_expect(__atomic_load_n(&ct_flag_.on, __ATOMIC_RELAXED) != 0, 0)

/* Attach to the recorder named in the environment (CTP_SHM_PATH, CTP_SOCK_PATH, CTP_MAX_STATIONS),
 * or make a box where CTP_BOX says so. Returns 1 when events are recorded from now on, 0 when not;
 * prints why in one line on stderr only where something was asked for and could not be done.
 * Idempotent. Call before threads start if you can (registering membarrier is slow afterwards). A
 * forked child goes on by itself with rings of its own. Where nothing was asked for, ct-record -p
 * can still ask for a box later; with CTP_BOX=0 it cannot. */
int ct_init(void);

/* As ct_init(), and where no recorder is named keep a black box: the last events of each thread and
 * the state of every coroutine, in memory of this process that ct-record -p and --box read, also
 * when it has crashed. how: what CTP_BOX would say, which goes first where it is set: "1", in
 * memory, or "/DIR", in a file there, which outlives kill -9; behind it, if you like,
 * ",threads=256,slots=16384,coroutines=4194304". NULL is "1". Called before the coroutines are made
 * it knows them all; those that are older it sees when they move. A process whose recorder has died
 * gets none. */
int ct_box(const char *how);

/* Stop recording: until ct_start() what coroutines do is counted and not recorded, while the state
 * of each is kept; a call costs less than a recorded one, not nothing. The trace shows both moments,
 * and the state of all at the second, so that what was missed is known to be missing. For this
 * process only; a call of another thread's that is under way belongs to either side. Not for signal
 * handlers. */
void ct_stop(void);
/* Go on; and where nothing is recorded at all, as ct_box(NULL). Returns 1 when events are recorded
 * from now on. */
int ct_start(void);

/* Write the box into a file that ct-record --box reads, as it is now: for an operator's demand, or
 * a handler of SIGSEGV, where it may be called. 0, or a negative errno: -ENOENT, there is no box
 * (under ct-record there is none); -EBUSY, another thread is at it; -EINVAL, by that name there is
 * something else than a regular file; -ENOSPC, -EFBIG ..., there is no file then. */
int ct_dump(const char *file);

void ct_create_(
	struct ct_coro *, uint64_t parent, struct ct_site *, const void *frame, const char *name);
void ct_resume_(struct ct_coro *);
void ct_suspend_(struct ct_coro *, struct ct_site *, struct ct_on);
void ct_suspend_legs_(struct ct_coro *, struct ct_site *, uint32_t site, int all,
	const struct ct_leg *, size_t count);
void ct_waits_(struct ct_site *, uint32_t site, struct ct_on);
void ct_runs_(uint64_t id);
void ct_switch_(struct ct_coro *from, struct ct_coro *to, struct ct_site *);
void ct_wake_(uint64_t id, struct ct_site *, struct ct_on);
void ct_wake_for_(uint64_t by, uint64_t id, struct ct_on, struct ct_site *);
void ct_destroy_(struct ct_coro *, int done);
void ct_name_(struct ct_coro *, const char *);
void ct_open_(struct ct_on, const char *name, struct ct_site *);
void ct_close_(struct ct_on, struct ct_site *);
void ct_notify_(struct ct_on, uint64_t woken, struct ct_site *);
void ct_level_(struct ct_on, uint64_t value);
void ct_level_for_(uint64_t id, struct ct_on, uint64_t value);
void ct_acquire_(struct ct_on, struct ct_site *);
void ct_release_(struct ct_on, struct ct_site *);
void ct_acquire_for_(uint64_t id, struct ct_on, struct ct_site *);
void ct_release_for_(uint64_t id, struct ct_on, struct ct_site *);
void ct_dequeue_(uint64_t id, struct ct_site *);
void ct_deadline_(uint64_t id, uint64_t deadline_ns, struct ct_site *);
void ct_waker_clone_(uint64_t id);
void ct_waker_drop_(uint64_t id);
void ct_park_(uint64_t depth);
void ct_unpark_(uint64_t depth);
void ct_thread_(enum ct_role, const char *name);
void ct_callback_(struct ct_site *);

/* Intern a source location that is known only at run time. 0 = none. A hit, by the two pointers and
 * the line, costs a few ns; so func and file must stay valid and unchanged, as literals do. Never
 * locks. */
uint32_t ct_intern_site(const char *func, const char *file, uint32_t line);
/* As the calls of those names below, for such a location: in a scheduler CT_HERE is always the same
 * helper, and its caller is who is to blame. What the caller knows as literals goes through
 * ct_intern_site; 0 is no site. They look themselves whether events are recorded. */
void ct_create_at(
	struct ct_coro *, uint64_t parent, uint32_t site, const void *frame, const char *name);
void ct_suspend_at(struct ct_coro *, uint32_t site, struct ct_on);
void ct_wake_at(uint64_t id, uint32_t site, struct ct_on);
void ct_open_at(struct ct_on, const char *name, uint32_t site);
void ct_close_at(struct ct_on, uint32_t site);
void ct_notify_at(struct ct_on, uint64_t woken, uint32_t site);
void ct_acquire_at(struct ct_on, uint32_t site);
void ct_release_at(struct ct_on, uint32_t site);
void ct_acquire_for_at(uint64_t id, struct ct_on, uint32_t site);
void ct_release_for_at(uint64_t id, struct ct_on, uint32_t site);
void ct_dequeue_at(uint64_t id, uint32_t site);
void ct_deadline_at(uint64_t id, uint64_t deadline_ns, uint32_t site);

/* probe_id of the coroutine that this thread runs by the probe's own reckoning (last resumed, not
 * suspended), or 0. */
uint64_t ct_current(void);

/* A coroutine was created. parent: probe_id of its creator or 0; frame: any address that names it
 * in a debugger; name: copied, may be NULL. Sets c->id. */
#define ct_create(c, parent, site, frame, name)	do { if (ct_enabled()) ct_create_(c, parent, site, frame, name); } while (0)
/* It runs from now on, on this thread. */
#define ct_resume(c)		do { if (ct_enabled()) ct_resume_(c); } while (0)
/* It stops running to wait. Call before it becomes possible for anybody to resume it: afterwards is
 * a data race. `on` names the one thing whose event alone can wake it. One that waits for any of
 * several, for all of several, or with a time limit, names all of them by ct_suspend_any and _all,
 * or none: ct_nothing(), or ct_any(kind); else it would be accused for what befalls the one that
 * was named. Who waits for room in a channel names ct_room, or the channel; whoever waits for the end of another keeps that one's id: ct_destroy leaves
 * it where it is. */
#define ct_suspend(c, site, on)	do { if (ct_enabled()) ct_suspend_(c, site, on); } while (0)
/* As ct_suspend, for any of several things (select!, when_any; a time limit is a timer among them),
 * for all of them (join!, when_all). Name each that could wake it: it is accused only when it waits
 * for any and all are hopeless, or for all and one of them is. */
#define ct_suspend_any(c, site, legs, count)	do { if (ct_enabled()) ct_suspend_legs_(c, site, 0, 0, legs, count); } while (0)
#define ct_suspend_all(c, site, legs, count)	do { if (ct_enabled()) ct_suspend_legs_(c, site, 0, 1, legs, count); } while (0)
/* For a library of fibers, whose coroutines are stacks: called in the one function that switches
 * them, right before it does. `from` stops and `to` runs from then on; either is NULL where it is the
 * thread's own stack. One that ct_destroy has ended does not wait. A suspend and a resume. */
#define ct_switch(from, to)	do { if (ct_enabled()) ct_switch_(from, to, CT_HERE); } while (0)
/* What the fiber that runs here is about to wait for, and where: its next ct_switch, and no other,
 * declares that. Called by what blocks: a lock, a channel, a read. One that returned without a switch
 * forgets it, with CT_NOWHERE for the site: else the next switch, for something else, declares it. */
#define ct_waits(site, on)	do { if (ct_enabled()) ct_waits_(site, 0, on); } while (0)
/* Somebody made coroutine `id` runnable: called by the waker, before the push to the run queue; so
 * also when a new coroutine is first put there, else one that is never run looks as if nobody had
 * wanted it to. The waking coroutine is the one this thread runs. on: for what. Takes an id, not a
 * ct_coro: the woken one may be gone already. */
#define ct_wake(id, on)		do { if (ct_enabled()) ct_wake_(id, CT_HERE, on); } while (0)
/* Coroutine `by` did, whoever runs here: as one that was said to be suspended before what it waits for
 * is begun. 0: who runs. */
#define ct_wake_for(by, id, on)	do { if (ct_enabled()) ct_wake_for_(by, id, on, CT_HERE); } while (0)
/* Coroutine `id`, which had been woken, was taken from a run queue and is not run: the line that
 * drops a wake. Not where it is only moved to another queue. */
#define ct_dequeue(id)		do { if (ct_enabled()) ct_dequeue_(id, CT_HERE); } while (0)
/* The timer that coroutine `id` waits for has another deadline from now on; CT_NEVER: it is off.
 * Called where it is changed, under whatever guards it. Declare all that move, or none: where some
 * are, one that has passed is suspected to be forgotten. */
#define CT_NEVER (~(uint64_t)0)
#define ct_deadline(id, deadline_ns)	do { if (ct_enabled()) ct_deadline_(id, deadline_ns, CT_HERE); } while (0)
/* It ended: done 1 = ran to its end, 0 = destroyed before that. The probe may be created again
 * afterwards. */
#define ct_destroy(c, done)	do { if (ct_enabled()) ct_destroy_(c, done); } while (0)
#define ct_name(c, name)	do { if (ct_enabled()) ct_name_(c, name); } while (0)
/* A resource appeared, is gone (call ct_close before close(2) itself, so that the number is not yet
 * reused), was notified (how many waiters that woke), holds `value` items or permits now (a lock: 1
 * = free). Declare the level where it changes, under whatever guards it: reported later, it may be
 * old. A level above zero says that one who waits could go on; where some wait for several at once,
 * declare 0 as long as nobody could. Where some wait for items and others for room at one condition,
 * declare none: no number is true of both. */
#define ct_open(on, name)	do { if (ct_enabled()) ct_open_(on, name, CT_HERE); } while (0)
#define ct_close(on)		do { if (ct_enabled()) ct_close_(on, CT_HERE); } while (0)
#define ct_notify(on, woken)	do { if (ct_enabled()) ct_notify_(on, woken, CT_HERE); } while (0)
#define ct_level(on, value)	do { if (ct_enabled()) ct_level_(on, value); } while (0)
/* Coroutine `id` made it so, whoever runs here; 0: no coroutine. */
#define ct_level_for(id, on, value)								\
	do { if (ct_enabled()) ct_level_for_(id, on, value); } while (0)
/* The running coroutine (or plain thread) took or gave back a lock; a read lock may be had by
 * several, and a permit that only its taker gives back counts as one. Who passes a guard on
 * declares a release, and either the other an acquire, or itself ct_acquire_for that other's id: as
 * an unlock that hands the lock to who waits first, or a helper that returns its guard. A guard
 * that a finished coroutine returned to the one awaiting it (ct_await) without a word is taken to
 * be that one's. */
#define ct_acquire(on)		do { if (ct_enabled()) ct_acquire_(on, CT_HERE); } while (0)
#define ct_release(on)		do { if (ct_enabled()) ct_release_(on, CT_HERE); } while (0)
/* Coroutine `id` has it from now on, has it no more, whoever runs here; id 0: no coroutine. */
#define ct_acquire_for(id, on)	do { if (ct_enabled()) ct_acquire_for_(id, on, CT_HERE); } while (0)
#define ct_release_for(id, on)	do { if (ct_enabled()) ct_release_for_(id, on, CT_HERE); } while (0)
/* A waker of task `id` was cloned or dropped. */
#define ct_waker_clone(id)	do { if (ct_enabled()) ct_waker_clone_(id); } while (0)
#define ct_waker_drop(id)	do { if (ct_enabled()) ct_waker_drop_(id); } while (0)
/* This worker found nothing to run and sleeps; woke up. depth: its run queue's length, or
 * CT_DEPTH_UNKNOWN. */
#define ct_park(depth)		do { if (ct_enabled()) ct_park_(depth); } while (0)
#define ct_unpark(depth)	do { if (ct_enabled()) ct_unpark_(depth); } while (0)
/* This thread, which has recorded something, runs a callback that is no coroutine, as a loop does between
 * them; it is over, also where recording stopped meanwhile. No event: where it takes long, the trace has it as
 * a coroutine that runs. */
#define ct_callback(site)	do { if (ct_enabled()) ct_callback_(site); } while (0)
void ct_callback_end(void);
/* What this thread is. Workers are those that run coroutines: ct-lostwake asks all of them before
 * it accuses. So a main thread that runs some, or one of a blocking pool that does, must say that
 * it is a worker, before the first is queued there. */
#define ct_thread(role, name)	do { if (ct_enabled()) ct_thread_(role, name); } while (0)

#ifdef __cplusplus
}
#endif
#endif
