/* futures.c - who will complete a future. Contracts in agent.h.
 *
 * A CompletableFuture may be completed by anybody. But that of a supplyAsync or runAsync is by whoever
 * runs its function, and by nobody else, unless it was given a time limit: the same is said of a
 * FutureTask, though that can be cancelled.
 */
#include "agent.h"

enum { FUTURES = 8192, TRIES = 8 };
/* of very many the oldest is forgotten */
static struct completer { uint64_t future, id; } completers[FUTURES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct completer *slot(uint64_t future)
{
	unsigned at = (unsigned)(future * 0x9e3779b97f4a7c15ull >> 40);
	struct completer *unused = &completers[at % FUTURES];

	for (unsigned k = TRIES; k--;) {
		struct completer *c = &completers[(at + k) % FUTURES];

		if (c->future == future)
			return c;
		if (!c->future)
			unused = c;
	}
	return unused;
}

/* NOBODY: one will be heard of. Who was given a time limit keeps it. */
static const uint64_t ANYBODY = UINT64_MAX, NOBODY = UINT64_MAX - 1;

static void set(jobject future, uint64_t id)
{
	uint64_t number = object_number(future);
	struct completer *c;

	pthread_mutex_lock(&lock);
	c = slot(number);
	if (c->future != number || c->id != ANYBODY)
		*c = (struct completer){ number, id };
	pthread_mutex_unlock(&lock);
}

uint64_t future_completer(uint64_t number, bool *waits)
{
	const struct completer *c;
	uint64_t id;

	pthread_mutex_lock(&lock);
	c = slot(number);
	id = c->future == number && c->id != ANYBODY ? c->id : 0;
	pthread_mutex_unlock(&lock);
	*waits = id == NOBODY;
	return id == NOBODY ? 0 : id;
}

uint64_t future_runner(JNIEnv *env, jobject future)
{
	uint64_t id = 0;
	jobject by;

	if (!java.runner || !(*env)->IsInstanceOf(env, future, java.future))
		return 0;
	by = (*env)->GetObjectField(env, future, java.runner);
	if (!by && java.bound && (*env)->IsInstanceOf(env, future, java.bound))
		by = (*env)->GetObjectField(env, future, java.bound_to);
	if (by && (*env)->IsInstanceOf(env, by, java.vthread))
		id = vthread_id((uint64_t)(*env)->GetLongField(env, by, java.tid));
	(*env)->DeleteLocalRef(env, by);
	return id;
}

jobject future_of(JNIEnv *env, jobject function)
{
	const struct async *kinds[] = { &java.supply, &java.run };

	for (int i = 0; i < 2; i++)
		if (kinds[i]->future && (*env)->IsInstanceOf(env, function, kinds[i]->c))
			return (*env)->GetObjectField(env, function, kinds[i]->future);
	return NULL;
}

/* made: an executor is to run it; else this thread does. */
#define FUNCTION(name, kind, made)                                                                 \
	void JNICALL hook_##name(JNIEnv *env, jclass c, jobject task)                              \
	{                                                                                          \
		(void)c;                                                                           \
		function(env, task, &java.kind, made);                                             \
	}
static void function(JNIEnv *env, jobject task, const struct async *kind, bool made)
{
	jobject future = ct_enabled() && kind->future ?
		(*env)->GetObjectField(env, task, kind->future) : NULL;

	if (future)
		set(future, made ? NOBODY : vthread_here ? vthread_here->ct.id : 0);
	(*env)->DeleteLocalRef(env, future);
}
FUNCTION(supplied, supply, true)
FUNCTION(supplies, supply, false)
FUNCTION(run_made, run, true)
FUNCTION(runs, run, false)

void JNICALL hook_limited(JNIEnv *env, jclass c, jobject future)
{
	(void)env, (void)c;
	if (ct_enabled())
		set(future, ANYBODY);
}

void JNICALL hook_awaits(JNIEnv *env, jclass c, jobject future)
{
	(void)env, (void)c;
	if (ct_enabled() && vthread_here)
		vthread_here->awaits = object_number(future);
}

void future_look(JNIEnv *env, uint64_t tid, uint64_t n, jobject blocker)
{
	struct vthread *v = vthread_lock_find(tid);
	uint64_t awaits = v ? v->awaits : 0, id;
	struct ct_leg by = { .site = 0 };
	bool waits;

	vthread_unlock(tid);
	if (task_is_forked(env, blocker))
		return;
	id = (*env)->IsInstanceOf(env, blocker, java.future) ? future_runner(env, blocker) :
		future_completer(awaits, &waits);
	if (!id)
		return;
	by.on = ct_await(id);
	v = vthread_lock_find(tid);
	if (v && !v->runs && !v->roused && v->ct.n == n && v->task.id)
		v->starves |= task_starves(&v->task, &by, 1);
	vthread_unlock(tid);
}
