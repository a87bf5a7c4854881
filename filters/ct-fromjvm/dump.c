/* dump.c - a dump of threads as the JVM writes it: one JSON object, walked where it lies. Contracts
 * in fromjvm.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "fromjvm.h"
#include "read/json.h"
#include "read/unpack.h"

/* An object's members by name; the last of equal keys counts. */
struct fields {
	struct walk w;
	const char *const *names;
	struct ctt_text *values;
};

static bool is(struct ctt_text t, const char *s)
{
	return t.len == strlen(s) && !memcmp(t.p, s, t.len);
}

static void field(struct walk *w, struct ctt_text key, struct ctt_text value)
{
	struct fields *f = (struct fields *)w;
	struct ctt_text name = { key.p + 1, key.len - 2 };

	for (int i = 0; f->names[i]; i++)
		if (is(name, f->names[i]))
			f->values[i] = value;
}

static bool fields(struct dump *d, struct ctt_text object, const char *const *names,
	struct ctt_text *values)
{
	char why[WHY_SIZE];
	struct fields f = { .w = { .p = object.p, .end = object.p + object.len, .why = why,
				.member = field, .scratch = d->used }, .names = names,
		.values = values };

	if (json_object(&f.w))
		return true;
	snprintf(d->why, sizeof(d->why), "byte %zu: %s", (size_t)(f.w.p - d->text), f.w.error);
	return false;
}

/* A string's text; "" where it is none. */
static struct ctt_text text(struct dump *d, struct ctt_text token)
{
	struct walk w = { .scratch = d->used };

	if (token.len < 2 || *token.p != '"')
		return (struct ctt_text){ "", 0 };
	token = json_text(&w, token);
	d->used = w.scratch;
	return token;
}

/* Written as a string in JDK 21 to 25. */
static bool number(struct ctt_text token, uint64_t *v)
{
	char digits[24] = "";

	if (token.len > 1 && *token.p == '"')
		token = (struct ctt_text){ token.p + 1, token.len - 2 };
	if (!token.p || token.len >= sizeof(digits))
		return false;
	memcpy(digits, token.p, token.len);
	return ctt_parse_number(digits, 0, INT64_MAX, v);
}

/* "2026-11-22T16:27:15.314072499Z" */
static bool instant(struct ctt_text t, uint64_t *ns)
{
	int y, mo, d, h, mi, s, at = 0;
	char copy[48] = "";
	int64_t days;

	if (t.len >= sizeof(copy))
		return false;
	memcpy(copy, t.p, t.len);
	if (sscanf(copy, "%4d-%2d-%2dT%2d:%2d:%2d%n", &y, &mo, &d, &h, &mi, &s, &at) != 6 ||
		y < 1970 || y > 2500 || mo < 1 || mo > 12 || d < 1 || d > 31 || h < 0 || h > 23 ||
		mi < 0 || mi > 59 || s < 0 || s > 60)
		return false;
	y -= mo <= 2;	/* of years that begin in March */
	days = (int64_t)y * 365 + y / 4 - y / 100 + y / 400 +
		(153 * (mo + (mo > 2 ? -3 : 9)) + 2) / 5 + d - 719469;
	*ns = (uint64_t)(((days * 24 + h) * 60 + mi) * 60 + s) * 1000000000;
	if (copy[at] == '.')
		for (uint64_t unit = 100000000; copy[++at] >= '0' && copy[at] <= '9'; unit /= 10)
			*ns += (uint64_t)(copy[at] - '0') * unit;
	return copy[at] == 'Z' && !copy[at + 1];
}

static bool refuse(struct dump *d, const char *why)
{
	if (!*d->why)
		snprintf(d->why, sizeof(d->why), "%s", why);
	return false;
}

/* How long a mark of UTF-8 it begins with, or a part of one. */
static size_t order_mark(const char *p, size_t len)
{
	size_t n = len < 3 ? len : 3;

	return memcmp(p, "\xef\xbb\xbf", n) ? 0 : n;
}

/* Or nothing but blanks so far. */
static bool may_be_object(const char *p, size_t len)
{
	size_t mark = len ? order_mark(p, len) : 0;

	p += mark;
	len -= mark;
	while (len && strchr(" \t\r\n", *p) && *p)
		p++, len--;
	return !len || *p == '{';
}

static bool begin(struct dump *d)
{
	static const char *const top[] = { "threadDump", NULL };
	static const char *const names[] = { "processId", "time", "threadContainers", NULL };
	struct ctt_text dump = { NULL, 0 }, v[3] = { { NULL, 0 } };

	if (!may_be_object(d->text, d->len))
		return refuse(d, "no dump of threads in JSON; this makes one: "
			"jcmd PID Thread.dump_to_file -format=json FILE");
	if (!fields(d, (struct ctt_text){ d->text, d->len }, top, &dump))
		return false;
	if (!dump.len || *dump.p != '{')
		return refuse(d, "JSON, but no dump of threads: it has no \"threadDump\"");
	if (!fields(d, dump, names, v))
		return false;
	if (!number(v[0], &d->pid) || !instant(text(d, v[1]), &d->taken) || !d->taken ||
		!v[2].len || *v[2].p != '[')
		return refuse(d, "a dump of threads without processId, time or threadContainers");
	d->container_at = d->used;
	d->all = v[2];
	dump_rewind(d);
	return true;
}

bool dump_open(struct dump *d, const char *file)
{
	int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	char why[UNPACK_WHY];
	struct buf b = { 0 };
	bool good;

	*d = (struct dump){ .name = file ? file : "<stdin>" };
	if (fd < 0)
		return refuse(d, strerror(errno));
	good = unpack_all(fd, &b, may_be_object, why) || refuse(d, why);
	if (file)
		close(fd);
	d->text = b.p;
	d->len = b.len;
	if (!good)
		return false;
	d->text = need(realloc(d->text, d->len + 1));
	d->text[d->len] = '\0';
	if (!d->len)
		return refuse(d, "it is empty: did jcmd end with an error?");
	memset(d->text, ' ', order_mark(d->text, d->len));
	d->scratch = d->used = need(malloc(d->len));
	return begin(d);
}

void dump_close(struct dump *d)
{
	free(d->text);
	free(d->scratch);
}

void dump_rewind(struct dump *d)
{
	d->containers = d->all;
	d->threads = (struct ctt_text){ NULL, 0 };
	d->counted = d->unlisted = 0;
}

/* What it should be, null, or not there: else something would be missing, as if it were nothing. */
static bool has_type(struct dump *d, const char *name, struct ctt_text token, char type)
{
	if (!token.len || *token.p == type || *token.p == 'n')
		return true;
	if (!*d->why)
		snprintf(d->why, sizeof(d->why), "byte %zu: \"%s\" is not as a JVM writes it",
			(size_t)(token.p - d->text), name);
	return false;
}

static bool next_container(struct dump *d)
{
	static const char *const names[] = { "container", "threads", "threadCount", NULL };
	struct ctt_text object, v[3] = { { NULL, 0 } };

	d->unlisted += d->counted;
	d->counted = 0;
	if (!json_element(&d->containers, &object) || !fields(d, object, names, v))
		return false;
	d->used = d->container_at;
	d->container = text(d, v[0]);
	d->thread_at = d->used;
	d->threads = v[1];
	if (!v[1].len || *v[1].p != '[')
		return refuse(d, "a container of threads without them");
	if (!number(v[2], &d->counted) && !has_type(d, names[2], v[2], 0))
		return false;
	d->counted = d->counted < UINT32_MAX ? d->counted : UINT32_MAX;	/* sums stay sums */
	return true;
}

static struct ctt_text list(struct ctt_text token)
{
	return token.len && *token.p == '[' ? token : (struct ctt_text){ NULL, 0 };
}

static bool is_state(struct ctt_text t)
{
	static const char *const states[] = { "NEW", "RUNNABLE", "BLOCKED", "WAITING",
		"TIMED_WAITING", "TERMINATED" };
	size_t i = 0;

	while (i < sizeof(states) / sizeof(*states) && !is(t, states[i]))
		i++;
	return i < sizeof(states) / sizeof(*states);
}

bool dump_next(struct dump *d, struct jthread *t)
{
	static const char *const names[] = { "tid", "name", "state", "virtual", "blockedOn",
		"waitingOn", "parkBlocker", "stack", "monitorsOwned", NULL };
	static const char types[] = "\"\"\"t\"\"{[[";
	static const char *const inner[] = { "object", NULL };
	struct ctt_text object, blocker = { NULL, 0 }, v[9] = { { NULL, 0 } };

	while (!json_element(&d->threads, &object))
		if (!next_container(d))
			return false;
	d->used = d->thread_at;
	if (!fields(d, object, names, v))
		return false;
	d->counted -= d->counted > 0;
	if (!number(v[0], &t->id) || !t->id)
		return refuse(d, "a thread has no tid");
	for (int i = 1; names[i]; i++)
		if (types[i] != 't' && !has_type(d, names[i], v[i], types[i]))
			return false;
	if (v[6].len && *v[6].p == '{' && !fields(d, v[6], inner, &blocker))
		return false;
	t->name = text(d, v[1]);
	t->state = text(d, v[2]);
	if (t->state.len && !is_state(t->state))
		return has_type(d, names[2], v[2], 0);
	t->container = d->container;
	t->is_virtual = is(v[3], "true");
	t->blocked_on = text(d, v[4]);
	t->waiting_on = text(d, v[5]);
	t->park_blocker = text(d, blocker);
	t->stack = list(v[7]);
	t->monitors = list(v[8]);
	return true;
}

bool dump_text(struct dump *d, struct ctt_text *array, struct ctt_text *element)
{
	struct ctt_text token;
	char *used = d->used;

	if (!json_element(array, &token))
		return false;
	*element = text(d, token);
	d->used = used;		/* each text has room once, and an array may be read twice */
	return true;
}

bool dump_monitor(struct dump *d, struct monitors *m, struct ctt_text *object)
{
	static const char *const names[] = { "locks", NULL };
	struct ctt_text depth, locks = { NULL, 0 };

	while (!dump_text(d, &m->locks, object)) {
		if (!json_element(&m->depths, &depth) || *depth.p != '{' ||
			!fields(d, depth, names, &locks))
			return false;
		m->locks = list(locks);
	}
	return true;
}
