/* story.h - the lines of a made-up trace before they are printed, and chance by a seed: what judge.c's stories are made of. */
#ifndef FUZZ_STORY_H
#define FUZZ_STORY_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 320, FEW_LINES = 160, TIMER = 1000, AWAITED };	/* as objects: from AWAITED on join:1, coro:1, join:2, ... */

/* ids are 1 and up; 0: none. */
struct line {
	const char *ev;
	uint64_t us, tid, id, by, n, value;
	uint64_t deadline_us;	/* of the object TIMER, or when the process was last seen alive; 0: none */
	int object;		/* of `objects`; -1: none */
	int site;
	bool flag;
	const char *more;	/* members as they are printed; NULL: none */
};
static struct line lines[LINES];
static int line_count;

/* that semaphore has the hash of the second mutex, in process 1 */
static const char *const objects[] = { "fd:3", "fd:4", "mutex:0x10", "mutex:0x20", "chan:0x30", "sem:0xc491f78dc526efc7", "cond:0x50", "user:x",
	"chan:", "timer:", "room:0x30", "user:pinned", "mutex:", "join:", "sem:", "cond:", "runtime:gc", "syscall:read", "never:", "odd:1", "chan:0x31", "room:0x31" };

/* Of a program that could be: members of the first line, NULL: it is none; and what the names of its files end in. */
static const char *meta, *language;
static int odd_lines, runs = 1;	/* one of the lines is odd in this way, 0: none; so many times over */

/* Of draws in one expression, in a call's arguments as in what it itself draws, the compiler chooses the order, but where
 * they stand on both sides of ?, && or ||: each has a statement of its own, so that all compilers make the same stories. */
static uint64_t state;

static inline uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % below;
}

static inline bool one_in(uint64_t n)
{
	return !draw(n);
}

/* Is the line one of these kinds, in a list with a blank behind each? */
static inline bool is_of(const struct line *l, const char *kinds)
{
	size_t len = strlen(l->ev);

	for (const char *at = kinds; (at = strstr(at, l->ev)); at += len)
		if ((at == kinds || at[-1] == ' ') && at[len] == ' ')
			return true;
	return false;
}

/* ---- as text ---- */

/* In which way: what must not change a verdict. */
struct how { bool ask, sync, spaced; uint64_t id_times, id_plus, later_us; };
static FILE *out;
static const struct how *how;

static inline uint64_t renamed(uint64_t id)
{
	return id ? id * how->id_times + how->id_plus : 0;
}

static inline uint64_t time_of(uint64_t us)
{
	return (1000000 + us + how->later_us) * 1000;
}

static inline void print_object(const struct line *l)
{
	const char *s = how->spaced ? " " : "";

	if (l->object >= AWAITED)
		fprintf(out, ",%s\"on\":\"%s:%" PRIu64 "\"", s, l->object % 2 ? "coro" : "join", renamed((uint64_t)(l->object - AWAITED) / 2 + 1));
	else if (l->object == TIMER)
		fprintf(out, ",%s\"on\":\"timer:%" PRIu64 "\"", s, time_of(l->deadline_us));
	else if (l->object >= 0)
		fprintf(out, ",%s\"on\":\"%s\"", s, objects[l->object]);
}

static inline void print_own(const struct line *l)
{
	bool active = *l->ev == 'r' || (l->flag && !strcmp(l->ev, "state"));

	fprintf(out, "{%s\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"addr\":\"0x0000000000000000\",\"seq\":%" PRIu64 ",\"is_active\":%s,\"ts\":%"
		PRIu64 ",\"ev\":\"%s\"", how->spaced ? " " : "", renamed(l->id), l->tid, 2 * l->n, active ? "true" : "false", time_of(l->us), l->ev);
	if (*l->ev != 'w')
		fprintf(out, ",\"n\":%" PRIu64, l->n);
	if (l->site && *l->ev != 'r')
		fprintf(out, ",\"site\":%d", l->site);
	if (*l->ev != 'd')
		print_object(l);
	if (l->by)
		fprintf(out, ",\"%s\":%" PRIu64, *l->ev == 'c' ? "parent" : "by", renamed(l->by));
	if (*l->ev == 'd' && !l->value)
		fprintf(out, ",\"done\":%s", l->flag ? "true" : "false");
}

static inline void print_thing(const struct line *l)
{
	fprintf(out, ",\"tid\":%" PRIu64, l->tid);
	if (l->id)
		fprintf(out, ",\"probe_id\":%" PRIu64, renamed(l->id));
	if (l->n)
		fprintf(out, ",\"n\":%" PRIu64, l->n);
	if (l->site && l->more == NULL && meta)
		fprintf(out, ",\"site\":%d", l->site);
	if (l->by)
		fprintf(out, ",\"by\":%" PRIu64, renamed(l->by));
	print_object(l);
	if (*l->ev == 'n' && !l->more && !l->flag)
		fprintf(out, ",\"woken\":%" PRIu64, l->value);
	else if (!strcmp(l->ev, "level"))
		fprintf(out, ",\"value\":%" PRIu64, l->value);
}

static inline bool is_v1(void)
{
	return meta && !strcmp(meta, "v1");
}

static inline void print_v1(const struct line *l)
{
	fprintf(out, "{%s\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"addr\":\"0x0000000000000000\",\"seq\":%" PRIu64 ",\"is_active\":%s,\"ts\":%"
		PRIu64 "}\n", how->spaced ? " " : "", renamed(l->id), l->tid, 2 * l->n, *l->ev == 'r' ? "true" : "false", time_of(l->us));
}

static inline void print_line(const struct line *l)
{
	uint64_t ts = time_of(l->us);

	if (is_v1()) {
		print_v1(l);
		return;
	}
	if (is_of(l, "create resume suspend destroy wake state ")) {
		print_own(l);
	} else {
		fprintf(out, "{%s\"ev\":\"%s\",\"ts\":%" PRIu64, how->spaced ? " " : "", l->ev, ts);
		if (!strcmp(l->ev, "lost")) {
			if (l->id)
				fprintf(out, ",\"probe_id\":%" PRIu64, renamed(l->id));
			if (!l->flag)
				fprintf(out, ",\"tid\":%" PRIu64, l->tid);
			fprintf(out, ",\"count\":%d", l->value != 7 ? 2 : 0);
			if (l->value != 9)
				fprintf(out, ",\"from\":%" PRIu64 ",\"to\":%" PRIu64, ts - l->value * 1000, ts);
		} else if (!strcmp(l->ev, "end"))
			fprintf(out, ",\"events\":0,\"lost\":0");
		else if (!strcmp(l->ev, "waker"))
			fprintf(out, ",\"tid\":%" PRIu64 ",\"probe_id\":%" PRIu64 ",\"by\":%" PRIu64 ",\"op\":\"%s\"", l->tid, renamed(l->id),
				renamed(l->by), l->flag ? "clone" : "drop");
		else if (strstr(l->ev, "park"))
			fprintf(out, l->flag ? ",\"tid\":%" PRIu64 : ",\"tid\":%" PRIu64 ",\"depth\":%" PRIu64, l->tid, l->value);
		else if (is_of(l, "process exit ")) {
			fprintf(out, ",\"pid\":%" PRIu64, l->value);
			if (l->deadline_us)
				fprintf(out, ",\"alive\":%" PRIu64, time_of(l->deadline_us));
		} else if (!strcmp(l->ev, "thread"))
			fprintf(out, ",\"tid\":%" PRIu64 ",\"pid\":%" PRIu64, l->tid, l->value);
		else
			print_thing(l);
	}
	fprintf(out, "%s}\n", l->more ? l->more : "");
}

static const char *const functions[] = { "serve", "std::map<int, std::pair<A, B>>::at(int)", "main.(*T).Serve", "a::b::{closure#0}",
	"<impl Pool as Take>::poll", "operator->", "", "f(int) const::{lambda(int)#1}::operator()" };

static inline void print_head(void)
{
	if (is_v1())
		return;
	fprintf(out, "{\"ev\":\"meta\",\"ts\":%" PRIu64 ",\"format\":\"corotrace\",\"version\":2%s}\n", time_of(0), meta ? meta : "");
	for (int tid = 11; !meta && tid < 14; tid++)
		fprintf(out, "{\"ev\":\"thread\",\"ts\":%" PRIu64 ",\"tid\":%d,\"pid\":1,\"role\":\"%s\"}\n", time_of(0), tid,
			tid < 13 ? "worker" : "other");
	/* of the others nothing is told */
	for (int site = 1; meta && site <= 8; site++)
		fprintf(out, "{\"ev\":\"site\",\"site\":%d,\"func\":\"%s\",\"file\":\"src/a.%s\",\"line\":%d}\n", site, functions[site - 1], language,
			10 * site);
}

static inline void print_run(void)
{
	static const char *const odd[] = { "", "{\"ev\":\"cut\",\"tool\":\"ct-where\",\"expr\":\".\"}\n", "nothing\n", "{\"ev\":\"wake\",\"ts\":1}\n", "" };

	print_head();
	for (int i = 0; i < line_count; i++) {
		/* a line of no event: as old as what it stands behind, so that time is the same */
		if (how->sync && !is_v1() && i % 7 == 3 && strcmp(lines[i].ev, "end"))
			fprintf(out, "{\"ev\":\"sync\",\"ts\":%" PRIu64 "}\n", time_of(i ? lines[i - 1].us : 0));
		if (i == line_count / 2)
			fputs(odd[odd_lines], out);
		print_line(&lines[i]);
	}
	fputs(odd_lines == 4 ? "nothing\n" : "", out);
}

static inline void print_story(int fd, const struct how *in_which_way)
{
	how = in_which_way;
	if ((fd > 1 && (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))) || !(out = fdopen(dup(fd), "w")))
		exit(99);
	for (int run = 0; run < runs; run++)
		print_run();
	fclose(out);
}
#endif
