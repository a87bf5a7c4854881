/* pools.c - tasks of a pool that wait for tasks in its own queue. Contracts in agent.h.
 *
 * Who waits for a future whose task nobody runs yet waits for that task: a coroutine that was created
 * and has not run. It runs as soon as any thread of its pool is free. Where all threads sleep, each for a
 * task that is still in the queue, none ever is: then each of these tasks is reported to wait for any of
 * them. A pool that may yet add a thread is left out, and one whose queue is of another kind.
 *
 * That all sleep at one time is known because none has moved between two looks: a virtual thread by the
 * number of its events, one of the system by its processor time (platform.c). The queue is read in
 * between, field by field: no lock of the program's is taken.
 */
#include "agent.h"

enum { POOLS = 256, THREADS = 64, QUEUED = 1024, COUNT_BITS = 29 };
static struct {
	jclass queue;
	jfieldID ctl, value, core, most, work, workers, thread;
	jfieldID capacity, head, next, item;
	jmethodID to_array;
} is;
static jweak pools[POOLS];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

struct worker {
	jobject thread, blocker;
	uint64_t tid, id, awaits;	/* awaits: the number of a CompletableFuture */
	uint32_t n;
	bool is_virtual, queued;
};

static jfieldID field(JNIEnv *env, const char *of, const char *name, const char *type)
{
	jclass c = class_find(env, of, true);
	jfieldID id = c ? (*env)->GetFieldID(env, c, name, type) : NULL;

	(*env)->DeleteLocalRef(env, c);
	return failed(env) ? NULL : id;
}

#define CONCURRENT "java/util/concurrent/"
#define POOL CONCURRENT "ThreadPoolExecutor"
#define QUEUE CONCURRENT "LinkedBlockingQueue"
void pools_find(JNIEnv *env)
{
	jclass queue = class_find(env, QUEUE, true), set = class_find(env, "java/util/HashSet", true);

	is.ctl = field(env, POOL, "ctl", "Ljava/util/concurrent/atomic/AtomicInteger;");
	is.value = field(env, CONCURRENT "atomic/AtomicInteger", "value", "I");
	is.core = field(env, POOL, "corePoolSize", "I");
	is.most = field(env, POOL, "maximumPoolSize", "I");
	is.work = field(env, POOL, "workQueue", "Ljava/util/concurrent/BlockingQueue;");
	is.workers = field(env, POOL, "workers", "Ljava/util/HashSet;");
	is.thread = field(env, POOL "$Worker", "thread", "Ljava/lang/Thread;");
	is.capacity = field(env, QUEUE, "capacity", "I");
	is.head = field(env, QUEUE, "head", "L" QUEUE "$Node;");
	is.next = field(env, QUEUE "$Node", "next", "L" QUEUE "$Node;");
	is.item = field(env, QUEUE "$Node", "item", "Ljava/lang/Object;");
	is.to_array = set ? (*env)->GetMethodID(env, set, "toArray", "()[Ljava/lang/Object;") : NULL;
	if (!failed(env) && is.ctl && is.value && is.core && is.most && is.work && is.workers &&
		is.thread && is.capacity && is.head && is.next && is.item && is.to_array && queue)
		is.queue = (*env)->NewGlobalRef(env, queue);
}

void JNICALL hook_pool(JNIEnv *env, jclass c, jobject pool)
{
	(void)c;
	if (!ct_enabled())
		return;
	pthread_mutex_lock(&guard);
	for (int i = 0; i < POOLS; i++)
		if (!pools[i]) {
			pools[i] = (*env)->NewWeakGlobalRef(env, pool);
			break;
		}
	pthread_mutex_unlock(&guard);
}

/* It sleeps for a task that nobody runs, without a time limit. */
static bool read_worker(JNIEnv *env, jobject worker, struct worker *w)
{
	jobject thread = (*env)->GetObjectField(env, worker, is.thread), blocker;
	struct vthread *v;

	if (!thread)
		return false;
	blocker = (*env)->GetObjectField(env, thread, java.blocker);
	*w = (struct worker){ .thread = thread, .blocker = blocker,
		.tid = (uint64_t)(*env)->GetLongField(env, thread, java.tid),
		.is_virtual = (*env)->IsInstanceOf(env, thread, java.vthread) };
	if (!blocker)
		return false;
	if (!w->is_virtual)
		return (w->id = platform_awaits(env, thread));
	v = vthread_lock_find(w->tid);
	if (v && !v->runs && !v->roused && v->task.id) {
		w->id = v->ct.id;
		w->awaits = (*env)->IsInstanceOf(env, blocker, java.future) ? 0 : v->awaits;
		w->n = v->ct.n;
	}
	vthread_unlock(w->tid);
	return w->id;
}

/* number: of the CompletableFuture that it completes, or 0 */
static bool is_for(JNIEnv *env, const struct worker *w, jobject item, uint64_t number)
{
	return w->awaits ? w->awaits == number : (*env)->IsSameObject(env, item, w->blocker);
}

static bool all_in_queue(JNIEnv *env, jobject queue, struct worker *w, int count)
{
	jobject node = (*env)->GetObjectField(env, queue, is.head);
	int found = 0;

	for (int k = 0; node && k < QUEUED && found < count; k++) {
		jobject next = (*env)->GetObjectField(env, node, is.next);
		jobject item = next ? (*env)->GetObjectField(env, next, is.item) : NULL;
		jobject future = item ? future_of(env, item) : NULL;
		uint64_t number = future ? object_number(future) : 0;

		for (int i = 0; item && i < count; i++)
			if (!w[i].queued && is_for(env, &w[i], item, number)) {
				w[i].queued = true;
				found++;
			}
		(*env)->DeleteLocalRef(env, future);
		(*env)->DeleteLocalRef(env, item);
		(*env)->DeleteLocalRef(env, node);
		node = next;
	}
	(*env)->DeleteLocalRef(env, node);
	return found == count;
}

static void report(JNIEnv *env, const struct worker *w, int count)
{
	struct ct_leg any[THREADS];

	for (int i = 0; i < count; i++)
		any[i] = (struct ct_leg){ .on = ct_await(w[i].id) };
	for (int i = 0; i < count; i++) {
		struct vthread *v;

		if (!w[i].is_virtual) {
			platform_starves(env, w[i].thread, any, (size_t)count);
			continue;
		}
		v = vthread_lock_find(w[i].tid);
		if (v && !v->runs && !v->roused && v->ct.n == w[i].n && !v->starves) {
			v->starves = true;
			task_starves(&v->task, any, (size_t)count);
		}
		vthread_unlock(w[i].tid);
	}
}

static bool has_moved(JNIEnv *env, const struct worker *w)
{
	struct vthread *v;
	bool moved;

	if (!w->awaits && !task_waits(env, w->blocker))
		return true;
	if (!w->is_virtual)
		return platform_awaits(env, w->thread) != w->id;
	v = vthread_lock_find(w->tid);
	moved = !v || v->runs || v->roused || v->ct.n != w->n;
	vthread_unlock(w->tid);
	return moved;
}

/* How many threads it has, where it will have no more and something is queued; else 0. */
static int full(JNIEnv *env, jobject pool, jobject queue)
{
	jobject ctl = (*env)->GetObjectField(env, pool, is.ctl), head, next;
	jint value = (*env)->GetIntField(env, ctl, is.value);
	int count = value & ((1 << COUNT_BITS) - 1);

	if (value >> COUNT_BITS > 0 || !count || count > THREADS ||
		!(*env)->IsInstanceOf(env, queue, is.queue))
		return 0;
	if (count < (*env)->GetIntField(env, pool, is.most) &&
		(count < (*env)->GetIntField(env, pool, is.core) ||
			(*env)->GetIntField(env, queue, is.capacity) != INT32_MAX))
		return 0;
	head = (*env)->GetObjectField(env, queue, is.head);
	next = head ? (*env)->GetObjectField(env, head, is.next) : NULL;
	return next ? count : 0;
}

static void look_at(JNIEnv *env, jobject pool)
{
	jobject queue = (*env)->GetObjectField(env, pool, is.work), set;
	int count = full(env, pool, queue), i;
	struct worker w[THREADS];
	jobjectArray all;
	bool moved = false;

	set = count ? (*env)->GetObjectField(env, pool, is.workers) : NULL;
	all = set ? (*env)->CallObjectMethod(env, set, is.to_array) : NULL;
	if (failed(env) || !all || (*env)->GetArrayLength(env, all) != count)
		return;
	for (i = 0; i < count; i++) {
		jobject worker = (*env)->GetObjectArrayElement(env, all, i);

		if (failed(env) || !worker || !read_worker(env, worker, &w[i]))
			return;
		(*env)->DeleteLocalRef(env, worker);
	}
	if (!all_in_queue(env, queue, w, count))
		return;
	for (i = 0; i < count && !moved; i++)
		moved = has_moved(env, &w[i]);
	if (!moved && full(env, pool, queue) == count)
		report(env, w, count);
}

void pools_sweep(JNIEnv *env)
{
	for (int i = 0; is.queue && i < POOLS; i++) {
		jobject pool = NULL;

		pthread_mutex_lock(&guard);
		if (pools[i] && !(pool = (*env)->NewLocalRef(env, pools[i]))) {
			(*env)->DeleteWeakGlobalRef(env, pools[i]);
			pools[i] = NULL;
		}
		pthread_mutex_unlock(&guard);
		if (!pool)
			continue;
		if (!(*env)->PushLocalFrame(env, 4 * THREADS)) {
			look_at(env, pool);
			(*env)->PopLocalFrame(env, NULL);
		}
		failed(env);
		(*env)->DeleteLocalRef(env, pool);
	}
}
