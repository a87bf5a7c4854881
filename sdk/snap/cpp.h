/* cpp.h - frames of C++20 coroutines, as gcc and clang lay them out. What is known of each function
 * comes from its symbols and its debug information: no layout is guessed. */
#ifndef SNAP_CPP_H
#define SNAP_CPP_H

#include "die.h"
#include "snap.h"

enum { AWAITS = 256, FIELDS = 32 };

struct field {			/* of a frame or in one: at that offset */
	uint64_t at, size;
	bool is_signed;
	char *name;
};

struct await {			/* one co_await of a function */
	uint64_t index;		/* what the frame holds while it is suspended there */
	uint64_t line, column;
	char *file;
};

struct awaiter {		/* gcc: a member Aw2_... of the frame */
	uint64_t at;
	unsigned order;		/* clang: the index that it is suspended with */
	Dwarf_Die type;
	/* clang: the frame has its address; its members are somewhere in the frame; two were found */
	bool elsewhere, apart, unknown, placed_by_name;
	/* looked: so many of its members say what it waits on, are handles; the first is there */
	bool looked, has_owner, own;	/* own: it is itself what it waits on */
	unsigned things, handles;
	enum ctt_on_kind on;
	uint64_t on_at, handle_at, owner_at;	/* owner_at: in the lock */
	Dwarf_Die thing;	/* the class of that lock */
};

struct slot {			/* clang: a member of the frame that is called by its type */
	uint64_t at;
	char *type;		/* struct_mutex__operation, struct_mutex_Ptr */
};

struct kind {			/* a coroutine function */
	uint64_t resume;
	char *stem;		/* its symbols' common part */
	char *func, *file;	/* NULL: no debug information */
	Dwarf_Die function;	/* where func is there */
	uint64_t line, end_line, end_column;	/* end: gcc: its closing brace */
	uint64_t destroy, text_size;
	uint64_t cleanup;	/* clang: destroys one that lies within another; 0: none */
	/* clang: what runs it up to its first suspension; 0: not there */
	uint64_t ramp, ramp_size;
	Dwfl_Module *module;
	bool gcc;
	bool starts_suspended;	/* clang: index 0 is that of its initial suspension */
	bool layout;		/* the frame's type was found: what follows is known */
	uint64_t size, index_at, index_bits, index_shift, promise_at, promise_size;
	uint64_t *handle;	/* offsets, in the frame, of the coroutine_handles in the promise */
	size_t handles, handle_room;
	struct awaiter *awaiter;
	size_t awaiters, awaiter_room;
	struct slot *slot;
	size_t slots, slot_room;
	struct await *await;
	size_t awaits, await_room;
	bool crowded;		/* it has more than AWAITS */
	bool blind;		/* clang: one of it waits for what is not known, perhaps a lock */
	struct field *argument;
	size_t arguments, argument_room;
	uint32_t *site;		/* of each await; 0: not asked for yet */
};

struct kinds {
	struct kind *item;	/* in order of `resume` */
	size_t count, room;
};
extern struct kinds cpp_kinds;

struct frame {
	uint64_t addr, index, size;
	struct kind *kind;
	struct frame *child;	/* the one it awaits */
	uint64_t dead, dead_size;	/* the one it awaits where that is over; 0: not so */
	struct kind *dead_kind;		/* NULL: not known any more */
	int fd;			/* 1 more than what epoll has for it; 0: none, -1: several */
	uint32_t refs, tid;
	uint32_t into;		/* of refs, those to something in it, from no one it awaits */
	bool doubtful;
	bool within;		/* clang put it into the frame of who awaits it */
	bool allocated;		/* a chunk in use of malloc's begins there */
};
struct frames {
	struct frame *item;	/* in order of address */
	size_t count, room;
	size_t at_end, stale;	/* those that were seen and are not among them */
	size_t on_stacks;	/* that clang put there, with others that have ended: likewise */
};
extern struct frames cpp_frames;

/* cpp-awaiter.c: what the awaiter that a frame is suspended in says by its members. */
struct said {
	struct wait_on on;	/* a descriptor, a lock */
	uint64_t owner;		/* of that lock, as it says: in a frame; 0: nothing is said */
	/* it may be one that ended, as a coroutine that only takes the lock, at whose address another lies: that
	 * function never awaits such a lock, or no other than the one that it waits for; or the lock was given to who
	 * waits, who is not in its queue any more, and notes himself as its owner when he runs; he may be one of whom
	 * it is not known for which lock he waits */
	bool doubt;
	uint64_t awaited;	/* the coroutine whose handle it has; 0: none, or several */
};
/* Behind says_first of all frames. */
struct said awaiter_says(const struct target *, const struct frame *);
void says_first(const struct target *, const struct frame *);
void says_forget(void);
/* cpp-apart.c: does the thing of that class lead to the frame, other than by the word `owner` (an offset)? */
bool thing_queues(const struct target *, const struct frame *, Dwarf_Die *class, uint64_t owner,
	uint64_t at);
/* The one thing of that class that a frame has a pointer to and that leads back to the
 * frame, other than by the word `owner` (an offset). False: none, or several. */
bool thing_apart(const struct target *, const struct frame *, Dwarf_Die *class, uint64_t owner,
	uint64_t *at);

/* cpp-kinds.c: by the symbols of modules from that one on; false: there are none. Those that were
 * known may lie elsewhere afterwards. */
bool kinds_find(struct target *, size_t from);
void kinds_free(void);
char *kind_name(const char *stem, bool gcc);	/* malloc'd, readable: "app::serve(int)" */
/* whose resume function lies there; NULL: none */
struct kind *kind_with(uint64_t low, uint64_t high);
/* cpp-types.c: what debug information says of their frames. */
void kinds_types(struct target *, size_t from);

/* cpp-awaits.c */
/* `by_line`: one a line is all that is wanted. */
void await_add(struct kind *, struct await, const char *file, bool by_line);
/* One index at two lines is known at neither. */
void awaits_doubtful(struct kind *);
/* The await that index stands for; NULL: not known. */
const struct await *await_at(const struct kind *, uint64_t index);
/* The code of a function, as its file has it; NULL: not there. */
const unsigned char *kind_code(const struct kind *, uint64_t addr, uint64_t size);
/* The line of the instruction there; false: none. */
bool code_line(const struct kind *, uint64_t addr, const char **file, int *line, int *column);
/* The function that a call or jump (5 bytes) goes to, *target its address; NULL: it is none. */
const char *code_call(const struct kind *, uint64_t addr, const unsigned char *, uint64_t *target);
/* cpp-gcc.c, cpp-clang.c: the kind's co_awaits with their lines and numbers, when all else is known
 * of it. None where those that were found cannot be all. */
void awaits_gcc(struct kind *);
void awaits_clang(struct kind *);
/* cpp-clang-awaiter.c: which awaiter a frame is suspended in with that index, written by the
 * instruction before pc, in the function that begins at start, by way of a register (DWARF's). */
struct suspended_by { uint64_t start, pc; unsigned index, reg; int line; };
void awaiter_clang(struct kind *, struct suspended_by);
/* What debug information has of the function that begins there: what resumes it, or another one. False:
 * nothing. */
bool kind_function(const struct kind *, uint64_t start, Dwarf_Die *function, Dwarf_Addr *bias);
void awaiter_forget(void);	/* what it keeps of modules, when all are looked through */
/* cpp-slots.c: where those are of which the class alone is known. Once, when all are. */
void awaiters_clang(struct kind *);
/* Is it a pointer to that class? */
bool slot_of(const struct slot *, Dwarf_Die *class);
/* cpp.c: all of that, of modules from that one on: as kinds_find. */
bool kinds_add(struct target *, size_t from);
/* The number of the site that a frame is suspended at with that index. `find` goes before. */
uint32_t kind_site(struct sites *, struct kind *, uint64_t index);

/* cpp-frames.c: what lives. heap_walk goes before. */
void frames_find(const struct target *);
/* Until frames_forget: whose frame begins with these; resume may be 0. NULL: none. */
struct kind *frame_kind(uint64_t destroy, uint64_t resume);
void frames_forget(void);
/* The frame around an address: at its beginning, or anywhere in it (the innermost). */
struct frame *frame_with(uint64_t addr, bool inside);
/* cpp-links.c: whom each awaits. */
void frames_link(const struct target *);
/* cpp-refs.c */
void frames_running(const struct target *);	/* by which thread; unwind goes before */
/* Count every word in memory and registers that lies in a frame, from outside of it. False:
 * something keeps references that cannot be seen. */
bool frames_refs(const struct target *);

/* cpp-heap.c: malloc's own structures. */
/* INSIDE: of another allocation, as a pool's */
enum chunk { CHUNK_UNKNOWN, CHUNK_USED, CHUNK_FREE, CHUNK_INSIDE };
/* Also where the stacks of threads lie that run on one in the heap. */
void heap_walk(struct target *);
/* What *size bytes there are; of a chunk in use, that begins there, *size becomes what it has. */
enum chunk heap_chunk(uint64_t addr, uint64_t *size);
/* Where the chunk in use begins that it lies in; 0: in none that is known. */
uint64_t heap_start(uint64_t addr);
void heap_forget(void);
#endif
