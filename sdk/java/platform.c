/* platform.c - threads of the system that sleep and have what a virtual thread waits for. Contracts in
 * agent.h.
 *
 * No hook is called as these go to sleep or go on. But a thread that has used no processor time between
 * two looks has not moved in between: all that was read of it then was so at one time. Who slept from
 * one sweep to the next is reported as a coroutine that is suspended; it ends where he has moved. Ahead
 * of whatever could make a cycle with what was reported of him, that is looked at again: nobody is
 * reported to have a lock that one of these waits for, or has, before it is known that he has not
 * moved. Then he waits, for as long as its owner sleeps.
 */
#include <stdio.h>

#include "agent.h"

enum { THREADS = 64, LOCKS = 8 };
static struct platform {
	uint64_t tid;			/* 0: free */
	jweak ref;
	jlong used;			/* processor time */
	struct ct_coro ct;
	uint64_t waits;			/* for that lock, 0: for none */
	uint64_t lock[LOCKS];
	unsigned locks;
	struct ends ends;		/* whose end it waits for */
	struct ct_coro task;		/* that it waits for, and nobody runs yet; no id: none */
	bool told, seen, dead;		/* reported; asked for in this sweep; ended */
} table[THREADS];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static unsigned told;			/* atomic: how many are */

static bool time_of(jobject thread, jlong *used)
{
	return !(*ti)->GetThreadCpuTime(ti, thread, used);
}

static bool moved(JNIEnv *env, struct platform *p)
{
	jobject thread = (*env)->NewLocalRef(env, p->ref);
	jlong now = -1;
	bool same = thread && time_of(thread, &now) && now == p->used;

	(*env)->DeleteLocalRef(env, thread);
	return !same;
}

/* Of a JVM that ends no times can be had: that says of nobody that he moved. */
static void forget(struct platform *p)
{
	if (jvm_ended())
		return;
	while (p->locks) {
		struct ct_on on = ct_on_make(CT_ON_MUTEX, p->lock[--p->locks]);

		ct_release_for_at(p->ct.id, on, 0);
		ct_level(on, 0);
	}
	if (!p->told)
		return;
	ct_wake_at(p->ct.id, 0, ct_nothing());
	task_end(&p->task);
	tasks_relieve(p->ct.id);
	ct_resume(&p->ct);
	ct_destroy(&p->ct, 1);
	p->told = false;
	p->waits = 0;
	p->ends.count = 0;
	__atomic_fetch_sub(&told, 1, __ATOMIC_RELAXED);
}

static bool concerns(const struct platform *p, uint64_t lock)
{
	bool has = p->waits == lock;

	for (unsigned i = 0; i < p->locks; i++)
		has |= p->lock[i] == lock;
	return p->told && has;
}

void platform_check(JNIEnv *env, uint64_t lock)
{
	if (!__atomic_load_n(&told, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&guard);
	for (int i = 0; i < THREADS; i++)
		if (concerns(&table[i], lock) && moved(env, &table[i]))
			forget(&table[i]);
	pthread_mutex_unlock(&guard);
}

void platform_ended(uint64_t id)
{
	if (!__atomic_load_n(&told, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&guard);
	for (int i = 0; i < THREADS; i++)
		for (unsigned k = 0; table[i].told && k < table[i].ends.count; k++)
			if (table[i].ends.id[k] == id)
				forget(&table[i]);
	pthread_mutex_unlock(&guard);
}

/* Whoever moved, and whoever nobody asked for the last time. */
void platform_sweep(JNIEnv *env)
{
	pthread_mutex_lock(&guard);
	for (int i = 0; i < THREADS; i++) {
		struct platform *p = &table[i];

		if (!p->tid)
			continue;
		if (!p->dead && (!p->seen || moved(env, p)))
			forget(p);
		if (!p->seen) {
			(*env)->DeleteWeakGlobalRef(env, p->ref);
			p->tid = 0;
		}
		p->seen = false;
	}
	pthread_mutex_unlock(&guard);
}

/* Its entry, as it was at the last look; NULL: there is no room. */
static struct platform *entry(JNIEnv *env, jobject thread, uint64_t tid)
{
	struct platform *unused = NULL;

	for (int i = 0; i < THREADS; i++) {
		if (table[i].tid == tid)
			return &table[i];
		if (!table[i].tid)
			unused = &table[i];
	}
	if (unused)
		*unused = (struct platform){
			.tid = tid, .ref = (*env)->NewWeakGlobalRef(env, thread), .used = -1 };
	return unused;
}

/* What a thread is about. on: what it waits for. lock: the object that is one, or NULL. for_task: for a future
 * whose task nobody runs. slept: so since the last look. */
struct look { jint state; struct ct_on on; jobject lock; bool timed, for_task, slept; };

static void waits_for(JNIEnv *env, jobject thread, struct look *l)
{
	jobject o = NULL;

	l->timed = l->state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT;
	if (l->state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) {
		l->on = ct_any(CT_ON_MUTEX);
		if (!(*ti)->GetCurrentContendedMonitor(ti, thread, &o) && o)
			l->on = ct_on_make(CT_ON_MUTEX, object_number(l->lock = o));
		return;
	}
	if (l->state & JVMTI_THREAD_STATE_PARKED)
		o = (*env)->GetObjectField(env, thread, java.blocker);
	if (o && !l->timed && (*env)->IsInstanceOf(env, o, java.ownable))
		l->lock = o;
	l->on = o ? object_on(env, o, l->timed) : l->timed ? ct_any(CT_ON_TIMER) :
		l->state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT ? ct_any(CT_ON_COND) : ct_nothing();
	l->for_task = l->on.kind == CT_ON_USER && !l->timed && task_waits(env, o);
}

static void report(JNIEnv *env, struct platform *p, jobject thread, const struct look *l)
{
	struct where w = frames_where(env, thread,
		l->state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER);
	struct ct_on on = l->on;
	char name[200], whole[232];

	name_of(env, thread, name, sizeof(name));
	snprintf(whole, sizeof(whole), "%s (platform thread)", name);
	probe_adopt(&p->ct, (void *)(uintptr_t)p->tid, whole);
	if (l->for_task) {
		task_create(&p->task, w.site);
		on = ct_await(p->task.id);
	}
	if ((w.closes || (w.joins && !l->timed)) && l->state & JVMTI_THREAD_STATE_PARKED &&
		ends_of_system(p->tid, &p->ends))
		ends_suspend(&p->ct, &w, &p->ends);
	else
		probe_suspend(&p->ct, w.site, on, w.stack);
	p->waits = l->on.kind == CT_ON_MUTEX ? l->on.value : 0;
	p->told = true;
	__atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
}

static bool has(const struct platform *p, uint64_t lock)
{
	for (unsigned i = 0; i < p->locks; i++)
		if (p->lock[i] == lock)
			return true;
	return p->locks == LOCKS;
}

jobject platform_monitor_owner(JNIEnv *env, jobject monitor)
{
	jvmtiMonitorUsage usage = { .owner = NULL };

	if ((*ti)->GetObjectMonitorUsage(ti, monitor, &usage))
		return NULL;
	for (jint i = 0; i < usage.waiter_count; i++)
		(*env)->DeleteLocalRef(env, usage.waiters[i]);
	for (jint i = 0; i < usage.notify_waiter_count; i++)
		(*env)->DeleteLocalRef(env, usage.notify_waiters[i]);
	(*ti)->Deallocate(ti, (unsigned char *)usage.waiters);
	(*ti)->Deallocate(ti, (unsigned char *)usage.notify_waiters);
	return usage.owner && !(*env)->IsInstanceOf(env, usage.owner, java.vthread) ? usage.owner :
		NULL;
}

static bool owns(JNIEnv *env, jobject thread, jobject lock)
{
	jobject owner = (*env)->IsInstanceOf(env, lock, java.ownable) ?
		(*env)->GetObjectField(env, lock, java.owner) : platform_monitor_owner(env, lock);
	bool does = (*env)->IsSameObject(env, owner, thread);

	(*env)->DeleteLocalRef(env, owner);
	return does;
}

/* It ended and has that lock still. */
static void is_dead(JNIEnv *env, struct platform *p, jobject thread, jobject lock, uint64_t number)
{
	if (!p->dead)
		forget(p);
	p->dead = true;
	if (has(p, number) || !owns(env, thread, lock))
		return;
	report(env, p, thread, &(struct look){ .state = 0 });
	ct_acquire_for_at(p->ct.id, ct_on_make(CT_ON_MUTEX, number), 0);
	ct_destroy(&p->ct, 1);
	p->told = false;
	__atomic_fetch_sub(&told, 1, __ATOMIC_RELAXED);
	p->lock[p->locks++] = number;
}

/* It has slept since the last look, with `lock`. */
static void is_asleep(JNIEnv *env, struct platform *p, jobject thread, jobject lock,
	uint64_t number, const struct look *l)
{
	if (!p->told && !moved(env, p))
		report(env, p, thread, l);
	if (p->told && !has(p, number) && owns(env, thread, lock) && !moved(env, p)) {
		p->lock[p->locks++] = number;
		ct_acquire_for_at(p->ct.id, ct_on_make(CT_ON_MUTEX, number), 0);
	}
	if (p->told && moved(env, p))
		forget(p);
}

/* Its entry, with the guard locked; NULL: there is no room, or the JVM ends. Who was interrupted is about
 * to go on. */
static struct platform *look_at(JNIEnv *env, jobject thread, struct look *l)
{
	uint64_t tid = (uint64_t)(*env)->GetLongField(env, thread, java.tid);
	struct platform *p;
	jlong used = -1;
	bool known;

	*l = (struct look){ .state = 0 };
	known = !(*ti)->GetThreadState(ti, thread, &l->state);
	waits_for(env, thread, l);
	pthread_mutex_lock(&guard);
	p = known ? entry(env, thread, tid) : NULL;
	if (!p || !(l->state & JVMTI_THREAD_STATE_ALIVE))
		return p;
	l->slept = p->used >= 0 && time_of(thread, &used) && used == p->used &&
		!(l->state & JVMTI_THREAD_STATE_INTERRUPTED);
	if (!l->slept) {
		forget(p);
		p->used = used >= 0 || time_of(thread, &used) ? used : -1;
	}
	return p;
}

jobject platform_owner(JNIEnv *env, jobject thread, jobject lock, uint64_t number)
{
	struct look l;
	struct platform *p = look_at(env, thread, &l);
	bool again = !p || p->seen;

	if (p && !(l.state & JVMTI_THREAD_STATE_ALIVE))
		is_dead(env, p, thread, lock, number);
	else if (p && l.slept)
		is_asleep(env, p, thread, lock, number, &l);
	if (p)
		p->seen = true;
	pthread_mutex_unlock(&guard);
	return again || !l.slept ? NULL : l.lock;
}

uint64_t platform_sleeps(JNIEnv *env, jobject thread, jobject *lock)
{
	enum { SLEEPS = JVMTI_THREAD_STATE_WAITING | JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER };
	struct look l;
	struct platform *p = look_at(env, thread, &l);
	uint64_t id = 0;

	if (p && l.slept && l.state & SLEEPS && !l.timed) {
		if (!p->told && !moved(env, p))
			report(env, p, thread, &l);
		if (p->told && !moved(env, p))
			id = p->ct.id;
	}
	if (p)
		p->seen = true;
	pthread_mutex_unlock(&guard);
	*lock = l.lock;
	return id;
}

void platform_starves(JNIEnv *env, jobject thread, const struct ct_leg *any, unsigned count)
{
	uint64_t tid = (uint64_t)(*env)->GetLongField(env, thread, java.tid);
	struct platform *p;

	pthread_mutex_lock(&guard);
	p = entry(env, thread, tid);
	if (p && p->told && p->task.id && !moved(env, p))
		task_starves(&p->task, any, count);
	pthread_mutex_unlock(&guard);
}
