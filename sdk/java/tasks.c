/* tasks.c - tasks that somebody waits for and nobody runs yet, as coroutines. Contracts in agent.h. */
#include <string.h>

#include "agent.h"

/* What a thread waits with for a CompletableFuture is one, too, by its class. */
bool task_is_forked(JNIEnv *env, jobject o)
{
	return java.forked_status && (*env)->IsInstanceOf(env, o, java.forked) &&
		!(*env)->IsInstanceOf(env, o, java.completion);
}

bool task_waits(JNIEnv *env, jobject future)
{
	jobject by;

	/* who runs one of a ForkJoinPool, it does not say */
	if (task_is_forked(env, future))
		return (*env)->GetIntField(env, future, java.forked_status) >= 0;
	if (!java.future_state || !java.runner || !(*env)->IsInstanceOf(env, future, java.future) ||
		(java.bound && (*env)->IsInstanceOf(env, future, java.bound)) ||
		(*env)->GetIntField(env, future, java.future_state))
		return false;
	by = (*env)->GetObjectField(env, future, java.runner);
	(*env)->DeleteLocalRef(env, by);
	return !by;
}

void task_create(struct ct_coro *task, uint32_t site)
{
	memset(task, 0, sizeof(*task));
	ct_create_at(task, ct_current(), site, NULL, "task of a pool");
}

/* Those that were reported to wait, and for whom. */
enum { TOLD = 128 };
static struct told { uint64_t task; unsigned count; uint64_t by[POOL_THREADS]; } all[TOLD];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static unsigned told;			/* atomic */

static void forget(struct told *t)
{
	t->task = 0;
	__atomic_fetch_sub(&told, 1, __ATOMIC_RELAXED);
}

static struct told *find(uint64_t task)
{
	for (int i = 0; i < TOLD; i++)
		if (all[i].task == task)
			return &all[i];
	return NULL;
}

bool task_starves(struct ct_coro *task, const struct ct_leg *any, unsigned count)
{
	struct told *t;
	bool is = false;

	pthread_mutex_lock(&guard);
	if (!find(task->id) && (t = find(0)) && count <= POOL_THREADS) {
		*t = (struct told){ .task = task->id, .count = count };
		for (unsigned i = 0; i < count; i++)
			t->by[i] = any[i].on.value;
		__atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
		ct_resume(task);
		ct_suspend_any(task, CT_NOWHERE, any, count);
		is = true;
	}
	pthread_mutex_unlock(&guard);
	return is;
}

void task_end(struct ct_coro *task)
{
	struct told *t;

	pthread_mutex_lock(&guard);
	if (task->id && (t = find(task->id)))
		forget(t);
	if (task->id)
		ct_destroy(task, 1);
	task->id = 0;
	pthread_mutex_unlock(&guard);
}

void tasks_relieve(uint64_t id)
{
	if (!__atomic_load_n(&told, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&guard);
	for (int i = 0; i < TOLD; i++)
		for (unsigned k = 0; all[i].task && k < all[i].count; k++)
			if (all[i].by[k] == id) {
				ct_wake_at(all[i].task, 0, ct_nothing());
				forget(&all[i]);
			}
	pthread_mutex_unlock(&guard);
}
