/* native.c - simple comparisons, as jq would answer them, at the reader's speed. Contracts in
 * where.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "where.h"

/* In jq's order of types. */
enum type { T_NULL, T_FALSE, T_TRUE, T_NUMBER, T_TEXT };
struct value { enum type type; uint64_t number; struct ctt_text text; };

enum key {
	K_PROBE_ID,
	K_TID,
	K_SEQ,
	K_TS,
	K_N,
	K_SITE,
	K_PARENT,
	K_BY,
	K_DONE,
	K_EV,
	K_ON,
	K_REASON,
	K_NAME,
	KEYS
};
static const char *const key_names[KEYS] = { "probe_id", "tid", "seq", "ts", "n", "site", "parent",
	"by", "done", "ev", "on", "reason", "name" };

enum op { EQ, NE, LT, LE, GT, GE, AND, OR };
struct native {
	enum op op;
	struct native *left, *right;		/* AND, OR */
	/* a key, or where that is -1 a value */
	struct operand { int key; struct value value; } a, b;
};

/* ---- reading the expression: NULL or false where it is more than is known here ---- */

static const char *skip(const char *p)
{
	return p + strspn(p, " \t\n");
}

static bool word(const char **p, const char *w)
{
	size_t len = strlen(w);
	static const char more[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.[?";

	if (strncmp(*p, w, len) || ((*p)[len] && strchr(more, (*p)[len])))
		return false;
	*p = skip(*p + len);
	return true;
}

/* Whole numbers that jq holds exactly, whichever version; beyond 2^53 versions differ. */
static bool number(const char **p, struct value *v)
{
	size_t len = strspn(*p, "0123456789");
	char digits[17];

	if (!len || len >= sizeof(digits) || ((*p)[len] && strchr(".eE_[?", (*p)[len])))
		return false;
	memcpy(digits, *p, len);
	digits[len] = '\0';
	*p = skip(*p + len);
	v->type = T_NUMBER;
	return ctt_parse_number(digits, 0, 1ull << 53, &v->number);
}

/* Without escapes and interpolations, and ASCII: what jq makes of bad UTF-8 is its own affair. */
static bool text(const char **p, struct value *v)
{
	const char *start = *p + 1, *end = start;

	while (*end >= ' ' && *end < 0x7f && *end != '"' && *end != '\\')
		end++;
	if (**p != '"' || *end != '"')
		return false;
	*v = (struct value){ T_TEXT, 0, { start, (size_t)(end - start) } };
	*p = skip(end + 1);
	return !**p || !strchr("[.?", **p);
}

static bool operand(const char **p, struct operand *o)
{
	static const char *const constants[] = { "null", "false", "true" };

	o->key = -1;
	o->value = (struct value){ T_NULL, 0, { NULL, 0 } };
	for (int i = 0; i < 3; i++)
		if (word(p, constants[i]))
			return o->value.type = (enum type)i, true;
	if (**p != '.')
		return **p == '"' ? text(p, &o->value) : number(p, &o->value);
	for (int i = 0; i < KEYS; i++) {
		const char *q = *p + 1;

		if (word(&q, key_names[i]))
			return *p = q, o->key = i, true;
	}
	return false;
}

static bool operator(const char **p, enum op *op)
{
	static const char *const names[] = { "==", "!=", "<", "<=", ">", ">=" };

	for (int i = GE; i >= 0; i--)		/* the longer ones first */
		if (!strncmp(*p, names[i], strlen(names[i]))) {
			*op = (enum op)i;
			*p = skip(*p + strlen(names[i]));
			return true;
		}
	return false;
}

static struct native *node(enum op op, struct native *left, struct native *right)
{
	struct native *n = need(calloc(1, sizeof(*n)));

	n->op = op;
	n->left = left;
	n->right = right;
	return n;
}

static struct native *any(const char **p, int depth);

static struct native *one(const char **p, int depth)
{
	struct native *n;

	if (**p == '(') {
		*p = skip(*p + 1);
		n = depth < 50 ? any(p, depth + 1) : NULL;
		if (n && **p == ')') {
			*p = skip(*p + 1);
			return n;
		}
	} else {
		n = node(EQ, NULL, NULL);
		if (operand(p, &n->a) && operator(p, &n->op) && operand(p, &n->b))
			return n;
	}
	native_free(n);
	return NULL;
}

static struct native *joined(const char **p, int depth, enum op op)
{
	struct native *left = op == OR ? joined(p, depth, AND) : one(p, depth), *right;

	while (left && word(p, op == OR ? "or" : "and")) {
		right = op == OR ? joined(p, depth, AND) : one(p, depth);
		if (!right) {
			native_free(left);
			return NULL;
		}
		left = node(op, left, right);
	}
	return left;
}

static struct native *any(const char **p, int depth)
{
	return joined(p, depth, OR);
}

struct native *native_parse(const char *expr)
{
	const char *p = skip(expr);
	struct native *n = any(&p, 0);

	if (n && *p) {
		native_free(n);
		return NULL;
	}
	return n;
}

void native_free(struct native *n)
{
	if (!n)
		return;
	native_free(n->left);
	native_free(n->right);
	free(n);
}

/* ---- answering ---- */

static struct value number_if(const struct ctt_event *ev, uint32_t flag, uint64_t v)
{
	return (struct value){ ev->has & flag ? T_NUMBER : T_NULL, v, { NULL, 0 } };
}

static struct value text_if(struct ctt_text t)
{
	return (struct value){ t.p ? T_TEXT : T_NULL, 0, t };
}

static struct value kind_of(const struct ctt_event *ev)
{
	const char *name = ctt_ev_name(ev->kind);

	return ev->v1 ? (struct value){ T_NULL, 0, { NULL, 0 } } :
			text_if((struct ctt_text){ name, strlen(name) });
}

static struct value value_of(const struct operand *o, const struct ctt_event *ev)
{
	switch (o->key) {
	case K_PROBE_ID: return number_if(ev, CTT_HAS_PROBE, ev->probe_id);
	case K_TID:	return number_if(ev, CTT_HAS_TID, ev->tid);
	case K_SEQ:	return number_if(ev, CTT_HAS_SEQ, ev->seq);
	case K_TS:	return number_if(ev, CTT_HAS_TS, ev->ts);
	case K_N:	return number_if(ev, CTT_HAS_N, ev->n);
	case K_SITE:	return number_if(ev, CTT_HAS_SITE, ev->site);
	case K_PARENT:	return number_if(ev, CTT_HAS_PARENT, ev->parent);
	case K_BY:	return number_if(ev, CTT_HAS_BY, ev->by);
	case K_DONE:
		return (struct value){ !(ev->has & CTT_HAS_DONE) ? T_NULL :
				ev->done                         ? T_TRUE :
								   T_FALSE,
			0, { NULL, 0 } };
	case K_EV:	return kind_of(ev);
	case K_ON:	return text_if(ev->on.text);
	case K_REASON:	return text_if(ev->reason);
	case K_NAME:	return text_if(ev->name);
	default:	return o->value;
	}
}

/* jq compares texts by their bytes, which are in the order of their code points. */
static int compare_text(struct ctt_text a, struct ctt_text b)
{
	size_t least = a.len < b.len ? a.len : b.len;
	int order = least ? memcmp(a.p, b.p, least) : 0;

	return order ? order : a.len < b.len ? -1 : a.len > b.len;
}

static int compare(const struct value *a, const struct value *b)
{
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->type == T_TEXT)
		return compare_text(a->text, b->text);
	return a->type != T_NUMBER ? 0 : a->number < b->number ? -1 : a->number > b->number;
}

/* U+2400 may have been U+0000, as which jq has it. */
static bool may_hold_nul(const struct value *v)
{
	const char *p, *end;

	if (v->type != T_TEXT)
		return false;
	p = v->text.p;
	end = p + v->text.len;
	for (; end - p >= 3 && (p = memchr(p, 0xe2, (size_t)(end - p - 2))); p++)
		if (!memcmp(p, "\xe2\x90\x80", 3))
			return true;
	return false;
}

static enum answer compare_keys(const struct native *n, const struct ctt_event *ev)
{
	struct value a = value_of(&n->a, ev), b = value_of(&n->b, ev);
	int order;

	if (ev->kind == CTT_EV_UNKNOWN && (n->a.key == K_EV || n->b.key == K_EV))
		return UNSURE;
	/* Two large ones jq may take for the same. */
	if (a.type == T_NUMBER && b.type == T_NUMBER && a.number > 1ull << 53 &&
		b.number > 1ull << 53)
		return UNSURE;
	if (may_hold_nul(&a) || may_hold_nul(&b))
		return UNSURE;
	order = compare(&a, &b);
	switch (n->op) {
	case EQ:	return order == 0 ? YES : NO;
	case NE:	return order != 0 ? YES : NO;
	case LT:	return order < 0 ? YES : NO;
	case LE:	return order <= 0 ? YES : NO;
	case GT:	return order > 0 ? YES : NO;
	default:	return order >= 0 ? YES : NO;
	}
}

enum answer native_eval(const struct native *n, const struct ctt_event *ev)
{
	enum answer left;

	if (n->op != AND && n->op != OR)
		return compare_keys(n, ev);
	left = native_eval(n->left, ev);
	if (left == UNSURE || left == (n->op == OR ? YES : NO))
		return left;
	return native_eval(n->right, ev);
}
