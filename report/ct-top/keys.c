/* keys.c - what each key does. */
#include <string.h>

#include <ncurses.h>

#include "ui.h"

struct ui ui;

const char *const ui_help[] = {
	"ct-top: coroutines as they run. The trace is read on while you look.",
	"",
	"  o w c f     overview; workers (threads); coroutines; findings with evidence",
	"  Tab         the next of these",
	"  g           coroutines by site, or one by one",
	"  x           only coroutines that a finding is about, or all",
	"  a n p m t k i   sort by age, number, site, name, state, what it waits on, id",
	"  r           the other way round",
	"  / ESC       filter by a regular expression (id, name, state, on, site); undo",
	"  arrows, PgUp PgDn, Home End   move the cursor, or scroll",
	"  Enter       the site's coroutines; the coroutine's story; ESC leads back",
	"  space       pause the display; the trace is read on",
	"  [ ]         the run before, the next, where the stream has several",
	"  ^L          draw anew",
	"  h ?         this help        q   quit",
	"",
	"Findings are those of ct-lostwake. While the stream lasts they are judged so",
	"far, as if it ended with the last event: a later wake takes a finding back.",
	NULL
};

/* The filter as typed so far; a broken one is reported and leaves the last good one. */
static void filter_typed(void)
{
	regex_t next;
	int error = *ui.typed ? regcomp(&next, ui.typed, REG_EXTENDED | REG_NOSUB) : 0;

	ui.error[0] = '\0';
	if (error) {
		regerror(error, &next, ui.error, sizeof(ui.error));
		return;
	}
	if (ui.view.filter)
		regfree(&ui.filter);
	ui.view.filter = NULL;
	if (!*ui.typed)
		return;
	ui.filter = next;
	ui.view.filter = &ui.filter;
}

static void type(int key)
{
	size_t len = strlen(ui.typed);

	if (key == '\r' || key == '\n' || key == KEY_ENTER)
		ui.typing = *ui.error != '\0';
	else if (key == 27 || key == 'U' - '@') {
		ui.typed[0] = '\0';
		ui.typing = key != 27;
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		/* all bytes of it, in UTF-8 */
		while (len && (ui.typed[--len] & 0xc0) == 0x80)
			;
		ui.typed[len] = '\0';
	} else if (key >= ' ' && key < 256 && len + 1 < sizeof(ui.typed)) {
		ui.typed[len] = (char)key;
		ui.typed[len + 1] = '\0';
	}
	filter_typed();
	ui.view.scroll = 0;
}

static void sort_by(enum sort sort)
{
	ui.view.backwards = false;
	ui.view.sort = sort;
	ui.view.scroll = 0;
}

static void show_pane(enum pane pane)
{
	ui.view.pane = pane;
	ui.view.scroll = 0;
}

static bool has_cursor(void)
{
	return ui.view.pane == PANE_ALL || ui.view.pane == PANE_COROS;
}

void ui_enter(void)
{
	ui.enter = false;
	if (!has_cursor())
		return;
	if (ui.view.single) {
		ui.view.story = ui.view.picked;
		ui.view.from = ui.view.pane;
		show_pane(PANE_STORY);
		return;
	}
	ui.view.inside = ui.view.single = true;
	ui.view.inside_site = ui.view.picked_site;
	ui.view.inside_what = ui.view.picked_what;
	ui.view.at = ui.view.scroll = 0;
	ui.view.moved = true;
}

/* Out of it again; false: it is in nothing. */
static bool leave(void)
{
	if (ui.view.pane == PANE_STORY) {
		show_pane(ui.view.from);
		return true;
	}
	if (!ui.view.inside)
		return false;
	ui.view.inside = ui.view.single = false;
	return true;
}

/* Keys that move about; false: it is none. */
static bool scroll_key(int key)
{
	size_t page = LINES > 8 ? (size_t)LINES - 6 : 2;
	size_t *at = has_cursor() ? &ui.view.at : &ui.view.scroll;

	switch (key) {
	case KEY_UP: *at -= *at > 0; break;
	case KEY_DOWN: ++*at; break;
	case KEY_PPAGE: *at -= *at < page ? *at : page; break;
	case KEY_NPAGE: *at += page; break;
	case KEY_HOME: *at = 0; break;
	case KEY_END: *at = SIZE_MAX / 4; break;
	default: return false;
	}
	ui.view.moved = has_cursor();
	return true;
}

static void switch_run(const struct watch *w, int by)
{
	if ((by < 0 && ui.view.run) || (by > 0 && ui.view.run + 1 < w->count)) {
		ui.view.run = by < 0 ? ui.view.run - 1 : ui.view.run + 1;
		ui.view.scroll = 0;
		ui.run_chosen = true;
	}
}

static void choose_key(int key)
{
	static const char sorts[] = "anpmtki", panes[] = "owcf";
	const char *at;

	if (key > 0 && key < 128 && (at = strchr(sorts, key)))
		sort_by((enum sort)(at - sorts));
	else if (key > 0 && key < 128 && (at = strchr(panes, key)))
		show_pane((enum pane)(at - panes));
	else if (key == '\t')
		show_pane(ui.view.pane >= PANES ? PANE_ALL : (ui.view.pane + 1) % PANES);
	else if (key == 'g' || key == 'x') {
		ui.view.single ^= key == 'g';
		ui.view.inside &= key != 'g';
		ui.view.accused_only ^= key == 'x';
		ui.view.scroll = 0;
	} else if (key == 'r')
		ui.view.backwards = !ui.view.backwards;
	else if (key == '/')
		ui.typing = true;
	else if (key == '\r' || key == '\n' || key == KEY_ENTER)
		ui.enter = true;
	else if (key == 27 && !leave())
		type(key);
	else
		scroll_key(key);
}

void ui_key(struct watch *w, int key)
{
	ui.paint = true;
	if (key == KEY_RESIZE || key == 'L' - '@') {
		clearok(stdscr, TRUE);
		ui.compose = true;
	} else if (ui.typing) {
		type(key);
		ui.compose = true;
	} else if (key == 'q') {
		ui.quit = true;
	} else if (key == ' ') {
		ui.paused = !ui.paused;
	} else if (ui.help || key == 'h' || key == '?') {
		ui.help = !ui.help;
	} else if (key == '[' || key == ']') {
		watch_lock(w);
		switch_run(w, key == '[' ? -1 : 1);
		watch_unlock(w);
		ui.compose = true;
	} else {
		choose_key(key);
		ui.compose = true;
	}
}
