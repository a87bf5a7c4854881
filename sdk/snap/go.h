/* go.h - goroutines of Go programs. All layouts come from the program's own debug information. */
#ifndef SNAP_GO_H
#define SNAP_GO_H

#include "die.h"
#include "snap.h"

/* Offsets in the runtime's structs; UINT64_MAX: this version has no such field. */
struct go_layout {
	/* runtime.g */
	uint64_t goid, status, reason, waiting, sched, pc, sp, bp, stack_hi, startpc, parent, gopc,
		since, m, sleep;
	uint64_t runs;			/* how often it stopped running: one byte of it */
	uint64_t g_size;
	uint64_t procid;						/* runtime.m */
	uint64_t chan, elem, sudog_g, wait_link, next, prev, sudog_size;	/* runtime.sudog */
	uint64_t count, room, closed, hchan_size;			/* runtime.hchan */
	uint64_t poll_fd, poll_read, poll_write, poll_size;		/* runtime.pollDesc */
	/* sync.Mutex, sync.RWMutex, sync.WaitGroup */
	uint64_t mutex_sema, writer_sema, reader_sema, group_sema;
	uint64_t list_wait, list_notify, list_head, list_tail;	/* runtime.notifyList */
	uint64_t cond_list;					/* sync.Cond */
};
struct go {
	struct go_layout at;
	/* addresses; reasons: an array of strings */
	uint64_t allgs, semtable, semtable_size, reasons, reason_count;
	uint64_t io_wait, cond_wait;	/* which of them is "IO wait", "sync.Cond.Wait" */
	Dwfl_Module *module;
	char *root;		/* where the files of the standard library begin; NULL: not known */
};
extern struct go go;

/* go-types.c. False: no Go there. Refuses a program without symbols or debug information. */
bool go_types(struct target *);
void go_types_free(void);

/* "chan receive", of runtime.waitReasonStrings; "" for none; returns buf. */
char *go_reason(const struct target *, uint64_t reason, char *buf, size_t size);

/* go-chase.c: read what is known to be needed while all stand still, and nothing else: never the
 * heap. */
void go_chase(struct target *);
/* go-earlier.c: keep the goroutines and their stacks (as many) that were read while the process ran; of
 * the i-th, the same then and now, that stack: NULL: it may be another one. */
void go_earlier_keep(const struct piece *g, const struct piece *stack, size_t count);
const unsigned char *go_earlier_stack(const struct piece *g, size_t i);
void go_earlier_forget(void);
enum { SEMA_ROOTS = 251 };	/* runtime.semTabSize */
struct sema { uint64_t g, addr; };
uint64_t go_count(const struct target *);	/* goroutines ever made; 0: it makes no sense */
/* Who waits for a semaphore, or by a sync.Cond (addr: its list), in order of g; to be freed. */
struct sema *go_semas(const struct target *, size_t *count);

/* go-lines.c: the functions at an address, inlined ones first; how many, at most GO_INLINED. */
enum { GO_INLINED = INLINED };
struct go_frame { uint32_t site; bool own; };	/* own: not the standard library's */
size_t go_lines(struct snapshot *, uint64_t pc, struct go_frame frame[GO_INLINED]);
const char *go_function(uint64_t pc);	/* NULL: none */
void go_lines_free(void);
#endif
