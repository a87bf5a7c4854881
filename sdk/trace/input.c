/* input.c - the files named, one after another, as lines: read(2) in large blocks into one buffer. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"

/* A block is still in the second cache when it is parsed: 64 KiB take a tenth less time than 256. */
enum { BLOCK = 1 << 16, LINE_MAX_BYTES = 1 << 24 };

static void empty(struct input *in)
{
	in->p = in->filled = in->scanned = in->buf;
	memset(in->buf, 0, LINE_PAD);
}

void input_open(struct input *in, char *const *files, const char *program)
{
	static char *const standard[] = { "-", NULL };

	*in = (struct input){ .files = files && *files ? files : standard, .fd = -1, .program = program };
	in->size = 2 * BLOCK;
	in->buf = malloc(in->size + LINE_PAD);
	if (!in->buf)
		die(program, "out of memory", NULL);
	empty(in);
}

static void unreadable(struct input *in)
{
	const char *why = strerror(errno);

	fprintf(stderr, "%s: ", in->program);
	out_text(stderr, in->name, strlen(in->name));
	fprintf(stderr, ": %s\n", why);
	in->failed = true;
}

static void close_file(struct input *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = -1;
}

bool input_next_file(struct input *in)
{
	close_file(in);
	empty(in);
	while (*in->files) {
		const char *file = *in->files++;
		bool standard = !strcmp(file, "-");

		in->name = standard ? "<stdin>" : file;
		in->eof = in->skipping = false;
		in->fd = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
		if (in->fd >= 0)
			return true;
		unreadable(in);
	}
	return false;
}

/* Move what is unread to the front, make room, read once. */
static void fill(struct input *in)
{
	size_t left = (size_t)(in->filled - in->p), scanned = (size_t)(in->scanned - in->p);
	ssize_t got;

	if (in->p != in->buf)
		memmove(in->buf, in->p, left);
	if (in->size - left < BLOCK) {
		char *bigger = realloc(in->buf, in->size * 2 + LINE_PAD);

		if (!bigger)
			die(in->program, "out of memory", NULL);
		in->buf = bigger;
		in->size *= 2;
	}
	do
		got = read(in->fd, in->buf + left, BLOCK);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		unreadable(in);
	in->eof = got <= 0;
	in->p = in->buf;
	in->scanned = in->buf + scanned;
	in->filled = in->buf + left + (got > 0 ? got : 0);
	in->bytes += got > 0 ? (uint64_t)got : 0;
	memset(in->buf + (in->filled - in->buf), 0, LINE_PAD);
}

/* The rest of a line that was too long goes unkept. */
static bool skip_rest(struct input *in)
{
	const char *newline = memchr(in->p, '\n', (size_t)(in->filled - in->p));

	in->p = in->scanned = newline ? newline + 1 : in->filled;
	return newline;
}

enum input_line input_line(struct input *in, const char **line, const char **end)
{
	for (;;) {
		const char *newline = in->skipping ? NULL : memchr(in->scanned, '\n', (size_t)(in->filled - in->scanned));

		if (in->skipping && skip_rest(in)) {
			in->skipping = false;
			continue;
		}
		*line = in->p;
		if (newline) {
			*end = newline;
			input_took(in, newline);
			return INPUT_LINE;
		}
		in->scanned = in->filled;
		if (in->filled - in->p > LINE_MAX_BYTES) {
			*end = in->filled;
			in->p = in->filled;
			in->skipping = true;
			return INPUT_TOO_LONG;
		}
		if (in->eof) {
			*end = in->filled;
			in->p = in->filled;
			return *line < *end ? INPUT_LAST : INPUT_EOF;
		}
		fill(in);
	}
}

void input_close(struct input *in)
{
	close_file(in);
	free(in->buf);
}
