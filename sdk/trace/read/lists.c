/* lists.c - lists of numbers, addresses and functions within a line, and members of a line by name.
 * Contracts in lists.h and cttrace/event.h.
 *
 * All walk a value that json.c found good, by json.c's own steps: what stands between its quotes is
 * nobody's comma.
 */
#include <string.h>

#include "read/lists.h"

enum { ADDRESS_DIGITS = 16 };

/* "0x" and up to 16 digits, within quotes. */
static bool address(struct ctt_text t, uint64_t *v)
{
	char plain[6 * (2 + ADDRESS_DIGITS) + 2];	/* each an escape */
	struct walk w = { .scratch = plain };

	*v = 0;
	if (*t.p != '"' || t.len > sizeof(plain))
		return false;
	t = json_text(&w, t);
	if (t.len < 3 || t.len > 2 + ADDRESS_DIGITS || t.p[0] != '0' || t.p[1] != 'x')
		return false;
	for (size_t i = 2; i < t.len; i++) {
		int d = hex_digit(t.p[i]);

		if (d < 0)
			return false;
		*v = *v << 4 | (uint64_t)d;
	}
	return true;
}

static bool decimal(struct ctt_text t, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < t.len; i++) {
		uint64_t d = (uint64_t)(unsigned char)t.p[i] - '0';

		if (d > 9 || *v > (UINT64_MAX - d) / 10)
			return false;
		*v = *v * 10 + d;
	}
	return t.len;
}

static const char *bad_list(
	struct ctt_text list, const char *why, bool (*good)(struct ctt_text, uint64_t *))
{
	struct ctt_text element;
	uint64_t v;

	if (*list.p != '[')
		return why;
	while (json_element(&list, &element))
		if (!good(element, &v))
			return why;
	return NULL;
}

const char *bad_frames(struct ctt_text list)
{
	return bad_list(list, "is not a list of addresses", address);
}

const char *bad_sites(struct ctt_text list)
{
	return bad_list(list, "is not a list of numbers", decimal);
}

/* ---- functions ---- */

enum { FUNC, FILE_, LINE, PARTS };

static bool is_key(struct walk *w, struct ctt_text token, const char *name, size_t len)
{
	char plain[6 * 32 + 2], *scratch = w->scratch;	/* any of ours, each letter an escape */
	struct ctt_text key;

	if (token.len > sizeof(plain))
		return false;
	w->scratch = plain;
	key = json_text(w, token);
	w->scratch = scratch;
	return key.len == len && !memcmp(key.p, name, len);
}

/* The last of equal keys counts. */
static void part(struct walk *w, struct ctt_text key, struct ctt_text value)
{
	static const char *const names[PARTS] = { "func", "file", "line" };

	for (int i = 0; i < PARTS; i++)
		if (is_key(w, key, names[i], 4))
			w->values[i] = value;
}

static bool parts(struct ctt_text object, struct ctt_text values[PARTS], char *scratch,
	struct walk *w, char why[WHY_SIZE])
{
	memset(values, 0, PARTS * sizeof(*values));
	*w = (struct walk){ .p = object.p, .end = object.p + object.len, .scratch = scratch, .why = why, .member = part,
		.values = values };
	return json_object(w);
}

static bool is_function(struct ctt_text object, uint64_t *line)
{
	struct ctt_text v[PARTS];
	char why[WHY_SIZE];
	struct walk w;

	return parts(object, v, NULL, &w, why) && (!v[FUNC].p || *v[FUNC].p == '"') &&
		(!v[FILE_].p || *v[FILE_].p == '"') && (!v[LINE].p || decimal(v[LINE], line));
}

const char *bad_symbol(struct ctt_text list)
{
	return bad_list(list, "is not a list of functions", is_function);
}

/* ---- for everybody ---- */

bool ctt_next_number(struct ctt_text *list, uint64_t *v)
{
	struct ctt_text element;

	return json_element(list, &element) &&
		(*element.p == '"' ? address(element, v) : decimal(element, v));
}

bool ctt_next_symbol(struct ctt_text *list, struct ctt_symbol *s, char *scratch)
{
	struct ctt_text element, v[PARTS];
	char why[WHY_SIZE];
	struct walk w;

	*s = (struct ctt_symbol){ { "", 0 }, { "", 0 }, 0 };
	if (!json_element(list, &element) || !parts(element, v, scratch, &w, why))
		return false;
	if (v[FUNC].p && *v[FUNC].p == '"')
		s->func = json_text(&w, v[FUNC]);
	if (v[FILE_].p && *v[FILE_].p == '"')
		s->file = json_text(&w, v[FILE_]);
	if (v[LINE].p)
		decimal(v[LINE], &s->line);
	return true;
}

/* values[0] is the key asked for, values[1] becomes its value. */
static void compare(struct walk *w, struct ctt_text key, struct ctt_text value)
{
	if (is_key(w, key, w->values[0].p, w->values[0].len))
		w->values[1] = value;
}

struct ctt_text ctt_member(const struct ctt_event *ev, const char *key)
{
	struct ctt_text values[2] = { { key, strlen(key) }, { NULL, 0 } };
	char why[WHY_SIZE];
	struct walk w = { .p = ev->raw,
		.end = ev->raw + ev->raw_len,
		.why = why,
		.member = compare,
		.values = values };

	return json_object(&w) ? values[1] : (struct ctt_text){ NULL, 0 };
}

/* ---- how many lines of each kind there were ---- */

static const char *space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

const char *count_next(const char *p, const char *end, struct ctt_text *name, uint64_t *n)
{
	*n = 0;
	p = space(p, end);
	if (p == end || (*p != '{' && *p != ','))
		return NULL;
	p = space(p + 1, end);
	if (p == end || *p != '"')
		return NULL;
	for (name->p = ++p; p < end && *p >= 'a' && *p <= 'z'; p++)
		;
	name->len = (size_t)(p - name->p);
	if (p == end || *p != '"')
		return NULL;
	p = space(p + 1, end);
	if (p == end || *p != ':')
		return NULL;
	p = space(p + 1, end);
	if (p == end || *p < '0' || *p > '9')
		return NULL;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (*n > (UINT64_MAX - (uint64_t)(*p - '0')) / 10)
			return NULL;
		*n = *n * 10 + (uint64_t)(*p - '0');
	}
	return p;
}

const char *bad_counts(struct ctt_text list)
{
	const char *p = list.p, *end = p + list.len, *next;
	struct ctt_text name;
	uint64_t n;

	while ((next = count_next(p, end, &name, &n)))
		p = next;
	p = space(p == list.p && *p == '{' ? p + 1 : p, end);	/* none at all */
	return p + 1 == end && p > list.p && *p == '}' ? NULL : "is no object of counts";
}
