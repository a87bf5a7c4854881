/* promises.c - what a probe promises, and what was found out of each promise. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

enum state { NOT_TRIED, KEPT, BROKEN };

static const struct {
	const char *name, *what, *section;
} promises[PROMISES] = {
	[EVENTS] = { "events", "each event comes, in order, with its fields", "Kinds" },
	[NUMBERS] = { "numbers", "n of a coroutine rises by one from 1", "Event" },
	[TIMES] = { "times", "those of a coroutine rise, those of a ring never fall", "ORDER, Times" },
	[THREADS] = { "threads", "each is introduced, and its ring says whose it is", "Ring" },
	[SITES] = { "sites", "each is ready before it is named", "Site and string" },
	[STRINGS] = { "strings", "each is whole before it is named", "Site and string" },
	[WAKES] = { "wakes", "who is woken, by whom, for what", "Kinds" },
	[WHOLE] = { "whole", "what is below head is complete", "ORDER, Events of a ring" },
	[LOSS] = { "loss", "what found no room is counted, each event", "LOSS" },
	[STATIONS] = { "stations", "each shows its coroutine's last event", "ORDER, Stations" },
	[ROOM] = { "room", "flag 2: a full ring waits", "LOSS" },
	[BELL] = { "bell", "a recorder that sleeps is woken", "ORDER, Sleep" },
	[RINGS] = { "rings", "a thread that ends gives its ring back", "ORDER, Hands of a ring" },
	[FORK] = { "fork", "a child has a ring, stations, ids and a connection of its own", "FORK" },
	[KINDS] = { "kinds", "none that the recorder does not know", "KINDS LATER THAN A RECORDER" },
	[VERSION] = { "version", "nothing is written into a region of another layout", "Header" },
	[GONE] = { "gone", "the program goes on when the recorder dies", "CONNECTION" },
	[ALONE] = { "alone", "the program runs without a recorder", "CONNECTION" },
};

static struct {
	enum state state;
	char why[400], line[700];
} found[PROMISES];

void keeps(enum promise p)
{
	if (found[p].state == NOT_TRIED)
		found[p].state = KEPT;
}

static void set(enum promise p, const char *format, va_list args)
{
	found[p].state = BROKEN;
	vsnprintf(found[p].why, sizeof found[p].why, format, args);
}

void breaks(enum promise p, const char *format, ...)
{
	va_list args;

	if (found[p].state == BROKEN)
		return;
	va_start(args, format);
	set(p, format, args);
	va_end(args);
}

void breaks_at(
	enum promise p, const char *scene, const struct ctt_event *ev, const char *format, ...)
{
	va_list args;

	if (found[p].state == BROKEN)
		return;
	va_start(args, format);
	set(p, format, args);
	va_end(args);
	snprintf(found[p].line, sizeof found[p].line,
		"scene \"%s\", line %" PRIu64 " of its trace: %.*s", scene, ev->line,
		ev->raw_len < 500 ? (int)ev->raw_len : 500, ev->raw);
}

void not_tried(enum promise p, const char *command)
{
	if (found[p].state != BROKEN) {
		found[p].state = NOT_TRIED;
		snprintf(found[p].why, sizeof found[p].why,
			"the driver does not know \"%s\"", command);
	}
}

bool broken(enum promise p)
{
	return found[p].state == BROKEN;
}

static void print_json(int p)
{
	static const char *const words[] = { "not tried", "kept", "broken" };

	printf("{\"check\":\"promise\",\"promise\":\"%s\",\"is\":\"%s\",\"section\":\"%s\"",
		promises[p].name, words[found[p].state], promises[p].section);
	if (found[p].state != KEPT) {
		fputs(",\"what\":", stdout);
		ctt_out_json(stdout, found[p].why, strlen(found[p].why));
	}
	if (found[p].line[0]) {
		fputs(",\"where\":", stdout);
		ctt_out_json(stdout, found[p].line, strlen(found[p].line));
	}
	fputs("}\n", stdout);
}

static void print_text(int p)
{
	printf("%-9s", promises[p].name);
	if (found[p].state == KEPT) {
		printf("kept: %s\n", promises[p].what);
		return;
	}
	printf("%s: ", found[p].state == BROKEN ? "broken" : "not tried");
	ctt_out_text(stdout, found[p].why, strlen(found[p].why));
	putchar('\n');
	if (found[p].state == BROKEN)
		printf("         ctp(7), %s: %s\n", promises[p].section, promises[p].what);
	if (found[p].line[0]) {
		fputs("         ", stdout);
		ctt_out_text(stdout, found[p].line, strlen(found[p].line));
		putchar('\n');
	}
}

int print_promises(bool json)
{
	int p, count[3] = { 0 };

	for (p = 0; p < PROMISES; p++) {
		if (found[p].state == NOT_TRIED && !found[p].why[0])
			snprintf(found[p].why, sizeof found[p].why,
				"its scene did not come so far");
		count[found[p].state]++;
		if (json)
			print_json(p);
		else
			print_text(p);
	}
	if (!json)
		printf("%d promises: %d kept, %d broken, %d not tried\n", PROMISES, count[KEPT],
			count[BROKEN], count[NOT_TRIED]);
	return count[BROKEN] > 0;
}
