/* unpack.c - a thread that decompresses into a pipe. Contracts in unpack.h.
 *
 * The pipe is two sockets: shutdown(2) ends it also where a process that was forked meanwhile, such
 * as ct-sym's, has a copy of the end that is written to. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "read/unpack.h"

enum { IN = 1 << 16, OUT = 1 << 18 };

/* The thread's own from its start until it is joined: pthread_create and pthread_join order both
 * sides, and what the other reads meanwhile went through the pipe. */
struct unpack {
	const struct codec *codec;
	void *state;
	struct packed p;
	char *in, *out;
	uint64_t taken;		/* bytes of the file, to the end of `in` */
	int fd, from, to;	/* the file; the pipe's two ends */
	int error;		/* errno of a failed read */
	const char *corrupt;	/* NULL: it is not */
	pthread_t thread;
};

static const struct codec *const codecs[] = {
#ifndef WITHOUT_zlib
	&gunzip,
#endif
#ifndef WITHOUT_libzstd
	&unzstd,
#endif
	NULL
};

static const struct codec *codec_of(const char *p, size_t len)
{
	const struct codec *const *c = codecs;

	while (*c && !(*c)->begins(p, len))
		c++;
	return *c;
}

bool unpack_known(const char *p, size_t len)
{
	return codec_of(p, len);
}

static bool take(struct unpack *u)
{
	ssize_t got;

	do
		got = read(u->fd, u->in, IN);
	while (got < 0 && errno == EINTR);
	u->error = got < 0 ? errno : 0;
	u->p.in = u->in;
	u->p.in_left = got > 0 ? (size_t)got : 0;
	u->taken += u->p.in_left;
	return got > 0;
}

/* False: nobody reads it any more. */
static bool pass_on(const struct unpack *u)
{
	for (const char *p = u->out; p < u->p.out;) {
		ssize_t n = write(u->to, p, (size_t)(u->p.out - p));

		if (n < 0 && errno != EINTR)
			return false;
		p += n > 0 ? n : 0;
	}
	return true;
}

/* What was taken, and what the codec holds back for want of room. */
static bool decompress(struct unpack *u)
{
	do {
		u->p.out = u->out;
		u->p.out_left = OUT;
		u->corrupt = u->codec->run(u->state, &u->p);
		if (!pass_on(u))
			return false;
	} while (!u->corrupt && (u->p.in_left || !u->p.out_left));
	return !u->corrupt;
}

static void *work(void *arg)
{
	struct unpack *u = arg;

	while (decompress(u) && take(u))
		;
	/* cancelled from here on, it might not be known who closes it */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	shutdown(u->to, SHUT_WR);
	close(u->to);
	u->to = -1;
	return NULL;
}

static bool start_thread(struct unpack *u)
{
	sigset_t all, mask;
	int error;

	/* signals are the other threads', and a closed pipe is no end */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	error = pthread_create(&u->thread, NULL, work, u);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	errno = error;
	return !error;
}

static void free_all(struct unpack *u)
{
	close(u->from);
	if (u->to >= 0)
		close(u->to);
	u->codec->end(u->state);
	free(u->in);
	free(u->out);
	free(u);
}

struct unpack *unpack_start(int fd, const char *p, size_t len, int *from)
{
	size_t room = len > IN ? len : IN;
	struct unpack *u;
	int ends[2], error;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return NULL;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	u = need(calloc(1, sizeof(*u)));
	*u = (struct unpack){ .codec = codec_of(p, len), .fd = fd, .from = ends[0], .to = ends[1] };
	u->state = u->codec->new();
	u->in = memcpy(need(malloc(room)), p, len);
	u->out = need(malloc(OUT));
	u->p.in = u->in;
	u->p.in_left = u->taken = len;
	*from = u->from;
	if (start_thread(u))
		return u;
	error = errno;
	free_all(u);
	errno = error;
	return NULL;
}

enum unpack_result unpack_end(struct unpack *u, char why[UNPACK_WHY])
{
	enum unpack_result result = UNPACK_FAILED;

	*why = '\0';
	pthread_cancel(u->thread);	/* it may wait for input for ever */
	pthread_join(u->thread, NULL);
	if (u->corrupt) {
		snprintf(why, UNPACK_WHY, "compressed data, corrupt at byte %" PRIu64 ": %s",
			u->taken - u->p.in_left, u->corrupt);
	} else if (u->error) {
		snprintf(why, UNPACK_WHY, "%s", strerror(u->error));
	} else if (u->p.whole) {
		result = UNPACK_WHOLE;
	} else {
		result = UNPACK_CUT;
		snprintf(why, UNPACK_WHY, "%s", UNPACK_IS_CUT);
	}
	free_all(u);
	return result;
}

/* Up to `enough` bytes behind what b holds, or all. */
static bool read_into(int fd, struct buf *b, size_t enough)
{
	for (size_t end = b->len + enough; b->len < end;) {
		ssize_t got;

		buf_room(b, OUT);
		got = read(fd, b->p + b->len, OUT);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return !got;
		b->len += (size_t)got;
	}
	return true;
}

static const size_t MOST = (size_t)1 << 31;

bool unpack_all(int fd, struct buf *b, bool (*likely)(const char *p, size_t len),
	char why[UNPACK_WHY])
{
	struct unpack *u = NULL;
	int from = fd;
	bool good = read_into(fd, b, UNPACK_MAGIC), whole = true;

	*why = '\0';
	if (good && unpack_known(b->p, b->len)) {
		u = unpack_start(fd, b->p, b->len, &from);
		good = u != NULL;
		b->len = 0;
	}
	good = good && read_into(from, b, 1);
	if (good && likely && !likely(b->p, b->len)) {
		if (u)
			unpack_end(u, why);
		*why = '\0';
		return true;
	}
	good = good && read_into(from, b, MOST);
	if (!good)
		snprintf(why, UNPACK_WHY, "%s", strerror(errno));
	if (u)
		whole = unpack_end(u, why) == UNPACK_WHOLE;
	if (good && b->len > MOST) {
		snprintf(why, UNPACK_WHY, "more than %zu MiB", MOST >> 20);
		return false;
	}
	return good && whole;
}
