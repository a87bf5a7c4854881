/* suspects.c - what memory corruption would explain: lines that cannot be true, coroutines that ran
 * after their end or on two threads at once, a death by SIGSEGV or SIGBUS. The zero address of a
 * resume is no suspect: it is the format. Contracts in report.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report.h"

const char *suspicion_text(enum suspicion s)
{
	static const char *const texts[SUSPICIONS] = {
		[LINE_IMPOSSIBLE] = "Lines that cannot be true",
		[RAN_AFTER_ITS_END] =
			"Coroutines reported after their end: a freed frame was used, or its end is reported too early",
		[RAN_TWICE_AT_ONCE] =
			("Coroutines resumed while another thread ran them: two threads in one frame, or a suspend is "
			 "not reported"),
	};

	return texts[s];
}

char **suspects_note(struct suspects *s, enum suspicion kind, uint64_t line)
{
	struct suspect *k = &s->kept[kind][s->count[kind] < SUSPECTS_KEPT ? s->count[kind] : 0];

	if (s->count[kind]++ >= SUSPECTS_KEPT)
		return NULL;
	k->line = line;
	return &k->what;
}

uint64_t suspects_count(const struct suspects *s)
{
	uint64_t n = 0;

	for (int k = 0; k < SUSPICIONS; k++)
		n += s->count[k];
	return n;
}

static struct ended *ended_slot(struct suspects *s, uint64_t id)
{
	if (!s->ended)
		s->ended = need(calloc(RECENTLY_ENDED, sizeof(*s->ended)));
	return &s->ended[id % RECENTLY_ENDED];
}

static void look_at_the_dead(struct suspects *s, const struct ctt_event *ev)
{
	struct ended *end;
	char **what;

	if (ev->kind == CTT_EV_CREATE || !s->ended)
		return;
	end = ended_slot(s, ev->probe_id);
	/* an n from before it is that of a line that stands too late, or twice; from 1 it is another's */
	if (end->id != ev->probe_id || (ev->n > 1 && ev->n <= end->n))
		return;
	what = suspects_note(s, RAN_AFTER_ITS_END, ev->line);
	if (what)
		*what = format("%s of coroutine %" PRIu64 " on thread %" PRIu64, ctt_ev_name(ev->kind), ev->probe_id, ev->tid);
	end->id = 0;	/* once */
}

/* Only version 2 never uses an id again, and only neighbours in `n` show what came after what. */
void suspects_look(struct suspects *s, const struct ctt_coro *c, const struct ctt_event *ev)
{
	char **what;

	if (ev->v1 || !(ev->has & CTT_HAS_N) || (ev->kind == CTT_EV_SUSPEND && !s->ended))
		return;
	if (!c)
		look_at_the_dead(s, ev);
	else if (ev->kind == CTT_EV_RESUME && c->state == CTT_CORO_RUNNING && c->has_n && !c->v1 &&
		ev->n == c->order + 1 && ev->tid != c->tid &&
		(what = suspects_note(s, RAN_TWICE_AT_ONCE, ev->line)))
		*what = format("coroutine %" PRIu64 " resumed on thread %" PRIu64 " while it ran on thread %" PRIu64
			" since line %" PRIu64, ev->probe_id, ev->tid, c->tid, c->last_line);
	if (ev->kind == CTT_EV_DESTROY)
		*ended_slot(s, ev->probe_id) = (struct ended){ ev->probe_id, ev->n };
}

bool is_crash(const struct exited *x)
{
	/* Linux, on x86-64 and aarch64 */
	return x->signaled && (x->value == 11 || x->value == 7);
}

const char *signal_name(uint64_t n)
{
	static const char *const names[] = { [1] = "SIGHUP",
		[2] = "SIGINT",
		[3] = "SIGQUIT",
		[4] = "SIGILL",
		[6] = "SIGABRT",
		[7] = "SIGBUS",
		[8] = "SIGFPE",
		[9] = "SIGKILL",
		[11] = "SIGSEGV",
		[13] = "SIGPIPE",
		[14] = "SIGALRM",
		[15] = "SIGTERM" };

	return n < sizeof(names) / sizeof(*names) && names[n] ? names[n] : "";
}

const struct ctt_worker *crash_thread(const struct run *r, const struct exited *x, size_t *i)
{
	struct ctt_worker *w;

	while ((w = ctt_model_next_worker(r->model, i))) {
		bool here = !x->pid || !w->pid || w->pid == x->pid;

		if (here && w->running && ctt_model_coro(r->model, w->running))
			return w;
	}
	return NULL;
}
