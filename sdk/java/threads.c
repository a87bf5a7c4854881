/* threads.c - the virtual threads that live, by their ids. Contracts in agent.h. */
#include <stdlib.h>

#include "agent.h"

__thread struct vthread *vthread_here;

enum { SHARDS = 1024, GONE = 4 * SHARDS };
static struct shard {
	pthread_mutex_t lock;
	struct vthread **slot;		/* chains by tid / SHARDS; a power of two */
	uint64_t slots, used;
} shard[SHARDS];

/* Those that ended last, by their ids; guarded as these are, for GONE is a multiple of SHARDS. */
static struct gone { uint64_t tid, id, lock; } gone[GONE];

static void __attribute__((constructor)) begin(void)
{
	for (int i = 0; i < SHARDS; i++)
		pthread_mutex_init(&shard[i].lock, NULL);
}

void vthread_lock(uint64_t tid)
{
	pthread_mutex_lock(&shard[tid % SHARDS].lock);
}

void vthread_unlock(uint64_t tid)
{
	pthread_mutex_unlock(&shard[tid % SHARDS].lock);
}

/* Where it is, or its chain ends. */
static struct vthread **link_to(struct shard *s, uint64_t tid)
{
	struct vthread **v = &s->slot[tid / SHARDS & (s->slots - 1)];

	while (*v && (*v)->tid != tid)
		v = &(*v)->next;
	return v;
}

/* Twice the chains, so that they stay short; where there is no memory they grow long. */
static void grow(struct shard *s)
{
	uint64_t slots = s->slots ? 2 * s->slots : 4;
	struct vthread **more = calloc(slots, sizeof(*more)), *v;

	if (!more)
		return;
	for (uint64_t i = 0; i < s->slots; i++)
		while ((v = s->slot[i])) {
			struct vthread **to = &more[v->tid / SHARDS & (slots - 1)];

			s->slot[i] = v->next;
			v->next = *to;
			*to = v;
		}
	free(s->slot);
	s->slot = more;
	s->slots = slots;
}

static struct vthread *find(uint64_t tid)
{
	struct shard *s = &shard[tid % SHARDS];

	return s->slots ? *link_to(s, tid) : NULL;
}

struct vthread *vthread_lock_find(uint64_t tid)
{
	vthread_lock(tid);
	return find(tid);
}

struct vthread *vthread_find(uint64_t tid)
{
	struct vthread *v = vthread_lock_find(tid);

	vthread_unlock(tid);
	return v;
}

uint64_t vthread_id(uint64_t tid)
{
	struct vthread *v = vthread_lock_find(tid);
	uint64_t id = v ? v->ct.id : 0;

	vthread_unlock(tid);
	return id;
}

static struct vthread *make(struct shard *s, uint64_t tid)
{
	struct vthread *v = calloc(1, sizeof(*v)), **to;

	if (s->used >= s->slots)
		grow(s);
	if (!v || !s->slots) {
		free(v);
		return NULL;
	}
	v->tid = tid;
	to = link_to(s, tid);
	*to = v;
	s->used++;
	return v;
}

struct vthread *vthread_get(
	uint64_t tid, void (*create)(struct vthread *, void *arg), void *arg)
{
	struct vthread *v;

	vthread_lock(tid);
	v = find(tid);
	if (!v && (v = make(&shard[tid % SHARDS], tid)))
		create(v, arg);
	vthread_unlock(tid);
	return v;
}

void vthread_kept(uint64_t tid, uint64_t lock)
{
	struct gone *g = &gone[tid % GONE];

	if (g->tid != tid || g->lock)
		return;
	g->lock = lock;
	ct_acquire_for_at(g->id, ct_on_make(CT_ON_MUTEX, lock), 0);
}

struct adopted { JNIEnv *env; jobject thread; };

static void adopt(struct vthread *v, void *arg)
{
	struct adopted *a = arg;
	char name[200];

	name_of(a->env, a->thread, name, sizeof(name));
	probe_adopt(&v->ct, (void *)(uintptr_t)v->tid, *name ? name : NULL);
}

struct vthread *vthread_adopt(JNIEnv *env, jobject thread)
{
	struct adopted a = { env, thread };

	return vthread_get((uint64_t)(*env)->GetLongField(env, thread, java.tid), adopt, &a);
}

void vthread_end(JNIEnv *env, struct vthread *v)
{
	struct shard *s = &shard[v->tid % SHARDS];

	vthread_lock(v->tid);
	ct_destroy(&v->ct, 1);
	*link_to(s, v->tid) = v->next;
	s->used--;
	gone[v->tid % GONE] = (struct gone){ v->tid, v->ct.id, 0 };
	pthread_mutex_unlock(&s->lock);
	if (v->ref)
		(*env)->DeleteWeakGlobalRef(env, v->ref);
	free(v->ends);
	free(v);
}

void vthread_each(unsigned *from, bool (*each)(struct vthread *, void *), void *arg)
{
	bool more = true;

	for (; *from < SHARDS && more; ++*from) {
		struct shard *s = &shard[*from];

		pthread_mutex_lock(&s->lock);
		for (uint64_t k = 0; k < s->slots; k++)
			for (struct vthread *v = s->slot[k]; v; v = v->next)
				more &= each(v, arg);
		pthread_mutex_unlock(&s->lock);
	}
	if (more)
		*from = 0;
}
