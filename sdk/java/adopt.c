/* adopt.c - the virtual threads that live as the agent comes. Contracts in agent.h. */
#include "agent.h"

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
	if (snapshot && (o = snapshot_blocked(env, snapshot)))
		return ct_on_make(CT_ON_MUTEX, object_number(o));
	if (snapshot && !timed && (o = snapshot_waiting(env, snapshot)))
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
	jobject o;
	bool waits;

	if (state == java.states.created || state == java.states.terminated ||
		is_own(env, thread) || !vthread_adopt(env, thread) || !sleeps(state))
		return;
	on = what(env, thread, state);
	w = frames_where(env, thread, state == java.states.blocked);
	o = (*env)->GetObjectField(env, thread, java.blocker);
	waits = o && state == java.states.parked && task_waits(env, o);
	v = vthread_lock_find(tid);
	/* It sleeps now, and no hook has reported anything of it: it has slept all the time. */
	if (v && !v->runs && v->ct.n == 1 &&
		(*env)->GetIntField(env, thread, java.state) == state) {
		v->ref = (*env)->NewWeakGlobalRef(env, thread);
		v->for_lock = on.kind == CT_ON_MUTEX;
		if (waits) {
			task_create(&v->task, w.site);
			on = ct_await(v->task.id);
		}
		probe_suspend(&v->ct, w.site, w.polls && !on.kind ? ct_any(CT_ON_FD) : on, w.stack);
	}
	vthread_unlock(tid);
}

void heap_each(JNIEnv *env, jclass c, void (*each)(JNIEnv *, jobject))
{
	jvmtiHeapCallbacks callbacks = { .heap_iteration_callback = tag };
	jlong mark = 1ll << 39;
	jobject *found = NULL;
	jint count = 0;

	(*ti)->IterateThroughHeap(ti, 0, c, &callbacks, &mark);
	if ((*ti)->GetObjectsWithTags(ti, 1, &mark, &count, &found, NULL))
		return;
	for (jint i = 0; i < count; i++) {
		(*ti)->SetTag(ti, found[i], 0);
		if (!(*env)->PushLocalFrame(env, 64)) {
			each(env, found[i]);
			(*env)->PopLocalFrame(env, NULL);
		}
		(*env)->DeleteLocalRef(env, found[i]);
	}
	(*ti)->Deallocate(ti, (unsigned char *)found);
}

void heap_adopt(JNIEnv *env)
{
	heap_each(env, java.vthread, adopt_one);
}
