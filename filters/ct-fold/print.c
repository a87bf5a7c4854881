/* print.c - the tree of stacks as lines "root;mid;leaf VALUE". Contracts in fold.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold.h"

struct sorted { uint64_t parent; const char *text; uint32_t node; };
static int by_text(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	return x->parent != y->parent ? x->parent < y->parent ? -1 : 1 : strcmp(x->text, y->text);
}

/* The waker's stack on top, its leaf first: where the two meet, the wake was. */
static void put_wakers(struct fold *f)
{
	uint32_t between = frame_of(f, "--", 2);

	for (size_t i = 0; i < f->woken.count; i++) {
		const struct woken_stack *w = table_at(&f->woken, i);
		uint32_t node = child_of(f, (uint32_t)w->key.a, between);
		struct node *n;

		for (uint64_t up = w->key.b; up;) {
			const struct node *waker = table_at(&f->nodes, up);
			uint64_t next = waker->key.a;

			node = child_of(f, node, (uint32_t)waker->key.b);
			up = next;
		}
		n = table_at(&f->nodes, node);
		n->ns = n->ns + w->ns < n->ns ? UINT64_MAX : n->ns + w->ns;
		n->hit = true;
	}
}

struct path { char *text; size_t size, *end; };	/* end[d]: length with d frames */

static void put_frame(struct path *p, uint32_t depth, const char *text)
{
	size_t at = p->end[depth - 1], len = strlen(text);

	if (at + len + 2 > p->size) {
		p->size = 2 * (at + len + 2);
		p->text = need(realloc(p->text, p->size));
	}
	if (at)
		p->text[at++] = ';';
	memcpy(p->text + at, text, len);
	p->end[depth] = at + len;
}

void fold_print(struct fold *f, uint32_t run)
{
	struct path path = { NULL, 0, NULL };
	struct sorted *sorted;
	uint32_t *first, *stack, deepest = 0;
	size_t n, top = 0;
	char root[32];

	put_wakers(f);
	n = f->nodes.count;
	sorted = need(calloc(n + 1, sizeof(*sorted)));
	/* where the children of each begin in `sorted` */
	first = need(calloc(n + 2, sizeof(*first)));
	stack = need(calloc(n + 1, sizeof(*stack)));
	for (size_t i = 1; i < n; i++) {
		const struct node *node = table_at(&f->nodes, i);

		sorted[i - 1] = (struct sorted){ node->key.a,
			((struct frame *)table_at(&f->frames, node->key.b))->text, (uint32_t)i };
		first[node->key.a + 1]++;
		deepest = node->depth > deepest ? node->depth : deepest;
	}
	for (size_t i = 0; i <= n; i++)
		first[i + 1] += first[i];
	qsort(sorted, n - 1, sizeof(*sorted), by_text);
	path.end = need(calloc(deepest + 1, sizeof(*path.end)));
	path.text = need(malloc(path.size = 4096));
	if (run)
		path.end[0] = (size_t)snprintf(path.text, path.size, "%s",
			(snprintf(root, sizeof(root), "run_%" PRIu32, run), root));
	for (stack[top++] = 0; top;) {
		uint32_t i = stack[--top];
		const struct node *node = table_at(&f->nodes, i);

		if (i)
			put_frame(&path, node->depth,
				((struct frame *)table_at(&f->frames, node->key.b))->text);
		if (node->hit) {
			fwrite(path.text, 1, path.end[node->depth], stdout);
			printf(" %" PRIu64 "\n", node->ns / 1000 + (node->ns % 1000 >= 500));
		}
		for (uint32_t k = first[i + 1]; k-- > first[i];)
			stack[top++] = sorted[k].node;
	}
	free(path.text);
	free(path.end);
	free(sorted);
	free(first);
	free(stack);
}
