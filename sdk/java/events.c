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

/* Where this thread is, if that is to be told of its wake of that one: it takes long, and else who wakes
 * is enough. */
static struct where waker(JNIEnv *env, uint64_t tid)
{
	if (probe_wants_stacks() && vthread_id(tid))
		return frames_where(env, NULL, false);
	return (struct where){ .site = 0 };
}

/* Of one that has ended nothing is told: that does nothing. It ends with itself locked, vthread_end(). */
static void wake(JNIEnv *env, uint64_t tid)
{
	struct where w = waker(env, tid);
	struct vthread *v = vthread_lock_find(tid);

	if (v)
		probe_wake(v->ct.id, w.site, w.stack);
	vthread_unlock(tid);
}

void JNICALL hook_start(JNIEnv *env, jclass c, jobject thread)
{
	struct birth b = { env, thread, 0 };

	(void)c;
	if (!ct_enabled() || is_own(env, thread))
		return;
	b.site = frames_where(env, NULL, false).site;
	if (vthread_get(tid_of(env, thread), create, &b))
		wake(env, tid_of(env, thread));
}

/* Whose state is that, does an unpark make him go on? Who runs goes on anyhow, and will not park the next
 * time, of which nothing is heard; nor does who blocks on a monitor. */
static bool is_roused(jint s, bool runs)
{
	const struct states *k = &java.states;

	return s != k->terminated && !(runs && s == k->running) &&
		(java.monitors_pin || (s != k->blocking && s != k->blocked && s != k->waiting &&
			s != k->wait && s != k->timed_waiting && s != k->timed_wait));
}

void JNICALL hook_unpark(JNIEnv *env, jclass c, jobject thread)
{
	struct vthread *v;
	struct where w;
	uint64_t tid;

	(void)c;
	if (!ct_enabled())
		return;
	tid = tid_of(env, thread);
	w = waker(env, tid);
	v = vthread_lock_find(tid);
	if (v && is_roused(state_of(env, thread), v->runs)) {
		v->roused = true;
		if (v->starves && v->task.id)	/* which is done, or is not waited for any more */
			probe_wake(v->task.id, w.site, w.stack);
		probe_wake(v->ct.id, w.site, w.stack);
	}
	vthread_unlock(tid);
}

/* Nor does the end of a time limit rouse who does not wait any more. */
void JNICALL hook_expired(JNIEnv *env, jclass c, jobject thread)
{
	jint s;

	(void)c;
	if (!ct_enabled())
		return;
	s = state_of(env, thread);
	if (s == java.states.timed_wait || s == java.states.timed_waiting)
		wake(env, tid_of(env, thread));
}

void JNICALL hook_unblock(JNIEnv *env, jclass c, jobject thread)
{
	(void)c;
	if (ct_enabled())
		wake(env, tid_of(env, thread));
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
	v->starves = false;
	vthread_unlock(v->tid);
	if (v->task.id)
		task_end(&v->task);
	ct_resume(&v->ct);
	/* whose it is from now on is not known; free it is not, or not yet */
	while (n) {
		ct_release_for_at(v->ct.id, held[--n], 0);
		ct_level(held[n], 0);
	}
}

void JNICALL hook_run(JNIEnv *env, jclass c, jobject thread)
{
	(void)c;
	vthread_here = NULL;
	if (!ct_enabled())
		return;
	if (!is_worker)
		be_worker(env);
	vthread_here = vthread_find(tid_of(env, thread));
	if (!vthread_here && !is_own(env, thread))
		vthread_here = vthread_adopt(env, thread);
	if (vthread_here)
		resume(vthread_here);
}

void JNICALL hook_done(JNIEnv *env, jclass c, jobject thread)
{
	struct vthread *v = vthread_find(tid_of(env, thread));

	(void)c;
	if (vthread_here == v)	/* not where one could not be started */
		vthread_here = NULL;
	if (!v)
		return;
	platform_ended(v->ct.id);
	tasks_relieve(v->ct.id);
	vthread_end(env, v);
}

/* ---- waits ---- */

/* Who alone will end the wait, which has no time limit: another, or a task that nobody runs yet, made a
 * coroutine. 0: not known. */
static uint64_t awaited(JNIEnv *env, jobject blocker, struct vthread *v)
{
	bool waits = false;
	uint64_t of = v->where.awaits ? future_completer(v->awaits, &waits) :
					future_runner(env, blocker);

	if (of || !(v->where.awaits ? waits : task_waits(env, blocker)))
		return of;
	task_create(&v->task, v->where.site);
	return v->task.id;
}

static struct ct_on waits_on(JNIEnv *env, jobject thread, struct vthread *v, bool timed)
{
	jobject blocker = (*env)->GetObjectField(env, thread, java.blocker);
	struct ct_on on = v->where.polls ? v->on : ct_nothing();

	v->where.joins = (v->where.closes || (v->where.joins && !timed)) && v->ends &&
		v->ends->count;
	if (v->where.joins) {
		on = ct_nothing();	/* it says so itself, in asleep() */
	} else if (blocker) {
		uint64_t of = timed ? 0 : awaited(env, blocker, v);

		on = of ? ct_await(of) : object_on(env, blocker, timed);
	} else if (timed && on.kind == CT_ON_FD) {
		on = ct_any(CT_ON_FD);
	} else if (timed) {
		jlong ns = java.timeout ? (*env)->GetLongField(env, thread, java.timeout) : 0;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		on = ns > 0 ? ct_timer((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec +
				       (uint64_t)ns) : ct_any(CT_ON_TIMER);
	}
	(*env)->DeleteLocalRef(env, blocker);
	return on;
}

void JNICALL hook_yield(JNIEnv *env, jclass c, jobject thread)
{
	struct vthread *v = vthread_here;
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

static void asleep(JNIEnv *env, jobject thread, struct vthread *v, bool roused)
{
	if (!v->ref)
		v->ref = (*env)->NewWeakGlobalRef(env, thread);
	if (v->where.joins)
		ends_suspend(&v->ct, &v->where, v->ends);
	else
		probe_suspend(&v->ct, v->where.site, v->on, v->where.stack);
	v->for_lock = v->on.kind == CT_ON_MUTEX;
	v->on = ct_nothing();
	v->where = (struct where){ .site = 0 };
	vthread_lock(v->tid);
	v->roused = roused;
	v->runs = false;
	vthread_unlock(v->tid);
}

/* It parks, and was unparked since it began to: it will be runnable at once. */
static bool has_permit(JNIEnv *env, jobject thread, jint state)
{
	bool parks = state == java.states.parking || state == java.states.timed_parking;

	return parks && java.permit && (*env)->GetBooleanField(env, thread, java.permit);
}

/* On the carrier; who yielded is runnable at once, by its own doing. */
void JNICALL hook_yielded(JNIEnv *env, jclass c, jobject thread)
{
	struct vthread *v = vthread_here;
	bool roused;
	jint state;

	(void)c;
	vthread_here = NULL;
	if (!ct_enabled() || !v || !v->runs)
		return;
	state = state_of(env, thread);
	if (!v->on.kind && state == java.states.blocking)
		v->on = ct_any(CT_ON_MUTEX);
	if (!v->on.kind && (state == java.states.waiting || state == java.states.timed_waiting))
		v->on = ct_any(CT_ON_COND);
	roused = state == java.states.yielding || has_permit(env, thread, state);
	asleep(env, thread, v, roused);
	if (roused || has_permit(env, thread, state))
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
			locks_held(env, v, number);
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
	asleep(env, thread, v, false);
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

void JNICALL hook_pinned(JNIEnv *env, jclass c, jobject thread)
{
	(void)c;
	if (ct_enabled() && vthread_here && !vthread_here->pinned)
		pin(env, thread, vthread_here, NULL);
}

/* Called as a park ends, among others. */
void JNICALL hook_permit(JNIEnv *env, jclass c, jobject thread)
{
	(void)env, (void)c, (void)thread;
	unpin(vthread_here);
}

/* ---- things ---- */

void JNICALL hook_poll(JNIEnv *env, jclass c, jint fd)
{
	(void)env, (void)c;
	if (vthread_here)
		vthread_here->on = ct_fd(fd);	/* until it parks */
}

/* Until JDK 23 who waits for a monitor keeps its carrier, and later who has a native method on its
 * stack; and no hook is called. */
static void on_monitor(
	JNIEnv *env, jthread thread, struct ct_on on, bool enters, jobject given_up)
{
	struct vthread *v = vthread_here;

	if (!ct_enabled() || !v || v->pinned || !(*env)->IsVirtualThread(env, thread))
		return;
	resume(v);		/* it ran already when the agent came */
	v->on = on;
	v->where = frames_where(env, NULL, enters);
	if (java.monitors_pin || frames_pin(env))
		pin(env, thread, v, given_up);
}

void JNICALL on_contended(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor)
{
	(void)e;
	if (vthread_here)
		on_monitor(env, thread, ct_on_make(CT_ON_MUTEX, object_number(monitor)), true,
			monitor);
}

void JNICALL on_wait(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor, jlong timeout)
{
	(void)e;
	if (vthread_here)
		on_monitor(env, thread, timeout > 0 ? ct_any(CT_ON_COND) :
			ct_on_make(CT_ON_COND, object_number(monitor)), false, monitor);
}

void JNICALL on_entered(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor)
{
	(void)e, (void)env, (void)thread, (void)monitor;
	unpin(vthread_here);
}

void JNICALL on_waited(
	jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor, jboolean timed_out)
{
	(void)timed_out;
	on_entered(e, env, thread, monitor);
}
