/* sweep.c - twice a second a look at who has slept since the last one: what he holds (locks.c), and whether
 * he was collected. Contracts in agent.h.
 */
#include "agent.h"

enum { BATCH = 256, BATCHES = 64 };
struct sleeper { uint64_t tid, n; bool again, for_lock, for_task; jobject thread; };
struct batch { JNIEnv *env; struct sleeper of[BATCH]; unsigned count; };

/* ---- what he holds ---- */

/* The monitors that he holds are asked for once, as is what he blocks on, by its event. */
static void look_at(JNIEnv *env, const struct sleeper *s)
{
	jobject lock = (*env)->GetObjectField(env, s->thread, java.blocker);
	jobject snapshot = s->again && lock ? NULL : snapshot_of(env, s->thread);
	uint64_t number[HELD];
	unsigned n = snapshot && !s->again ? snapshot_monitors(env, snapshot, number) : 0;
	struct vthread *v = vthread_lock_find(s->tid);

	if (v && !v->runs && v->ct.n == s->n)
		while (n)
			locks_held(env, v, number[--n]);
	vthread_unlock(s->tid);
	if (!lock && snapshot)
		lock = snapshot_blocked(env, snapshot);
	else if (!lock && java.monitors_pin && s->for_lock &&
		(*ti)->GetCurrentContendedMonitor(ti, s->thread, &lock))
		lock = NULL;
	if (lock && s->for_task) {
		future_look(env, s->tid, s->n, lock);
		pools_waits(env, s->tid, s->n, lock);
	}
	if (lock && (s->for_lock || (*env)->IsInstanceOf(env, lock, java.ownable)))
		locks_owner(env, lock);
}

/* ---- who was collected ---- */

/* Whom the collector took while he slept, nobody has a reference to: nobody can wake him. */
static void was_collected(struct vthread *v)
{
	v->collected = true;
	ct_waker_drop_(v->ct.id);
}

/* ---- twice a second ---- */

/* What he holds himself does not change while he sleeps. Who has the lock that he waits for may run
 * now and sleep the next time. */
static bool pick(struct vthread *v, void *arg)
{
	bool slept = !v->runs && v->ref && (opt.gc || v->seen == v->ct.n);
	bool again = v->swept == v->ct.n, for_task = v->task.id;
	struct batch *b = arg;
	jobject thread;

	if (b->count == BATCH)
		return false;
	v->seen = v->ct.n;
	if (!slept || v->collected || (again && !v->for_lock && !for_task && !opt.gc))
		return true;
	v->swept = v->ct.n;
	thread = (*b->env)->NewLocalRef(b->env, v->ref);
	if (!thread && opt.gc)
		was_collected(v);
	if (thread && (!again || v->for_lock || for_task))
		b->of[b->count++] = (struct sleeper){
			v->tid, v->ct.n, again, v->for_lock, for_task, thread };
	else
		(*b->env)->DeleteLocalRef(b->env, thread);
	return true;
}

/* False: no memory for local references. They all end here: whom one is left to, is never
 * collected. */
static bool look_at_some(JNIEnv *env, unsigned *from)
{
	static struct batch b;

	if ((*env)->PushLocalFrame(env, BATCH + 16))
		return failed(env), false;
	b.env = env;
	b.count = 0;
	vthread_each(from, pick, &b);
	for (unsigned i = 0; i < b.count && !(*env)->PushLocalFrame(env, 64); i++) {
		look_at(env, &b.of[i]);
		(*env)->PopLocalFrame(env, NULL);
	}
	(*env)->PopLocalFrame(env, NULL);
	return !failed(env);
}

/* Not with nanosleep(): a JVM that ends waits up to 0.3 s for whoever is in native code. */
static bool rest(jvmtiEnv *e, jrawMonitorID on)
{
	jvmtiError error = (*e)->RawMonitorEnter(e, on);

	if (!error) {
		error = (*e)->RawMonitorWait(e, on, 500);
		(*e)->RawMonitorExit(e, on);
	}
	return !error || error == JVMTI_ERROR_INTERRUPT;
}

static void JNICALL sweep(jvmtiEnv *e, JNIEnv *env, void *on)
{
	unsigned from = 0;

	while (rest(e, on)) {
		if (!ct_enabled())
			continue;
		platform_sweep(env);
		/* of very many the rest next time */
		for (int i = 0; i < BATCHES && look_at_some(env, &from) && from; i++)
			;
		pools_sweep(env);
		if (opt.gc && !from)
			(*ti)->ForceGarbageCollection(ti);
	}
}

void sweep_start(JNIEnv *env)
{
	jmethodID make = (*env)->GetMethodID(env, java.thread, "<init>", "(Ljava/lang/String;)V");
	jstring name = failed(env) ? NULL : (*env)->NewStringUTF(env, "corotrace");
	jobject thread = name ? (*env)->NewObject(env, java.thread, make, name) : NULL;
	jrawMonitorID on;

	snapshot_find(env);
	pools_find(env);
	if (failed(env) || !thread || (*ti)->CreateRawMonitor(ti, "corotrace", &on) ||
		(*ti)->RunAgentThread(ti, thread, sweep, on, JVMTI_THREAD_NORM_PRIORITY))
		complain("no thread for looking at locks can be had: who holds them is not reported");
}
