/* rows.c - the coroutines that have not ended, by site or one by one, sorted and filtered; and the
 * panes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "top.h"

const char *const sort_names[SORTS] = { "age", "count", "site", "name", "state", "on", "id" };

struct row {
	const struct ctt_coro *c;	/* of a group the oldest */
	const struct accused *accused; /* the most certain */
	uint64_t age;
	size_t count;
	/* c's, and below its state and what it waits on: comparing through c would wait for memory */
	uint64_t site;
	unsigned what;
};
/* What comparisons need: qsort takes no argument. Of the thread that draws. */
static const struct ctt_model *sorted_model;
static const struct view *sorted_view;

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_site(uint64_t a, uint64_t b)
{
	const struct ctt_site *x = ctt_model_site(sorted_model, a),
			      *y = ctt_model_site(sorted_model, b);
	int order = a == b ? 0 : strcmp(x->func, y->func);

	order = order ? order : strcmp(x->file, y->file);
	order = order ? order : compare(x->line, y->line);
	return order ? order : compare(a, b);
}

static int compare_on(const struct ctt_coro *a, const struct ctt_coro *b)
{
	int order = compare(ctt_wait_kind(a), ctt_wait_kind(b));

	if (order || sorted_view->sort != BY_ON || !sorted_view->single)
		return order;
	return compare(ctt_on_key(&a->on), ctt_on_key(&b->on));
}

/* Those of a group are alike in state, site and kind of what they wait on. */
static int by_group(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = compare(x->what, y->what);

	return order ? order : compare(x->site, y->site);
}

static int by_key(const struct row *x, const struct row *y)
{
	switch (sorted_view->sort) {
	case BY_COUNT: return compare(y->count, x->count);
	case BY_SITE: return compare_site(x->c->site, y->c->site);
	case BY_NAME: return strcmp(x->c->name ? x->c->name : "", y->c->name ? y->c->name : "");
	case BY_STATE: return compare(x->c->state, y->c->state);
	case BY_ON: return compare_on(x->c, y->c);
	case BY_ID: return compare(x->c->id, y->c->id);
	default: return compare(y->age, x->age);
	}
}

/* Equal keys: the oldest first, whatever the direction, and then the same order each time. */
static int by_sort(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = by_key(x, y);

	if (order)
		return sorted_view->backwards ? -order : order;
	order = compare(y->age, x->age);
	return order ? order : compare(x->c->id, y->c->id);
}

static bool matches(const struct ctt_model *m, const struct view *v, const struct ctt_coro *c)
{
	char text[2000], site[512], name[512], on[256];

	if (!v->filter)
		return true;
	snprintf(text, sizeof(text), "%" PRIu64 " %.600s %s %s %s\n%s", c->id,
		c->name ? c->name : "", ctt_coro_state_name(c->state),
		ctt_wait_text(on, sizeof(on), c),
		ctt_model_site_text(site, sizeof(site), m, c->site),
		ctt_model_site_name(name, sizeof(name), m, c->site));
	return ctt_common_match(v->filter, text);
}

/* Of the site that was entered. */
static bool is_inside(const struct view *v, const struct row *row)
{
	return !v->inside || (row->site == v->inside_site && row->what == v->inside_what);
}

static bool wanted(const struct watch *w, const struct view *v, const struct row *row)
{
	const struct ctt_model *m = ctt_judge_model(w->run[v->run]->judge);

	return is_inside(v, row) && !row->c->system && row->age >= w->opt->min_age &&
		(row->accused || !v->accused_only) &&
		ctt_common_match(w->opt->name, row->c->name ? row->c->name : "") &&
		ctt_common_match_site(w->opt->site, m, row->c->site) &&
		matches(m, v, row->c);
}

static struct row *list(const struct watch *w, const struct view *v, size_t *n)
{
	struct ctt_model *m = ctt_judge_model(w->run[v->run]->judge);
	struct row *row = need(calloc(ctt_model_live(m) + 1, sizeof(*row)));
	uint64_t now = ctt_model_last_ts(m);
	struct ctt_coro *c;

	*n = 0;
	for (size_t i = 0; (c = ctt_model_next(m, &i));) {
		row[*n] = (struct row){ c, NULL, now > c->since ? now - c->since : 0, 1, c->site,
			(unsigned)c->state << 8 | ctt_wait_kind(c) };
		/* else it has moved since it was judged */
		if (c->since <= w->run[v->run]->verdicts.as.last_ts)
			row[*n].accused = verdicts_of(w->run[v->run], c->id);
		*n += wanted(w, v, &row[*n]);
	}
	return row;
}

static size_t group(struct row *row, size_t n)
{
	size_t groups = 0;

	if (n)
		qsort(row, n, sizeof(*row), by_group);
	for (size_t i = 0; i < n; i++) {
		struct row *g = groups ? &row[groups - 1] : NULL;

		if (!g || by_group(g, &row[i])) {
			row[groups++] = row[i];
			continue;
		}
		g->count++;
		if (!g->accused ||
			(row[i].accused && row[i].accused->certainty < g->accused->certainty))
			g->accused = row[i].accused;
		if (row[i].age > g->age) {
			g->c = row[i].c;
			g->age = row[i].age;
		}
	}
	return groups;
}

/* What all rows have. `on`: all of it, or only its kind. */
struct cells { char age[24], site[512], on[256]; const char *verdict; enum look look; };

/* The site gives way in its middle, so that its file, the verdict and a name are seen: `width`
 * columns are before it. */
static struct cells cells_of(
	const struct ctt_model *m, const struct view *v, const struct row *r, size_t width)
{
	const struct ctt_coro *c = r->c;
	struct cells cells = { .site = "-", .verdict = "", .look = LOOK_PLAIN };
	size_t room = sizeof(cells.site), kind = v->single ? 12 : 7, taken;
	char on[300] = "-";	/* more than is shown: that is cut at a character */
	char brief[300];
	size_t most = v->cols > 4 * 24 ? v->cols / 4 : 24;

	ctt_out_duration(cells.age, r->age);
	if (ctt_waits(c) && v->single)
		ctt_wait_text(on, sizeof(on), c);
	else if (ctt_waits(c))
		snprintf(on, sizeof(on), "%s", ctt_wait_name(c));
	taken = text_columns(text_fit(cells.on, sizeof(cells.on),
		line_short(brief, sizeof(brief), on, v->cols ? most : 0), kind));
	if (r->accused) {
		cells.verdict = ctt_verdict_name(r->accused->verdict);
		cells.look = LOOK_PROVEN + r->accused->certainty;
	}
	width += strlen(cells.verdict) + 2 + (v->single ? taken - kind : 0);
	if (v->single && c->name)
		width += text_columns(c->name) < 16 ? text_columns(c->name) : 16;
	if (v->cols && v->cols < room + width)
		room = v->cols > width + 24 ? v->cols - width + 1 : 25;
	if (c->site)
		ctt_model_site_text(cells.site, room, m, c->site);
	return cells;
}

static void show_group(
	struct lines *l, const struct ctt_model *m, const struct view *v, const struct row *r)
{
	struct cells s = cells_of(m, v, r, 32);

	lines_add(l, s.look, "%6zu %6s %-9s %s %s  %s", r->count, s.age,
		ctt_coro_state_name(r->c->state), s.on, s.site, s.verdict);
}

static void show_coro(
	struct lines *l, const struct ctt_model *m, const struct view *v, const struct row *r)
{
	struct cells s = cells_of(m, v, r, 37);
	const struct ctt_coro *c = r->c;
	char name[301], reason[201];

	lines_add(l, s.look, "%6" PRIu64 " %6s %-9s %s %s%s%s  %s  %s", c->id, s.age,
		ctt_coro_state_name(c->state), s.on, s.site, *s.verdict ? "  " : "", s.verdict,
		text_fit(name, sizeof(name), c->name ? c->name : "", 0),
		text_fit(reason, sizeof(reason), c->reason ? c->reason : "", 0));
}

static bool is_picked(const struct view *v, const struct row *r)
{
	return v->single ? r->c->id == v->picked :
			   r->site == v->picked_site && r->what == v->picked_what;
}

/* The cursor stays on what it is on, wherever that has gone; where it is gone, or a key has moved
 * the cursor, it takes what is there. Keeps it in view. */
static void place_cursor(struct view *v, const struct row *row, size_t n, size_t space)
{
	size_t at = v->at < n ? v->at : n - 1;

	for (size_t i = 0; !v->moved && i < n; i++)
		if (is_picked(v, &row[i]))
			at = i;
	v->moved = false;
	v->at = at;
	v->picked = row[at].c->id;
	v->picked_site = row[at].site;
	v->picked_what = row[at].what;
	if (v->scroll > at)
		v->scroll = at;
	if (space && at >= v->scroll + space)
		v->scroll = at - space + 1;
}

/* At most `space` lines from v->scroll on; sets it back to where there is something. Returns how
 * many there are. */
static size_t show_coros(struct lines *l, struct watch *w, struct view *v, size_t space)
{
	const struct ctt_model *m = ctt_judge_model(w->run[v->run]->judge);
	size_t n;
	struct row *row = list(w, v, &n);

	sorted_model = m;
	sorted_view = v;
	n = v->single ? n : group(row, n);
	if (n)
		qsort(row, n, sizeof(*row), by_sort);
	sorted_view = NULL;
	if (v->cursor && n)
		place_cursor(v, row, n, space);
	if (v->scroll + space > n)
		v->scroll = n > space ? n - space : 0;
	for (size_t i = v->scroll; i < n && i < v->scroll + space; i++) {
		(v->single ? show_coro : show_group)(l, m, v, &row[i]);
		if (v->cursor && i == v->at)
			l->line[l->count - 1]->look |= LOOK_PICKED;
	}
	free(row);
	return n;
}

static void coros_head(struct lines *l, const struct view *v)
{
	lines_add(l, LOOK_BOLD, v->single ? "%6s %6s %-9s %-12s %s" : "%6s %6s %-9s %-7s %s",
		v->single ? "ID" : "COUNT", v->single ? "AGE" : "OLDEST", "STATE", "ON", "SITE");
}

/* Move the lines of one pane over, from `scroll` on. */
static void move_lines(struct lines *to, const struct lines *from, size_t scroll, size_t space)
{
	for (size_t i = scroll; i < from->count && i < scroll + space; i++)
		lines_add(to, from->line[i]->look, "%s", from->line[i]->text);
}

/* A pane that fills the screen, with its first line, when `head`, staying. */
static void show_long(struct lines *to, const struct lines *from, struct view *v, size_t head)
{
	size_t space = v->rows > to->count + head + 1 ? v->rows - 1 - to->count - head : 0,
	       n = from->count - head;

	if (v->scroll + space > n)
		v->scroll = n > space ? n - space : 0;
	move_lines(to, from, 0, head);
	move_lines(to, from, head + v->scroll, space);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void show_overview(struct lines *l, struct watch *w, struct view *v,
	const struct lines *workers, const struct lines *stories)
{
	size_t space = v->rows > l->count + 1 ? v->rows - 1 - l->count : 0, share, shown;
	/* With their evidence where there is room for all of it. */
	const struct lines *found =
		stories->count <= space / 3 ? stories : &w->run[v->run]->verdicts.heads;

	/* A quarter to the threads, a third to the findings; where that is next to nothing, no
	 * headings. */
	share = least(workers->count, space / 4);
	move_lines(l, workers, share < 3, share);
	if (share >= 3 && share < workers->count)
		lines_add(l, LOOK_DIM, "  ... and %zu more (w)", workers->count - share);
	shown = least(found->count, space / 3);
	move_lines(l, found, 0, shown);
	if (shown && shown < found->count)
		lines_add(l, LOOK_DIM, "  ... and %zu more (f)", found->count - shown);
	if (space >= 10)
		coros_head(l, v);
	if (v->rows > l->count + 1)
		show_coros(l, w, v, v->rows - 1 - l->count);
}

static void show_long_story(struct lines *l, struct watch *w, struct view *v)
{
	struct lines story = { 0 }, wrapped = { 0 };

	show_story(&story, w, v);
	for (size_t i = 0; i < story.count; i++)
		lines_add_wrapped(&wrapped, story.line[i]->look, story.line[i]->text, v->cols);
	show_long(l, &wrapped, v, 0);
	lines_free(&story);
	lines_free(&wrapped);
}

void show_all(struct lines *l, struct watch *w, struct view *v)
{
	struct lines workers = { 0 }, wrapped = { 0 };
	const struct lines *stories = &w->run[v->run]->verdicts.stories;

	show_header(l, w, v);
	show_workers(&workers, w, v);
	for (size_t i = 0; i < stories->count; i++)
		lines_add_wrapped(
			&wrapped, stories->line[i]->look, stories->line[i]->text, v->cols);
	if (v->pane == PANE_STORY)
		show_long_story(l, w, v);
	else if (v->pane == PANE_ALL)
		show_overview(l, w, v, &workers, &wrapped);
	else if (v->pane == PANE_WORKERS)
		show_long(l, &workers, v, 1);
	else if (v->pane == PANE_FINDINGS)
		show_long(l, &wrapped, v, 0);
	else {
		coros_head(l, v);
		if (v->rows > l->count + 1)
			show_coros(l, w, v, v->rows - 1 - l->count);
	}
	lines_free(&workers);
	lines_free(&wrapped);
}

void show_summary(struct lines *l, struct watch *w, uint32_t run)
{
	struct view v = { .run = run };

	show_header(l, w, &v);
	show_workers(l, w, &v);
	move_lines(l, &w->run[run]->verdicts.stories, 0, SIZE_MAX);
	coros_head(l, &v);
	show_coros(l, w, &v, SIZE_MAX / 2);
}
