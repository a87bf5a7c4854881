/* box.h - the parts of ct-record that read boxes: ctp(7), "Boxes". A box is attached to in place;
 * anything else is read from a private image of it. */
#ifndef BOX_H
#define BOX_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "../region.h"

/* ---- find.c: a process, by its number or name, and what its probe keeps open for us ---- */
/* The one process whose command line the regex matches and that has a probe; 0 after a message. */
pid_t find_by_name(const char *regex);
/* Open the descriptor of PID whose link in /proc begins so; -1: there is none, or errno says why it
 * cannot be known. */
int find_fd(pid_t, const char *link, int flags);
/* Its box; -1, with EAGAIN where it is just being made. */
int find_made_box(pid_t, int flags);
/* Its box, waited for where it is just being made; NO_BOX: none, but a flag to ask by, where `asking`;
 * -1 after a message. */
enum { NO_BOX = -2 };
int find_box(pid_t, int flags, bool asking);
/* Has it another copy of the probe, with a box or flag of its own? Said as well. */
bool find_others(pid_t);
/* Say in words that there is nothing to read in it, and why. */
void find_complain(pid_t);

/* ---- flag.c: a process with a probe and no box ---- */
/* Ask for a box, wait until it is there: its descriptor. -1: there is no flag, the process ended,
 * or *stop. box: it has one, but has switched its probe off; NULL: none. */
int flag_ask(pid_t, const struct region *box, const volatile sig_atomic_t *stop);

/* ---- image.c ---- */
void image_guard(void);		/* a file that is cut under us ends us with a message */
/* Is that a box, and do its tables lie within size bytes? Complains, by `what` it is. */
bool image_check(const struct ctp_header *, uint64_t size, const char *what);
void image_use(struct region *, char *base, const struct ctp_header *);	/* point into it */
bool image_map(struct region *, int fd, const char *what);		/* in place, to attach to */
/* what it holds now, the process unaware */
bool image_of_process(struct region *, int fd, const char *what);
/* The first position of a ring that is whole: of so many slots below its limit. */
static inline uint64_t image_above(uint64_t limit, uint64_t slots)
{
	return limit > slots ? limit - slots : 0;
}
/* Have it harvested: of each ring what is whole, no older than `since` and no younger than `until`
 * (ticks). Of a dead process's what is whole may be up to a look's events more, which are not worth
 * a rule of their own. */
void image_adopt(const struct region *, uint64_t since, uint64_t until);

/* ---- core.c ---- */
bool image_of_file(struct region *, const char *path);	/* a box's file, or a core */

/* ---- states.c: what a trace that begins in the middle begins with ---- */
/* Everything in [tail, head) of the rings will be printed after it. */
void states_print(const struct region *);
/* Where a process records again: who was seen to do something when it did not. */
void states_again(const struct region *, uint64_t ticks);
uint64_t states_last(void);	/* the latest time in the box, ns */
/* The process is stopped, or on its way out: what it last did, ns. 0: it is neither. */
uint64_t stopped_since(pid_t);

#endif
