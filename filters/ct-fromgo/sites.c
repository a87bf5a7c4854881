/* sites.c - functions, source locations and call stacks by numbers that last for the whole trace
 * (Go's last for a generation), each printed before its first use. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "out.h"

enum { FRAMES = 128 };

/* Things found by their bytes, numbered from 1. */
struct interned { size_t at, len; };
struct pool {
	struct buf bytes;
	struct interned *item;
	size_t count, room;
	struct hash at;
};

struct go_sites {
	struct pool names, sites, stacks;
	/* where the standard library's sources are: ".../go/src/"; NULL = not found */
	struct ctt_text root;
};

struct frame { uint32_t site, func; bool ours; };

/* Its number; *fresh: it was not there. */
static uint32_t intern(struct pool *p, const void *bytes, size_t len, bool *fresh)
{
	uint64_t hash = hash_of_bytes(bytes, len);
	void *number;

	for (size_t at = hash_first(&p->at, hash); (number = hash_next(&p->at, hash, &at));) {
		const struct interned *t = &p->item[(uintptr_t)number - 1];

		if (t->len == len && !memcmp(p->bytes.p + t->at, bytes, len)) {
			*fresh = false;
			return (uint32_t)(uintptr_t)number;
		}
	}
	*ADD(p->item, p->count, p->room) = (struct interned){ p->bytes.len, len };
	buf_add(&p->bytes, bytes, len);
	hash_add(&p->at, hash, (void *)(uintptr_t)p->count);
	*fresh = true;
	return (uint32_t)p->count;
}

static void free_pool(struct pool *p)
{
	free(p->bytes.p);
	free(p->item);
	hash_free(&p->at);
}

struct go_sites *sites_new(void)
{
	return need(calloc(1, sizeof(struct go_sites)));
}

void sites_free(struct go_sites *s)
{
	free_pool(&s->names);
	free_pool(&s->sites);
	free_pool(&s->stacks);
	free((char *)s->root.p);
	free(s);
}

uint64_t sites_count(const struct go_sites *s)
{
	return s->sites.count;
}

struct ctt_text sites_name(const struct go_sites *s, uint32_t name)
{
	const struct interned *t = name ? &s->names.item[name - 1] : NULL;

	return t ? (struct ctt_text){ s->names.bytes.p + t->at, t->len } :
		   (struct ctt_text){ "", 0 };
}

static bool begins(struct ctt_text t, const char *with)
{
	size_t len = strlen(with);

	return t.len >= len && !memcmp(t.p, with, len);
}

static bool holds(struct ctt_text t, const char *what)
{
	size_t len = strlen(what);

	for (size_t i = 0; i + len <= t.len; i++)
		if (!memcmp(t.p + i, what, len))
			return true;
	return false;
}

/* The standard library is where the runtime is. */
static void find_root(struct go_sites *s, const struct go_file *f)
{
	static const char proc[] = "src/runtime/proc.go";

	for (size_t i = 0; i < f->gen.string_count && !s->root.p; i++) {
		struct ctt_text t = go_text(f, &f->gen.string[i]);
		size_t len = sizeof(proc) - 1;

		if (t.len <= len || memcmp(t.p + t.len - len, proc, len))
			continue;
		len = t.len - len + 4;
		s->root = (struct ctt_text){ memcpy(need(malloc(len)), t.p, len), len };
	}
}

static uint32_t name_of(struct go_sites *s, struct go_file *f, uint64_t id)
{
	struct go_string *t = id ? hash_find(&f->gen.strings, id) : NULL;
	bool fresh;

	if (!t)
		return 0;
	if (!t->name)
		t->name = intern(&s->names, f->buf + t->at, t->len, &fresh);
	return t->name;
}

/* Waits are the program's, not the runtime's that they end in. */
static bool is_plumbing(struct ctt_text func)
{
	return begins(func, "runtime.") || begins(func, "sync.") || begins(func, "internal/") ||
		begins(func, "syscall.") || begins(func, "time.Sleep");
}

static struct frame read_frame(struct go_sites *s, struct go_file *f, const unsigned char **p)
{
	uint64_t key[3], v[4] = { 0, 0, 0, 0 };
	struct ctt_text func, file;
	struct frame frame;
	bool fresh;

	for (int i = 0; i < 4; i++)
		*p = go_number(*p, f->buf + f->len, &v[i]);	/* seen to be whole by go_tables */
	key[0] = name_of(s, f, v[1]);
	key[1] = name_of(s, f, v[2]);
	key[2] = v[3];
	frame.func = (uint32_t)key[0];
	frame.site = intern(&s->sites, key, sizeof(key), &fresh);
	func = sites_name(s, frame.func);
	file = sites_name(s, (uint32_t)key[1]);
	frame.ours = s->root.p && !is_plumbing(func) &&
		(file.len < s->root.len || memcmp(file.p, s->root.p, s->root.len));
	if (fresh) {
		char *o = OUT(out_begin(), "{\"ev\":\"site\",\"site\":");

		o = out_number(o, frame.site);
		o = out_string(OUT(o, ",\"func\":"), func);
		o = out_string(OUT(o, ",\"file\":"), file);
		o = out_number(OUT(o, ",\"line\":"), v[3]);
		out_end(OUT(o, "}\n"));
	}
	return frame;
}

/* What the frames of the runtime and of package sync say of a wait. */
static void look(const struct go_sites *s, struct go_stack *t, const struct frame *frame)
{
	static const struct { const char *func; uint8_t wait; } tells[] = {
		{ "runtime.chanrecv", W_CHAN_RECV }, { "runtime.chansend", W_CHAN_SEND },
		{ "runtime.selectgo", W_SELECT },
		{ "runtime.netpollblock", W_NETWORK }, { "sync.runtime_notifyListWait", W_COND },
		{ "runtime.semacquire", W_SYNC }, { "time.Sleep", W_SLEEP },
		{ "runtime.timeSleep", W_SLEEP },
	};

	t->lock = t->wait = W_NONE;
	for (uint32_t i = 0; i < t->frames; i++) {
		struct ctt_text func = sites_name(s, frame[i].func);

		if (!is_plumbing(func))
			break;
		for (size_t k = 0; k < sizeof(tells) / sizeof(tells[0]) && t->wait == W_NONE; k++)
			if (begins(func, tells[k].func))
				t->wait = tells[k].wait;
		if (t->wait == W_NONE && func.len == 13 && begins(func, "runtime.block"))
			t->wait = W_FOREVER;
		if (t->lock == W_NONE && (begins(func, "sync.") || begins(func, "internal/sync.")))
			t->lock = holds(func, "Mutex).")   ? W_MUTEX :
				holds(func, "WaitGroup).") ? W_JOIN :
							     W_NONE;
	}
}

/* The site to group by: the program's own code, else what is not the runtime's, else where the
 * goroutine began. */
static uint32_t choose_site(const struct go_sites *s, const struct frame *frame, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (frame[i].ours)
			return frame[i].site;
	for (uint32_t i = 0; i < n; i++)
		if (!is_plumbing(sites_name(s, frame[i].func)))
			return frame[i].site;
	return n ? frame[n - 1].site : 0;
}

static void print_stack(uint32_t number, const uint32_t *site, uint32_t n)
{
	char *p = OUT(out_begin(), "{\"ev\":\"stack\",\"stack\":");

	p = OUT(out_number(p, number), ",\"sites\":");
	for (uint32_t i = 0; i < n; i++) {
		*p++ = i ? ',' : '[';
		p = out_room(out_number(p, site[i]));
	}
	out_end(OUT(p, "]}\n"));
}

const struct go_stack sites_none = { .wake = ",\"ev\":\"wake\"",
	.wake_len = sizeof(",\"ev\":\"wake\"") - 1,
	.end = "}\n",
	.end_len = 2 };

static void prepare_wake(struct go_stack *t)
{
	char text[OUT_PAD], *p = OUT(text, ",\"ev\":\"wake\"");

	if (t->site)
		p = out_number(OUT(p, ",\"site\":"), t->site);
	t->wake_len = (uint8_t)(p - text);
	memcpy(t->wake, text, t->wake_len);
	p = OUT(out_number(OUT(text, ",\"stack\":"), t->number), "}\n");
	t->end_len = (uint8_t)(p - text);
	memcpy(t->end, text, t->end_len);
}

void sites_resolve(struct go_sites *s, struct go_file *f, struct go_stack *t)
{
	const unsigned char *p = f->buf + t->at;
	struct frame frame[FRAMES];
	uint32_t site[FRAMES], n = t->frames;
	bool fresh;

	if (!s->root.p)
		find_root(s, f);
	for (uint32_t i = 0; i < n; i++) {
		frame[i] = read_frame(s, f, &p);
		site[i] = frame[i].site;
	}
	t->number = intern(&s->stacks, site, n * sizeof(*site), &fresh);
	look(s, t, frame);
	t->site = choose_site(s, frame, n);
	prepare_wake(t);
	if (fresh && n)
		print_stack(t->number, site, n);
	if (n == FRAMES)	/* cut: where it began is not known */
		return;
	while (n && begins(sites_name(s, frame[n - 1].func), "runtime.goexit"))
		n--;
	t->entry = n ? frame[n - 1].func : 0;
}
