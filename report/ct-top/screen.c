/* screen.c - the terminal: draw at most ten times a second, obey keys, and always put it back as it
 * was. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ncurses.h>

#include "ui.h"

enum { DRAW_NS = 100000000, JUDGE_NS = 1000000000, HEAL_NS = 1000000000, REST = 9 };

static FILE *tty;		/* keys: standard input is the trace */
static SCREEN *terminal;
static FILE *messages;		/* what was said on stderr meanwhile; NULL: that is no terminal */
static int messages_to = -1;
static bool colors;
static volatile sig_atomic_t caught;

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

static void choose_colors(const struct ctt_common *opt)
{
	static const short of[LOOKS] = { [LOOK_TITLE] = COLOR_CYAN,
		[LOOK_GOOD] = COLOR_GREEN,
		[LOOK_PROVEN] = COLOR_RED,
		[LOOK_SUSPECTED] = COLOR_YELLOW,
		[LOOK_UNKNOWN] = COLOR_MAGENTA,
		[LOOK_HINT] = COLOR_CYAN };

	colors = opt->color && has_colors() && start_color() == OK;
	if (!colors)
		return;
	use_default_colors();
	for (short i = 1; i < LOOKS; i++)
		init_pair(i, of[i] ? of[i] : -1, -1);
}

bool screen_open(const struct ctt_common *opt)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction act = { .sa_handler = on_signal };
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb") ||
		!(tty = fopen("/dev/tty", "re")))
		return false;
	set_escdelay(25);
	terminal = newterm(NULL, stdout, tty);
	if (!terminal) {
		fclose(tty);
		tty = NULL;
		return false;
	}
	keep_messages();
	/* whoever ends the program: the library, out of memory, in the other thread, too */
	atexit(screen_close);
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
	static const attr_t of[LOOKS] = { [LOOK_TITLE] = A_BOLD,
		[LOOK_BOLD] = A_BOLD,
		[LOOK_DIM] = A_DIM,
		[LOOK_PROVEN] = A_BOLD };

	return of[look] | (colors ? (attr_t)COLOR_PAIR(look) : 0);
}

static void put(int y, enum look look, const char *text)
{
	char cut[4096];

	line_cut(cut, sizeof(cut), text, COLS);
	attrset(look_of(look & ~LOOK_PICKED));
	if (look & LOOK_PICKED) {
		attron(A_REVERSE);
		mvhline(y, 0, ' ', COLS);
	}
	mvaddstr(y, 0, cut);
	attrset(A_NORMAL);
}

static void put_foot(void)
{
	static const char *const panes[PANES + 1] = { "overview", "workers", "coroutines",
		"findings", "story (ESC: back)" };
	char foot[512], cut[1024];

	if (ui.typing)
		snprintf(foot, sizeof(foot), "/%s_%s%s", ui.typed, *ui.error ? "  " : "", ui.error);
	else
		snprintf(foot, sizeof(foot), "%sh help  q quit  %s%s, %s by %s%s%s%s%s",
			ui.paused ? "PAUSED  " : "", panes[ui.view.pane],
			ui.view.inside ? " of one site (ESC: back)" : "",
			ui.view.single ? "each" : "sites", sort_names[ui.view.sort],
			ui.view.backwards ? " backwards" : "",
			ui.view.accused_only ? ", accused only" : "", ui.view.filter ? "  /" : "",
			ui.view.filter ? ui.typed : "");
	line_cut(cut, sizeof(cut), foot, COLS);
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	mvaddstr(LINES - 1, 0, cut);
	attroff(A_REVERSE);
}

/* The screen as ncurses has it in memory; refresh() brings it to the terminal, and may wait for
 * that. */
static void paint(void)
{
	erase();
	if (ui.help)
		for (int i = 0; ui_help[i] && i < LINES - 1; i++)
			put(i, LOOK_PLAIN, ui_help[i]);
	for (size_t i = 0; !ui.help && i < ui.frame.count && (int)i < LINES - 1; i++)
		put((int)i, ui.frame.line[i]->look, ui.frame.line[i]->text);
	put_foot();
	/* The recorder and its program may have written over it. */
	if (wall_ns() - ui.healed >= HEAL_NS) {
		redrawwin(stdscr);
		ui.healed = wall_ns();
	}
	refresh();
	ui.paint = false;
}

/* The time until which to rest from what took `ns`. */
static uint64_t rest(uint64_t ns, uint64_t times, uint64_t least)
{
	return wall_ns() + (times * ns > least ? times * ns : least);
}

/* Is there something to show that was not judged yet? */
static bool unjudged(const struct watch *w, const struct run *r)
{
	if (ui.view.pane == PANE_STORY && r->verdicts.about != ui.view.story)
		return true;
	return run_over(w, ui.view.run) ?
		!r->verdicts.final :
		ctt_trace_run(w->in, ui.view.run)->lines != r->verdicts.lines;
}

/* Under the lock: bring the frame up to date, where it is time to. */
static void compose(struct watch *w, uint64_t now)
{
	struct run *r;

	if (!w->count) {
		lines_clear(&ui.frame);
		lines_add(&ui.frame, LOOK_TITLE, "ct-top  %s",
			w->over ? "ended: not one line of a trace" : "no line yet");
		ui.paint = true;
		ui.enter = false;	/* there is nothing to enter */
		return;
	}
	if (!ui.run_chosen)
		ui.view.run = w->judges.last;
	r = w->run[ui.view.run];
	watch_sample(r, now);
	if (unjudged(w, r) &&
		(now >= ui.judge_at || run_over(w, ui.view.run) ||
			(ui.view.pane == PANE_STORY && r->verdicts.about != ui.view.story))) {
		r->verdicts.about = ui.view.pane == PANE_STORY ? ui.view.story : 0;
		verdicts_take(w, ui.view.run);
		ui.judge_at = rest(wall_ns() - now, REST, JUDGE_NS);
	}
	now = wall_ns();
	lines_clear(&ui.frame);
	show_all(&ui.frame, w, &ui.view);
	ui.paint = true;
	ui.compose = ui.enter;
	if (ui.enter)
		ui_enter();
	/* A key is obeyed after a rest as long as drawing took; by itself the display rests
	 * longer. */
	ui.key_at = rest(wall_ns() - now, 1, 0);
	ui.draw_at = rest(wall_ns() - now, REST, DRAW_NS);
}

/* The frame follows what was read; once a second all the same, for how long nothing was. */
static void update(struct watch *w)
{
	uint64_t now;
	bool old;

	watch_lock(w);
	now = wall_ns();
	old = !ui.paused &&
		(w->read_ns != ui.read || w->over != ui.over ||
			(!w->over && now - ui.drawn >= JUDGE_NS) ||
			(w->count && unjudged(w, w->run[ui.view.run])));
	if ((ui.compose && now >= ui.key_at) || (old && now >= ui.draw_at)) {
		ui.view.rows = (size_t)LINES;
		ui.view.cols = (size_t)COLS;
		ui.read = w->read_ns;
		ui.over = w->over;
		ui.compose = false;
		compose(w, now);
		ui.drawn = now;
	}
	watch_unlock(w);
	if (ui.paint || now - ui.healed >= HEAL_NS)
		paint();
}

int screen_run(struct watch *w)
{
	struct pollfd keys = { .fd = fileno(tty), .events = POLLIN };
	int key;

	ui.compose = ui.view.cursor = true;
	while (!ui.quit && !caught) {
		update(w);
		poll(&keys, 1, DRAW_NS / 1000000);
		if (keys.revents & (POLLHUP | POLLERR | POLLNVAL))
			return SIGHUP;
		while (!ui.quit && !ui.enter && (key = getch()) != ERR)
			ui_key(w, key);
	}
	lines_free(&ui.frame);
	return caught;
}
