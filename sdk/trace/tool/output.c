/* output.c - where a program's product goes: -o, and never a page to a terminal. Contracts in
 * output.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stdout.h"
#include "tool/output.h"

static void pass_by(int number)
{
	(void)number;
}

/* A limit of files' size is an error like a full disk. Caught, for whom we execute has it as we got
 * it. */
static void survive_limit(void)
{
	struct sigaction was, caught = { .sa_handler = pass_by };

	if (!sigaction(SIGXFSZ, NULL, &was) && was.sa_handler != SIG_IGN)
		sigaction(SIGXFSZ, &caught, NULL);
}

/* That nobody waits there (O_NONBLOCK) is said of what was opened once, for all who have got it: by
 * the program that is recorded, of its terminal and ours, or by whoever reads the other end. */
static void open_again(int fd)
{
	int how = fcntl(fd, F_GETFL) & O_ACCMODE, other;
	char path[32];
	struct stat st;

	if (fstat(fd, &st) || !(S_ISFIFO(st.st_mode) || isatty(fd)))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	other = open(path, how | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (other < 0)
		return;
	fcntl(other, F_SETFL, how);
	dup2(other, fd);
	close(other);
}

void output_init(void)
{
	survive_limit();
	open_again(STDIN_FILENO);
	open_again(STDOUT_FILENO);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

static bool is_same(const struct stat *to, const struct stat *other)
{
	return S_ISREG(to->st_mode) && to->st_dev == other->st_dev && to->st_ino == other->st_ino;
}

bool output_is(const char *file)
{
	struct stat to, other;

	return !fstat(STDOUT_FILENO, &to) && !stat(file, &other) && is_same(&to, &other);
}

/* To open it for writing would empty it before it is read; what is added to its end would be read
 * there, and added, for ever. */
static bool is_input(const struct stat *to, char **files)
{
	struct stat from;

	for (; *files; files++)
		if (!stat(*files, &from) && is_same(to, &from))
			return true;
	return !fstat(STDIN_FILENO, &from) && is_same(to, &from);
}

void output_open(const struct ctt_program *p, struct ctt_common *c, char **files)
{
	struct stat to;

	if (!(c->output ? stat(c->output, &to) : fstat(STDOUT_FILENO, &to)) && is_input(&to, files))
		ctt_die(p->name, c->output ? c->output : "<stdout>", "it is the input, too");
	if (!c->output) {
		if (c->product == CTT_FILE_ONLY && isatty(STDOUT_FILENO))
			ctt_die(p->name, "standard output is a terminal",
				"name a file with -o, or redirect it");
		if (c->product == CTT_PROSE && !c->json && isatty(STDOUT_FILENO))
			output_wrap();
		return;
	}
	if (!freopen(c->output, "w", stdout))
		ctt_die(p->name, c->output, strerror(errno));
	stdout_is(c->output);
	c->color = c->color_always;
}
