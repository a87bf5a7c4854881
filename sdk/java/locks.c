/* locks.c - who has the lock that a sleeper waits for. Contracts in agent.h.
 *
 * What a sleeper holds he holds as long as he sleeps: only the owner gives a lock back, and he takes
 * none either. So an acquire that is reported of a sleeper is true wherever it stands between his suspend
 * and his resume, if he held the lock at any moment in between. That he did is read again with his
 * shard locked, after it was seen that he sleeps: he cannot resume before it is unlocked, for resume()
 * locks it first. A monitor's owner takes too long to ask for that; there he must not have moved (the
 * number of his events) from before he was asked to when it is reported.
 */
#include "agent.h"

static uint64_t tid_of(JNIEnv *env, jobject thread)
{
	return (uint64_t)(*env)->GetLongField(env, thread, java.tid);
}

static bool same(JNIEnv *env, jobject of, jfieldID field, jobject as)
{
	jobject now = (*env)->GetObjectField(env, of, field);
	bool is = (*env)->IsSameObject(env, now, as);

	(*env)->DeleteLocalRef(env, now);
	return is;
}

void locks_held(JNIEnv *env, struct vthread *v, uint64_t lock)
{
	for (unsigned i = 0; i < v->helds; i++)
		if (v->held[i].value == lock)
			return;
	if (v->helds == HELD)
		return;
	platform_check(env, lock);
	v->held[v->helds] = ct_on_make(CT_ON_MUTEX, lock);
	ct_acquire_for_at(v->ct.id, v->held[v->helds++], 0);
}

/* It sleeps, or has ended, after which it gives a lock back no more. */
static void virtual_owner(JNIEnv *env, jobject lock, jobject owner, uint64_t number)
{
	uint64_t tid = tid_of(env, owner);
	bool ended = ((*env)->GetIntField(env, owner, java.state) & 0xff) == java.states.terminated;
	struct vthread *v = vthread_lock_find(tid);

	if (same(env, lock, java.owner, owner)) {
		if (v && !v->runs)
			locks_held(env, v, number);
		else if (!v && ended)
			vthread_kept(tid, number);
	}
	vthread_unlock(tid);
}

/* The first of the readers that there are, or the last, asleep. A writer waits for all readers, so that
 * one is enough; it alone changes what is read here. */
static void reader(
	JNIEnv *env, jobject lock, uint64_t number, uint64_t tid, jobject first, jobject last)
{
	struct vthread *v = vthread_lock_find(tid);

	if (v && !v->runs && (first ? same(env, lock, java.first_reader, first) :
		(uint64_t)(*env)->GetLongField(env, last, java.reader_tid) == tid &&
			(*env)->GetIntField(env, last, java.reader_count) > 0))
		locks_held(env, v, number);
	vthread_unlock(tid);
}

static void readers(JNIEnv *env, jobject lock, uint64_t number)
{
	jobject first = (*env)->GetObjectField(env, lock, java.first_reader);
	jobject last = (*env)->GetObjectField(env, lock, java.last_reader);

	if (first && (*env)->IsInstanceOf(env, first, java.vthread))
		reader(env, lock, number, tid_of(env, first), first, NULL);
	if (last)
		reader(env, lock, number,
			(uint64_t)(*env)->GetLongField(env, last, java.reader_tid), NULL, last);
}

/* Who has it; what that one waits for himself, or NULL. */
static jobject owner_of(JNIEnv *env, jobject lock)
{
	uint64_t number = object_number(lock);
	jobject owner;

	if (!(*env)->IsInstanceOf(env, lock, java.ownable)) {
		owner = platform_monitor_owner(env, lock);
		return owner ? platform_owner(env, owner, lock, number) : NULL;
	}
	owner = (*env)->GetObjectField(env, lock, java.owner);
	if (owner && !(*env)->IsInstanceOf(env, owner, java.vthread))
		return platform_owner(env, owner, lock, number);
	if (owner)
		virtual_owner(env, lock, owner, number);
	else if (java.rw && (*env)->IsInstanceOf(env, lock, java.rw))
		readers(env, lock, number);
	return NULL;
}

void locks_owner(JNIEnv *env, jobject lock)
{
	while (lock)
		lock = owner_of(env, lock);
}
