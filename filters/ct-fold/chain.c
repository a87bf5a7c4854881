/* chain.c - who awaits whom, as nodes of a tree. Contracts in fold.h.
 *
 * A coroutine's node is kept until a link above it changes: then it and those below it, as far as
 * they have nodes, lose theirs. So each change costs what was computed since the last, and no chain
 * is walked for nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold.h"

static struct member *member_of(const struct ctt_coro *c)
{
	return c->span;
}

static struct ctt_coro *live(const struct fold *f, uint64_t id)
{
	struct ctt_coro *c = id ? ctt_model_coro(f->spans.model, id) : NULL;

	return c && c->span ? c : NULL;
}

/* Tools split at `;`, and at the last blank. */
uint32_t frame_of(struct fold *f, const char *s, size_t len)
{
	uint64_t a = 14695981039346656037ull, b = 0;
	struct frame *frame;
	char *text;

	if (!len)
		s = "?", len = 1;
	text = need(malloc(len + 1));
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		text[i] = c == ';' ? ':' : c == ' ' ? '_' : c < 0x20 || c == 0x7f ? '?' : s[i];
		/* C1 controls, and Unicode's line and blank separators and its marks of direction,
		 * begin so. */
		if (i + 1 < len && ((c == 0xc2 && (unsigned char)s[i + 1] <= 0xa0) ||
					   (c == 0xd8 && (unsigned char)s[i + 1] == 0x9c)))
			text[i] = text[i + 1] = '?', i++;
		else if (i + 2 < len && c == 0xe2 &&
			((unsigned char)s[i + 1] == 0x80 ||
				((unsigned char)s[i + 1] == 0x81 &&
					(unsigned char)s[i + 2] >= 0xa6 &&
					(unsigned char)s[i + 2] <= 0xa9)))
			text[i] = text[i + 1] = text[i + 2] = '?', i += 2;
	}
	for (size_t i = 0; i < len; i++) {
		a = (a ^ (unsigned char)text[i]) * 1099511628211ull;
		b = b * 31 + (unsigned char)text[i];
	}
	text[len] = '\0';
	frame = table_get(&f->frames, a, b);
	if (frame->text)
		free(text);
	else
		frame->text = text;
	return table_index(&f->frames, a, b);
}

uint32_t child_of(struct fold *f, uint32_t parent, uint32_t frame)
{
	size_t known = f->nodes.count;
	uint32_t i = table_index(&f->nodes, parent, frame);

	if (f->nodes.count > known)
		((struct node *)table_at(&f->nodes, i))->depth =
			((struct node *)table_at(&f->nodes, parent))->depth + 1;
	return i;
}

/* Beyond the limit, all are one. */
static uint32_t below(struct fold *f, uint32_t parent, uint32_t frame)
{
	const struct node *n = table_at(&f->nodes, parent);

	if (!f->deepest || n->depth < f->deepest)
		return child_of(f, parent, frame);
	return n->key.b == f->deeper && n->depth ? parent : child_of(f, parent, f->deeper);
}

static void invalidate(struct fold *f, struct ctt_coro *c)
{
	while (c && member_of(c)->valid) {
		struct ctt_coro *next = live(f, member_of(c)->awaited);

		member_of(c)->valid = member_of(c)->cut = false;
		c = next && member_of(next)->awaiter == c->id ? next : NULL;
	}
}

static void settle(struct fold *f, struct ctt_coro *c, uint32_t *node)
{
	struct member *m = member_of(c);

	m->node = *node = below(f, *node, m->frame);
	m->valid = true;
}

/* Those of a cycle hang below its least, so that each of them gives the same stack. */
static void settle_cycle(struct fold *f, size_t n)
{
	uint32_t node = child_of(f, 0, frame_of(f, "[cycle]", 7));
	size_t least = 0;

	for (size_t i = 1; i < n; i++)
		if (f->path[i]->id < f->path[least]->id)
			least = i;
	for (size_t i = least + 1; i--;)
		settle(f, f->path[i], &node);
	for (size_t i = n; i-- > least + 1;)
		settle(f, f->path[i], &node);
	member_of(f->path[least])->cut = true;
}

uint32_t chain_node(struct fold *f, struct ctt_coro *c)
{
	struct ctt_coro *up = c;
	uint32_t node = 0;
	size_t n = 0;

	for (f->mark++; up && !member_of(up)->valid && member_of(up)->mark != f->mark; n++) {
		ROOM(f->path, n, f->path_size);
		member_of(up)->mark = f->mark;
		f->path[n] = up;
		up = live(f, member_of(up)->awaiter);
	}
	/* each awaits one at most, so a way up that meets itself began in the cycle */
	if (up && !member_of(up)->valid) {
		settle_cycle(f, n);
		return member_of(c)->node;
	}
	node = up ? member_of(up)->node : 0;
	while (n)
		settle(f, f->path[--n], &node);
	return member_of(c)->node;
}

void chain_site(struct fold *f, uint64_t site)
{
	struct site_frame *p = keyed_find(&f->sites, site);

	if (p)
		p->frame = 0;
}

static uint32_t frame_at(struct fold *f, uint64_t site, const char *name)
{
	struct site_frame *p = keyed_get(&f->sites, site);
	const char *func;

	if (f->names && *name)
		return frame_of(f, name, strlen(name));
	if (p->frame)
		return p->frame - 1;
	func = ctt_model_site(f->spans.model, site)->func;
	if (*func)
		return (p->frame = frame_of(f, func, strlen(func)) + 1) - 1;
	return frame_of(f, *name ? name : "?", *name ? strlen(name) : 1);
}

void chain_name(struct fold *f, struct ctt_coro *c, uint64_t site)
{
	uint32_t frame = frame_at(f, site, c->name ? c->name : "");

	if (frame == member_of(c)->frame)
		return;
	member_of(c)->frame = frame;
	invalidate(f, c);
}

void chain_wait(struct fold *f, struct ctt_coro *c)
{
	struct member *m = member_of(c);
	struct ctt_coro *to =
		(c->on.kind == CTT_ON_CORO || c->on.kind == CTT_ON_JOIN) && c->on.number ?
		live(f, c->on.value) :
		NULL;

	chain_leave(f, c);
	m->covered = 0;
	if (!to || c->state == CTT_CORO_RUNNING)
		return;
	m->awaited = to->id;
	if (live(f, member_of(to)->awaiter))
		return;		/* its time is reported below the first that awaits it */
	invalidate(f, to);
	member_of(to)->awaiter = c->id;
}

void chain_leave(struct fold *f, struct ctt_coro *c)
{
	struct ctt_coro *to = live(f, member_of(c)->awaited);

	if (to && member_of(to)->awaiter == c->id) {
		invalidate(f, to);
		member_of(to)->awaiter = 0;
	}
	member_of(c)->awaited = 0;
}

bool chain_covered(struct fold *f, struct ctt_coro *c)
{
	struct ctt_coro *to = live(f, member_of(c)->awaited);

	if (!to || member_of(to)->awaiter != c->id)
		return false;
	chain_node(f, to);
	return !member_of(to)->cut;
}

void chain_end(struct fold *f, struct ctt_coro *c, uint64_t ts)
{
	struct ctt_coro *up = live(f, member_of(c)->awaiter);

	if (up && chain_covered(f, up))
		member_of(up)->covered = ts;
	chain_leave(f, c);
	if (up && member_of(up)->awaited == c->id)
		chain_leave(f, up);
}

void fold_start(struct fold *f)
{
	f->frames.elem = sizeof(struct frame);
	f->nodes.elem = sizeof(struct node);
	f->woken.elem = sizeof(struct woken_stack);
	f->sites.elem = sizeof(struct site_frame);
	table_index(&f->nodes, UINT64_MAX, 0);
	f->deeper = frame_of(f, "[deeper]", 8);
	f->spans.size = sizeof(struct member);
	f->spans.arg = f;
	spans_start(&f->spans);
}

void fold_free(struct fold *f)
{
	for (size_t i = 0; i < f->frames.count; i++)
		free(((struct frame *)table_at(&f->frames, i))->text);
	table_free(&f->frames);
	table_free(&f->nodes);
	table_free(&f->woken);
	keyed_free(&f->sites);
	free(f->path);
	spans_free(&f->spans);
}
