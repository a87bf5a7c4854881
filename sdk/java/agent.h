/* agent.h - the parts of libcorotrace-jvm.so, a JVMTI agent that reports a JVM's virtual threads through
 * the probe of sdk/c.
 *
 *	agent.c		loaded, attached, options
 *	jvm.c		the JVM at hand: is it known, what may be asked of it
 *	hooks.c		calls put at the entry of java.base's methods, by patch.c
 *	table.c		which methods these are
 *	events.c	what each of these calls reports
 *	permits.c	the same of semaphores
 *	futures.c	the same of futures
 *	ends.c		the same of who waits for others to end
 *	threads.c	the virtual threads that live, by their ids
 *	tasks.c		tasks that somebody waits for and nobody runs yet
 *	objects.c	what an object is that somebody waits on
 *	frames.c	source locations and call stacks
 *	sweep.c		twice a second: what sleepers hold; who was collected while he slept
 *	locks.c		who has what a sleeper waits for
 *	snapshot.c	the JVM's snapshot of a thread
 *	adopt.c		who slept before the agent came
 *	platform.c	threads of the system that have what a sleeper waits for
 *	pools.c		pools whose threads all sleep while somebody waits for what is in their queue
 *	pool-kinds.c	the JDK's pools, by their fields
 *	probe.c		the probe itself, with what it has no public call for
 */
#ifndef AGENT_H
#define AGENT_H

#include <jvmti.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ct.h"

/* ---- jvm.c ---- */

extern jvmtiEnv *ti;
extern struct options { bool gc; } opt;
extern bool attached;			/* to a JVM that ran already */
/* False, after a sentence: its virtual threads are none that are known. */
bool jvm_supported(JavaVM *);
/* Have what can be had: of monitors nothing in a JVM that runs already. False, after a sentence: not
 * enough. */
bool jvm_capabilities(bool *monitors);
void jvm_property(const char *name, char *to, size_t size);	/* "?": it has none */
bool jvm_ended(void);			/* most of what is asked of it is refused from now on */
/* On stderr, a line. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- probe.c ---- */

/* As ct_suspend_at, with the number of a call stack; 0: none. */
void probe_suspend(struct ct_coro *, uint32_t site, struct ct_on, uint32_t stack);
/* Likewise for all of these, or any. */
void probe_suspend_legs(struct ct_coro *, uint32_t site, bool all, const struct ct_leg *,
	unsigned count, uint32_t stack);
/* As ct_wake_at, for nothing in particular, likewise. */
void probe_wake(uint64_t id, uint32_t site, uint32_t stack);
/* One that was there before. */
void probe_adopt(struct ct_coro *, void *frame, const char *name);
/* The number of a call stack of sites, innermost first; 0: not to be had. */
uint32_t probe_stack(const uint32_t *site, unsigned count);
/* As ct_intern_site, of texts that the caller takes back. */
uint32_t probe_site(const char *func, const char *file, uint32_t line);
bool probe_wants_stacks(void);

/* ---- threads.c ---- */

struct where {
	uint32_t site;			/* the innermost outside the JDK */
	uint32_t stack;			/* 0 where none are asked for */
	bool polls;			/* for a socket */
	bool timed;			/* with a time limit: early JDK 21 has no state for that */
	bool joins;			/* for the end of others */
	bool closes;			/* an executor: the time limit that it has is none */
	bool awaits;			/* for a CompletableFuture */
};

enum { HELD = 16, PERMITS = 4, MOST_PERMITS = 16, ENDS = 32 };
/* Whom one waits for to end: all of them, or any to go on; none: not known. timed: or for a time. */
struct ends { bool all, timed; unsigned count; uint64_t id[ENDS]; };
/* Of a semaphore, by the number of what others park on; told: so many of them were reported. */
struct permit { uint64_t number; uint32_t count, told; };
/* Its hooks are called by the thread that runs it, one after another: what these alone use needs no
 * lock. What the sweep shares with them is guarded by its shard's. */
struct vthread {
	struct vthread *next;
	uint64_t tid;
	struct ct_coro ct;
	struct ct_on on;		/* what it is about to wait on, and where */
	struct where where;
	bool pinned;			/* it waits and keeps its carrier */
	uint32_t pinned_at;		/* the site */
	struct ends *ends;		/* whom it joined last; NULL: nobody */
	uint64_t awaits;		/* the last CompletableFuture that it waited for */
	struct ct_coro task;		/* that it waits for, nobody ran it; no id: none */
	struct permit permit[PERMITS];
	/* shared: it is mounted, or not known not to be; what was reported to be its, from held[0] */
	bool runs;
	bool for_lock;			/* it waits for a lock, whose owner may change */
	bool starves;			/* what its task waits for was once reported */
	bool roused;			/* it was unparked since it went to sleep */
	unsigned helds;
	struct ct_on held[HELD];
	/* of the sweep alone: n when it was last seen asleep, and when it was looked at */
	uint64_t seen, swept;
	bool collected;
	jweak ref;			/* from its first suspend on */
};
/* That is mounted here; NULL: none. */
extern __thread struct vthread *vthread_here;
/* NULL: there is none. */
struct vthread *vthread_find(uint64_t tid);
/* Made where there is none, and then given to `create`, locked; NULL: out of memory. */
struct vthread *vthread_get(
	uint64_t tid, void (*create)(struct vthread *, void *arg), void *arg);
/* One that is older than the agent. */
struct vthread *vthread_adopt(JNIEnv *, jobject thread);
/* Its probe's id; 0: none. For those who do not run it: it may end meanwhile. */
uint64_t vthread_id(uint64_t tid);
/* Its coroutine ends, and nothing is reported of it after that by whoever has it locked. */
void vthread_end(JNIEnv *, struct vthread *);
void vthread_lock(uint64_t tid);
/* As both together; NULL: there is none, and it is locked all the same. */
struct vthread *vthread_lock_find(uint64_t tid);
void vthread_unlock(uint64_t tid);
/* It is locked, and there is none: it ended, and has that lock still. Reported once, of the last 4096. */
void vthread_kept(uint64_t tid, uint64_t lock);
/* Call for each, locked, from shard *from on, until it returns false: then *from is where to go on,
 * else it is 0. */
void vthread_each(unsigned *from, bool (*each)(struct vthread *, void *), void *arg);

/* ---- objects.c ---- */

struct fields {			/* of java.base's classes; those of JDK 25 alone may be NULL */
	jclass thread, vthread, ownable;
	jfieldID tid, name, blocker, state, timeout, permit, owner;
	jfieldID semaphore_sync, sync_state;
	bool semaphores;		/* each of their changes is heard of */
	jclass future, bound;		/* FutureTask; one that has a thread of its own */
	jfieldID runner, bound_to, future_state;
	/* functions for an executor */
	struct async { jclass c; jfieldID future; } supply, run;
	/* sets: of a ThreadPerTaskExecutor, of a scope's ThreadFlock */
	jfieldID threads, flock;
	/* a scope's, of JDK 25 on: its ThreadFlock, and what ends it in time */
	jfieldID scope_flock, scope_timer;
	jmethodID to_array;
	jclass forked, completion;	/* ForkJoinTask; CompletableFuture's of that class */
	jfieldID forked_status;
	jclass rw;			/* a lock of readers and a writer; whom it knows of these */
	jfieldID first_reader, last_reader, reader_tid, reader_count;
	jmethodID carrier;
	/* values of `state`; -1: this JDK has none such */
	struct states {
		jint running, parking, parked, timed_parking, timed_parked, yielding;
		jint blocking, blocked;
		jint waiting, wait, timed_waiting, timed_wait, terminated, created;
	} states;
	bool monitors_pin;		/* until JDK 23: who waits for one keeps its carrier */
};
extern struct fields java;
/* False: this JVM's virtual threads are of another make. */
bool fields_find(JNIEnv *);
/* A class by its name with slashes, not initialized where `asleep`; NULL: it is not there. */
jclass class_find(JNIEnv *, const char *name, bool asleep);
/* No exception stays behind; true: there was one. */
bool failed(JNIEnv *);
void name_of(JNIEnv *, jobject thread, char *to, size_t size);
/* One that the JVM has for itself, of which nothing is reported. */
bool is_own(JNIEnv *, jobject thread);
/* An object by a number that no other has while it lives. */
uint64_t object_number(jobject);
/* What one waits on who parks for that object. timed: a time limit ends it as well. */
struct ct_on object_on(JNIEnv *, jobject, bool timed);

/* ---- frames.c ---- */

/* Where a thread is, NULL is this one. enters: it blocks on a monitor, and HotSpot has it one
 * instruction further already. */
struct where frames_where(JNIEnv *, jthread, bool enters);
/* This thread cannot leave its carrier: a native method is on its stack, or a class's initializer. */
bool frames_pin(JNIEnv *);

/* ---- hooks.c, table.c, events.c, permits.c, futures.c, ends.c ---- */

struct hook {
	const char *cls, *method, *desc;
	const char *native, *native_desc;	/* of the class of ours */
	void *function;
	int at_end;			/* not as it is entered */
	bool needed;			/* without it nothing is known */
};
extern const struct hook hooks[];
extern const unsigned hook_count;
bool hook_is_of_semaphore(const struct hook *);
#define HOOK(name, ...) void JNICALL hook_##name(JNIEnv *, jclass, __VA_ARGS__)
HOOK(start, jobject);
HOOK(run, jobject);
HOOK(yield, jobject);
HOOK(yielded, jobject);
HOOK(done, jobject);
HOOK(unpark, jobject);
HOOK(unblock, jobject);
HOOK(expired, jobject);
HOOK(pinned, jobject);
HOOK(permit, jobject);
HOOK(joins, jobject);
HOOK(poll, jint);
HOOK(pool, jobject);
HOOK(supplied, jobject);
HOOK(supplies, jobject);
HOOK(run_made, jobject);
HOOK(runs, jobject);
HOOK(limited, jobject);
HOOK(awaits, jobject);
HOOK(closes, jobject);
HOOK(joins_scope, jobject);
HOOK(scope, jobject);
HOOK(permits, jobject);
HOOK(permits_by, jobject, jint);
HOOK(drained, jint, jobject);
HOOK(took, jobject);
HOOK(took_some, jobject, jint);
HOOK(tried, jint, jobject);
HOOK(tried_some, jint, jobject, jint);
HOOK(gives, jobject);
HOOK(gives_some, jobject, jint);
/* Retransform; false: a sentence was said. */
bool hooks_install(JNIEnv *);
void JNICALL hooks_class_file(jvmtiEnv *, JNIEnv *, jclass, jobject loader, const char *name,
	jobject domain, jint len, const unsigned char *data, jint *new_len,
	unsigned char **new_data);
void JNICALL on_contended(jvmtiEnv *, JNIEnv *, jthread, jobject);
void JNICALL on_wait(jvmtiEnv *, JNIEnv *, jthread, jobject, jlong timeout);
void JNICALL on_entered(jvmtiEnv *, JNIEnv *, jthread, jobject);
void JNICALL on_waited(jvmtiEnv *, JNIEnv *, jthread, jobject, jboolean timed_out);

/* Who runs the task of that FutureTask; 0: nobody known. */
uint64_t future_runner(JNIEnv *, jobject future);
/* Who runs the function of the CompletableFuture of that number; 0: nobody known. *waits: nobody yet. */
uint64_t future_completer(uint64_t number, bool *waits);
/* The future of such a function that an executor has not run yet, or NULL. */
jobject future_of(JNIEnv *, jobject function);
/* Whoever sleeps since that event: report who runs the task that he waits for, if one does by now. */
void future_look(JNIEnv *, uint64_t tid, uint64_t n, jobject blocker);

/* Of a thread of the system, as it last was to wait for such. */
bool ends_of_system(uint64_t tid, struct ends *);
/* It waits for these, of whom there are some. */
void ends_suspend(struct ct_coro *, const struct where *, const struct ends *);

/* ---- snapshot.c: of JDK 25; elsewhere there is none ---- */

void snapshot_find(JNIEnv *);
jobject snapshot_of(JNIEnv *, jobject thread);
jobject snapshot_blocked(JNIEnv *, jobject snapshot);
/* The object in whose wait() it is; what it gives up there. */
jobject snapshot_waiting(JNIEnv *, jobject snapshot);
/* The monitors that it holds, but that one. */
unsigned snapshot_monitors(JNIEnv *, jobject snapshot, uint64_t number[HELD]);

/* ---- locks.c, platform.c: of the sweep's thread ---- */

/* Report who has it, where he sleeps, or has ended: a lock of java.util.concurrent, if it is one; a
 * monitor that a thread of the system has. */
void locks_owner(JNIEnv *, jobject lock_or_monitor);
/* It is locked, and asleep: it holds that lock, which is reported once. For any thread. */
void locks_held(JNIEnv *, struct vthread *, uint64_t lock);
/* That thread of the system, which has that lock. The lock or monitor that it waits for, where that is
 * to be looked at, too, or NULL. */
jobject platform_owner(JNIEnv *, jobject thread, jobject lock, uint64_t number);
/* The thread of the system that has it; NULL: none. */
jobject platform_monitor_owner(JNIEnv *, jobject monitor);
/* Ahead of the others: whoever moved since the last time is reported to have. */
void platform_sweep(JNIEnv *);
/* Before somebody is reported to have that lock. For any thread. */
void platform_check(JNIEnv *, uint64_t lock);
/* A thread of the system that waits, without a time limit: its probe's id, if it has slept so since the last
 * look; else 0. *lock: what it waits for, if that is a lock, or NULL. */
uint64_t platform_sleeps(JNIEnv *, jobject thread, jobject *lock);
/* As task_starves, of the task that it waits for, if there is one. */
void platform_starves(JNIEnv *, jobject thread, const struct ct_leg *any, unsigned count);
/* That coroutine ends: who waits for that is not reported to sleep any more. For any thread. */
void platform_ended(uint64_t id);

/* ---- pools.c: of the sweep's thread ---- */

void pools_find(JNIEnv *);
/* Those that are older than the agent. */
void pools_adopt(JNIEnv *);
/* That thread sleeps since that event, for a task that nobody ran then. */
void pools_waits(JNIEnv *, uint64_t tid, uint64_t n, jobject blocker);
void pools_sweep(JNIEnv *);

/* ---- pool-kinds.c ---- */

enum { POOL_THREADS = 64 };
typedef bool pool_task_fn(JNIEnv *, void *arg, jobject task);
struct pool_kind {
	const char *cls;
	/* Could it have been found; how many threads it has, where it will have no more, else 0. */
	bool (*find)(JNIEnv *);
	int (*full)(JNIEnv *, jobject pool);
	/* False: not all of them are to be had, or one has nothing to do. */
	bool (*threads)(JNIEnv *, jobject pool, jobject *to, int count);
	/* Call for each task that is queued, until one is false. */
	void (*tasks)(JNIEnv *, jobject pool, pool_task_fn *each, void *arg);
};
extern const struct pool_kind pool_kinds[];
enum { POOL_KINDS = 2 };

/* ---- tasks.c ---- */

/* Is it a task of a ForkJoinPool? */
bool task_is_forked(JNIEnv *, jobject);
/* Is that future's task one that nobody is known to run yet, and was not cancelled? */
bool task_waits(JNIEnv *, jobject future);
/* It, as a coroutine that has not run. Who waits for it ends it where he goes on. */
void task_create(struct ct_coro *, uint32_t site);
void task_end(struct ct_coro *);
/* It waits for any of these to go on. False: that was reported already. */
bool task_starves(struct ct_coro *, const struct ct_leg *any, unsigned count);
/* That one goes on, or is not known any more: those tasks may be run. For any thread. */
void tasks_relieve(uint64_t id);

/* ---- sweep.c, adopt.c ---- */

void sweep_start(JNIEnv *);
/* The virtual threads that live as the agent comes. */
void heap_adopt(JNIEnv *);
/* Call for each object of that very class. */
void heap_each(JNIEnv *, jclass, void (*each)(JNIEnv *, jobject));

#endif
