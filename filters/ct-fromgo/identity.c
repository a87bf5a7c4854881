/* identity.c - who a goroutine's lines are about: its number, its name, its thread, and the system
 * call that it is in. */
#include <inttypes.h>
#include <string.h>

#include "lines.h"

#define ID_LIMIT (1ull << 48)	/* above: borrowed ids */

const struct go_m map_nobody = { .id = GO_NONE,
	.text = ",\"tid\":0,\"addr\":\"0x0000000000000000\",\"seq\":",
	.text_len = sizeof(",\"tid\":0,\"addr\":\"0x0000000000000000\",\"seq\":") - 1 };

char *line_key(char *p, const char *name, uint64_t v)
{
	p = out_word(OUT(p, ",\""), name);
	return out_number(OUT(p, "\":"), v);
}

/* {"ev":"KIND","ts":NS,"tid":T */
static char *other_line(const char *kind, uint64_t ts, const struct go_m *m)
{
	char *p = out_word(OUT(out_begin(), "{\"ev\":\""), kind);

	*p++ = '"';
	p = out_ts(p, ts);
	return m && m->tid ? line_key(p, "tid", m->tid) : p;
}

void map_thread(struct go_map *map, struct go_m *m, uint64_t ts)
{
	if (!m->printed && m->tid) {
		out_end(OUT(other_line("thread", ts, m), "}\n"));
		map->threads++;
	}
	m->printed = true;
}

void line_suspend(struct go_map *map, struct go_g *g, const struct go_m *m, uint64_t ts,
	const char *on, uint64_t coro, uint32_t site, uint32_t stack)
{
	char *p = line_own(map, g, m, false, ts);

	out_end(line_tail(
		LINE_N(p, "suspend", g), on, coro, site, stack, (struct ctt_text){ NULL, 0 }));
}

void map_identify(struct go_map *map, struct go_g *g)
{
	char head[GO_HEAD + OUT_PAD], *p = OUT(head, "{\"probe_id\":");

	g->probe_id =
		g->id < ID_LIMIT && !hash_find(&map->used, g->id) ? g->id : ID_LIMIT + map->lives++;
	g->head_len = (uint8_t)(out_number(p, g->probe_id) - head);
	memcpy(g->head, head, g->head_len);
}

void map_name_line(struct go_map *map, const struct go_g *g, const struct go_m *m, uint64_t ts,
	struct ctt_text name)
{
	char *p = line_key(other_line("name", ts, m), "probe_id", g->probe_id);

	map->events++;
	p = out_string(OUT(p, ",\"name\":"), name);
	out_end(g->system ? OUT(p, ",\"role\":\"system\"}\n") : OUT(p, "}\n"));
}

static bool begins(struct ctt_text t, const char *with)
{
	return t.len >= strlen(with) && !memcmp(t.p, with, strlen(with));
}

bool map_is_system(struct ctt_text name)
{
	return (begins(name, "runtime.") && !begins(name, "runtime.main") &&
		       !begins(name, "runtime.cgocallback")) ||
		begins(name, "runtime/trace.");
}

void map_name(struct go_map *map, struct go_g *g, const struct go_m *m, uint64_t ts, uint32_t entry)
{
	struct ctt_text name = sites_name(map->sites, entry);

	if (g->named || !name.len)
		return;
	g->named = true;
	if (name.len == 12 && begins(name, "runtime.main"))
		name = (struct ctt_text){ "main.main", 9 };
	else if (begins(name, "runtime.cgocallback"))
		name = (struct ctt_text){ "callback from C", 15 };
	else
		g->system = map_is_system(name);
	map_name_line(map, g, m, ts, name);
}

/* The system call that it is in does not end at once: report its begin now. */
void map_syscall(struct go_map *map, struct go_g *g)
{
	if (!g->pending)
		return;
	g->pending = false;
	g->in_syscall = true;
	line_suspend(map, g, g->pending_m, g->pending_ts, "syscall:", 0, g->pending_site,
		g->pending_stack);
}
