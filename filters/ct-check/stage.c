/* stage.c - the driver of a probe in a scene: started under ct-record or alone, given commands,
 * stopped, killed, and never waited for without end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "probe.h"

/* How long the recorder and a shell may take to start. */
#define START_NS 60000000000u

/* Its status where not all of the trace could be written: no fault of the probe's. */
enum { RECORDER_FAILED = 125 };

struct stage_options stage_options;

static const char *const files[] = { "trace", "recorder", "driver", "answers" };

/* The driver's own process, before it is the driver: it says which it is, and waits, so that the
 * memory can be looked at before a probe does. */
static const char waits[] = "exec >\"$1\" 2>\"$2\"; shift 2; echo \"ok $$\"; read go; exec \"$@\"";

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void stage_sleep(unsigned ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

/* ct-record beside this program, else by PATH. */
static void find_recorder(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	char *at = stage_options.recorder;
	ssize_t n = readlink("/proc/self/exe", at, sizeof stage_options.recorder - 16);

	if (n > 0)
		at[n] = 0;
	else if (slash)
		snprintf(at, sizeof stage_options.recorder - 16, "%s", argv0);
	if ((at = strrchr(stage_options.recorder, '/')))
		strcpy(at + 1, "ct-record");
	if (!at || access(stage_options.recorder, X_OK))
		strcpy(stage_options.recorder, "ct-record");
}

/* A folder of files, and of such folders. */
static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	char path[8192];
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
		if (unlink(path))
			remove_folder(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

static void remove_all(void)
{
	remove_folder(stage_options.folder);
}

void stage_prepare(const char *argv0, char **driver, uint64_t timeout_ns)
{
	const char *tmp = getenv("TMPDIR");

	stage_options.driver = driver;
	stage_options.timeout_ns = timeout_ns;
	find_recorder(argv0);
	snprintf(stage_options.folder, sizeof stage_options.folder, "%s/ct-check.XXXXXX",
		tmp && *tmp ? tmp : "/tmp");
	if (strlen(stage_options.folder) > 3000 || !mkdtemp(stage_options.folder))
		ctt_die("ct-check", stage_options.folder, strerror(errno));
	aftermath_begin(remove_all);
	if (mkfifo(stage_file("answers"), 0600))
		ctt_die("ct-check", stage_options.folder, strerror(errno));
	signal(SIGPIPE, SIG_IGN);
}

const char *stage_file(const char *name)
{
	static char path[sizeof files / sizeof *files][4200];
	size_t i = 0;

	while (strcmp(files[i], name))
		i++;
	snprintf(path[i], sizeof path[i], "%s/%s", stage_options.folder, name);
	return path[i];
}

void stage_clean(void)
{
	aftermath_end();
}

const char *said(const char *name)
{
	static char text[300];
	FILE *f = fopen(stage_file(name), "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = 0;
	for (char *p = text; *p; p++)
		*p = *p == '\n' && p[1] ? ';' : *p == '\n' ? 0 : *p;
	return n ? text : NULL;
}

static void fail(struct stage *s, const char *format, ...)
{
	va_list args;

	if (s->failed)
		return;
	s->failed = true;
	va_start(args, format);
	vsnprintf(s->why, sizeof s->why, format, args);
	va_end(args);
}

/* ct-record OPTIONS -- sh -c WAITS sh ANSWERS DRIVER'S-STDERR the driver and its arguments. */
static void run(const struct stage *s, int in, const char *const *options)
{
	const char **words;
	size_t n = 32;		/* ours are fewer */
	int err = open(stage_file("recorder"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (char **a = stage_options.driver; *a; a++)
		n++;
	words = need(calloc(n, sizeof *words));
	n = 0;
	if (s->how == WITH_RECORDER) {
		words[n++] = stage_options.recorder;
		words[n++] = "-o";
		words[n++] = stage_file("trace");
		while (options && *options)
			words[n++] = *options++;
		words[n++] = "--";
	}
	words[n++] = "sh";
	words[n++] = "-c";
	words[n++] = waits;
	words[n++] = "sh";
	words[n++] = stage_file("answers");
	words[n++] = stage_file("driver");
	for (char **a = stage_options.driver; *a; a++)
		words[n++] = *a;
	unsetenv("CTP_SHM_PATH");
	unsetenv("CTP_SOCK_PATH");
	unsetenv("CTP_MAX_STATIONS");
	setenv("CTP_BOX", "0", 1);
	if (s->how == RECORDER_NOWHERE) {
		setenv("CTP_SHM_PATH", "/nonexistent/memory", 1);
		setenv("CTP_SOCK_PATH", "/nonexistent/socket", 1);
	}
	/* a recorder that is killed leaves its socket behind: there */
	setenv("TMPDIR", stage_options.folder, 1);
	setenv("XDG_RUNTIME_DIR", stage_options.folder, 1);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	dup2(in, 0);
	dup2(err, 2);
	execvp(words[0], (char *const *)words);
	_exit(127);
}

/* What is left of the time for one answer, in ms. */
static int left_ms(uint64_t until)
{
	uint64_t now = now_ns();

	return until > now ? (int)((until - now) / 1000000) + 1 : 0;
}

/* A line of the driver's. */
static bool read_line(
	struct stage *s, const char *command, char *line, size_t size, uint64_t timeout_ns)
{
	uint64_t until = now_ns() + timeout_ns;
	size_t n = 0;

	for (;;) {
		struct pollfd p = { .fd = s->from, .events = POLLIN };
		int left = left_ms(until);
		ssize_t got = 0;

		poll(&p, 1, left < 100 ? left : 100);
		if (p.revents & POLLIN)
			got = read(s->from, line + n, 1);
		if (got == 1 && line[n] == '\n') {
			line[n] = 0;
			return true;
		}
		n += got == 1 && n < size - 1;
		if (got == 1 && left)	/* a line may have no end */
			continue;
		if (s->driver && proc_is_dead(s->driver))
			fail(s, "the driver ended at \"%s\"", command);
		else if (!left)
			fail(s, "no answer to \"%s\" in time (--timeout)", command);
		else if (p.revents)
			stage_sleep(1);
		if (s->failed)
			return false;
	}
}

/* It cannot be begun, or not be judged: nothing of the driver's. */
static void give_up(struct stage *s, const char *what, const char *why)
{
	if (s->child > 0)
		kill(-s->child, SIGKILL);
	stage_clean();
	ctt_die("ct-check", what, why);
}

void stage_start(struct stage *s, const char *scene, int how, const char *const *options)
{
	int in[2];

	*s = (struct stage){ .scene = scene, .how = how };
	s->from = open(stage_file("answers"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	unlink(stage_file("trace"));
	if (s->from < 0 || pipe(in) || (s->child = fork()) < 0)
		give_up(s, "cannot start the driver", strerror(errno));
	if (s->child == 0) {
		close(in[1]);
		run(s, in[0], options);
	}
	aftermath_group(s->child);
	close(in[0]);
	s->to = in[1];
	fcntl(s->to, F_SETFD, FD_CLOEXEC);
	if (!read_line(s, "start", s->answer, sizeof s->answer, START_NS))
		give_up(s, how == WITH_RECORDER ? stage_options.recorder : "sh",
			said("recorder") ? said("recorder") : "does not run");
	s->driver = (pid_t)strtol(s->answer + 3, NULL, 10);
	if (how == WITH_RECORDER && !region_open(&s->region, s->driver))
		give_up(s, "cannot look into the recorder's memory", strerror(errno));
}

void stage_go(struct stage *s)
{
	if (write(s->to, "\n", 1) != 1)
		fail(s, "the driver does not read");
}

enum answer stage_say(struct stage *s, const char *command)
{
	char line[1000];

	s->answer[0] = 0;
	if (s->failed)
		return NO_ANSWER;
	if (dprintf(s->to, "%s\n", command) < 0)
		fail(s, "the driver does not read \"%s\"", command);
	if (s->failed || !read_line(s, command, line, sizeof line, stage_options.timeout_ns))
		return NO_ANSWER;
	if (!strcmp(line, "unknown"))
		return UNKNOWN;
	if (strncmp(line, "ok", 2) || (line[2] && line[2] != ' ')) {
		fail(s, "\"%s\" is no answer to \"%s\"", line, command);
		return NO_ANSWER;
	}
	snprintf(s->answer, sizeof s->answer, "%s", line[2] ? line + 3 : "");
	return ANSWERED;
}

void stage_stop(struct stage *s)
{
	int status;

	if (!s->reaped && !kill(s->child, SIGSTOP))
		while (waitpid(s->child, &status, WUNTRACED) < 0 && errno == EINTR)
			;
}

void stage_continue(struct stage *s)
{
	if (!s->reaped)
		kill(s->child, SIGCONT);
}

pid_t stage_pause(struct stage *s, unsigned ms)
{
	pid_t waker;

	stage_stop(s);
	waker = fork();
	if (waker == 0) {
		stage_sleep(ms);
		kill(s->child, SIGCONT);
		_exit(0);
	}
	if (waker < 0)
		stage_continue(s);
	return waker;
}

void stage_kill(struct stage *s, pid_t pid)
{
	kill(pid, SIGKILL);
	if (pid == s->driver)
		fail(s, "killed");
}

bool stage_wait(struct stage *s, bool (*holds)(const struct region *))
{
	uint64_t until = now_ns() + stage_options.timeout_ns;

	while (!s->failed && !holds(&s->region)) {
		if (now_ns() > until)
			return false;
		stage_sleep(2);
	}
	return !s->failed;
}

/* The end of the child, or after the time for it, its death. */
static void reap(struct stage *s)
{
	uint64_t until = now_ns() + stage_options.timeout_ns;

	while (!s->reaped) {
		pid_t got = waitpid(s->child, &s->status, WNOHANG);

		s->reaped = got == s->child || (got < 0 && errno == ECHILD);
		if (s->reaped)
			break;
		if (now_ns() > until) {
			fail(s, "no end after \"exit\" in time (--timeout)");
			kill(-s->child, SIGKILL);
		}
		stage_sleep(2);
	}
}

void stage_end(struct stage *s)
{
	uint64_t until = now_ns() + stage_options.timeout_ns;

	stage_continue(s);
	if (!s->failed && dprintf(s->to, "exit\n") < 0)
		fail(s, "the driver does not read \"exit\"");
	if (s->failed)
		kill(s->driver, SIGKILL);
	close(s->to);
	reap(s);
	while (!proc_is_dead(s->driver) && now_ns() < until)	/* where its recorder was killed */
		stage_sleep(2);
	if (!proc_is_dead(s->driver)) {
		fail(s, "no end after \"exit\" in time (--timeout)");
		kill(s->driver, SIGKILL);
	}
	if (s->how == WITH_RECORDER && s->reaped && WIFEXITED(s->status) &&
		WEXITSTATUS(s->status) == RECORDER_FAILED)
		give_up(s, stage_options.folder,
			said("recorder") ? said("recorder") : "the recorder has failed: is there room?");
	kill(-s->child, SIGKILL);
	aftermath_group(0);
	close(s->from);
	region_close(&s->region);
}
