/* top-screen.c - the terminal: draw at most ten times a second, obey keys, and always put it back as it was. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ncurses.h>

#include "top.h"

enum { DRAW_NS = 100000000, JUDGE_NS = 1000000000, REST = 9 };

static FILE *tty;		/* keys: standard input is the trace */
static SCREEN *terminal;
static FILE *messages;		/* what was said on stderr meanwhile; NULL: that is no terminal */
static int messages_to = -1;
static bool colors;
static volatile sig_atomic_t caught;

static struct ui {
	struct view view;
	struct lines frame;	/* as last composed */
	bool paused, help, typing, quit, run_chosen;
	bool compose, paint;	/* a key wants the frame made anew; it is to be drawn */
	char typed[128], error[128];	/* the filter, and what is wrong with it */
	regex_t filter;
	uint64_t drawn, rest, draw_at, judge_at;	/* when last; not before */
	uint64_t read;		/* the watch's read_ns and over, when composed */
	bool over;
} ui;

static const char *const help[] = {
	"ct-top: coroutines as they run. The trace is read on while you look.",
	"",
	"  o w c f     overview; workers (threads); coroutines; findings with evidence",
	"  Tab         the next of these",
	"  g           coroutines by place, or one by one",
	"  x           only coroutines that a finding is about, or all",
	"  a n p m t k i   sort by age, number, place, name, state, what is waited on, id",
	"  r           the other way round",
	"  / ESC       filter by a regular expression (id, name, state, on, place); undo",
	"  arrows, PgUp PgDn, Home End   scroll",
	"  space       pause the display; the trace is read on",
	"  [ ]         the run before, the next, where the stream has several",
	"  ^L          draw anew, if another program wrote over it",
	"  h ?         this help        q   quit",
	"",
	"Findings are those of ct-lostwake. While the stream lasts they are judged so far, as",
	"if it ended with the last event: a wake that comes later takes a finding back.",
	NULL
};

static void on_signal(int signal)
{
	caught = signal;
}

static void keep_messages(void)
{
	if (!isatty(STDERR_FILENO) || !(messages = tmpfile()))
		return;
	fflush(stderr);
	messages_to = dup(STDERR_FILENO);
	if (messages_to >= 0)
		dup2(fileno(messages), STDERR_FILENO);
}

void screen_close(void)
{
	char buf[4096];
	size_t n;

	if (terminal) {
		endwin();
		delscreen(terminal);
		terminal = NULL;
	}
	if (tty)
		fclose(tty);
	tty = NULL;
	if (messages_to < 0)
		return;
	fflush(stderr);
	dup2(messages_to, STDERR_FILENO);
	close(messages_to);
	messages_to = -1;
	rewind(messages);
	while ((n = fread(buf, 1, sizeof(buf), messages)) > 0)
		fwrite(buf, 1, n, stderr);
	fclose(messages);
}

static void choose_colors(const struct common *opt)
{
	static const short of[LOOKS] = { [LOOK_TITLE] = COLOR_CYAN, [LOOK_GOOD] = COLOR_GREEN, [LOOK_PROVEN] = COLOR_RED,
		[LOOK_SUSPECTED] = COLOR_YELLOW, [LOOK_UNKNOWN] = COLOR_MAGENTA };

	colors = opt->color && has_colors() && start_color() == OK;
	if (!colors)
		return;
	use_default_colors();
	for (short i = 1; i < LOOKS; i++)
		init_pair(i, of[i] ? of[i] : -1, -1);
}

bool screen_open(const struct common *opt)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction act = { .sa_handler = on_signal };

	if (!isatty(STDOUT_FILENO) || !(tty = fopen("/dev/tty", "re")))
		return false;
	set_escdelay(25);
	terminal = newterm(NULL, stdout, tty);
	if (!terminal) {
		fclose(tty);
		tty = NULL;
		return false;
	}
	keep_messages();
	atexit(screen_close);	/* whoever ends the program */
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &act, NULL);
	choose_colors(opt);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	return true;
}

static attr_t look_of(enum look look)
{
	static const attr_t of[LOOKS] = { [LOOK_TITLE] = A_BOLD, [LOOK_BOLD] = A_BOLD, [LOOK_DIM] = A_DIM,
		[LOOK_PROVEN] = A_BOLD };

	return of[look] | (colors ? (attr_t)COLOR_PAIR(look) : 0);
}

static void put(int y, enum look look, const char *text)
{
	char cut[4096];

	line_cut(cut, sizeof(cut), text, COLS);
	attrset(look_of(look));
	mvaddstr(y, 0, cut);
	attrset(A_NORMAL);
}

static void put_foot(void)
{
	static const char *const panes[PANES] = { "overview", "workers", "coroutines", "findings" };
	char foot[512], cut[1024];

	if (ui.typing)
		snprintf(foot, sizeof(foot), "/%s_%s%s", ui.typed, *ui.error ? "  " : "", ui.error);
	else
		snprintf(foot, sizeof(foot), "%sh help  q quit  %s, %s by %s%s%s%s%s", ui.paused ? "PAUSED  " : "",
			panes[ui.view.pane], ui.view.single ? "each" : "places", sort_names[ui.view.sort],
			ui.view.backwards ? " backwards" : "", ui.view.accused_only ? ", accused only" : "",
			ui.view.filter ? "  /" : "", ui.view.filter ? ui.typed : "");
	line_cut(cut, sizeof(cut), foot, COLS);
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	mvaddstr(LINES - 1, 0, cut);
	attroff(A_REVERSE);
}

/* The screen as ncurses has it in memory; refresh() brings it to the terminal, and may wait for that. */
static void paint(void)
{
	erase();
	if (ui.help)
		for (int i = 0; help[i] && i < LINES - 1; i++)
			put(i, LOOK_PLAIN, help[i]);
	for (size_t i = 0; !ui.help && i < ui.frame.count && (int)i < LINES - 1; i++)
		put((int)i, ui.frame.line[i]->look, ui.frame.line[i]->text);
	put_foot();
	refresh();
	ui.paint = false;
}

static uint64_t rest(uint64_t began, uint64_t least)
{
	uint64_t now = wall_ns(), long_rest = REST * (now - began);

	return now + (long_rest > least ? long_rest : least);
}

/* Is there something to show that was not judged yet? */
static bool unjudged(const struct watch *w, const struct run *r)
{
	return run_over(w, ui.view.run) ? !r->verdicts.final : trace_run(w->in, ui.view.run)->lines != r->verdicts.lines;
}

/* Under the lock: bring the frame up to date, where it is time to. */
static void compose(struct watch *w, uint64_t now)
{
	struct run *r;

	if (!w->count) {
		lines_clear(&ui.frame);
		lines_add(&ui.frame, LOOK_TITLE, "ct-top  %s", w->over ? "ended: not one line of a trace" : "no line yet");
		ui.paint = true;
		return;
	}
	if (!ui.run_chosen)
		ui.view.run = w->last;
	r = w->run[ui.view.run];
	watch_sample(w, r, now);
	if (unjudged(w, r) && (now >= ui.judge_at || run_over(w, ui.view.run))) {
		verdicts_take(w, ui.view.run);
		ui.judge_at = rest(now, JUDGE_NS);
	}
	lines_clear(&ui.frame);
	show_all(&ui.frame, w, &ui.view);
	ui.paint = true;
}

/* The frame follows what was read; once a second all the same, for how long nothing was. */
static void update(struct watch *w)
{
	uint64_t now = wall_ns();
	bool old;

	watch_lock(w);
	old = !ui.paused && (w->read_ns != ui.read || w->over != ui.over || (!w->over && now - ui.drawn >= JUDGE_NS) ||
		(w->count && unjudged(w, w->run[ui.view.run])));
	if ((ui.compose && now >= ui.rest) || (old && now >= ui.draw_at)) {
		ui.view.rows = (size_t)LINES;
		ui.read = w->read_ns;
		ui.over = w->over;
		compose(w, now);
		ui.compose = false;
		ui.drawn = now;
		ui.rest = rest(now, 0);
		ui.draw_at = rest(now, DRAW_NS);
	}
	watch_unlock(w);
	if (ui.paint)
		paint();
}

/* The filter as typed so far; a broken one is told and leaves the last good one. */
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
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b')
		ui.typed[len ? len - 1 : 0] = '\0';
	else if (key >= ' ' && key < 256 && len + 1 < sizeof(ui.typed)) {
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

/* Keys that move about; false: it is none. */
static bool scroll_key(int key)
{
	size_t page = LINES > 8 ? (size_t)LINES - 6 : 2, *at = &ui.view.scroll;

	switch (key) {
	case KEY_UP: *at -= *at > 0; break;
	case KEY_DOWN: ++*at; break;
	case KEY_PPAGE: *at -= *at < page ? *at : page; break;
	case KEY_NPAGE: *at += page; break;
	case KEY_HOME: *at = 0; break;
	case KEY_END: *at = SIZE_MAX / 4; break;
	default: return false;
	}
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
		show_pane((ui.view.pane + 1) % PANES);
	else if (key == 'g' || key == 'x') {
		ui.view.single ^= key == 'g';
		ui.view.accused_only ^= key == 'x';
		ui.view.scroll = 0;
	} else if (key == 'r')
		ui.view.backwards = !ui.view.backwards;
	else if (key == '/')
		ui.typing = true;
	else if (key == 27)
		type(key);
	else
		scroll_key(key);
}

static void obey(struct watch *w, int key)
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

int screen_run(struct watch *w)
{
	struct pollfd keys = { .fd = fileno(tty), .events = POLLIN };
	int key;

	ui.compose = true;
	while (!ui.quit && !caught) {
		update(w);
		poll(&keys, 1, DRAW_NS / 1000000);
		if (keys.revents & (POLLHUP | POLLERR | POLLNVAL))
			return SIGHUP;
		while (!ui.quit && (key = getch()) != ERR)
			obey(w, key);
	}
	lines_free(&ui.frame);
	return caught;
}
