/* permits.c - Semaphore: how many permits there are, and who has them. Contracts in agent.h.
 *
 * How many there are is read and reported with a lock held, at the end of each call that changes it: so
 * what is reported last is what is there, once all calls have returned. A release is reported ahead of
 * it, since whom it wakes may be heard of first.
 *
 * A permit need not be given back by who took it. So who has one is reported of a semaphore only from
 * when somebody gave back what he had taken, until one does who had taken none.
 */
#include <string.h>

#include "agent.h"

enum { LOCKS = 64, MODES = 8192, TRIES = 8 };
enum mode { UNKNOWN, GIVES_BACK, SIGNALS };
static pthread_mutex_t locks[LOCKS];
/* atomic: a number, shifted by 2, and its mode; of very many the oldest is forgotten */
static uint64_t modes[MODES];
static __thread struct permit plain[PERMITS];	/* of a thread of the system */

static void __attribute__((constructor)) begin(void)
{
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
}

static unsigned slot(uint64_t number, unsigned k)
{
	return (unsigned)(number * 0x9e3779b97f4a7c15ull >> 40) + k;
}

static enum mode mode_of(uint64_t number)
{
	for (unsigned k = 0; k < TRIES; k++) {
		uint64_t m = __atomic_load_n(&modes[slot(number, k) % MODES], __ATOMIC_RELAXED);

		if (m >> 2 == number)
			return (enum mode)(m & 3);
	}
	return UNKNOWN;
}

static void set_mode(uint64_t number, enum mode mode)
{
	unsigned at = slot(number, 0);

	for (unsigned k = TRIES; k--;) {
		uint64_t m = __atomic_load_n(&modes[slot(number, k) % MODES], __ATOMIC_RELAXED);

		if (!m || m >> 2 == number)
			at = slot(number, k);
	}
	__atomic_store_n(&modes[at % MODES], number << 2 | mode, __ATOMIC_RELAXED);
}

/* Its own record of that semaphore, or a free one; NULL: it has permits of too many. */
static struct permit *record(uint64_t number)
{
	struct vthread *v = vthread_here;
	struct permit *p = v ? v->permit : plain, *unused = NULL;

	for (int i = 0; i < PERMITS; i++) {
		if (p[i].count && p[i].number == number)
			return &p[i];
		if (!p[i].count)
			unused = &p[i];
	}
	return unused;
}

/* The object on which others park for it; the caller drops the reference. */
static jobject sync_of(JNIEnv *env, jobject semaphore, uint64_t *number)
{
	jobject sync = (*env)->GetObjectField(env, semaphore, java.semaphore_sync);

	*number = sync ? object_number(sync) : 0;
	return sync;
}

static void level(JNIEnv *env, jobject sync, uint64_t number)
{
	pthread_mutex_t *lock = &locks[number % LOCKS];
	jint state;

	if (!java.semaphores || attached)
		return;
	pthread_mutex_lock(lock);
	state = (*env)->GetIntField(env, sync, java.sync_state);
	ct_level(ct_on_make(CT_ON_SEM, number), state > 0 ? (uint64_t)state : 0);
	pthread_mutex_unlock(lock);
}

/* The whole of a stack is what it costs to know. */
static uint32_t site_if_asked(JNIEnv *env)
{
	return probe_wants_stacks() ? frames_where(env, NULL, false).site : 0;
}

static void change(JNIEnv *env, jobject semaphore, jint taken)
{
	uint64_t number;
	jobject sync;
	struct permit *p;

	if (!ct_enabled() || !java.semaphore_sync || !(sync = sync_of(env, semaphore, &number)))
		return;
	if (taken > 0 && (p = record(number))) {
		if (!p->count)
			*p = (struct permit){ .number = number };
		p->count += (uint32_t)taken;
		if (taken <= MOST_PERMITS && mode_of(number) == GIVES_BACK) {
			uint32_t site = site_if_asked(env);

			for (; taken > 0; taken--, p->told++)
				ct_acquire_at(ct_on_make(CT_ON_SEM, number), site);
		}
	}
	level(env, sync, number);
	(*env)->DeleteLocalRef(env, sync);
}

/* Ahead of it. */
static void gives(JNIEnv *env, jobject semaphore, jint n)
{
	struct ct_on on;
	uint64_t number;
	struct permit *p;

	if (!ct_enabled() || !java.semaphore_sync || n <= 0)
		return;
	(*env)->DeleteLocalRef(env, sync_of(env, semaphore, &number));
	on = ct_on_make(CT_ON_SEM, number);
	p = record(number);
	if (!p || p->count < (uint32_t)n) {
		set_mode(number, SIGNALS);
		ct_release_at(on, 0);
		n = p ? (jint)p->count : 0;
	} else if (mode_of(number) == UNKNOWN) {
		set_mode(number, GIVES_BACK);
	}
	for (jint i = 0; p && i < n && n <= MOST_PERMITS; i++) {
		if (mode_of(number) == GIVES_BACK && !p->told)	/* taken when that was not known */
			ct_acquire_at(on, 0);
		if (mode_of(number) == GIVES_BACK || p->told)
			ct_release_at(on, 0);
		p->told -= p->told > 0;
	}
	if (p)
		p->count -= (uint32_t)n;
}

void JNICALL hook_permits(JNIEnv *env, jclass c, jobject semaphore)
{
	(void)c;
	change(env, semaphore, 0);
}

void JNICALL hook_permits_by(JNIEnv *env, jclass c, jobject semaphore, jint n)
{
	(void)c, (void)n;
	change(env, semaphore, 0);
}

void JNICALL hook_drained(JNIEnv *env, jclass c, jint n, jobject semaphore)
{
	(void)c, (void)n;
	change(env, semaphore, 0);
}

void JNICALL hook_took(JNIEnv *env, jclass c, jobject semaphore)
{
	(void)c;
	change(env, semaphore, 1);
}

void JNICALL hook_took_some(JNIEnv *env, jclass c, jobject semaphore, jint n)
{
	(void)c;
	change(env, semaphore, n);
}

void JNICALL hook_tried(JNIEnv *env, jclass c, jint got, jobject semaphore)
{
	(void)c;
	if (got)
		change(env, semaphore, 1);
}

void JNICALL hook_tried_some(JNIEnv *env, jclass c, jint got, jobject semaphore, jint n)
{
	(void)c;
	if (got)
		change(env, semaphore, n);
}

void JNICALL hook_gives(JNIEnv *env, jclass c, jobject semaphore)
{
	(void)c;
	gives(env, semaphore, 1);
}

void JNICALL hook_gives_some(JNIEnv *env, jclass c, jobject semaphore, jint n)
{
	(void)c;
	gives(env, semaphore, n);
}
