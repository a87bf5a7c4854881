/* line.c - every line of a trace but those of events. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include "extra/clock.h"
#include "line.h"
#include "line.h"
#include "print.h"
#include "totals.h"

static char *put_quoted(char *p, const char *text)
{
	*p++ = '"';
	p = put_escaped(p, text, strlen(text));
	*p++ = '"';
	return p;
}

/* One of these lines: begin, keys, end. */
static char *line_begin(const char *ev, uint64_t ts)
{
	char *p = print_begin();

	p = put_const(p, "{\"ev\":\"");
	return put_key(stpcpy(p, ev), "\",\"ts\":", ts);
}

static void line_end(char *p)
{
	print_at = put_const(p, "}\n");
}

void print_name(uint64_t ts, uint64_t id, const char *name)
{
	char *p = line_begin("name", ts);

	p = put_key(p, ",\"probe_id\":", id);
	p = put_const(p, ",\"name\":");
	line_end(put_quoted(p, name));
	totals.events++;
}

void print_lost(const char *who, uint64_t id, uint64_t count, uint64_t from, uint64_t to)
{
	char *p = line_begin("lost", to);

	if (who) {
		p = put_const(p, ",\"");
		p = put_key(stpcpy(p, who), "\":", id);
	}
	p = put_key(p, ",\"count\":", count);
	p = put_key(p, ",\"from\":", from);
	line_end(put_key(p, ",\"to\":", to));
	totals.lost += count;
}

void print_sync(uint64_t ts, uint64_t slept)
{
	char *p = line_begin("sync", ts);

	line_end(slept ? put_key(p, ",\"slept\":", slept) : p);
}

void print_process_end(uint64_t ts, pid_t pid, uint64_t alive)
{
	char *p = put_key(line_begin("process", ts), ",\"pid\":", (uint64_t)pid);

	line_end(put_key(stpcpy(p, ",\"ended\":true"), ",\"alive\":", alive));
}

void print_exit(uint64_t ts, pid_t pid, int status, uint64_t alive)
{
	char *p = put_key(
		put_key(line_begin("exit", ts), ",\"pid\":", (uint64_t)pid), ",\"alive\":", alive);

	if (status == -1)
		;
	else if (WIFSIGNALED(status))
		p = put_key(p, ",\"signal\":", (uint64_t)WTERMSIG(status));
	else
		p = put_key(p, ",\"status\":", (uint64_t)WEXITSTATUS(status));
	line_end(p);
}

uint64_t wall_ns(void)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	return (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
}

void print_meta(char *const *command, uint64_t ts, uint64_t wall, const char *more)
{
	char host[256] = "", *const *arg, *p = line_begin("meta", ts);

	gethostname(host, sizeof host - 1);
	p = put_const(p,
		",\"format\":\"corotrace\",\"version\":2,\"tool\":\"ct-record " CT_VERSION
		"\",\"command\":[");
	for (arg = command; *arg; arg++) {
		if (arg != command)
			*p++ = ',';
		p = put_quoted(p, *arg);
	}
	p = put_const(p, "],\"host\":");
	p = put_quoted(p, host);
	p = put_key(p, ",\"wall\":", wall);
	p = stpcpy(p, clock_is_tsc() ? ",\"clock\":\"tsc\"" : ",\"clock\":\"monotonic\"");
	line_end(stpcpy(p, more));
}

void print_attach(uint64_t ts, uint64_t live, uint64_t states, uint64_t history, uint64_t before)
{
	char *p = put_key(line_begin("attach", ts), ",\"live\":", live);

	p = put_key(put_key(p, ",\"states\":", states), ",\"history\":", history);
	line_end(put_key(p, ",\"before\":", before));
}

void print_process(uint64_t ts, uint32_t pid, uint32_t ppid, const char *path)
{
	char *p = put_key(line_begin("process", ts), ",\"pid\":", pid);

	p = put_key(p, ",\"ppid\":", ppid);
	p = put_const(p, ",\"path\":");
	line_end(put_quoted(p, path));
}

static char *put_address(char *p, const char *key, uint64_t v)
{
	p = put_const(stpcpy(p, key), "\"0x");
	p = put_hex(p, v);
	*p++ = '"';
	return p;
}

void print_map(uint64_t ts, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset,
	const char *path, const char *build_id)
{
	char *p = put_key(line_begin("map", ts), ",\"pid\":", pid);

	p = put_address(p, ",\"start\":", start);
	p = put_address(p, ",\"end\":", end);
	p = put_key(p, ",\"offset\":", offset);
	p = put_const(p, ",\"path\":");
	p = put_quoted(p, path);
	if (*build_id)
		p = put_quoted(put_const(p, ",\"build_id\":"), build_id);
	line_end(p);
}
