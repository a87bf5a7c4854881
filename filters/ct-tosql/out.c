/* out.c - where text goes: stdout, or a client that is run here. Contracts in sql.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stdout.h"
#include "sql.h"

_Noreturn static void client_failed(int status)
{
	char why[32];

	snprintf(why, sizeof(why), WIFEXITED(status) ? "status %d" : "killed by signal %d",
		WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	ctt_die("ct-tosql", "the client ended", why);
}

/* The reader has gone: that is no error, and nobody is left to write for; but where it is our
 * client it says why. */
static void check(struct sql_out *o, bool good)
{
	int error = errno, status;

	if (good)
		return;
	if (error == EPIPE && o->client) {
		if (o->feed)
			fclose(o->feed);
		status = pclose(o->client);
		client_failed(status ? status : EXIT_FAILURE << 8);
	}
	if (error == EPIPE)
		_Exit(0);
	ctt_die("ct-tosql", o->client ? "the client" : stdout_name(), strerror(error));
}

void sql_out_write(struct sql_out *o, const char *p, size_t len)
{
	check(o, fwrite(p, 1, len, o->to) == len);
}

void sql_out_feed(struct sql_out *o, const char *p, size_t len)
{
	check(o, fwrite(p, 1, len, o->feed) == len);
}

/* stdout's own copy: ctt_trace_finish closes stdout before it is known how this ends. */
static void open_stdout(struct sql_out *o)
{
	int fd = dup(STDOUT_FILENO);

	o->to = fd < 0 ? NULL : fdopen(fd, "w");
	/* a stdout that was closed is one that cannot be written to since (output.c) */
	errno = errno == EINVAL ? EBADF : errno;
	check(o, o->to);
}

void sql_out_open(struct sql_out *o, const char *client, bool feed)
{
	int fd[2];

	*o = (struct sql_out){ NULL, NULL, NULL, -1 };
	if (!client) {
		open_stdout(o);
		return;
	}
	signal(SIGPIPE, SIG_IGN);
	if (feed && (pipe(fd) || fcntl(fd[1], F_SETFD, FD_CLOEXEC)))
		ctt_die("ct-tosql", "the client", strerror(errno));
	o->to = o->client = popen(client, "w");
	if (!o->client)
		ctt_die("ct-tosql", "the client", "no shell can be started");
	if (feed) {
		o->feed_fd = fd[0];
		o->feed = fdopen(fd[1], "w");
		close(fd[0]);		/* the client has it */
		check(o, o->feed);
	}
}

void sql_out_divert(struct sql_out *o)
{
	check(o, fflush(o->client) == 0);
	o->to = tmpfile();
	if (!o->to)
		ctt_die("ct-tosql", "temporary file", strerror(errno));
}

static void copy_diverted(struct sql_out *o)
{
	FILE *from = o->to, *feed = o->feed;
	char buf[BUFSIZ];
	size_t n;

	o->feed = NULL;
	check(o, fclose(feed) == 0);
	if (fflush(from))
		ctt_die("ct-tosql", "temporary file", strerror(errno));
	rewind(from);
	o->to = o->client;
	while ((n = fread(buf, 1, sizeof(buf), from)) > 0)
		sql_out_write(o, buf, n);
	if (ferror(from))
		ctt_die("ct-tosql", "temporary file", strerror(errno));
	fclose(from);
}

void sql_out_close(struct sql_out *o)
{
	int status;

	if (o->feed)
		copy_diverted(o);
	check(o, fflush(o->to) == 0);
	status = o->client ? pclose(o->client) : fclose(o->to);
	if (o->client && status)
		client_failed(status);
	check(o, status == 0);
}
