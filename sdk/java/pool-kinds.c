/* pool-kinds.c - the JDK's pools: how many threads one has, which, and what is queued. Contracts in agent.h. */
#include "agent.h"

enum { QUEUED = 4096, COUNT_BITS = 29 };
#define CONCURRENT "java/util/concurrent/"

static jfieldID field(JNIEnv *env, const char *of, const char *name, const char *type)
{
	jclass c = class_find(env, of, true);
	jfieldID id = c ? (*env)->GetFieldID(env, c, name, type) : NULL;

	(*env)->DeleteLocalRef(env, c);
	return failed(env) ? NULL : id;
}

/* ---- ThreadPoolExecutor, with a LinkedBlockingQueue ---- */

static struct {
	jclass queue;
	jfieldID ctl, value, core, most, work, workers, thread;
	jfieldID capacity, head, next, item;
	jmethodID to_array;
} fixed;

#define POOL CONCURRENT "ThreadPoolExecutor"
#define QUEUE CONCURRENT "LinkedBlockingQueue"
static bool find_fixed(JNIEnv *env)
{
	jclass queue = class_find(env, QUEUE, true), set = class_find(env, "java/util/HashSet", true);

	fixed.ctl = field(env, POOL, "ctl", "Ljava/util/concurrent/atomic/AtomicInteger;");
	fixed.value = field(env, CONCURRENT "atomic/AtomicInteger", "value", "I");
	fixed.core = field(env, POOL, "corePoolSize", "I");
	fixed.most = field(env, POOL, "maximumPoolSize", "I");
	fixed.work = field(env, POOL, "workQueue", "Ljava/util/concurrent/BlockingQueue;");
	fixed.workers = field(env, POOL, "workers", "Ljava/util/HashSet;");
	fixed.thread = field(env, POOL "$Worker", "thread", "Ljava/lang/Thread;");
	fixed.capacity = field(env, QUEUE, "capacity", "I");
	fixed.head = field(env, QUEUE, "head", "L" QUEUE "$Node;");
	fixed.next = field(env, QUEUE "$Node", "next", "L" QUEUE "$Node;");
	fixed.item = field(env, QUEUE "$Node", "item", "Ljava/lang/Object;");
	fixed.to_array = set ? (*env)->GetMethodID(env, set, "toArray", "()[Ljava/lang/Object;") : NULL;
	if (failed(env) || !queue || !fixed.ctl || !fixed.value || !fixed.core || !fixed.most ||
		!fixed.work || !fixed.workers || !fixed.thread || !fixed.capacity || !fixed.head ||
		!fixed.next || !fixed.item || !fixed.to_array)
		return false;
	fixed.queue = (*env)->NewGlobalRef(env, queue);
	return true;
}

static int full_fixed(JNIEnv *env, jobject pool)
{
	jobject queue = (*env)->GetObjectField(env, pool, fixed.work);
	jobject ctl = (*env)->GetObjectField(env, pool, fixed.ctl), head, next;
	/* the heap has ones whose constructor has not run, or never will */
	jint value = ctl && queue ? (*env)->GetIntField(env, ctl, fixed.value) : 0;
	int count = value & ((1 << COUNT_BITS) - 1);

	if (value >> COUNT_BITS > 0 || !count || count > POOL_THREADS ||
		!(*env)->IsInstanceOf(env, queue, fixed.queue))
		return 0;
	if (count < (*env)->GetIntField(env, pool, fixed.most) &&
		(count < (*env)->GetIntField(env, pool, fixed.core) ||
			(*env)->GetIntField(env, queue, fixed.capacity) != INT32_MAX))
		return 0;
	head = (*env)->GetObjectField(env, queue, fixed.head);
	next = head ? (*env)->GetObjectField(env, head, fixed.next) : NULL;
	return next ? count : 0;
}

static bool threads_fixed(JNIEnv *env, jobject pool, jobject *to, int count)
{
	jobject set = (*env)->GetObjectField(env, pool, fixed.workers);
	jobjectArray all = set ? (*env)->CallObjectMethod(env, set, fixed.to_array) : NULL;

	if (failed(env) || !all || (*env)->GetArrayLength(env, all) != count)
		return false;
	for (int i = 0; i < count; i++) {
		jobject worker = (*env)->GetObjectArrayElement(env, all, i);

		to[i] = worker ? (*env)->GetObjectField(env, worker, fixed.thread) : NULL;
		(*env)->DeleteLocalRef(env, worker);
		if (!to[i])
			return false;
	}
	return true;
}

static void tasks_fixed(JNIEnv *env, jobject pool, pool_task_fn *each, void *arg)
{
	jobject queue = (*env)->GetObjectField(env, pool, fixed.work);
	jobject node = (*env)->GetObjectField(env, queue, fixed.head);
	bool more = true;

	for (int k = 0; node && k < QUEUED && more; k++) {
		jobject next = (*env)->GetObjectField(env, node, fixed.next);
		jobject item = next ? (*env)->GetObjectField(env, next, fixed.item) : NULL;

		more = !item || each(env, arg, item);
		(*env)->DeleteLocalRef(env, item);
		(*env)->DeleteLocalRef(env, node);
		node = next;
	}
	(*env)->DeleteLocalRef(env, node);
	(*env)->DeleteLocalRef(env, queue);
}

/* ---- ForkJoinPool ---- */

static struct {
	/* a task made of a Runnable; a thread that virtual ones run on */
	jclass pool, runnable, carrier;
	jfieldID queues, array, owner, wraps;
	jmethodID active, size, target;
} fork;

#define FORK CONCURRENT "ForkJoinPool"
#define WRAPS CONCURRENT "ForkJoinTask$RunnableExecuteAction"
static bool find_fork(JNIEnv *env)
{
	jclass c = class_find(env, FORK, true), wraps = class_find(env, WRAPS, true);
	jclass carrier = class_find(env, "jdk/internal/misc/CarrierThread", true);

	fork.queues = field(env, FORK, "queues", "[L" FORK "$WorkQueue;");
	fork.array = field(env, FORK "$WorkQueue", "array", "[L" CONCURRENT "ForkJoinTask;");
	fork.owner = field(env, FORK "$WorkQueue", "owner", "L" CONCURRENT "ForkJoinWorkerThread;");
	fork.wraps = field(env, WRAPS, "runnable", "Ljava/lang/Runnable;");
	fork.active = c ? (*env)->GetMethodID(env, c, "getActiveThreadCount", "()I") : NULL;
	fork.size = c && !failed(env) ? (*env)->GetMethodID(env, c, "getPoolSize", "()I") : NULL;
	fork.target = c && !failed(env) ? (*env)->GetMethodID(env, c, "getParallelism", "()I") : NULL;
	if (failed(env) || !wraps || !carrier || !fork.queues || !fork.array || !fork.owner ||
		!fork.wraps || !fork.active || !fork.size || !fork.target)
		return false;
	fork.pool = (*env)->NewGlobalRef(env, c);
	fork.runnable = (*env)->NewGlobalRef(env, wraps);
	fork.carrier = (*env)->NewGlobalRef(env, carrier);
	return true;
}

/* By the JDK's own method, not that of a class of the program's. */
static jint ask_fork(JNIEnv *env, jobject pool, jmethodID what)
{
	jint n = (*env)->CallNonvirtualIntMethod(env, pool, fork.pool, what);

	return failed(env) ? 0 : n;
}

/* It adds none while as many as it is to have are at work: who waits within one of its own tasks for another
 * helps, or asks for one more thread first, and is not counted then. */
static int full_fork(JNIEnv *env, jobject pool)
{
	jint active = ask_fork(env, pool, fork.active), target = ask_fork(env, pool, fork.target);
	jint size = ask_fork(env, pool, fork.size);

	return active <= 0 || target <= 0 || active < target || size > POOL_THREADS ? 0 : size;
}

static bool threads_fork(JNIEnv *env, jobject pool, jobject *to, int count)
{
	jobjectArray queues = (*env)->GetObjectField(env, pool, fork.queues);
	jsize n = queues ? (*env)->GetArrayLength(env, queues) : 0;
	int found = 0;

	for (jsize i = 0; i < n; i++) {
		jobject q = (*env)->GetObjectArrayElement(env, queues, i);
		jobject thread = q ? (*env)->GetObjectField(env, q, fork.owner) : NULL, blocker;

		(*env)->DeleteLocalRef(env, q);
		if (!thread)
			continue;
		blocker = (*env)->GetObjectField(env, thread, java.blocker);
		if (found == count || (*env)->IsInstanceOf(env, thread, fork.carrier) ||
			(*env)->IsSameObject(env, blocker, pool))
			return false;
		(*env)->DeleteLocalRef(env, blocker);
		to[found++] = thread;
	}
	return found == count;
}

static bool each_in(JNIEnv *env, jobjectArray array, pool_task_fn *each, void *arg)
{
	jsize n = array ? (*env)->GetArrayLength(env, array) : 0;
	bool more = n <= QUEUED;

	for (jsize i = 0; i < n && more; i++) {
		jobject task = (*env)->GetObjectArrayElement(env, array, i), inner;

		if (task && (*env)->IsInstanceOf(env, task, fork.runnable) &&
			(inner = (*env)->GetObjectField(env, task, fork.wraps))) {
			(*env)->DeleteLocalRef(env, task);
			task = inner;
		}
		more = !task || each(env, arg, task);
		(*env)->DeleteLocalRef(env, task);
	}
	return more;
}

static void tasks_fork(JNIEnv *env, jobject pool, pool_task_fn *each, void *arg)
{
	jobjectArray queues = (*env)->GetObjectField(env, pool, fork.queues);
	jsize n = queues ? (*env)->GetArrayLength(env, queues) : 0;
	bool more = true;

	for (jsize i = 0; i < n && more; i++) {
		jobject q = (*env)->GetObjectArrayElement(env, queues, i);
		jobject array = q ? (*env)->GetObjectField(env, q, fork.array) : NULL;

		more = each_in(env, array, each, arg);
		(*env)->DeleteLocalRef(env, array);
		(*env)->DeleteLocalRef(env, q);
	}
	(*env)->DeleteLocalRef(env, queues);
}

const struct pool_kind pool_kinds[] = {
	{ POOL, find_fixed, full_fixed, threads_fixed, tasks_fixed },
	{ FORK, find_fork, full_fork, threads_fork, tasks_fork },
};
