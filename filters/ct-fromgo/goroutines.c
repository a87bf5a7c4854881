/* goroutines.c - a dump of goroutines, as SIGQUIT, debug/pprof/goroutine?debug=2 and the
 * goroutineleak profile print it:
 *
 *	goroutine 23 [sync.WaitGroup.Wait (leaked), 5 minutes]:
 *	sync.(*WaitGroup).Wait(0x373548088020)
 *		/usr/local/go/src/sync/waitgroup.go:118 +0x48
 *
 * What a goroutine waits on is the receiver of the last method of package sync that has it as an
 * argument. One that is marked with `?` stands in a register that may hold something else by now:
 * it is refused. Contracts in map.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "lines.h"
#include "read/unpack.h"

struct dumped {
	uint64_t id, object;	/* object 0: not reported */
	const char *on;		/* "mutex:" */
	char *reason;		/* Go's words between the brackets */
};

static const struct { const char *reason, *on; } reasons[] = {	/* the first that begins so */
	{ "chan receive (nil chan)", "never:" }, { "chan send (nil chan)", "never:" },
	{ "select (no cases)", "never:" },
	{ "chan receive", "chan:" }, { "chan send", "chan:" }, { "select", "chan:" },
	{ "sync.Mutex", "mutex:" },
	{ "sync.RWMutex", "mutex:" }, { "sync.WaitGroup", "join:" }, { "sync.Cond", "cond:" },
	{ "semacquire", "sem:" }, { "IO wait", "fd:" }, { "sleep", "timer:" },
};
/* Methods whose first argument is the object, and what it is. Of a condition its list of waiters,
 * which never moves. */
static const struct { const char *call, *on; } calls[] = {
	{ "sync.(*Mutex).lockSlow(", "mutex:" }, { "sync.(*RWMutex).Lock(", "mutex:" },
	{ "sync.(*RWMutex).RLock(", "mutex:" },
	{ "sync.(*WaitGroup).Wait(", "join:" }, { "sync.runtime_notifyListWait(", "cond:" },
};

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* goroutine 23 [chan send (leaked), 5 minutes, locked to thread]: False: it is none. */
static bool header(char *line, struct dumped *d)
{
	char *open = strchr(line, '['), *close = open ? strstr(open, "]:") : NULL, *locked, *end;

	if (!begins(line, "goroutine ") || !isdigit((unsigned char)line[10]) || !close)
		return false;
	*d = (struct dumped){ .id = strtoull(line + 10, &end, 10) };
	if (*end != ' ' && end != open)
		return false;
	*close = '\0';
	locked = strstr(open, ", locked to thread");
	if (locked)
		*locked = '\0';
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]) && !d->on; i++)
		if (begins(open + 1, reasons[i].reason))
			d->on = reasons[i].on;
	d->reason = copy_text(open + 1, strlen(open + 1));
	return true;
}

/* internal/sync.(*Mutex).lockSlow(0x373548088008) */
static void frame(const char *line, struct dumped *d)
{
	const char *call = begins(line, "internal/") ? line + 9 : line;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		char *end;
		uint64_t object;

		if (!begins(call, calls[i].call))
			continue;
		object = strtoull(call + strlen(calls[i].call), &end, 16);
		if (d->object || (*end != ')' && *end != ',') ||
			(d->on && strcmp(d->on, calls[i].on) && strcmp(d->on, "sem:")))
			return;
		d->object = object;
		d->on = calls[i].on;
	}
}

/* A goroutine of two dumps: what the collector found, and what either reports the object,
 * stands. */
static void keep(struct hash *all, const struct dumped *d)
{
	struct dumped *old = hash_find(all, d->id);

	if (!old) {
		old = need(malloc(sizeof(*old)));
		*old = *d;
		hash_add(all, d->id, old);
		return;
	}
	old->object = d->object ? d->object : old->object;
	old->on = d->object || !old->on ? d->on : old->on;
	if (strstr(old->reason, "(leaked)") && !strstr(d->reason, "(leaked)")) {
		free(d->reason);
	} else {
		free(old->reason);
		old->reason = d->reason;
	}
}

/* Its bytes as a stream, decompressed; NULL: `why`. */
static FILE *open_dump(const char *name, struct buf *b, const char **why)
{
	static char text[UNPACK_WHY];
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && unpack_all(fd, b, NULL, text);
	FILE *f;

	*why = fd < 0 ? strerror(errno) : text;
	if (fd >= 0)
		close(fd);
	if (!good)
		return NULL;
	buf_byte(b, '\n');	/* no stream is made of nothing */
	f = fmemopen(b->p, b->len, "r");
	*why = f ? "no goroutine stands in it: it has to be a dump as debug=2 and SIGQUIT "
		   "print it" :
		   strerror(errno);
	return f;
}

bool goroutines_read(struct hash *all, const char *name, const char **why)
{
	struct buf b = { 0 };
	FILE *f = open_dump(name, &b, why);
	struct dumped d = { 0 };
	char line[4096];
	bool rest = false, any = false;

	if (!f) {
		free(b.p);
		return false;
	}
	while (fgets(line, sizeof(line), f)) {
		bool begun = !rest;
		struct dumped next;

		/* what does not fit in a line is the next one's beginning */
		rest = !strchr(line, '\n');
		if (begun && header(line, &next)) {
			if (any)
				keep(all, &d);
			d = next;
			any = true;
		} else if (begun && any) {
			frame(line, &d);
		}
	}
	if (any)
		keep(all, &d);
	if (ferror(f))
		*why = strerror(errno);
	any &= !ferror(f);
	fclose(f);
	free(b.p);
	return any;
}

/* Its last event again, with what the dump reports beyond it: ct-trace(5) has it that a closing
 * state completes. */
static void closing_state(const struct go_g *g, const struct dumped *d, uint64_t ts)
{
	uint64_t n = strtoull(g->n.text, NULL, 10) - 1;
	char *p = line_head(out_begin(), g, &map_nobody), object[24];

	p = out_active(out_number(p, 2 * n), false, ts);
	p = out_number(OUT(p, ",\"ev\":\"state\",\"n\":"), n);
	p = out_word(OUT(p, ",\"on\":\""), d->on);
	if (d->object) {
		snprintf(object, sizeof(object), "0x%016" PRIx64, d->object);
		p = out_word(p, object);
	}
	p = out_string(OUT(p, "\",\"reason\":"), (struct ctt_text){ d->reason, strlen(d->reason) });
	/* programs rest on nil channels by design, though the trace may take it for another wait */
	if (strstr(d->reason, "(leaked)") && strcmp(d->on, "never:"))
		p = OUT(p, ",\"leaked\":true");
	out_end(OUT(p, "}\n"));
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = (*(struct dumped *const *)a)->id, y = (*(struct dumped *const *)b)->id;

	return x < y ? -1 : x > y;
}

void goroutines_join(struct go_map *map, struct go_order *o, const struct hash *all)
{
	struct dumped **list = need(malloc((all->used + 1) * sizeof(*list))), *d;
	uint64_t ts = map->last > map->end ? map->last : map->end;
	size_t count = 0;

	for (size_t i = 0; (d = hash_each(all, &i));)
		list[count++] = d;
	qsort(list, count, sizeof(*list), by_id);
	for (size_t i = 0; i < count; i++) {
		const struct go_g *g = hash_find(&o->gs, list[i]->id);

		if (g && g->printed && g->status == G_WAITING && list[i]->on)
			closing_state(g, list[i], ts);
	}
	free(list);
}

void goroutines_free(struct hash *all)
{
	struct dumped *d;

	for (size_t i = 0; (d = hash_each(all, &i));) {
		free(d->reason);
		free(d);
	}
	hash_free(all);
}
