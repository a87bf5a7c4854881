/* snapshot.c - the JVM's own snapshot of a thread, JDK 25's: what a dump of threads prints. Contracts in
 * agent.h. */
#include "agent.h"

static struct {
	jclass cls;
	jmethodID of, blocked, waiting;
	jfieldID locks, object;
} snap;

void snapshot_find(JNIEnv *env)
{
	jclass cls = class_find(env, "jdk/internal/vm/ThreadSnapshot", false), lock = NULL;

	if (cls)
		lock = class_find(env, "jdk/internal/vm/ThreadSnapshot$ThreadLock", false);
	if (!lock)
		return;
	snap.of = (*env)->GetStaticMethodID(
		env, cls, "of", "(Ljava/lang/Thread;)Ljdk/internal/vm/ThreadSnapshot;");
	if (!failed(env))
		snap.blocked = (*env)->GetMethodID(env, cls, "blockedOn", "()Ljava/lang/Object;");
	if (!failed(env))
		snap.waiting = (*env)->GetMethodID(env, cls, "waitingOn", "()Ljava/lang/Object;");
	if (!failed(env))
		snap.locks = (*env)->GetFieldID(
			env, cls, "locks", "[Ljdk/internal/vm/ThreadSnapshot$ThreadLock;");
	if (!failed(env))
		snap.object = (*env)->GetFieldID(env, lock, "obj", "Ljava/lang/Object;");
	if (!failed(env) && snap.object)
		snap.cls = (*env)->NewGlobalRef(env, cls);
}

jobject snapshot_of(JNIEnv *env, jobject thread)
{
	jobject s = NULL;

	if (snap.cls)
		s = (*env)->CallStaticObjectMethod(env, snap.cls, snap.of, thread);
	return failed(env) ? NULL : s;
}

static jobject ask(JNIEnv *env, jobject snapshot, jmethodID what)
{
	jobject o = snapshot ? (*env)->CallObjectMethod(env, snapshot, what) : NULL;

	return failed(env) ? NULL : o;
}

jobject snapshot_blocked(JNIEnv *env, jobject snapshot)
{
	return ask(env, snapshot, snap.blocked);
}

jobject snapshot_waiting(JNIEnv *env, jobject snapshot)
{
	return ask(env, snapshot, snap.waiting);
}

unsigned snapshot_monitors(JNIEnv *env, jobject snapshot, uint64_t number[HELD])
{
	jobject waits = snapshot_waiting(env, snapshot);
	jobjectArray locks = (*env)->GetObjectField(env, snapshot, snap.locks);
	jint count = locks ? (*env)->GetArrayLength(env, locks) : 0;
	unsigned n = 0;

	for (jint i = 0; i < count && n < HELD; i++) {
		jobject lock = (*env)->GetObjectArrayElement(env, locks, i);
		jobject o = lock ? (*env)->GetObjectField(env, lock, snap.object) : NULL;

		if (o && !(*env)->IsSameObject(env, o, waits))
			number[n++] = object_number(o);
		(*env)->DeleteLocalRef(env, o);
		(*env)->DeleteLocalRef(env, lock);
	}
	return n;
}
