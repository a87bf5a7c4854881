/* record-count - count every event of a trace against what its target emitted: record-count TRACE COUNTFILE [SLACK].
 *
 * With a reader of its own, so that an error of the library's cannot hide one of the recorder's. Complains of: a line
 * that is cut, a first line that is not meta, a last that is not end, end's counts, a coroutine whose n does not rise
 * by one (by more where events were lost, but by no more in all than were lost) or whose ts falls or that goes on after
 * its end, and events printed + lost that are not those emitted, or up to SLACK more; kinds that end's count leaves out
 * may be among the emitted or not. Prints "events E lost L emitted M".
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct coroutine { uint64_t id, n, ts; bool over; } *table;
static size_t table_size = 1 << 10, table_used;
static uint64_t line_number, events, beside, lost, gaps, complaints;

static void complaint(const char *what, const char *line)
{
	if (++complaints <= 10)
		fprintf(stderr, "line %" PRIu64 ": %s: %.300s\n", line_number, what, line);
}

static struct coroutine *find(uint64_t id)
{
	size_t i = (size_t)(id * 0x9e3779b97f4a7c15ull >> 20) & (table_size - 1);

	while (table[i].id && table[i].id != id)
		i = (i + 1) & (table_size - 1);
	return &table[i];
}

static struct coroutine *coroutine(uint64_t id)
{
	struct coroutine *c, *old = table;
	size_t i, size = table_size;

	if (table_used * 2 >= table_size || !table) {
		table_size *= 2;
		table = calloc(table_size, sizeof *table);
		for (i = 0; old && i < size; i++)
			if (old[i].id)
				*find(old[i].id) = old[i];
		free(old);
	}
	c = find(id);
	if (!c->id) {
		c->id = id;
		table_used++;
	}
	return c;
}

static uint64_t value(const char *line, const char *key)	/* ~0: none */
{
	char quoted[32];
	const char *p;

	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	p = strstr(line, quoted);
	return p ? strtoull(p + strlen(quoted), NULL, 10) : UINT64_MAX;
}

static bool is(const char *line, const char *ev)
{
	const char *p = strstr(line, "\"ev\":\"");

	return p && !strncmp(p + 6, ev, strlen(ev)) && p[6 + strlen(ev)] == '"';
}

static void own_event(const char *line)		/* create, resume, suspend, destroy, or version 1 */
{
	uint64_t n = value(line, "n"), ts = value(line, "ts");
	struct coroutine *c = coroutine(value(line, "probe_id"));

	if (is(line, "create") && n == UINT64_MAX)	/* version 1: perhaps an address used again */
		*c = (struct coroutine){ .id = c->id };
	if (c->over)
		complaint("after its end", line);
	if (ts < c->ts)
		complaint("ts falls", line);
	c->ts = ts;
	if (n != UINT64_MAX) {
		if (n <= c->n)
			complaint("n does not rise", line);
		else
			gaps += n - c->n - 1;
		c->n = n;
	}
	c->over = is(line, "destroy");
}

static void read_line(const char *line)
{
	static const char *const plain[] = { "name", "open", "close", "notify", "level", "acquire", "release", "waker",
		"park", "unpark", "wake" };
	size_t i;

	if (line_number == 1 && !is(line, "meta"))
		complaint("not meta", line);
	if (!strncmp(line, "{\"probe_id\":", 12) && !is(line, "wake") && !is(line, "state")) {
		events++;
		own_event(line);
		return;
	}
	for (i = 0; i < sizeof plain / sizeof *plain; i++)
		events += is(line, plain[i]);
	beside += is(line, "leg") || is(line, "dequeue") || is(line, "deadline");
	if (is(line, "lost"))
		lost += value(line, "count");
}

static uint64_t count_emitted(const char *path)
{
	uint64_t line[8], sum = 0;
	FILE *f = fopen(path, "r");

	if (!f) {
		perror(path);
		exit(2);
	}
	while (fread(line, sizeof line, 1, f) == 1)
		sum += line[0];
	fclose(f);
	return sum;
}

int main(int argc, char *argv[])
{
	uint64_t emitted, slack = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	char *line = NULL, *last = NULL, *swap;
	FILE *f = argc > 2 ? fopen(argv[1], "r") : NULL;
	size_t room = 0, last_room = 0, swap_room;
	ssize_t len;

	if (!f)
		return 2;
	while ((len = getline(&line, &room, f)) > 0) {
		line_number++;
		if (len < 3 || line[0] != '{' || strcmp(line + len - 2, "}\n"))
			complaint("not whole", line);
		read_line(line);
		swap = line, line = last, last = swap;
		swap_room = room, room = last_room, last_room = swap_room;
	}
	fclose(f);
	if (!last || !is(last, "end"))
		complaint("the last line is no end", last ? last : "");
	else if (value(last, "events") != events || value(last, "lost") != lost)
		complaint("counted other events or losses than end", last);
	if (gaps > lost) {
		fprintf(stderr, "%" PRIu64 " events missing by n, %" PRIu64 " told lost\n", gaps, lost);
		complaints++;
	}
	emitted = count_emitted(argv[2]);
	if (events + beside + lost < emitted || events + lost > emitted + slack) {
		fprintf(stderr, "%" PRIu64 " printed + lost, %" PRIu64 " emitted\n", events + beside + lost, emitted);
		complaints++;
	}
	printf("events %" PRIu64 " lost %" PRIu64 " emitted %" PRIu64 "\n", events, lost, emitted);
	free(line);
	free(last);
	free(table);
	return complaints != 0;
}
