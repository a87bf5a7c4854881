/* ends.c - whom a thread waits for to end: Thread.join, an executor that closes, a scope that joins. Contracts in
 * agent.h.
 *
 * An executor with a thread a task closes when all of its threads have ended. A scope's owner goes on when all have,
 * or sooner, if one of them shuts the scope down: so he waits for any of them to go on. Who may be added to it is
 * added by one of them, or by the owner. A scope with a time limit is shut down by a timer, too.
 */
#include <stdlib.h>

#include "agent.h"

/* Of threads of the system, by their ids; of more the last one's is kept. */
enum { SYSTEM = 1024 };
static struct of_system { uint64_t tid; struct ends ends; } of_system[SYSTEM];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void set(JNIEnv *env, const struct ends *e)
{
	struct of_system *s;
	jobject self = NULL;
	uint64_t tid;

	if (vthread_here) {
		if (vthread_here->ends || (vthread_here->ends = malloc(sizeof(*e))))
			*vthread_here->ends = *e;
		return;
	}
	if ((*ti)->GetCurrentThread(ti, &self))
		return;
	tid = (uint64_t)(*env)->GetLongField(env, self, java.tid);
	(*env)->DeleteLocalRef(env, self);
	s = &of_system[tid % SYSTEM];
	pthread_mutex_lock(&guard);
	*s = (struct of_system){ tid, *e };
	pthread_mutex_unlock(&guard);
}

bool ends_of_system(uint64_t tid, struct ends *to)
{
	const struct of_system *s = &of_system[tid % SYSTEM];

	pthread_mutex_lock(&guard);
	*to = s->ends;
	if (s->tid != tid)
		to->count = 0;
	pthread_mutex_unlock(&guard);
	return to->count;
}

void ends_suspend(struct ct_coro *c, const struct where *w, const struct ends *e)
{
	struct ct_leg leg[ENDS + 1];
	unsigned n = e->count;

	for (unsigned i = 0; i < n; i++)
		leg[i] = (struct ct_leg){ .on = ct_join(e->id[i]) };
	if (e->timed)
		leg[n++] = (struct ct_leg){ .on = ct_any(CT_ON_TIMER) };
	if (n == 1)
		probe_suspend(c, w->site, leg[0].on, w->stack);
	else
		probe_suspend_legs(c, w->site, e->all, leg, n, w->stack);
}

/* One of these. False: it is not known which. */
static bool add(JNIEnv *env, jobject thread, struct ends *e)
{
	uint64_t id;

	if (!(*env)->IsInstanceOf(env, thread, java.vthread))
		return false;
	if (((*env)->GetIntField(env, thread, java.state) & 0xff) == java.states.terminated)
		return true;
	id = vthread_id((uint64_t)(*env)->GetLongField(env, thread, java.tid));
	if (!id || e->count == ENDS)
		return false;
	e->id[e->count++] = id;
	return true;
}

static void each_of(JNIEnv *env, jobject set, struct ends *e)
{
	jobjectArray all = set ? (*env)->CallObjectMethod(env, set, java.to_array) : NULL;
	jsize n = failed(env) || !all ? 0 : (*env)->GetArrayLength(env, all);
	bool known = true;

	for (jsize i = 0; i < n; i++) {
		jobject thread = (*env)->GetObjectArrayElement(env, all, i);

		known &= thread && add(env, thread, e);
		(*env)->DeleteLocalRef(env, thread);
	}
	if (!known && !e->all)
		e->count = 0;
	(*env)->DeleteLocalRef(env, all);
}

void JNICALL hook_joins(JNIEnv *env, jclass c, jobject thread)
{
	struct ends e = { .all = true };

	(void)c;
	if (!ct_enabled())
		return;
	add(env, thread, &e);
	set(env, &e);
}

/* Who is himself one of its threads waits for himself, above all. */
void JNICALL hook_closes(JNIEnv *env, jclass c, jobject executor)
{
	jobject threads = ct_enabled() && java.threads ?
		(*env)->GetObjectField(env, executor, java.threads) : NULL;
	struct ends e = { .all = true };

	(void)c;
	if (!threads)
		return;
	each_of(env, threads, &e);
	for (unsigned i = 0; vthread_here && i < e.count; i++)
		if (e.id[i] == vthread_here->ct.id)
			e = (struct ends){ .all = true, .count = 1, .id = { e.id[i] } };
	set(env, &e);
	(*env)->DeleteLocalRef(env, threads);
}

/* Of the scope that is joined here, if it has a time limit: its flock's number. */
static __thread uint64_t limited;

void JNICALL hook_joins_scope(JNIEnv *env, jclass c, jobject scope)
{
	jobject timer = ct_enabled() && java.flock && java.scope_timer ?
		(*env)->GetObjectField(env, scope, java.scope_timer) : NULL;
	jobject flock = timer ? (*env)->GetObjectField(env, scope, java.scope_flock) : NULL;

	(void)c;
	limited = flock ? object_number(flock) : 0;
	(*env)->DeleteLocalRef(env, flock);
	(*env)->DeleteLocalRef(env, timer);
}

void JNICALL hook_scope(JNIEnv *env, jclass c, jobject flock)
{
	jobject threads = ct_enabled() && java.flock ?
		(*env)->GetObjectField(env, flock, java.flock) : NULL;
	struct ends e = { .all = false };

	(void)c;
	if (!threads)
		return;
	e.timed = limited && object_number(flock) == limited;
	each_of(env, threads, &e);
	set(env, &e);
	(*env)->DeleteLocalRef(env, threads);
}
