/* sweep.c - twice a second a look at who has slept since the last one: what he holds. And who slept
 * before the agent came. Contracts in agent.h.
 *
 * What a sleeper holds he holds as long as he sleeps: only the owner gives a lock back, and he takes
 * none either. So an acquire that is reported of a sleeper is true wherever it stands between his suspend
 * and his resume, if he held the lock at any moment in between. That he did is read again with his
 * shard locked, after it was seen that he sleeps: he cannot resume before it is unlocked, for resume()
 * locks it first. A monitor's owner takes too long to ask for that; there he must not have moved (the
 * number of his events) from before he was asked to when it is reported.
 */
#include <time.h>

#include "agent.h"

enum { BATCH = 256, BATCHES = 64 };
struct sleeper { uint64_t tid; uint32_t n; bool again; jobject thread; };
struct batch { JNIEnv *env; struct sleeper of[BATCH]; unsigned count; };

/* ---- what he holds ---- */

/* He parks for a lock of java.util.concurrent: who has it, if that one sleeps, or has ended, after
 * which he gives it back no more. */
static void owner_of(JNIEnv *env, jobject blocker)
{
	jobject owner = (*env)->GetObjectField(env, blocker, java.owner), now;
	uint64_t tid, lock = object_number(blocker);
	struct vthread *v;
	bool ended;

	if (!owner || !(*env)->IsInstanceOf(env, owner, java.vthread))
		return;
	tid = (uint64_t)(*env)->GetLongField(env, owner, java.tid);
	ended = ((*env)->GetIntField(env, owner, java.state) & 0xff) == java.states.terminated;
	v = vthread_lock_find(tid);
	now = (*env)->GetObjectField(env, blocker, java.owner);
	if ((*env)->IsSameObject(env, owner, now)) {
		if (v && !v->runs)
			vthread_holds(v, lock);
		else if (!v && ended)
			vthread_kept(tid, lock);
	}
	vthread_unlock(tid);
}

/* The JVM's own snapshot of a thread, JDK 25's: what a dump of threads prints. */
static struct snapshot {
	jclass cls;
	jmethodID of, blocked, waiting;
	jfieldID locks, object;
} snap;

static void snapshot_find(JNIEnv *env)
{
	jclass cls = class_find(env, "jdk/internal/vm/ThreadSnapshot", false), lock = NULL;

	if (cls)
		lock = class_find(env, "jdk/internal/vm/ThreadSnapshot$ThreadLock", false);
	if (!lock)
		return;
	snap.of = (*env)->GetStaticMethodID(
		env, cls, "of", "(Ljava/lang/Thread;)Ljdk/internal/vm/ThreadSnapshot;");
	if (!failed(env))
		snap.blocked = (*env)->GetMethodID(env, cls, "blockedOn", "()Ljava/lang/Object;");
	if (!failed(env))
		snap.waiting = (*env)->GetMethodID(env, cls, "waitingOn", "()Ljava/lang/Object;");
	if (!failed(env))
		snap.locks = (*env)->GetFieldID(
			env, cls, "locks", "[Ljdk/internal/vm/ThreadSnapshot$ThreadLock;");
	if (!failed(env))
		snap.object = (*env)->GetFieldID(env, lock, "obj", "Ljava/lang/Object;");
	if (!failed(env) && snap.object)
		snap.cls = (*env)->NewGlobalRef(env, cls);
}

static jobject ask(JNIEnv *env, jobject snapshot, jmethodID what)
{
	jobject o = (*env)->CallObjectMethod(env, snapshot, what);

	return failed(env) ? NULL : o;
}

static jobject snapshot_of(JNIEnv *env, jobject thread)
{
	jobject s = NULL;

	if (snap.cls)
		s = (*env)->CallStaticObjectMethod(env, snap.cls, snap.of, thread);
	return failed(env) ? NULL : s;
}

/* The monitors in a snapshot, but the one in whose Object.wait() he is, which he gave up. */
static unsigned monitors(JNIEnv *env, jobject snapshot, uint64_t number[HELD])
{
	jobject waits = ask(env, snapshot, snap.waiting);
	jobjectArray locks = (*env)->GetObjectField(env, snapshot, snap.locks);
	jint count = locks ? (*env)->GetArrayLength(env, locks) : 0;
	unsigned n = 0;

	for (jint i = 0; i < count && n < HELD; i++) {
		jobject lock = (*env)->GetObjectArrayElement(env, locks, i);
		jobject o = lock ? (*env)->GetObjectField(env, lock, snap.object) : NULL;

		if (o && !(*env)->IsSameObject(env, o, waits))
			number[n++] = object_number(o);
	}
	return n;
}

static void look_at(JNIEnv *env, const struct sleeper *s)
{
	jobject blocker = (*env)->GetObjectField(env, s->thread, java.blocker);
	jobject snapshot = s->again ? NULL : snapshot_of(env, s->thread);
	uint64_t number[HELD];
	unsigned n = snapshot ? monitors(env, snapshot, number) : 0;
	struct vthread *v = vthread_lock_find(s->tid);

	if (v && !v->runs && v->ct.n == s->n)
		while (n)
			vthread_holds(v, number[--n]);
	vthread_unlock(s->tid);
	if (blocker && (*env)->IsInstanceOf(env, blocker, java.ownable))
		owner_of(env, blocker);
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
	bool again = v->swept == v->ct.n;
	struct batch *b = arg;
	jobject thread;

	if (b->count == BATCH)
		return false;
	v->seen = v->ct.n;
	if (!slept || v->collected || (again && !v->for_lock && !opt.gc))
		return true;
	v->swept = v->ct.n;
	thread = (*b->env)->NewLocalRef(b->env, v->ref);
	if (!thread && opt.gc)
		was_collected(v);
	if (thread && (!again || v->for_lock))
		b->of[b->count++] = (struct sleeper){ v->tid, v->ct.n, again, thread };
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

static void JNICALL sweep(jvmtiEnv *e, JNIEnv *env, void *arg)
{
	struct timespec half = { 0, 500000000 };
	unsigned from = 0;

	(void)e, (void)arg;
	while (!nanosleep(&half, NULL) || ct_enabled()) {
		if (!ct_enabled())
			continue;
		/* of very many the rest next time */
		for (int i = 0; i < BATCHES && look_at_some(env, &from) && from; i++)
			;
		if (opt.gc && !from)
			(*ti)->ForceGarbageCollection(ti);
	}
}

void sweep_start(JNIEnv *env)
{
	jmethodID make = (*env)->GetMethodID(env, java.thread, "<init>", "(Ljava/lang/String;)V");
	jstring name = failed(env) ? NULL : (*env)->NewStringUTF(env, "corotrace");
	jobject thread = name ? (*env)->NewObject(env, java.thread, make, name) : NULL;

	snapshot_find(env);
	if (failed(env) || !thread ||
		(*ti)->RunAgentThread(ti, thread, sweep, NULL, JVMTI_THREAD_NORM_PRIORITY))
		complain("no thread for looking at locks can be had: who holds them is not reported");
}

/* ---- who was there before ---- */

static jint JNICALL tag(jlong class_tag, jlong size, jlong *tag, jint length, void *arg)
{
	(void)class_tag, (void)size, (void)length;
	*tag = *(jlong *)arg;
	return JVMTI_VISIT_OBJECTS;
}

static bool sleeps(jint s)
{
	const struct states *k = &java.states;

	return s == k->parked || s == k->timed_parked || s == k->blocked || s == k->wait ||
		s == k->timed_wait;
}

static struct ct_on what(JNIEnv *env, jobject thread, jint state)
{
	bool timed = state == java.states.timed_parked || state == java.states.timed_wait;
	jobject o = (*env)->GetObjectField(env, thread, java.blocker), snapshot;

	if (state == java.states.parked || state == java.states.timed_parked)
		return o ? object_on(env, o, timed) : timed ? ct_any(CT_ON_TIMER) : ct_nothing();
	snapshot = snapshot_of(env, thread);
	if (snapshot && (o = ask(env, snapshot, snap.blocked)))
		return ct_on_make(CT_ON_MUTEX, object_number(o));
	if (snapshot && !timed && (o = ask(env, snapshot, snap.waiting)))
		return ct_on_make(CT_ON_COND, object_number(o));
	return ct_any(state == java.states.blocked ? CT_ON_MUTEX : CT_ON_COND);
}

static void adopt_one(JNIEnv *env, jobject thread)
{
	uint64_t tid = (uint64_t)(*env)->GetLongField(env, thread, java.tid);
	jint state = (*env)->GetIntField(env, thread, java.state);
	struct ct_on on;
	struct where w;
	struct vthread *v;

	if (state == java.states.created || state == java.states.terminated ||
		is_own(env, thread) || !vthread_adopt(env, thread) || !sleeps(state))
		return;
	on = what(env, thread, state);
	w = frames_where(env, thread, state == java.states.blocked);
	v = vthread_lock_find(tid);
	/* It sleeps now, and no hook has reported anything of it: it has slept all the time. */
	if (v && !v->runs && v->ct.n == 1 &&
		(*env)->GetIntField(env, thread, java.state) == state) {
		v->ref = (*env)->NewWeakGlobalRef(env, thread);
		v->for_lock = on.kind == CT_ON_MUTEX;
		probe_suspend(&v->ct, w.site, w.polls && !on.kind ? ct_any(CT_ON_FD) : on, w.stack);
	}
	vthread_unlock(tid);
}

void heap_adopt(JNIEnv *env)
{
	jvmtiHeapCallbacks callbacks = { .heap_iteration_callback = tag };
	jlong mark = 1ll << 39;
	jobject *thread = NULL;
	jint count = 0;

	(*ti)->IterateThroughHeap(ti, 0, java.vthread, &callbacks, &mark);
	if ((*ti)->GetObjectsWithTags(ti, 1, &mark, &count, &thread, NULL))
		return;
	for (jint i = 0; i < count; i++) {
		(*ti)->SetTag(ti, thread[i], 0);
		if (!(*env)->PushLocalFrame(env, 64)) {
			adopt_one(env, thread[i]);
			(*env)->PopLocalFrame(env, NULL);
		}
		(*env)->DeleteLocalRef(env, thread[i]);
	}
	(*ti)->Deallocate(ti, (unsigned char *)thread);
}
