/* run.c - run gnuplot, and bring what it writes to where it shall be. Contracts in plot.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stdout.h"
#include "plot.h"

static bool complain(const char *what, const char *why)
{
	fputs("ct-plot: ", stderr);
	ctt_out_text(stderr, what, strlen(what));
	fprintf(stderr, ": %s\n", why);
	return false;
}

/* In the child. -d: nobody's ~/.gnuplot has a say, nor has a locale without UTF-8, of which it
 * warns. */
static void become_gnuplot(FILE *program, int out, int failure)
{
	static char *const argv[] = { "gnuplot", "-d", NULL };
	int error;

	setenv("LC_ALL", "C.UTF-8", true);
	if (dup2(fileno(program), STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	error = errno;
	while (write(failure, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* The child's pid; what it writes is at *out. -1: a message was printed. */
static pid_t start(FILE *program, int *out)
{
	int data[2], failure[2], error = 0;
	pid_t pid;

	if (pipe(data))
		return complain("gnuplot", strerror(errno)), -1;
	if (pipe(failure)) {
		close(data[0]);
		close(data[1]);
		return complain("gnuplot", strerror(errno)), -1;
	}
	/* closed, without a word, by an exec that succeeds */
	fcntl(failure[1], F_SETFD, FD_CLOEXEC);
	fcntl(data[0], F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (!pid)
		become_gnuplot(program, data[1], failure[1]);
	error = pid < 0 ? errno : 0;
	close(data[1]);
	close(failure[1]);
	*out = data[0];
	if (pid > 0 && read(failure[0], &error, sizeof(error)) > 0) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(failure[0]);
	if (pid > 0)
		return pid;
	close(data[0]);
	return complain("gnuplot",
		       error == ENOENT ? "not found: it has to be installed and in PATH" :
					 strerror(error)),
	       -1;
}

static bool put(const char *p, size_t n, FILE *to)
{
	return to == stdout ? stdout_put(p, n) : fwrite(p, 1, n, to) == n;
}

/* Of stdout stdout_close says why. */
static bool flush(FILE *to)
{
	if (to != stdout)
		return !fflush(to);
	stdout_flush();
	return true;
}

/* Copy to the end; errno where it failed, 0. What is left is read, lest gnuplot should wait for
 * ever. */
static int copy(int from, FILE *to)
{
	char buf[BUFSIZ];
	int error = 0;
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && !error && !put(buf, (size_t)n, to))
			error = errno ? errno : EIO;
	if (!error && !flush(to))
		error = errno;
	return n < 0 && !error ? errno : error;
}

static void remove_half(const char *file)
{
	struct stat st;

	if (!lstat(file, &st) && S_ISREG(st.st_mode))
		unlink(file);
}

static bool ended_well(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return complain("gnuplot", strerror(errno));
	return (WIFEXITED(status) && !WEXITSTATUS(status)) || complain("gnuplot", WIFEXITED(status) ?
		"failed; its own message stands above" : "was killed");
}

bool plot_run(FILE *program, const char *file)
{
	FILE *to = file ? fopen(file, "wb") : stdout;
	int out, error;
	bool good;
	pid_t pid;

	if (!to)
		return complain(file, strerror(errno));
	if (fflush(program) || fseek(program, 0, SEEK_SET) ||
		lseek(fileno(program), 0, SEEK_SET) < 0) {
		error = errno;
		complain("temporary file", strerror(error));
		pid = -1;
	} else {
		pid = start(program, &out);
	}
	good = pid > 0;
	if (good) {
		error = copy(out, to);
		close(out);
		good = ended_well(pid);
		if (error && file)
			good = complain(file, strerror(error));
	}
	if (file && fclose(to) && good)
		good = complain(file, strerror(errno));
	if (file && !good)
		remove_half(file);
	return good;
}
