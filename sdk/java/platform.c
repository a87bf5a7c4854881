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
	struct ct_coro task;		/* that it waits for, and nobody runs yet; no id: none */
	/* reported; its task waits for its pool, likewise; asked for in this sweep; ended */
	bool told, starves, seen, dead;
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

static void forget(struct platform *p)
{
	while (p->locks) {
		struct ct_on on = ct_on_make(CT_ON_MUTEX, p->lock[--p->locks]);

		ct_release_for_at(p->ct.id, on, 0);
		ct_level(on, 0);
	}
	if (!p->told)
		return;
	ct_wake_at(p->ct.id, 0, ct_nothing());
	if (p->task.id)
		ct_destroy(&p->task, 1);
	p->task.id = 0;
	p->starves = false;
	ct_resume(&p->ct);
	ct_destroy(&p->ct, 1);
	p->told = false;
	p->waits = 0;
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

/* What it waits for. *lock: the object that is a lock, or NULL. */
static struct ct_on waits_for(JNIEnv *env, jobject thread, jint state, jobject *lock)
{
	jobject o = NULL;
	bool timed = state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT;

	*lock = NULL;
	if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) {
		if ((*ti)->GetCurrentContendedMonitor(ti, thread, &o) || !o)
			return ct_any(CT_ON_MUTEX);
		*lock = o;
		return ct_on_make(CT_ON_MUTEX, object_number(o));
	}
	if (state & JVMTI_THREAD_STATE_PARKED)
		o = (*env)->GetObjectField(env, thread, java.blocker);
	if (o && !timed && (*env)->IsInstanceOf(env, o, java.ownable))
		*lock = o;
	return o ? object_on(env, o, timed) : timed ? ct_any(CT_ON_TIMER) :
		state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT ? ct_any(CT_ON_COND) : ct_nothing();
}

static void report(JNIEnv *env, struct platform *p, jobject thread, struct ct_on on)
{
	struct where w = frames_where(env, thread, false);
	char name[200], whole[232];
	jobject o = NULL;

	name_of(env, thread, name, sizeof(name));
	snprintf(whole, sizeof(whole), "%s (platform thread)", name);
	probe_adopt(&p->ct, (void *)(uintptr_t)p->tid, whole);
	if (on.kind == CT_ON_USER && (o = (*env)->GetObjectField(env, thread, java.blocker)) &&
		task_waits(env, o)) {
		task_create(&p->task, w.site);
		on = ct_await(p->task.id);
	}
	(*env)->DeleteLocalRef(env, o);
	probe_suspend(&p->ct, w.site, on, w.stack);
	p->waits = on.kind == CT_ON_MUTEX ? on.value : 0;
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
	report(env, p, thread, ct_nothing());
	ct_acquire_for_at(p->ct.id, ct_on_make(CT_ON_MUTEX, number), 0);
	ct_destroy(&p->ct, 1);
	p->told = false;
	__atomic_fetch_sub(&told, 1, __ATOMIC_RELAXED);
	p->lock[p->locks++] = number;
}

/* It has slept since the last look, with `lock`. */
static void is_asleep(JNIEnv *env, struct platform *p, jobject thread, jobject lock,
	uint64_t number, struct ct_on on)
{
	if (!p->told && !moved(env, p))
		report(env, p, thread, on);
	if (p->told && !has(p, number) && owns(env, thread, lock) && !moved(env, p)) {
		p->lock[p->locks++] = number;
		ct_acquire_for_at(p->ct.id, ct_on_make(CT_ON_MUTEX, number), 0);
	}
	if (p->told && moved(env, p))
		forget(p);
}

jobject platform_owner(JNIEnv *env, jobject thread, jobject lock, uint64_t number)
{
	uint64_t tid = (uint64_t)(*env)->GetLongField(env, thread, java.tid);
	jobject next = NULL;
	jlong used = -1;
	struct platform *p;
	struct ct_on on;
	jint state = 0;

	(*ti)->GetThreadState(ti, thread, &state);
	on = waits_for(env, thread, state, &next);
	pthread_mutex_lock(&guard);
	p = entry(env, thread, tid);
	if (p && !(state & JVMTI_THREAD_STATE_ALIVE)) {
		is_dead(env, p, thread, lock, number);
		next = NULL;
	} else if (p && p->used >= 0 && time_of(thread, &used) && used == p->used) {
		is_asleep(env, p, thread, lock, number, on);
	} else if (p) {
		forget(p);
		p->used = used >= 0 || time_of(thread, &used) ? used : -1;
		next = NULL;
	}
	if (!p || p->seen)
		next = NULL;
	else
		p->seen = true;
	pthread_mutex_unlock(&guard);
	return next;
}

uint64_t platform_awaits(JNIEnv *env, jobject thread)
{
	uint64_t tid = (uint64_t)(*env)->GetLongField(env, thread, java.tid), id = 0;
	jobject next = NULL;
	jlong used = -1;
	struct platform *p;
	struct ct_on on;
	jint state = 0;

	(*ti)->GetThreadState(ti, thread, &state);
	on = waits_for(env, thread, state, &next);
	(*env)->DeleteLocalRef(env, next);
	if (on.kind != CT_ON_USER || !time_of(thread, &used))
		return 0;
	pthread_mutex_lock(&guard);
	p = entry(env, thread, tid);
	if (p && p->used == used && !p->told)
		report(env, p, thread, on);
	if (p && p->used != used) {
		forget(p);
		p->used = used;
	} else if (p && p->task.id && !moved(env, p)) {
		id = p->ct.id;
	}
	if (p)
		p->seen = true;
	pthread_mutex_unlock(&guard);
	return id;
}

void platform_starves(JNIEnv *env, jobject thread, const struct ct_leg *any, size_t count)
{
	uint64_t tid = (uint64_t)(*env)->GetLongField(env, thread, java.tid);
	struct platform *p;

	pthread_mutex_lock(&guard);
	p = entry(env, thread, tid);
	if (p && p->told && p->task.id && !p->starves && !moved(env, p)) {
		p->starves = true;
		task_starves(&p->task, any, count);
	}
	pthread_mutex_unlock(&guard);
}
