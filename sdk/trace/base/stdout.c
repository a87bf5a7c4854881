/* stdout.c - a program's product. Contracts in stdout.h. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/stdout.h"
#include "cttrace/text.h"

static int reason;	/* errno of the first that failed */
static const char *name = "<stdout>";

void stdout_is(const char *file)
{
	name = file;
}

const char *stdout_name(void)
{
	return name;
}

bool stdout_failed(const char *program, const char *why)
{
	fprintf(stderr, "%s: ", program);
	ctt_out_text(stderr, name, strlen(name));
	fprintf(stderr, ": %s\n", why);
	return false;
}

bool stdout_put(const void *p, size_t n)
{
	if (fwrite(p, 1, n, stdout) == n)
		return true;
	reason = reason ? reason : errno;
	return false;
}

/* write(2)'s errno may be gone by now. */
static bool reader_left(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP)) && !(p.revents & POLLNVAL);
}

void stdout_flush(void)
{
	if (fflush(stdout) && !reason)
		reason = errno;
}

bool stdout_close(const char *program)
{
	bool failed, left;

	stdout_flush();
	failed = ferror(stdout);
	left = failed && reader_left();
	if (fclose(stdout) && !failed) {
		failed = true;
		reason = errno;
	}
	if (!failed || left)
		return true;
	return stdout_failed(program, reason ? strerror(reason) : "write error");
}
