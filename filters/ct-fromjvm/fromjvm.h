/* fromjvm.h - what a JVM's dump of its threads says (dump.c, frames.c), and as which lines
 * (state.c). */
#ifndef FROMJVM_H
#define FROMJVM_H

#include "base/sites.h"
#include "cttrace.h"

/* A dump, all of it in memory. Texts of its threads are valid until the next one. */
struct dump {
	const char *name;			/* of the file, for messages */
	char *text;
	size_t len;
	/* texts without their escapes: the dump's own, its container's, its thread's */
	char *scratch, *container_at, *thread_at, *used;
	uint64_t pid, taken;			/* taken: ns since 1970 */
	struct ctt_text all, containers, threads;	/* all containers; those still to come */
	struct ctt_text container;		/* of the next thread */
	/* threads that the container at hand counts and that are still to come; those that all
	 * before it counted and did not list */
	uint64_t counted, unlisted;
	char why[256];				/* what is wrong with it; "": nothing */
};

struct jthread {
	uint64_t id;
	struct ctt_text name, state, container;
	struct ctt_text blocked_on, waiting_on, park_blocker;	/* Class@hash */
	struct ctt_text stack, monitors;	/* arrays as they stand */
	bool is_virtual;
};

/* Read a file, NULL is stdin. False: `why` says why not. */
bool dump_open(struct dump *, const char *file);
/* From the first thread on (again). */
void dump_rewind(struct dump *);
/* The next thread. False: there is none, or `why` says what is wrong. */
bool dump_next(struct dump *, struct jthread *);
/* The next text of an array of texts, valid until the next one. */
bool dump_text(struct dump *, struct ctt_text *array, struct ctt_text *text);
/* The next object that a thread holds the monitor of. */
struct monitors { struct ctt_text depths, locks; };
bool dump_monitor(struct dump *, struct monitors *, struct ctt_text *object);
void dump_close(struct dump *);

/* One frame, "module/Class.method(File.java:7)"; false: it cannot be read. */
struct frame {
	char func[512], file[512];
	uint64_t line;
	bool jdk;			/* of the JDK's own modules */
};
bool frame_read(struct frame *, struct ctt_text);

/* Who waited so since when: thread to moment, of earlier dumps of the same process. */
struct earlier;
struct earlier *earlier_new(void);
void earlier_free(struct earlier *);
/* Note how the dump's threads stand. False: dump->why. */
bool earlier_note(struct earlier *, struct dump *);
/* Is this dump, of a process with the same number, one of the process that the last noted one is of? Else it is
 * another's, as of two containers: it is older, or most of the threads that should be in both are not. */
bool earlier_goes_on(const struct earlier *, struct dump *);
/* Print the dump as a trace. False: dump->why. */
bool state_print(struct dump *, struct earlier *);

#endif
