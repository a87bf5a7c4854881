/* unpack.h - compressed input, decompressed by a thread of its own into a pipe (unpack.c): who
 * reads it reads a pipe, which bounds what waits in between. */
#ifndef CTTRACE_UNPACK_H
#define CTTRACE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

/* So many bytes of a file say whether it is compressed. */
enum { UNPACK_MAGIC = 4, UNPACK_WHY = 200 };
#define UNPACK_IS_CUT "the compressed data is cut off here: what its last block held is missing"
#define UNPACK_IS_BROKEN "the compressed data is broken here: what came before may be wrong, too"
/* Compressed in a way that this build can read? */
bool unpack_known(const char *p, size_t len);

struct unpack;
/* Decompress the `len` bytes at p, which are copied and are known, and what `fd` gives after them;
 * fd stays the caller's, and open until unpack_end. *from: what to read it from. NULL: errno. */
struct unpack *unpack_start(int fd, const char *p, size_t len, int *from);

/* Whole: nothing is missing. Cut: it ends amid a frame or member, of which all that could be
 * decompressed was. Failed: it is corrupt or cannot be read. */
enum unpack_result { UNPACK_WHOLE, UNPACK_CUT, UNPACK_FAILED };
/* End the thread, at once where *from has not been read to its end; close *from, and free. `why`: a
 * phrase; empty where it is whole. */
enum unpack_result unpack_end(struct unpack *, char why[UNPACK_WHY]);

/* All that fd gives, decompressed where it is compressed, into b, which holds nothing. likely, or NULL: are
 * those the first bytes of what is wanted? If not, b has got no more. False: `why`, and b may have
 * got a part; so it is with more than 2 GiB. */
struct buf;
bool unpack_all(int fd, struct buf *b, bool (*likely)(const char *p, size_t len),
	char why[UNPACK_WHY]);

/* A format, for unpack.c: codecs keep what is theirs behind a pointer. */
struct packed {
	const char *in;
	char *out;
	size_t in_left, out_left;
	bool whole;		/* what began, a frame or a member, has ended */
};
struct codec {
	bool (*begins)(const char *p, size_t len);
	void *(*new)(void);
	/* Decompress what there is and there is room for. NULL, or why it is corrupt. */
	const char *(*run)(void *, struct packed *);
	void (*end)(void *);
};
extern const struct codec gunzip, unzstd;

#endif
