/* objects.c - java.base's classes and fields, and what an object is that somebody waits on. Contracts
 * in agent.h. */
#include <stdio.h>
#include <string.h>

#include "agent.h"

struct fields java;

bool failed(JNIEnv *env)
{
	if (!(*env)->ExceptionCheck(env))
		return false;
	(*env)->ExceptionClear(env);
	return true;
}

jclass class_find(JNIEnv *env, const char *name, bool asleep)
{
	jclass meta = (*env)->FindClass(env, "java/lang/Class"), found;
	jmethodID by_name = (*env)->GetStaticMethodID(env, meta, "forName",
		"(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
	char dotted[128];
	jstring text;

	snprintf(dotted, sizeof(dotted), "%s", name);
	for (char *p = dotted; *p; p++)
		*p = *p == '/' ? '.' : *p;
	text = by_name ? (*env)->NewStringUTF(env, dotted) : NULL;
	if (failed(env) || !text)
		return NULL;
	found = (*env)->CallStaticObjectMethod(env, meta, by_name, text, (jboolean)!asleep, NULL);
	(*env)->DeleteLocalRef(env, text);
	(*env)->DeleteLocalRef(env, meta);
	return failed(env) ? NULL : found;
}

static jclass keep(JNIEnv *env, const char *name)
{
	jclass local = class_find(env, name, false), global = NULL;

	if (local)
		global = (*env)->NewGlobalRef(env, local);
	(*env)->DeleteLocalRef(env, local);
	return global;
}

static jfieldID field(JNIEnv *env, jclass c, const char *name, const char *type)
{
	jfieldID id = c ? (*env)->GetFieldID(env, c, name, type) : NULL;

	return failed(env) ? NULL : id;
}

static jint constant(JNIEnv *env, const char *name)
{
	jfieldID id = (*env)->GetStaticFieldID(env, java.vthread, name, "I");

	return failed(env) || !id ? -1 : (*env)->GetStaticIntField(env, java.vthread, id);
}

static void find_states(JNIEnv *env)
{
	java.states = (struct states){
		.created = constant(env, "NEW"),
		.running = constant(env, "RUNNING"),
		.parking = constant(env, "PARKING"),
		.parked = constant(env, "PARKED"),
		.timed_parking = constant(env, "TIMED_PARKING"),
		.timed_parked = constant(env, "TIMED_PARKED"),
		.yielding = constant(env, "YIELDING"),
		.blocking = constant(env, "BLOCKING"),
		.blocked = constant(env, "BLOCKED"),
		.waiting = constant(env, "WAITING"),
		.wait = constant(env, "WAIT"),
		.timed_waiting = constant(env, "TIMED_WAITING"),
		.timed_wait = constant(env, "TIMED_WAIT"),
		.terminated = constant(env, "TERMINATED"),
	};
}

static void find_async(JNIEnv *env, const char *name, struct async *a)
{
	a->c = keep(env, name);
	a->future = field(env, a->c, "dep", "Ljava/util/concurrent/CompletableFuture;");
}

static void find_things(JNIEnv *env)
{
	jclass sem = class_find(env, "java/util/concurrent/Semaphore", true);
	jclass sync = class_find(env, "java/util/concurrent/locks/AbstractQueuedSynchronizer", true);
	jclass scope = class_find(env, "java/util/concurrent/StructuredTaskScopeImpl", true);
	jclass holds = class_find(
		env, "java/util/concurrent/locks/ReentrantReadWriteLock$Sync$HoldCounter", true);

	java.sync_state = field(env, sync, "state", "I");
	if (java.sync_state)
		java.semaphore_sync =
			field(env, sem, "sync", "Ljava/util/concurrent/Semaphore$Sync;");
	java.future = keep(env, "java/util/concurrent/FutureTask");
	java.runner = field(env, java.future, "runner", "Ljava/lang/Thread;");
	java.future_state = field(env, java.future, "state", "I");
	java.bound = keep(env, "java/util/concurrent/ThreadPerTaskExecutor$ThreadBoundFuture");
	java.bound_to = field(env, java.bound, "thread", "Ljava/lang/Thread;");
	if (!java.bound_to)
		java.bound = NULL;
	find_async(env, "java/util/concurrent/CompletableFuture$AsyncSupply", &java.supply);
	find_async(env, "java/util/concurrent/CompletableFuture$AsyncRun", &java.run);
	java.to_array = (*env)->GetMethodID(env, class_find(env, "java/util/Set", true), "toArray",
		"()[Ljava/lang/Object;");
	if (!failed(env) && java.to_array) {
		java.threads = field(env,
			class_find(env, "java/util/concurrent/ThreadPerTaskExecutor", true),
			"threads", "Ljava/util/Set;");
		java.flock = field(env, class_find(env, "jdk/internal/misc/ThreadFlock", true),
			"threads", "Ljava/util/Set;");
	}
	java.scope_flock =
		field(env, scope, "flock", "Ljdk/internal/misc/ThreadFlock;");
	java.scope_timer =
		field(env, scope, "timerTask", "Ljava/util/concurrent/Future;");
	if (scope && (!java.scope_flock || !java.scope_timer))
		java.flock = NULL;	/* any may have a time limit */
	java.forked = keep(env, "java/util/concurrent/ForkJoinTask");
	java.completion = keep(env, "java/util/concurrent/CompletableFuture$Completion");
	if (java.completion)
		java.forked_status = field(env, java.forked, "status", "I");
	java.rw = keep(env, "java/util/concurrent/locks/ReentrantReadWriteLock$Sync");
	java.first_reader = field(env, java.rw, "firstReader", "Ljava/lang/Thread;");
	java.last_reader = field(env, java.rw, "cachedHoldCounter",
		"Ljava/util/concurrent/locks/ReentrantReadWriteLock$Sync$HoldCounter;");
	java.reader_tid = field(env, holds, "tid", "J");
	java.reader_count = field(env, holds, "count", "I");
	if (!java.first_reader || !java.last_reader || !java.reader_tid || !java.reader_count)
		java.rw = NULL;
}

bool fields_find(JNIEnv *env)
{
	java.thread = keep(env, "java/lang/Thread");
	java.vthread = keep(env, "java/lang/VirtualThread");
	java.ownable = keep(env, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
	java.tid = field(env, java.thread, "tid", "J");
	java.name = field(env, java.thread, "name", "Ljava/lang/String;");
	java.blocker = field(env, java.thread, "parkBlocker", "Ljava/lang/Object;");
	java.state = field(env, java.vthread, "state", "I");
	java.permit = field(env, java.vthread, "parkPermit", "Z");
	java.timeout = field(env, java.vthread, "timeout", "J");
	java.owner = field(env, java.ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;");
	if (!java.tid || !java.name || !java.blocker || !java.state || !java.owner)
		return false;
	java.carrier = (*env)->GetStaticMethodID(
		env, java.thread, "currentCarrierThread", "()Ljava/lang/Thread;");
	if (failed(env))
		java.carrier = NULL;
	find_states(env);
	find_things(env);
	java.monitors_pin = java.states.blocking < 0;
	return java.states.parking >= 0 && java.states.terminated >= 0;
}

/* JNI's texts have what is beyond U+FFFF as two characters of three bytes, which are no UTF-8. */
static void join_halves(char *text)
{
	unsigned char *from = (unsigned char *)text, *to = from;

	while (*from) {
		if (from[0] == 0xed && (from[1] & 0xf0) == 0xa0 && from[2] && from[3] == 0xed &&
			(from[4] & 0xf0) == 0xb0 && from[5]) {
			uint32_t c = 0x10000 + ((uint32_t)(from[1] & 15) << 16 |
				(uint32_t)(from[2] & 63) << 10 | (uint32_t)(from[4] & 15) << 6 |
				(from[5] & 63));

			*to++ = (unsigned char)(0xf0 | c >> 18);
			*to++ = (unsigned char)(0x80 | (c >> 12 & 63));
			*to++ = (unsigned char)(0x80 | (c >> 6 & 63));
			*to++ = (unsigned char)(0x80 | (c & 63));
			from += 6;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

void name_of(JNIEnv *env, jobject thread, char *to, size_t size)
{
	jstring s = (*env)->GetObjectField(env, thread, java.name);
	const char *text = s ? (*env)->GetStringUTFChars(env, s, NULL) : NULL;

	snprintf(to, size, "%s", text ? text : "");
	join_halves(to);
	if (text)
		(*env)->ReleaseStringUTFChars(env, s, text);
	(*env)->DeleteLocalRef(env, s);
	failed(env);
}

/* Waits for sockets on behalf of all others. */
bool is_own(JNIEnv *env, jobject thread)
{
	char name[16];

	name_of(env, thread, name, sizeof(name));
	return !strncmp(name, "SubPoller-", 10);
}

/* ---- objects by number ---- */

/* A tag: of an object its number, of a class the index of what its objects are. */
uint64_t object_number(jobject o)
{
	static uint64_t last = 1ull << 40;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	jlong tag = 0;

	(*ti)->GetTag(ti, o, &tag);
	if (tag)
		return (uint64_t)tag;
	pthread_mutex_lock(&lock);	/* two threads, one object */
	(*ti)->GetTag(ti, o, &tag);
	if (!tag) {
		tag = (jlong)++last;
		(*ti)->SetTag(ti, o, tag);
	}
	pthread_mutex_unlock(&lock);
	return (uint64_t)tag;
}

static const struct { const char *begins; uint8_t kind; } kinds[] = {
	{ "Ljava/util/concurrent/locks/ReentrantLock$", CT_ON_MUTEX },
	{ "Ljava/util/concurrent/locks/ReentrantReadWriteLock$", CT_ON_MUTEX },
	{ "Ljava/util/concurrent/locks/StampedLock;", CT_ON_MUTEX },
	{ "Ljava/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject;", CT_ON_COND },
	{ "Ljava/util/concurrent/CountDownLatch$", CT_ON_COND },
	{ "Ljava/util/concurrent/Semaphore$", CT_ON_SEM },
	{ "Ljava/util/concurrent/SynchronousQueue", CT_ON_CHAN },
	{ "Ljava/util/concurrent/LinkedTransferQueue", CT_ON_CHAN },
};

enum { CLASSES = 1024 };
static struct made_of { uint8_t kind; char text[120]; } made_of[CLASSES];
static unsigned classes_used;

/* "Ljava/util/concurrent/CompletableFuture$Signaller;" to its last part. */
static void describe(struct made_of *m, const char *sig)
{
	const char *last = strrchr(sig, '/');
	size_t len = strlen(last ? last + 1 : sig);

	m->kind = CT_ON_USER;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(sig, kinds[i].begins, strlen(kinds[i].begins)))
			m->kind = kinds[i].kind;
	snprintf(m->text, sizeof(m->text), "%.*s", len ? (int)len - 1 : 0, last ? last + 1 : sig);
}

static unsigned new_class(jclass c)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char *sig = NULL;
	jlong tag = 0;

	pthread_mutex_lock(&lock);
	(*ti)->GetTag(ti, c, &tag);
	if (!tag && classes_used < CLASSES - 1 && !(*ti)->GetClassSignature(ti, c, &sig, NULL)) {
		describe(&made_of[++classes_used], sig);
		(*ti)->SetTag(ti, c, tag = classes_used);
		(*ti)->Deallocate(ti, (unsigned char *)sig);
	}
	pthread_mutex_unlock(&lock);
	return tag > 0 && tag < CLASSES ? (unsigned)tag : 0;
}

/* Of more classes than CLASSES the rest is only "an object". */
static const struct made_of *class_of(JNIEnv *env, jobject o)
{
	static const struct made_of other = { CT_ON_USER, "object" };
	jclass c = (*env)->GetObjectClass(env, o);
	jlong tag = 0;
	unsigned i;

	(*ti)->GetTag(ti, c, &tag);
	i = tag > 0 && tag < CLASSES ? (unsigned)tag : tag ? 0 : new_class(c);
	(*env)->DeleteLocalRef(env, c);
	return i ? &made_of[i] : &other;
}

struct ct_on object_on(JNIEnv *env, jobject o, bool timed)
{
	const struct made_of *m = class_of(env, o);

	if (m->kind == CT_ON_USER)
		return timed ? ct_nothing() : ct_user(m->text);
	return timed ? ct_any(m->kind) : ct_on_make(m->kind, object_number(o));
}
