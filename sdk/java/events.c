/* events.c - what the hooks in java.lang.VirtualThread report. Contracts in agent.h.
 *
 * A virtual thread that parks passes yieldContinuation, where it still runs and its stack is its own,
 * and then, on its carrier, afterYield: it is frozen, and nobody can have made it runnable for good yet,
 * since that is tried by a change of its state which afterYield makes. There its suspend is reported.
 * Where it could not be frozen, parkOnCarrierThread is called instead, and it waits there and keeps its
 * carrier: it is pinned. Whoever resumes it calls runContinuation; the last that is heard of it is afterDone.
 *
 * Who blocks on a monitor is frozen by the JVM itself: of these nothing but afterYield is heard, and the
 * JVM's event of a contended monitor before. Until JDK 23 he is pinned, between two such events.
 */
#include <string.h>
#include <time.h>

#include "agent.h"

static __thread struct vthread *current;	/* that is mounted here */
static __thread bool is_worker;

static uint64_t tid_of(JNIEnv *env, jobject thread)
{
	return (uint64_t)(*env)->GetLongField(env, thread, java.tid);
}

static jint state_of(JNIEnv *env, jobject thread)
{
	/* above its byte stands whether a debugger suspended it */
	return (*env)->GetIntField(env, thread, java.state) & 0xff;
}

/* ---- births ---- */

struct birth { JNIEnv *env; jobject thread; uint32_t site; };

static void create(struct vthread *v, void *arg)
{
	struct birth *b = arg;
	char name[200];

	name_of(b->env, b->thread, name, sizeof(name));
	ct_create_at(&v->ct, ct_current(), b->site, (void *)(uintptr_t)v->tid, *name ? name : NULL);
	if (opt.gc)
		ct_waker_clone_(v->ct.id);	/* whoever has a reference to it can unpark it */
}

static void wake(JNIEnv *env, jobject thread)
{
	uint64_t id = vthread_id(tid_of(env, thread));
	struct where w = { .site = 0 };

	if (id && probe_wants_stacks())	/* else who wakes is enough, for its price */
		w = frames_where(env, NULL, false);
	if (id)
		probe_wake(id, w.site, w.stack);
}

static void JNICALL hook_start(JNIEnv *env, jclass c, jobject thread)
{
	struct birth b = { env, thread, 0 };

	(void)c;
	if (!ct_enabled() || is_own(env, thread))
		return;
	b.site = frames_where(env, NULL, false).site;
	if (vthread_get(tid_of(env, thread), create, &b))
		wake(env, thread);
}

static void JNICALL hook_wake(JNIEnv *env, jclass c, jobject thread)
{
	(void)c;
	if (ct_enabled())
		wake(env, thread);
}

/* ---- runs ---- */

/* Carriers start before anything is heard of them. */
static void be_worker(JNIEnv *env)
{
	jobject carrier = java.carrier ?
		(*env)->CallStaticObjectMethod(env, java.thread, java.carrier) : NULL;
	char name[64] = "carrier";

	is_worker = true;
	if (!failed(env) && carrier)
		name_of(env, carrier, name, sizeof(name));
	ct_thread(CT_WORKER, name);
	(*env)->DeleteLocalRef(env, carrier);
}

/* It runs; what was reported to be its, it may give back from now on. The lock orders this to the
 * sweep: what that reported of a sleeper comes before. */
static void resume(struct vthread *v)
{
	struct ct_on held[HELD];
	unsigned n;

	vthread_lock(v->tid);
	if (v->runs) {
		vthread_unlock(v->tid);
		return;
	}
	v->runs = true;
	n = v->helds;
	memcpy(held, v->held, sizeof(held));
	v->helds = 0;
	vthread_unlock(v->tid);
	ct_resume(&v->ct);
	/* whose it is from now on is not known; free it is not, or not yet */
	while (n) {
		ct_release_for_at(v->ct.id, held[--n], 0);
		ct_level(held[n], 0);
	}
}

static void JNICALL hook_run(JNIEnv *env, jclass c, jobject thread)
{
	(void)c;
	current = NULL;
	if (!ct_enabled())
		return;
	if (!is_worker)
		be_worker(env);
	current = vthread_find(tid_of(env, thread));
	if (!current && !is_own(env, thread))
		current = vthread_adopt(env, thread);
	if (current)
		resume(current);
}

static void JNICALL hook_done(JNIEnv *env, jclass c, jobject thread)
{
	struct vthread *v = vthread_find(tid_of(env, thread));

	(void)c;
	if (current == v)	/* not where one could not be started */
		current = NULL;
	if (!v)
		return;
	ct_destroy(&v->ct, 1);
	vthread_end(env, v);
}

/* ---- waits ---- */

static struct ct_on waits_on(JNIEnv *env, jobject thread, struct vthread *v, bool timed)
{
	jobject blocker = (*env)->GetObjectField(env, thread, java.blocker);
	struct ct_on on = v->where.polls ? v->on : ct_nothing();

	if (blocker) {
		on = object_on(env, blocker, timed);
		(*env)->DeleteLocalRef(env, blocker);
	} else if (timed && on.kind == CT_ON_FD) {
		on = ct_any(CT_ON_FD);
	} else if (timed) {
		jlong ns = java.timeout ? (*env)->GetLongField(env, thread, java.timeout) : 0;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		on = ns > 0 ? ct_timer((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec +
				       (uint64_t)ns) : ct_any(CT_ON_TIMER);
	}
	return on;
}

static void JNICALL hook_yield(JNIEnv *env, jclass c, jobject thread)
{
	struct vthread *v = current;
	jint state;

	(void)c;
	if (!ct_enabled() || !v)
		return;
	resume(v);		/* it ran already when the agent came */
	state = state_of(env, thread);
	if (state == java.states.yielding) {
		v->on = ct_user("Thread.yield");
		v->where = (struct where){ .site = 0 };
		return;
	}
	v->where = frames_where(env, NULL, false);
	v->on = waits_on(env, thread, v, state == java.states.timed_parking || v->where.timed);
}

static void asleep(JNIEnv *env, jobject thread, struct vthread *v)
{
	if (!v->ref)
		v->ref = (*env)->NewWeakGlobalRef(env, thread);
	probe_suspend(&v->ct, v->where.site, v->on, v->where.stack);
	v->for_lock = v->on.kind == CT_ON_MUTEX;
	v->on = ct_nothing();
	v->where = (struct where){ .site = 0 };
	vthread_lock(v->tid);
	v->runs = false;
	vthread_unlock(v->tid);
}

/* On the carrier; who yielded is runnable at once, by its own doing. */
static void JNICALL hook_yielded(JNIEnv *env, jclass c, jobject thread)
{
	struct vthread *v = current;
	jint state;

	(void)c;
	current = NULL;
	if (!ct_enabled() || !v || !v->runs)
		return;
	state = state_of(env, thread);
	if (!v->on.kind && state == java.states.blocking)
		v->on = ct_any(CT_ON_MUTEX);
	if (!v->on.kind && (state == java.states.waiting || state == java.states.timed_waiting))
		v->on = ct_any(CT_ON_COND);
	asleep(env, thread, v);
	if (state == java.states.yielding)
		probe_wake(v->ct.id, 0, 0);
}

/* ---- pinned: it waits, and keeps its carrier ---- */

/* The monitors that it holds itself, but `given_up`, as it goes to sleep: reported by itself, they need
 * no second look. Only where no snapshot shows them to the sweep. */
static void hold_monitors(JNIEnv *env, struct vthread *v, jobject given_up)
{
	jobject *owned = NULL;
	jint count = 0;

	if (!java.monitors_pin || (*ti)->GetOwnedMonitorInfo(ti, NULL, &count, &owned))
		return;
	for (jint i = 0; i < count; i++) {
		uint64_t number = object_number(owned[i]);

		vthread_lock(v->tid);
		if (!given_up || !(*env)->IsSameObject(env, owned[i], given_up))
			vthread_holds(v, number);
		vthread_unlock(v->tid);
		(*env)->DeleteLocalRef(env, owned[i]);
	}
	(*ti)->Deallocate(ti, (unsigned char *)owned);
}

static void pin(JNIEnv *env, jobject thread, struct vthread *v, jobject given_up)
{
	v->pinned = true;
	ct_open_at(ct_user("pinned"), NULL, v->where.site);
	v->pinned_at = v->where.site;
	asleep(env, thread, v);
	hold_monitors(env, v, given_up);
}

static void unpin(struct vthread *v)
{
	if (!v || !v->pinned)
		return;
	v->pinned = false;
	resume(v);
	ct_close_at(ct_user("pinned"), v->pinned_at);
}

static void JNICALL hook_pinned(JNIEnv *env, jclass c, jobject thread)
{
	(void)c;
	if (ct_enabled() && current && !current->pinned)
		pin(env, thread, current, NULL);
}

/* Called as a park ends, among others. */
static void JNICALL hook_permit(JNIEnv *env, jclass c, jobject thread)
{
	(void)env, (void)c, (void)thread;
	unpin(current);
}

/* ---- things ---- */

static void JNICALL hook_poll(JNIEnv *env, jclass c, jint fd)
{
	(void)env, (void)c;
	if (current)
		current->on = ct_fd(fd);	/* until it parks */
}

/* Until JDK 23 who waits for a monitor keeps its carrier, and no hook is called. */
static void on_monitor(
	JNIEnv *env, jthread thread, struct ct_on on, bool enters, jobject given_up)
{
	struct vthread *v = current;

	if (!ct_enabled() || !v || v->pinned || !(*env)->IsVirtualThread(env, thread))
		return;
	resume(v);		/* it ran already when the agent came */
	v->on = on;
	v->where = frames_where(env, NULL, enters);
	if (java.monitors_pin)
		pin(env, thread, v, given_up);
}

void JNICALL on_contended(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor)
{
	(void)e;
	if (current)
		on_monitor(env, thread, ct_on_make(CT_ON_MUTEX, object_number(monitor)), true,
			monitor);
}

void JNICALL on_wait(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor, jlong timeout)
{
	(void)e;
	if (current)
		on_monitor(env, thread, timeout > 0 ? ct_any(CT_ON_COND) :
			ct_on_make(CT_ON_COND, object_number(monitor)), false, monitor);
}

void JNICALL on_entered(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor)
{
	(void)e, (void)env, (void)thread, (void)monitor;
	if (java.monitors_pin)
		unpin(current);
}

void JNICALL on_waited(
	jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor, jboolean timed_out)
{
	(void)timed_out;
	on_entered(e, env, thread, monitor);
}

#define VT "java/lang/VirtualThread"
#define OBJECT "(Ljava/lang/Object;)V"
const struct hook hooks[] = {
	{ VT, "start", "(Ljdk/internal/vm/ThreadContainer;)V", "start", OBJECT, hook_start, true },
	{ VT, "runContinuation", "()V", "run", OBJECT, hook_run, true },
	{ VT, "yieldContinuation", "()Z", "yield_", OBJECT, hook_yield, true },
	{ VT, "afterYield", "()V", "yielded", OBJECT, hook_yielded, true },
	/* the last two by other names in JDK 21's first updates, and before JDK 25 */
	{ VT, "afterDone", "(Z)V", "done", OBJECT, hook_done, false },
	{ VT, "afterTerminate", "(ZZ)V", "terminated", OBJECT, hook_done, false },
	{ VT, "unpark", "(Z)V", "wake", OBJECT, hook_wake, false },
	{ VT, "unpark", "()V", "wake0", OBJECT, hook_wake, false },
	{ VT, "unblock", "()V", "unblock", OBJECT, hook_wake, false },
	{ VT, "waitTimeoutExpired", "(B)V", "expired", OBJECT, hook_wake, false },
	{ VT, "parkOnCarrierThread", "(ZJ)V", "pinned", OBJECT, hook_pinned, false },
	{ VT, "setParkPermit", "(Z)V", "permit", OBJECT, hook_permit, false },
	{ "sun/nio/ch/Poller", "poll", "(IIJLjava/util/function/BooleanSupplier;)V", "poll", "(I)V",
		hook_poll, false },
};
const unsigned hook_count = sizeof(hooks) / sizeof(*hooks);
