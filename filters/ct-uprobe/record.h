/* record.h - what a probe in the kernel reports to ct-uprobe: shared by both sides. */
#ifndef UPROBE_RECORD_H
#define UPROBE_RECORD_H

#include <linux/types.h>

enum point_kind {
	P_RESUME = 1,	/* a coroutine's resume function begins; its argument is the frame */
	P_EXIT,		/* it returns */
	P_FREED,	/* it jumps to what gives its frame back; else as P_EXIT */
	P_DESTROY,	/* a coroutine's destroy function begins */
	P_NOBODY,	/* what runs instead of a coroutine where none is to be resumed */
	P_POLL,		/* tokio polls a task; the argument of these is its header */
	P_POLLED,	/* and has */
	P_BIND,		/* a task was made; its header is the second argument */
	P_WAKE,
	P_DROP,		/* of a waker */
	P_DEALLOC,	/* a task's memory is given back */
	P_SHUTDOWN,	/* a task is cancelled by the end of its runtime */
	/* of a scheduler that the user named; the offset in the cookie is the number of the argument */
	P_OWN_RESUME,
	P_OWN_EXIT,	/* the function of P_OWN_RESUME returns */
	P_OWN_SUSPEND,
	P_OWN_DESTROY,
	P_OWN_WAKE,
	/* of the process itself */
	P_OPEN,		/* addr: the descriptor, from now on */
	P_CLOSE,	/* addr: the first, word[0]: the last one */
	P_WATCH,	/* epoll is to watch addr, and to report it by word[0]; word[1]: once */
	P_UNPARK,	/* the thread sleeps no more; addr: since when it did */
	P_FORKED,	/* addr: the child's number, as the process knows it */
	P_MAPPED	/* it has mapped code of a file */
};
#define MAX_ARGUMENT 6		/* of a function, in registers */

/* A probe's cookie: its number among the points, where in the frame the word to read is, its kind */
#define COOKIE(number, offset, kind) \
	((__u64)(number) << 32 | (__u64)(offset) << 8 | (__u64)(kind))
#define COOKIE_NUMBER(c) ((__u32)((c) >> 32))
#define COOKIE_OFFSET(c) ((__u32)((c) >> 8) & 0xffffff)
#define COOKIE_KIND(c) ((__u32)(c) & 0xff)
#define MAX_OFFSET 0xffffff
/* Of a task: where in its header the table of functions is, and in that the offset of its id. 0: not
 * known */
#define ID_OFFSET(vtable_at, id_at) ((__u64)(vtable_at) / 8 << 8 | (__u64)(id_at) / 8)
#define ID_VTABLE_AT(offset) (((offset) >> 8) * 8)
#define ID_AT(offset) (((offset) & 0xff) * 8)

struct record {
	__u64 ts;		/* CLOCK_MONOTONIC ns */
	__u32 tid;
	__u16 kind, unread;	/* unread: the words below could not be read */
	__u32 point, left_point;
	__u64 addr;		/* the frame or header; 0: entered before there were probes */
	__u64 sp;		/* as the function was entered */
	/* the first two, and the one at the cookie's offset; of a task the third is its id */
	__u64 word[3];
	/* the frame that this thread ran at that very stack pointer, and left by a jump; 0: none */
	__u64 left, left_word[2];	/* its first word, and that at its offset */
};

/* Records that found no room in the ring are counted by when that was: each slot a 2^20 ns (1 ms),
 * and again after 16,384 of them. What must not be lost stands behind them. */
enum { LOSS_SHIFT = 20, LOSS_SLOTS = 1 << 14 };
enum { AT_EXEC = LOSS_SLOTS, COUNTS };	/* AT_EXEC: when it became another program; 0: it has not */

/* Shorter sleeps are nobody's rest: waits for a lock, work that comes at once. */
#define SLEEP_NS 100000000ull

struct settings {		/* of the programs in the kernel, before they are loaded */
	__u32 pid;
};
#endif
