/* pools.c - pools whose threads all sleep while somebody waits for a task in their queue. Contracts in agent.h.
 *
 * Who waits for a future whose task nobody runs yet waits for that task: a coroutine that was created
 * and has not run. It runs as soon as any thread of its pool is free. Where all threads sleep within tasks, and
 * the pool may add none, none is unless one of these goes on: then the task is reported to wait for any of
 * them. What they wait for is reported, too; that nobody goes on is for others to prove.
 *
 * That all sleep at one time is known because none has moved between two looks: a virtual thread by the
 * number of its events, one of the system by its processor time (platform.c). The queue is read in
 * between, field by field: no lock of the program's is taken.
 */
#include "agent.h"

enum { POOLS = 256, WAITING = 128 };
static struct pool { jweak ref; const struct pool_kind *kind; } pools[POOLS];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static bool known[POOL_KINDS];

/* A thread that waits for a task, if there is a blocker; or one of a pool's. */
struct sleeper {
	jobject thread, blocker;
	uint64_t tid, id, awaits;	/* awaits: the number of a CompletableFuture */
	uint64_t n;
	bool is_virtual, queued;
};
static struct sleeper waiting[WAITING];	/* of this sweep */
static unsigned waits;

void pools_find(JNIEnv *env)
{
	for (int i = 0; i < POOL_KINDS; i++)
		known[i] = pool_kinds[i].find(env);
}

static void add(JNIEnv *env, jobject pool)
{
	const struct pool_kind *kind = NULL;

	for (int i = 0; i < POOL_KINDS && !kind; i++) {
		jclass c = known[i] ? class_find(env, pool_kinds[i].cls, true) : NULL;

		kind = c && (*env)->IsInstanceOf(env, pool, c) ? &pool_kinds[i] : NULL;
		(*env)->DeleteLocalRef(env, c);
	}
	pthread_mutex_lock(&guard);
	for (int i = 0; kind && i < POOLS; i++)
		if (!pools[i].ref) {
			pools[i] = (struct pool){ (*env)->NewWeakGlobalRef(env, pool), kind };
			break;
		}
	pthread_mutex_unlock(&guard);
}

void JNICALL hook_pool(JNIEnv *env, jclass c, jobject pool)
{
	(void)c;
	if (ct_enabled())
		add(env, pool);
}

void pools_adopt(JNIEnv *env)
{
	for (int i = 0; i < POOL_KINDS; i++) {
		jclass c = known[i] ? class_find(env, pool_kinds[i].cls, true) : NULL;

		if (c)
			heap_each(env, c, add);
		(*env)->DeleteLocalRef(env, c);
	}
}

void pools_waits(JNIEnv *env, uint64_t tid, uint64_t n, jobject blocker)
{
	struct sleeper *s = &waiting[waits];
	struct vthread *v;

	if (waits == WAITING)
		return;
	v = vthread_lock_find(tid);
	*s = (struct sleeper){ .tid = tid, .n = n, .is_virtual = true, .awaits = v ? v->awaits : 0 };
	vthread_unlock(tid);
	if ((*env)->IsInstanceOf(env, blocker, java.future) || task_is_forked(env, blocker))
		s->awaits = 0;
	s->blocker = (*env)->NewGlobalRef(env, blocker);
	waits += s->blocker != NULL;
}

/* ---- whose task is in the queue ---- */

struct queue { struct sleeper *worker; int count; bool found; };

static bool is_for(JNIEnv *env, const struct sleeper *s, jobject task, uint64_t number)
{
	return s->blocker && (s->awaits ? s->awaits == number :
		(*env)->IsSameObject(env, task, s->blocker));
}

static bool queued(JNIEnv *env, void *arg, jobject task)
{
	struct queue *q = arg;
	jobject future = future_of(env, task);
	uint64_t number = future ? object_number(future) : 0;

	for (unsigned i = 0; i < waits; i++)
		q->found |= waiting[i].queued |= is_for(env, &waiting[i], task, number);
	for (int i = 0; i < q->count; i++)
		q->found |= q->worker[i].queued |= is_for(env, &q->worker[i], task, number);
	(*env)->DeleteLocalRef(env, future);
	return true;
}

/* ---- its threads ---- */

static void read_worker(JNIEnv *env, jobject thread, struct sleeper *w)
{
	*w = (struct sleeper){ .thread = thread,
		.tid = (uint64_t)(*env)->GetLongField(env, thread, java.tid),
		.is_virtual = (*env)->IsInstanceOf(env, thread, java.vthread) };
	if (!w->is_virtual)		/* else it is among those that wait */
		w->blocker = (*env)->GetObjectField(env, thread, java.blocker);
}

/* It is a coroutine that waits for something. */
static bool asleep(JNIEnv *env, struct sleeper *w)
{
	struct vthread *v;
	jobject lock;

	if (!w->is_virtual) {
		w->id = platform_sleeps(env, w->thread, &lock);
		if (w->id && lock)
			locks_owner(env, lock);
		return w->id;
	}
	v = vthread_lock_find(w->tid);
	if (v && !v->runs && !v->roused) {
		w->id = v->ct.id;
		w->n = v->ct.n;
	}
	vthread_unlock(w->tid);
	return w->id;
}

static bool has_moved(JNIEnv *env, const struct sleeper *w)
{
	struct vthread *v;
	jobject lock;
	bool moved;

	if (!w->is_virtual)
		return platform_sleeps(env, w->thread, &lock) != w->id;
	v = vthread_lock_find(w->tid);
	moved = !v || v->runs || v->roused || v->ct.n != w->n;
	vthread_unlock(w->tid);
	return moved;
}

static void report(JNIEnv *env, const struct sleeper *s, const struct ct_leg *any, unsigned count)
{
	struct vthread *v;

	if (!s->queued || (!s->awaits && !task_waits(env, s->blocker)))
		return;
	if (!s->is_virtual) {
		platform_starves(env, s->thread, any, count);
		return;
	}
	v = vthread_lock_find(s->tid);
	if (v && !v->runs && !v->roused && v->ct.n == s->n && v->task.id)
		v->starves |= task_starves(&v->task, any, count);
	vthread_unlock(s->tid);
}

static void look_at(JNIEnv *env, const struct pool *p, jobject pool)
{
	struct sleeper worker[POOL_THREADS];
	jobject thread[POOL_THREADS];
	struct ct_leg any[POOL_THREADS];
	int count = p->kind->full(env, pool);
	struct queue q = { worker, count, false };

	if (!count || !p->kind->threads(env, pool, thread, count))
		return;
	for (int i = 0; i < count; i++)
		read_worker(env, thread[i], &worker[i]);
	for (unsigned i = 0; i < waits; i++)
		waiting[i].queued = false;
	p->kind->tasks(env, pool, queued, &q);
	for (int i = 0; i < count; i++)
		if (!q.found || !asleep(env, &worker[i]))
			return;
	/* none moved since the last look; as long as none does what is queued stays so */
	q.found = false;
	p->kind->tasks(env, pool, queued, &q);
	for (int i = 0; i < count; i++) {
		if (!q.found || has_moved(env, &worker[i]))
			return;
		any[i] = (struct ct_leg){ .on = ct_await(worker[i].id) };
	}
	if (p->kind->full(env, pool) != count)
		return;
	for (unsigned i = 0; i < waits; i++)
		report(env, &waiting[i], any, (unsigned)count);
	for (int i = 0; i < count; i++)
		report(env, &worker[i], any, (unsigned)count);
}

static void sweep(JNIEnv *env, int i)
{
	struct pool p;
	jobject pool = NULL;

	pthread_mutex_lock(&guard);
	p = pools[i];
	if (p.ref && !(pool = (*env)->NewLocalRef(env, p.ref))) {
		(*env)->DeleteWeakGlobalRef(env, p.ref);
		pools[i].ref = NULL;
	}
	pthread_mutex_unlock(&guard);
	if (pool && !(*env)->PushLocalFrame(env, 8 * POOL_THREADS)) {
		look_at(env, &p, pool);
		(*env)->PopLocalFrame(env, NULL);
	}
	failed(env);
	(*env)->DeleteLocalRef(env, pool);
}

void pools_sweep(JNIEnv *env)
{
	for (int i = 0; i < POOLS; i++)
		sweep(env, i);
	while (waits)
		(*env)->DeleteGlobalRef(env, waiting[--waits].blocker);
}
