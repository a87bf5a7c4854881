/* values.c - the members of a trace line: the keys that are known, and values of each type.
 * Contracts in values.h. */
#include <string.h>

#include "read/values.h"

const char *const key_names[KEYS] = {
	"probe_id",
	"tid",
	"addr",
	"seq",
	"is_active",
	"ts",
	"ev",
	"n",
	"site",
	"parent",
	"by",
	"on",
	"any_of",
	"all_of",
	"done",
	"result",
	"stack",
	"reason",
	"name",
	"role",
	"func",
	"file",
	"path",
	"tool",
	"format",
	"line",
	"op",
	"woken",
	"value",
	"depth",
	"count",
	"status",
	"signal",
	"events",
	"lost",
	"live",
	"pid",
	"version",
	"from",
	"to",
	"start",
	"end",
	"offset",
	"build_id",
	"frames",
	"ended",
	"alive",
	"sites",
	"at",
	"attached",
	"snapshot",
	"born_before",
	"partial",
	"untraced",
	"since",
	"wakers",
	"refs",
	"leaked",
	"doubt",
	"lines",
	"dead",
	"memory",
	"states",
	"closed",
};

void note_value(struct walk *w, struct ctt_text name, struct ctt_text value)
{
	char *scratch = w->scratch;
	struct ctt_text t = json_text(w, name);

	for (int k = 0; k < KEYS; k++)
		if (strlen(key_names[k]) == t.len && !memcmp(key_names[k], t.p, t.len))
			w->values[k] = value;
	w->scratch = scratch;
}

bool number_of(struct walk *w, enum key k, uint64_t *v, struct ctt_event *ev, uint32_t flag)
{
	const struct ctt_text *t = &w->values[k];
	uint64_t n = 0;

	if (!t->p)
		return true;
	if (*t->p != '-' && (*t->p < '0' || *t->p > '9'))
		return json_fail(w, "\"%s\" is not a number", key_names[k]);
	for (size_t i = 0; i < t->len; i++) {
		uint64_t d = (uint64_t)(t->p[i] - '0');

		if (d > 9 || n > (UINT64_MAX - d) / 10)
			return json_fail(
				w, "\"%s\" is not an unsigned 64-bit integer", key_names[k]);
		n = n * 10 + d;
	}
	*v = n;
	ev->has |= flag;
	return true;
}

bool text_of(struct walk *w, enum key k, struct ctt_text *v)
{
	if (!w->values[k].p)
		return true;
	if (*w->values[k].p != '"')
		return json_fail(w, "\"%s\" is not a string", key_names[k]);
	*v = json_text(w, w->values[k]);
	return true;
}

bool bool_of(struct walk *w, enum key k, bool *v, struct ctt_event *ev, uint32_t flag)
{
	const struct ctt_text *t = &w->values[k];

	if (!t->p)
		return true;
	if (*t->p != 't' && *t->p != 'f')
		return json_fail(w, "\"%s\" is not true or false", key_names[k]);
	*v = *t->p == 't';
	ev->has |= flag;
	return true;
}

bool address_of(struct walk *w, enum key k, uint64_t *v, struct ctt_event *ev, uint32_t flag)
{
	struct ctt_text t = { NULL, 0 };

	if (!text_of(w, k, &t))
		return false;
	if (!t.p)
		return true;
	*v = 0;
	if (t.len < 3 || t.len > 18 || t.p[0] != '0' || t.p[1] != 'x')
		return json_fail(w, "\"%s\" is not an address", key_names[k]);
	for (size_t i = 2; i < t.len; i++) {
		int d = hex_digit(t.p[i]);

		if (d < 0)
			return json_fail(w, "\"%s\" is not an address", key_names[k]);
		*v = *v << 4 | (uint64_t)d;
	}
	ev->has |= flag;
	return true;
}

bool list_of(
	struct walk *w, enum key k, const char *(*check)(struct ctt_text), struct ctt_text *v)
{
	const char *why;

	if (!w->values[k].p)
		return true;
	why = check(w->values[k]);
	*v = w->values[k];
	return !why || json_fail(w, "\"%s\" %s", key_names[k], why);
}
