/* judge.c - collect, event by event, what the verdicts need at the end. Contracts in
 * cttrace/judge.h and judge.h. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"
#include "judge/look.h"

/* A coroutine's end is its awaiters' cause. Its locks stay locked; or go to the one that awaits
 * what it returns. */
static void on_end(void *arg, struct ctt_coro *c, const struct ctt_event *ev)
{
	static const enum ctt_on_kind kinds[] = { CTT_ON_JOIN, CTT_ON_CORO };
	struct ctt_judge *j = arg;
	struct evidence *e = c->evidence;
	bool finished = ev->kind == CTT_EV_DESTROY && ev->has & CTT_HAS_DONE && ev->done;
	uint64_t heir = !e ? 0 : e->awaiter || !ev->result ? e->awaiter : e->joiner;
	struct ctt_fact end = fact_of(ev,
		ev->kind != CTT_EV_DESTROY || !(ev->has & CTT_HAS_DONE) ? "coroutine ended" :
			ev->done                                        ? "coroutine finished" :
									  "coroutine cancelled");

	end.by = c->id;
	if (c->parent && ctt_model_coro(j->model, c->parent))
		kid_ended(ctt_model_coro(j->model, c->parent), c);
	for (size_t i = 0; i < 2; i++) {
		struct ctt_on on = { kinds[i], true, true, c->id, { NULL, 0 } };
		struct object *o = object_find(j, &on, 0);

		if (o)
			awaited_ended(o, end);
	}
	if (!j->ended)
		j->ended = need(calloc(ENDED, sizeof(*j->ended)));
	*ended_slot(j, c->id) = (struct ended){ c->id, end };
	if (!e)
		return;
	gone_note(j, c, ev);
	if (ev->kind == CTT_EV_DESTROY && !finished)
		holds_destroyed(j, e, ev);
	object_gone(e, ev);
	holds_unseen(e);
	losses_run(j, c, ev);
	for (struct hold *h; (h = e->has.held);) {
		h->torn = hold_torn(j, h);
		h->finished = finished;
		h->object->orphans |= e->kids_live != 0;
		h->created =
			(struct ctt_fact){ c->create_line, c->created, 0, 0, 0, "holder created" };
		h->spawned = c->spawn_site;
		h->returned = ev->result || !(ev->has & CTT_HAS_DONE);
		hold_pass(j, h,
			finished && heir != c->id ? ctt_model_coro(j->model, heir) : NULL,
			end);
	}
	for (size_t i = 0; i < POINTS; i++)
		if (e->left[i].point)
			e->left[i].point->ended++;
	object_leave(e);
	free(e->has.deeds);
	free(e);
	c->evidence = NULL;
}

static void note_delay(struct ctt_judge *j, const struct evidence *e, uint64_t ts)
{
	if (!e->woken || ts <= e->woken)
		return;
	j->delays += e->suspended != 0;
	if (ts - e->woken > j->longest_delay)
		j->longest_delay = ts - e->woken;
}

static void note_begin(struct ctt_judge *j, uint64_t tid)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, tid);
	struct thread *t = keyed_get(&j->threads, tid);

	t->begins |= w && !w->outers;
}

static void leave_point(struct evidence *e, uint64_t ts)
{
	uint64_t wait = ts > e->suspended ? ts - e->suspended : 0;
	size_t i;

	if (!e->point)
		return;
	if (e->sends)
		go_sent(e, wait);
	e->point->writes |= e->on && e->on->kind == CTT_ON_FD && e->on->level_known.line &&
		!e->on->level;
	if (wait > e->point->longest_ns)
		e->point->longest_ns = wait;
	if ((e->on || e->legs) && wait > e->point->longest_known_ns)
		e->point->longest_known_ns = wait;
	for (i = 0; i < POINTS - 1 && e->left[i].point != e->point; i++)
		;
	memmove(e->left + 1, e->left, i * sizeof(e->left[0]));
	e->left[0].point = e->point;
	e->left[0].ts = ts;
}

static void on_suspend(struct ctt_judge *j, struct ctt_coro *c, const struct ctt_event *ev)
{
	struct evidence *e = evidence_of(c);
	const struct ended *dead;
	struct ctt_coro *awaited;

	object_leave(e);
	e->process = process_of(j, ev->tid);
	e->suspended = ev->ts;
	losses_run(j, c, ev);
	e->woken = c->state == CTT_CORO_RUNNABLE ? c->wake_ts : 0;
	if (e->befell)
		e->closed.line = e->awaitee.line = e->moved.line = 0;
	e->befell = false;
	e->timers_moved = e->notified = false;
	e->wakes = e->woken != 0;
	e->dequeues = 0;
	e->point = ev->site && (ev->on.kind < CTT_ON_SYSCALL || ev->on.kind == CTT_ON_OTHER) ?
		keyed_get(&j->points, ev->site) :
		NULL;
	e->sends = is_send(c);
	if (is_receive(c))
		go_receives(j, e, ev->site);
	e->point_ended = e->point ? e->point->ended : 0;
	legs_enter(j, e, ev->tid);
	if (!e->legs || !e->legs->all)
		e->joined = 0;
	else if (!e->joined)
		e->joined = c->resumed ? c->resumed : 1;
	e->some_lock |= ev->on.kind == CTT_ON_MUTEX && !ev->on.known;
	if (ev->on.kind == CTT_ON_NONE || !ev->on.known)
		return;
	object_wait(object_get(j, &ev->on, ev->tid), e);
	channel_used(j, e->on, c->id, ev->tid);
	e->on->came = ev->ts;
	j->unopened |= (uint32_t)!e->on->opened << ev->on.kind;
	if (e->on->closed.line && (e->on->closed.ts > ev->ts || e->on->opened)) {
		e->closed = e->on->closed;
		e->befell = true;
	}
	e->came = object_arrival(e->on);
	if (e->point && e->came.level_was_0 &&
		(e->on->kind == CTT_ON_CHAN || e->on->kind == CTT_ON_COND))
		e->point->receives = true;
	if (!ev->on.number || (ev->on.kind != CTT_ON_CORO && ev->on.kind != CTT_ON_JOIN))
		return;
	awaited = ctt_model_coro(j->model, ev->on.value);
	if (awaited)
		await_end(awaited, ev->on.kind, c->id);
	if (awaited || !j->ended)
		return;
	dead = ended_slot(j, ev->on.value);
	if (dead->id != ev->on.value)
		return;
	e->awaitee = dead->fact;
	e->befell = true;
}

static void note_makers(struct evidence *e, const struct evidence *parent)
{
	e->makers[0] = (struct maker){ parent->c->id,
		parent->left[0].point ? parent->left[0].point->site : 0, parent->c->resumed };
	memcpy(e->makers + 1, parent->makers, (ANCESTORS - 1) * sizeof(e->makers[0]));
}

static void on_create(struct ctt_judge *j, struct ctt_coro *c, const struct ctt_event *ev)
{
	struct ctt_coro *parent = ev->parent ? ctt_model_coro(j->model, ev->parent) : NULL;

	if (parent)
		kid_created(j, parent, ev);
	if (parent && c && parent != c)		/* a line may say that it made itself */
		note_makers(evidence_of(c), evidence_of(parent));
	guards_created(j, parent ? parent->evidence : NULL, ev);
}

static bool runs_on(const struct ctt_judge *j, uint64_t id, uint64_t tid)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, id);

	return c && c->state == CTT_CORO_RUNNING && c->tid == tid;
}

/* It runs within another's run, as a task of a set within that of who runs the set. */
static void note_turn(struct ctt_judge *j, struct ctt_coro *c, uint64_t tid)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, tid);
	uint64_t outer = w && w->outers ? w->outer[w->outers - 1] : 0;
	struct evidence *e = c->evidence;

	if (!outer && !e)
		return;
	e = evidence_of(c);
	e->turns = outer ? e->turns + (e->within != outer) : 0;
	e->within = outer;
}

static void own_line(struct ctt_judge *j, struct ctt_coro *c, const struct ctt_event *ev)
{
	struct evidence *e = c->evidence;

	if (ev->kind == CTT_EV_STATE && e && !e->on && c->state == CTT_CORO_SUSPENDED &&
		c->on.known && c->on.kind == ev->on.kind)
		/* it names what the suspend could not */
		object_wait(object_get(j, &c->on, c->tid), e);
	if (ev->kind == CTT_EV_STATE && e && !e->on && !e->legs && c->state == CTT_CORO_SUSPENDED)
		legs_enter(j, e, c->tid);
	if (c->last_line != ev->line)	/* came late, changed nothing */
		return;
	if (e)
		holds_unseen(e);
	if (ev->kind == CTT_EV_RESUME && c->created && !(e && e->suspended))
		note_begin(j, ev->tid);
	if (ev->kind == CTT_EV_RESUME)
		note_turn(j, c, ev->tid);
	if (c->state == CTT_CORO_RUNNING && c->parent)
		evidence_of(c)->polled = runs_on(j, c->parent, c->tid);
	if (c->state == CTT_CORO_SUSPENDED ||
		(c->state == CTT_CORO_RUNNABLE &&
			(ev->kind == CTT_EV_SUSPEND || ev->kind == CTT_EV_STATE))) {
		on_suspend(j, c, ev);
	} else if (c->state == CTT_CORO_RUNNING && e) {
		note_delay(j, e, ev->ts);
		j->unwoken |= e->suspended && !e->woken && !e->polled && e->wakers_known;
		if (e->suspended)
			leave_point(e, ev->ts);
		object_gone(e, ev);
		object_leave(e);
		e->suspended = e->woken = 0;
		e->wakes = e->dequeues = 0;
	}
}

/* Who gives a lock back wakes one next, who does not wait for it now: a wait of that one's for it may
 * have been served that nobody polls. */
static void note_served(struct ctt_judge *j, const struct evidence *e, const struct ctt_event *ev)
{
	const struct object_name *n = &j->last_released;
	struct ctt_on on = { n->kind, true, true, n->key, { NULL, 0 } };
	struct object *o = object_at(j, &on, n->pid);

	if (o && e->on != o && o->released.by == ev->by && o->released.tid == ev->tid &&
		object_may_be_known_to(o, e))
		o->served = ev->probe_id;
	j->last_released.kind = CTT_ON_NONE;
}

/* A lock of tokio's says that it was given back when who is next was woken for it. */
static void note_woke(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct thread *t = keyed_get(&j->threads, ev->tid);

	t->woke.id = ev->probe_id;
	t->woke.by = ev->by;
	t->woke.ts = ev->ts;
}

/* Several in one go, as at a barrier? */
static bool lets_several_go(struct object *o, const struct ctt_coro *by, uint64_t woke_before)
{
	bool several = by && o->woke_by == by->id && woke_before >= by->resumed;

	o->woke_by = by ? by->id : 0;
	o->lets_several_go |= several;
	return several;
}

static struct rouse rouse_of(const struct ctt_judge *j, const struct ctt_event *ev)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, ev->tid);
	uint64_t ran = w ? w->ran : 0, up = w ? w->parked_until : 0;

	return (struct rouse){ ev->tid, ran > up ? ran : up, ev->ts };
}

static void on_wake(struct ctt_judge *j, struct ctt_coro *c, const struct ctt_event *ev)
{
	struct evidence *e = c ? c->evidence : NULL;
	bool named = ev->on.kind != CTT_ON_NONE && ev->on.known;
	struct object *o = named ? object_find(j, &ev->on, ev->tid) : e ? e->on : NULL;
	struct ctt_coro *by = ctt_model_coro(j->model, ev->by);
	bool several = o && o->kind == CTT_ON_COND && lets_several_go(o, by, o->woke_ts);

	j->wakes_named |= named;
	standstill_note(j, ev, o);
	if (e && !named && j->last_released.kind)
		note_served(j, e, ev);
	if (by && !named && e && e->wakers_known)
		note_woke(j, ev);
	if (o && named)
		lives_woken(j, o, e, ev);
	object_woken(j, o, c, ev, named);
	/* others report a level as well, but for a permit that is handed over */
	if (o && named &&
		(ev->by || o->kind == CTT_ON_COND || (o->kind == CTT_ON_SEM && o->levels)))
		channel_given(j, o, ev->by, ev->tid);
	else if (o && !named && o->kind == CTT_ON_SEM)
		channel_used(j, o, ev->by, ev->tid);
	else if (!named && several && e->suspended)
		channel_given(j, o, ev->by, ev->tid);
	if (o && by && object_known_to(o, evidence_of(by)))
		o->relayed = true;
	if (o && has_ends(o) && (o->holds || o->left) && !hold_acts(j, o, ev->by, ev->tid))
		o->passed_on = true;
	for (uint32_t i = 0; !named && e && e->legs && i < e->legs->count; i++)
		object_woken(j, e->legs->leg[i].on, c, ev, false);
	if (!c)
		late_note(j, ev);
	if (!c || c->state != CTT_CORO_RUNNABLE || c->wake_line != ev->line)
		return;
	e = evidence_of(c);
	e->woken = ev->ts;
	e->rouse = rouse_of(j, ev);
	e->wakes++;
	if (o && waits_at(e, o))
		o->let_go++;
	if (o && e->on == o && (named || !j->wakes_named))
		object_note_less(o, e);
	point_woken(e, ev->by);
	go_woken(j, e, by, ev->site);
}

/* One that was queued twice is dequeued once and runs: only as many as its wakes leave it in no
 * queue. */
static void on_dequeue(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct ctt_coro *c = ctt_model_coro(j->model, ev->probe_id);

	if (!c || c->state != CTT_CORO_RUNNABLE || ev->ts < c->last_ts)
		return;
	evidence_of(c)->dequeued = fact_of(ev, "dequeued, not run");
	evidence_of(c)->dequeues++;
}

static void on_deadline(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct ctt_coro *c = ctt_model_coro(j->model, ev->probe_id);
	struct evidence *e = c ? c->evidence : NULL;

	j->deadlines_known = true;
	if (!e || !e->suspended || ev->ts < e->suspended)
		return;
	e->timers_moved |= c->legs && !legs_timer(c->legs);
	if (c->on.kind != CTT_ON_TIMER && !(c->legs && legs_timer(c->legs)))
		return;
	e->moved = fact_of(ev, "deadline moved");
	e->befell = true;
	legs_moved(e, ev);
	if (c->legs)
		return;
	object_leave(e);
	if (c->on.known)
		object_wait(object_get(j, &c->on, c->tid), e);
}

static void on_waker(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct ctt_coro *c = ctt_model_coro(j->model, ev->probe_id);
	struct evidence *e;

	if (!c)
		return;
	e = evidence_of(c);
	e->wakers_known |= ev->waker.clone;
	if (ev->waker.clone)
		e->cloned = ev->ts;
	e->wakers += ev->waker.clone ? 1 : -1;
	e->wakers_odd |= e->wakers < 0;
	if (!ev->waker.clone)
		e->dropped = fact_of(ev, "last waker dropped");
}

static void note_exit(struct ctt_judge *j, const struct ctt_event *ev, uint64_t pid, uint64_t alive)
{
	struct exited *x = keyed_get(&j->exits, pid);

	x->ts = ev->ts;
	x->alive = alive;
}

static void note_process(struct ctt_judge *j, uint64_t pid)
{
	if (j->pids && pid == j->lone_pid)
		return;
	j->lone_pid = j->pids++ ? 0 : pid;
}

static void judge_now(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct ctt_coro *c = ctt_model_apply(j->model, ev);

	if (ev->tid)
		crew_follow(j, ev);
	switch (ev->kind) {
	case CTT_EV_CREATE:
		on_create(j, c, ev);
		/* fall through */
	case CTT_EV_RESUME: case CTT_EV_SUSPEND: case CTT_EV_STATE:
		if (c)
			own_line(j, c, ev);
		break;
	case CTT_EV_WAKE:
		guards_sent(j, ev);
		guards_gave(j, ev);
		on_wake(j, c, ev);
		break;
	case CTT_EV_WAKER:	on_waker(j, ev); break;
	case CTT_EV_DEQUEUE:	on_dequeue(j, ev); break;
	case CTT_EV_DEADLINE:	on_deadline(j, ev); break;
	case CTT_EV_LOST:	losses_line(j, ev); break;
	case CTT_EV_META:	j->born_before = ev->meta.born_before; break;
	case CTT_EV_ATTACH:
		if (j->born_before)	/* what was opened, held or sent before is not known */
			ctt_judge_lost(j, 0, ev->ts);
		break;
	case CTT_EV_OPEN:
	case CTT_EV_CLOSE:
	case CTT_EV_NOTIFY:
	case CTT_EV_LEVEL:
	case CTT_EV_ACQUIRE:
	case CTT_EV_RELEASE:
		if (ev->kind == CTT_EV_NOTIFY ||
			(ev->kind == CTT_EV_LEVEL && !object_taken(j, ev))) {
			guards_sent(j, ev);
			guards_gave(j, ev);
		}
		if (ev->kind == CTT_EV_RELEASE) {
			guards_gave(j, ev);
			gone_release(j, ev);
		}
		lives_line(j, ev);
		object_line(j, ev);
		break;
	case CTT_EV_EXIT:	note_exit(j, ev, ev->exit.pid, ev->exit.alive); break;
	case CTT_EV_END:
		if (ev->end.alive)	/* it is stopped */
			note_exit(j, ev, 0, ev->end.alive);
		break;
	case CTT_EV_THREAD:
		if (ev->thread.ended)
			holds_thread_ends(j, ev);
		break;
	case CTT_EV_PROCESS:
		if (ev->process.ended)
			process_ended(j, ev);
		else if (!ev->process.untraced)
			note_process(j, ev->process.pid);
		break;
	default:
		break;
	}
	if (j->model->gaps != j->gaps) {
		j->gaps = j->model->gaps;
		losses_gap(j, c, ev);
	}
}

void ctt_judge_apply(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct ctt_event late;

	if (later_is_due(j, ev))
		for (size_t i = 0; later_next(j, &i, &late);)
			judge_now(j, &late);
	if (!judge_later(j, ev))
		judge_now(j, ev);
}

struct ctt_judge *ctt_judge_new(void)
{
	struct ctt_judge *j = need(calloc(1, sizeof(*j)));

	j->untold = need(calloc(1, UNTOLD_SIZE));
	j->model = ctt_model_new();
	j->object_pool.elem = sizeof(struct object);
	j->points.elem = sizeof(struct point);
	j->exits.elem = sizeof(struct exited);
	j->late.elem = sizeof(struct late_wake);
	j->losses.elem = sizeof(struct lost_last);
	j->processes.elem = sizeof(struct process);
	j->threads.elem = sizeof(struct thread);
	ctt_model_on_end(j->model, on_end, j);
	return j;
}

static void evidence_free(struct ctt_coro *c)
{
	struct evidence *e = c->evidence;

	if (!e)
		return;
	free(e->legs);
	free(e->has.deeds);
	free(e);
}

void ctt_judge_free(struct ctt_judge *j)
{
	struct ctt_coro *c;

	objects_free(j);
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		evidence_free(c);
	findings_free(j);
	free(j->findings);
	free(j->untold);
	free(j->ended);
	gone_free(j);
	later_free(j);
	free(j->moved_on);
	crew_forget_candidates(j);
	looks_forget(j);
	weigh_forget(j);
	for (size_t i = 0; i < j->processes.count; i++)
		free(((struct process *)j->processes.item[i])->over);
	keyed_free(&j->points);
	keyed_free(&j->exits);
	keyed_free(&j->late);
	keyed_free(&j->losses);
	keyed_free(&j->lost_in);
	keyed_free(&j->processes);
	for (size_t i = 0; i < j->threads.count; i++)
		free(((struct thread *)j->threads.item[i])->has.deeds);
	keyed_free(&j->threads);
	ctt_model_free(j->model);
	free(j);
}

size_t ctt_judge_live(const struct ctt_judge *j)
{
	size_t live = ctt_model_live(j->model);

	return live > j->torn_down ? live - j->torn_down : 0;
}

size_t ctt_judge_fresh(const struct ctt_judge *j)
{
	return j->fresh;
}

struct ctt_model *ctt_judge_model(struct ctt_judge *j)
{
	return j->model;
}
