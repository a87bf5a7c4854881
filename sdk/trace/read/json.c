/* json.c - any JSON object, read strictly, in no memory but that for texts with escapes.
 *
 * Not by libjq, which was weighed: its numbers are doubles, it takes "nan" and 01 for numbers,
 * turns bad UTF-8 into U+FFFD, and builds a tree: a line of empty objects cost it 137 times its
 * length.
 */
#include <stdarg.h>
#include <string.h>

#include "read/json.h"

enum { DEPTH_MAX = 256 };

bool json_fail(struct walk *w, const char *fmt, ...)
{
	va_list ap;

	if (w->error)
		return false;
	va_start(ap, fmt);
	vsnprintf(w->why, WHY_SIZE, fmt, ap);
	va_end(ap);
	w->error = w->why;
	return false;
}

static void space(struct walk *w)
{
	while (w->p < w->end && (*w->p == ' ' || *w->p == '\t' || *w->p == '\r' || *w->p == '\n'))
		w->p++;
}

static bool byte(struct walk *w, char c)
{
	return w->p < w->end && *w->p == c && (w->p++, true);
}

static bool digits(struct walk *w)
{
	const char *p = w->p;

	while (w->p < w->end && *w->p >= '0' && *w->p <= '9')
		w->p++;
	return w->p > p;
}

static bool number(struct walk *w)
{
	byte(w, '-');
	if (!byte(w, '0') && !digits(w))
		return json_fail(w, "not JSON: a number has no digits");
	if (w->p < w->end && *w->p >= '0' && *w->p <= '9')
		return json_fail(w, "not JSON: a number begins with 0");
	if (byte(w, '.') && !digits(w))
		return json_fail(w, "not JSON: a number ends in its point");
	if (byte(w, 'e') || byte(w, 'E')) {
		(void)(byte(w, '+') || byte(w, '-'));
		if (!digits(w))
			return json_fail(w, "not JSON: a number has no exponent behind its e");
	}
	return true;
}

int hex_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int hex4(const char *p, const char *end)
{
	int v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int d = hex_digit(p[i]);

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* The escape behind a backslash at p: its length, and the code point; 0 where it is none. */
static size_t escape(const char *p, const char *end, uint32_t *code)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *e = p < end && *p ? strchr(from, *p) : NULL;
	int hi, lo;

	if (e)
		return *code = (unsigned char)to[e - from], 1;
	if (p == end || *p != 'u' || (hi = hex4(p + 1, end)) < 0)
		return 0;
	*code = (uint32_t)hi;
	if (hi < 0xd800 || hi > 0xdfff)
		return 5;
	if (hi > 0xdbff || end - p < 7 || p[5] != '\\' || p[6] != 'u')
		return 0;
	lo = hex4(p + 7, end);
	if (lo < 0xdc00 || lo > 0xdfff)
		return 0;
	*code = 0x10000 + ((uint32_t)(hi - 0xd800) << 10) + (uint32_t)(lo - 0xdc00);
	return 11;
}

/* From an opening quote to behind the closing one. */
static bool string(struct walk *w)
{
	uint32_t code;
	size_t n;

	w->p++;
	while (w->p < w->end && *w->p != '"') {
		if ((unsigned char)*w->p < ' ')
			return json_fail(w, "not JSON: a control character in a string");
		if (*w->p == '\\') {
			n = escape(w->p + 1, w->end, &code);
			if (!n)
				return json_fail(w, "not JSON: a bad escape in a string");
			n++;
		} else {
			n = ctt_utf8_length(w->p, w->end);
			if (!n)
				return json_fail(w, "not UTF-8");
		}
		w->p += n;
	}
	return byte(w, '"') || json_fail(w, "not JSON: a string does not end");
}

static bool word(struct walk *w, const char *s)
{
	size_t n = strlen(s);

	if ((size_t)(w->end - w->p) < n || memcmp(w->p, s, n))
		return json_fail(w, "not JSON: a value is missing or unknown");
	w->p += n;
	return true;
}

static bool scalar(struct walk *w)
{
	switch (w->p < w->end ? *w->p : 0) {
	case '"':	return string(w);
	case 't':	return word(w, "true");
	case 'f':	return word(w, "false");
	case 'n':	return word(w, "null");
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9': return number(w);
	default:
		return json_fail(w, "not JSON: a value is missing or unknown");
	}
}

/* `"key":` and the space around it. */
static bool key(struct walk *w)
{
	space(w);
	if (w->p == w->end || *w->p != '"')
		return json_fail(w, "not JSON: a key is missing");
	if (!string(w))
		return false;
	space(w);
	if (!byte(w, ':'))
		return json_fail(w, "not JSON: no colon behind a key");
	space(w);
	return true;
}

/* Any value; nesting is counted, not recursed into. open[d]: the bracket that closes depth d. */
static bool any(struct walk *w)
{
	char open[DEPTH_MAX];
	int depth = 0;

	for (;;) {
		if (w->p < w->end && (*w->p == '[' || *w->p == '{')) {
			if (depth == DEPTH_MAX)
				return json_fail(w, "nested deeper than %d", (int)DEPTH_MAX);
			open[depth++] = *w->p++ == '[' ? ']' : '}';
			space(w);
			if (!byte(w, open[depth - 1])) {
				if (open[depth - 1] == '}' && !key(w))
					return false;
				continue;
			}
			depth--;
		} else if (!scalar(w)) {
			return false;
		}
		for (space(w); depth && byte(w, open[depth - 1]); space(w))
			depth--;
		if (!depth)
			return true;
		if (!byte(w, ','))
			return json_fail(w, "not JSON: no comma or bracket behind a value");
		space(w);
		if (open[depth - 1] == '}' && !key(w))
			return false;
	}
}

static size_t put_utf8(char *out, uint32_t c)
{
	if (c < 0x80)
		return out[0] = (char)c, 1;
	if (c < 0x800)
		return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 0x3f)), 2;
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 0x3f)),
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f)), out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* A text that has escapes is rewritten in scratch, where it is shorter. No NUL comes of one: half of
 * all programs keep texts as strings, and "conn\u0000x" would be "conn" to them. */
struct ctt_text json_text(struct walk *w, struct ctt_text token)
{
	struct ctt_text t = { token.p + 1, token.len - 2 };
	const char *p = t.p, *end = t.p + t.len;
	char *out = w->scratch;
	uint32_t code;

	if (!memchr(t.p, '\\', t.len))
		return t;
	t.p = out;
	while (p < end) {
		if (*p != '\\') {
			*out++ = *p++;
			continue;
		}
		p += 1 + escape(p + 1, end, &code);
		out += put_utf8(out, code ? code : 0x2400);
	}
	t.len = (size_t)(out - t.p);
	w->scratch = out;
	return t;
}

bool json_element(struct ctt_text *array, struct ctt_text *element)
{
	char why[WHY_SIZE];
	struct walk w = { .p = array->p, .end = array->p + array->len, .why = why };

	if (!array->len)
		return false;
	w.p += *w.p == '[' || *w.p == ',';
	space(&w);
	element->p = w.p;
	if (w.p == w.end || *w.p == ']' || !any(&w))
		return false;
	for (element->len = (size_t)(w.p - element->p);
		strchr(" \t\r\n", element->p[element->len - 1]); element->len--)
		;
	*array = (struct ctt_text){ w.p, (size_t)(w.end - w.p) };
	return true;
}

bool json_object(struct walk *w)
{
	space(w);
	if (!byte(w, '{'))
		return json_fail(w, "not a JSON object");
	space(w);
	if (!byte(w, '}')) {
		do {
			struct ctt_text name, value;

			space(w);
			name.p = w->p;
			if (!key(w))
				return false;
			/* Back over the colon and the space to the key's closing quote. */
			for (name.len = (size_t)(w->p - name.p); name.p[name.len - 1] != '"';
				name.len--)
				;
			value.p = w->p;
			if (!any(w))
				return false;
			for (value.len = (size_t)(w->p - value.p);
				strchr(" \t\r\n", value.p[value.len - 1]); value.len--)
				;
			w->member(w, name, value);
		} while (byte(w, ','));
		if (!byte(w, '}'))
			return json_fail(w, "not JSON: no comma or bracket behind a value");
	}
	space(w);
	return w->p == w->end || json_fail(w, "not JSON: something stands behind the object");
}
