/* note.c - lines that are about no goroutine: processors, collections, stops of the world, and what
 * a program says of itself. */
#include <stdlib.h>

#include "out.h"

static char *begin(const char *kind, uint64_t ts, const struct go_ctx *c)
{
	char *p = out_word(OUT(out_begin(), "{\"ev\":\""), kind);

	*p++ = '"';
	p = out_ts(p, ts);
	return c->m->tid ? out_number(OUT(p, ",\"tid\":"), c->m->tid) : p;
}

/* While the world is stopped, to be without a processor says nothing about work. */
static void proc(struct go_map *map, struct go_order *o, const struct go_event *ev,
	const struct go_ctx *c, uint64_t ts)
{
	bool starts = ev->type == GO_PROC_START;
	char *p;

	if (ev->type == GO_PROC_STATUS) {
		if (ev->arg[1] != P_RUNNING || !c->m->tid || o->f->gen.number != o->first_gen)
			return;
		starts = true;
	} else if (!starts) {
		if (ev->type == GO_PROC_STEAL && c->victim && c->victim->g &&
			c->victim->g->id == c->victim->g_id)
			map_syscall(map, c->victim->g);
		else if (ev->type == GO_PROC_STOP && c->g)
			map_syscall(map, c->g);
		if (ev->type != GO_PROC_STOP || o->stopped)
			return;
	}
	map->events++;
	p = begin(starts ? "unpark" : "park", ts, c);
	p = out_number(OUT(p, ",\"name\":\"P"), starts ? ev->arg[0] : c->p->id);
	out_end(OUT(p, "\"}\n"));
}

static char *text(char *p, const struct go_map *map, const char *name, uint64_t id)
{
	const struct go_string *s = id ? hash_find(&map->f->gen.strings, id) : NULL;

	if (!s)
		return p;
	p = out_word(OUT(p, ",\""), name);
	return out_string(OUT(p, "\":"), go_text(map->f, s));
}

static char *number(char *p, const char *name, uint64_t v)
{
	p = out_word(OUT(p, ",\""), name);
	return out_number(OUT(p, "\":"), v);
}

static const char *kind_of(unsigned type, bool *ends)
{
	*ends = type == GO_STW_END || type == GO_GC_END || type == GO_TASK_END || type == GO_REGION_END;
	switch (type) {
	case GO_STW: case GO_STW_END:			return "stw";
	case GO_GC_ACTIVE: case GO_GC: case GO_GC_END:	return "gc";
	case GO_TASK: case GO_TASK_END:			return "task";
	case GO_REGION: case GO_REGION_END:		return "region";
	case GO_LOG:					return "log";
	default:					return NULL;
	}
}

static void note(struct go_map *map, const struct go_event *ev, const struct go_ctx *c, uint64_t ts)
{
	bool ends;
	const char *kind = kind_of(ev->type, &ends);
	char *p;

	if (!kind || (ev->type == GO_GC_ACTIVE && map->f->gen.number != map->first_gen))
		return;
	p = begin(kind, ts, c);
	if (c->g)
		p = number(p, "by", c->g->probe_id);
	if (ev->type != GO_LOG)
		p = ends ? OUT(p, ",\"phase\":\"end\"") : OUT(p, ",\"phase\":\"begin\"");
	if (ev->type >= GO_TASK && ev->arg[0])
		p = number(p, "task", ev->arg[0]);
	if (ev->type == GO_TASK && ev->arg[1])
		p = number(p, "parent_task", ev->arg[1]);
	if (ev->type == GO_STW)
		p = text(p, map, "reason", ev->arg[0]);
	else if (ev->type == GO_REGION || ev->type == GO_REGION_END)
		p = text(p, map, "name", ev->arg[1]);
	else if (ev->type == GO_TASK)
		p = text(p, map, "name", ev->arg[2]);
	else if (ev->type == GO_LOG)
		p = text(text(p, map, "category", ev->arg[1]), map, "message", ev->arg[2]);
	out_end(OUT(p, "}\n"));
}

void map_note(struct go_map *map, struct go_order *o, const struct go_event *ev,
	const struct go_ctx *c, uint64_t ts)
{
	if (ev->type >= GO_PROC_START && ev->type <= GO_PROC_STATUS)
		proc(map, o, ev, c, ts);
	else
		note(map, ev, c, ts);
}
