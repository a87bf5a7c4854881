/* lines.h - the lines about goroutines. Inline, for nearly all of the output is these. */
#ifndef GOTRACE_LINES_H
#define GOTRACE_LINES_H

#include "out.h"

/* {"probe_id":7,"tid":4711,"addr":"0x0000000000000000","seq": */
static HOT char *line_head(char *p, const struct go_g *g, const struct go_m *m)
{
	memcpy(p, g->head, sizeof(g->head));
	p += g->head_len;
	memcpy(p, m->text, sizeof(m->text));
	return p + m->text_len;
}

/* ,"NAME":V */
char *line_key(char *p, const char *name, uint64_t v);
void line_suspend(struct go_map *, struct go_g *, const struct go_m *, uint64_t ts, const char *on,
	uint64_t coro, uint32_t site, uint32_t stack);

/* A line that counts: up to the "ts". Its "ev" and line_n() must follow. */
static HOT char *line_own(
	struct go_map *map, const struct go_g *g, const struct go_m *m, bool active, uint64_t ts)
{
	map->events++;
	return out_active(out_count(line_head(out_begin(), g, m), &g->seq2), active, ts);
}
/* Its number. */
static HOT char *line_n(char *p, struct go_g *g)
{
	p = out_count(p, &g->n);
	out_count_up(&g->n, 1);
	out_count_up(&g->seq2, 2);
	return p;
}
#define LINE_N(p, kind, g) line_n(OUT(p, ",\"ev\":\"" kind "\",\"n\":"), g)

static HOT void line_resume(struct go_map *map, struct go_g *g, const struct go_m *m, uint64_t ts)
{
	char *p = line_own(map, g, m, true, ts);

	out_end(OUT(LINE_N(p, "resume", g), "}\n"));
}

/* `by` may be NULL, and so may its stack. */
static HOT void line_wake(struct go_map *map, const struct go_g *g, const struct go_m *m,
	uint64_t ts, const struct go_g *by, const struct go_stack *s)
{
	char *p = out_active(OUT(line_head(out_begin(), g, m), "0"), false, ts);

	map->events++;
	s = s ? s : &sites_none;
	memcpy(p, s->wake, sizeof(s->wake));
	p += s->wake_len;
	if (by) {
		p = OUT(p, ",\"by\":");
		memcpy(p, by->head + GO_HEAD_ID, sizeof(by->head) - GO_HEAD_ID);
		p += by->head_len - GO_HEAD_ID;
	}
	memcpy(p, s->end, sizeof(s->end));
	out_end(p + s->end_len);
}

/* The end of a suspend line. */
static HOT char *line_tail(char *p, const char *on, uint64_t coro, uint32_t site, uint32_t stack,
	struct ctt_text reason)
{
	if (site)
		p = out_number(OUT(p, ",\"site\":"), site);
	if (on) {
		p = out_word(OUT(p, ",\"on\":\""), on);
		if (coro)
			p = out_number(p, coro);
		*p++ = '"';
	}
	if (stack)
		p = out_number(OUT(p, ",\"stack\":"), stack);
	if (reason.len)
		p = out_string(OUT(p, ",\"reason\":"), reason);
	return OUT(p, "}\n");
}

#endif
