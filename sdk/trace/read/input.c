/* input.c - the files named, one after another, as lines: read(2) in large blocks into one
 * buffer. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/stdout.h"
#include "read/input.h"
#include "read/unpack.h"

/* What read(2) is asked for: of a file what is still in the second cache when it is parsed; of a
 * pipe more, because its writer locks us out while he writes (each choice takes a tenth less time
 * than the other would). */
enum { FILE_BLOCK = 1 << 16, PIPE_BLOCK = 1 << 18, PAGE = 4096, LINE_MAX_BYTES = 1 << 24 };

static void empty(struct input *in)
{
	in->p = in->filled = in->scanned = in->buf;
	memset(in->buf, 0, LINE_PAD);
}

/* Of all that will be read; 0 where a pipe is among it. */
static uint64_t total_size(char *const *files)
{
	uint64_t total = 0;
	struct stat st;

	for (; *files; files++) {
		if (strcmp(*files, "-") ? stat(*files, &st) : fstat(STDIN_FILENO, &st))
			continue;	/* said when its turn comes */
		if (!S_ISREG(st.st_mode))
			return 0;
		total += (uint64_t)st.st_size;
	}
	return total;
}

void input_open(struct input *in, char *const *files, const char *program)
{
	static char *const standard[] = { "-", NULL };

	*in = (struct input){ .files = files && *files ? files : standard, .fd = -1, .program = program };
	in->total = total_size(in->files);
	in->size = 2 * PIPE_BLOCK;
	in->buf = need(malloc(in->size + LINE_PAD));
	empty(in);
}

static void unreadable(struct input *in, const char *why)
{
	fprintf(stderr, "%s: ", in->program);
	ctt_out_text(stderr, in->name, strlen(in->name));
	fprintf(stderr, ": %s\n", why);
	in->failed = true;
}

/* Its thread has ended, or is to. Returns why what it gave is not all, or NULL. */
static const char *unpacked(struct input *in, char why[UNPACK_WHY])
{
	enum unpack_result result = unpack_end(in->unpack, why);

	in->unpack = NULL;
	in->broken = result == UNPACK_WHOLE ? NULL :
		result == UNPACK_CUT ? UNPACK_IS_CUT : UNPACK_IS_BROKEN;
	return result == UNPACK_FAILED ? why : NULL;
}

static void close_file(struct input *in)
{
	char why[UNPACK_WHY];

	if (in->unpack)
		unpacked(in, why);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = -1;
}

/* Whoever reads us sees what we made of the lines so far while ours is silent: programs in a pipe
 * are live. */
static void waits(const struct input *in, bool begins)
{
	int error = errno;

	if (in->waits)
		in->waits(in->waits_arg, begins);
	if (begins && in->block != FILE_BLOCK)
		stdout_flush();
	errno = error;
}

/* Where behind the first `left` bytes of the buffer to read to: half a page from where pages begin,
 * as those of files and pipes do. Where the two begin alike, the processor takes each load for one
 * that waits for the store before it, and read(2) takes a third longer. */
static size_t read_at(const char *buf, size_t left)
{
	return left + ((PAGE / 2 - (uintptr_t)buf - left) & (PAGE - 1));
}

/* Move what is unread towards the front, make room, read once. */
static void fill(struct input *in)
{
	size_t left = (size_t)(in->filled - in->p), at = read_at(in->buf, left);
	char why[UNPACK_WHY];
	const char *wrong;
	ssize_t got;

	if (in->size < at + in->block) {
		char *bigger = need(malloc(in->size * 2 + LINE_PAD));

		at = read_at(bigger, left);
		memcpy(bigger + at - left, in->p, left);
		free(in->buf);
		in->buf = bigger;
		in->size *= 2;
	} else if (left)
		memmove(in->buf + at - left, in->p, left);
	waits(in, true);
	do
		got = read(in->from, in->buf + at, in->block);
	while (got < 0 && errno == EINTR);
	waits(in, false);
	wrong = got < 0 ? strerror(errno) : !got && in->unpack ? unpacked(in, why) : NULL;
	if (wrong)
		unreadable(in, wrong);
	got = got > 0 ? got : 0;
	in->eof = !got;
	in->bytes += (uint64_t)got;
	in->p = in->buf + at - left;
	in->scanned = in->buf + at;
	in->filled = in->buf + at + got;
	memset(in->buf + at + got, 0, LINE_PAD);
}

/* Its first bytes say whether it is compressed. */
static void begin(struct input *in)
{
	size_t len;

	do
		fill(in);
	while ((len = (size_t)(in->filled - in->p)) < UNPACK_MAGIC && !in->eof);
	in->scanned = in->p;	/* nobody has looked for a newline yet */
	if (!unpack_known(in->p, len))
		return;
	in->unpack = unpack_start(in->fd, in->p, len, &in->from);
	in->eof = !in->unpack;
	if (!in->unpack)
		unreadable(in, strerror(errno));
	in->bytes -= len;
	in->total = 0;
	in->block = PIPE_BLOCK;
	empty(in);
}

bool input_next_file(struct input *in)
{
	close_file(in);
	empty(in);
	while (*in->files) {
		const char *file = *in->files++;
		bool standard = !strcmp(file, "-");
		struct stat st;

		in->name = standard ? "<stdin>" : file;
		in->eof = in->skipping = false;
		in->broken = NULL;
		waits(in, true);
		in->fd = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
		waits(in, false);
		if (in->fd >= 0) {
			if (in->outlives)
				interrupt_outlive(in->fd);
			in->block = fstat(in->fd, &st) || !S_ISREG(st.st_mode) ? PIPE_BLOCK :
										 FILE_BLOCK;
			in->from = in->fd;
			begin(in);
			return true;
		}
		unreadable(in, strerror(errno));
	}
	return false;
}

/* The rest of a line that was too long goes unkept. */
static bool skip_rest(struct input *in)
{
	const char *newline = memchr(in->p, '\n', (size_t)(in->filled - in->p));

	in->p = newline ? newline + 1 : in->filled;
	return newline;
}

enum input_line input_line(struct input *in, const char **line, const char **end)
{
	for (;;) {
		const char *from = in->scanned > in->p ? in->scanned : in->p;
		const char *newline =
			in->skipping ? NULL : memchr(from, '\n', (size_t)(in->filled - from));

		if (in->skipping && skip_rest(in)) {
			in->skipping = false;
			continue;
		}
		*line = in->p;
		if (newline) {
			*end = newline;
			in->p = newline + 1;
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
