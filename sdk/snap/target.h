/* target.h - the process or core that is looked at: what is mapped, its memory as it was at one
 * moment, its threads.
 *
 * Order of use: target_live or target_core; the modules' symbols and debug information, while the
 * process runs; target_take, the only moment for which it stands still; then mem_*. Of a core
 * everything is there from the beginning.
 */
#ifndef SNAP_TARGET_H
#define SNAP_TARGET_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end, offset;
	uint64_t device, inode;		/* 0: no file's; of a core always 0 */
	bool read, write, exec, shared;
	char *path;			/* "" for none */
};

struct module {				/* a file with code */
	char *path;			/* as the process has it */
	char build_id[2 * 64 + 1];	/* hex; "" for none */
	uint64_t start, end;
	uint64_t device, inode;		/* as of a mapping */
	Dwfl_Module *dwfl;
	bool constants;			/* they are kept: mem_constants */
};

enum { REGISTERS = 27, CALLS = 128 };	/* registers: of struct user_regs_struct */
struct thread {
	uint32_t tid;
	char name[32];
	const char *role;		/* NULL: not known */
	bool polls;			/* within a function that polls a task */
	bool parked;			/* sleeps until there is work */
	bool sleeps;			/* within tokio's own sleep, and no code of the program's */
	int64_t queue;			/* what is in its own run queue; -1: not known */
	uint64_t reg[REGISTERS], sp, fs; /* 0 where it was not stopped */
	uint64_t low;			/* where its stack ends; 0: not known */
	uint64_t high;			/* where it begins, if in the heap: heap_walk; 0: else */
	bool stopped;
	bool idle;			/* within its runtime, and in no code of the program's */
	uint64_t call[CALLS];		/* by unwind: where it is, the innermost function first */
	struct saved { uint64_t bx, bp, sp, r12, r13, r14, r15; } saved[CALLS];	/* 0: not known */
	size_t calls;
	/* so many innermost calls are its runtime's, which waits; 0: none */
	size_t rest;
	int signal;			/* that it was about to get: it gets it when it is let go */
};

/* of memory, as copied; sorted by start, none overlaps another */
struct run {
	uint64_t start, end;
	const unsigned char *copy;
	bool writable;
	bool constant;			/* stays from one target_take to the next */
};

struct target {
	const char *name;		/* for messages: "4711", "core.4711" */
	int pid;			/* that it is looked at by: its number, or a thread's */
	int process;			/* its number */
	bool live;
	Dwfl *dwfl;
	struct mapping *map;
	size_t maps;
	struct module *module;
	size_t modules, module_room;
	struct thread *thread;
	size_t threads;
	struct run *run;
	size_t runs, run_room;
	struct block { unsigned char *at; size_t size; } *block;	/* what runs point into */
	size_t blocks, block_room, constant_blocks;
	unsigned char *ready;		/* room in a block for what is fetched, its pages there */
	size_t ready_size;
	bool rehearses;			/* it runs still: what is read will be read once more */
	bool moving;			/* it was not stopped: the copy is not one moment's */
	bool halted;			/* it stood still already, as by SIGSTOP */
	bool unwound;
	uint64_t copied;		/* bytes */
	uint64_t limit;			/* as many at most; 0: any */
	bool over;			/* more were wanted: they are not there */
	uint64_t paused_ns;		/* 0: it was never stopped */
	uint64_t taken;			/* when: CLOCK_MONOTONIC; of a core, now */
	/* what the kernel was given: fd: by epoll, for that descriptor to be ready; -1: otherwise */
	struct kept { uint64_t data; int fd; } *kept;
	size_t kepts, kept_room;
	struct past { uint64_t low, high; } *ended;	/* of threads that have ended */
	size_t endeds, ended_room;
	bool hides;			/* it may keep more, that cannot be seen: io_uring, pipes */
	unsigned char *opened;		/* a bit for each descriptor that was seen to be open */
	size_t opened_room;		/* bytes */
	bool descriptors_hidden;	/* it ended meanwhile, or they could not be listed */
	const unsigned char *core;	/* the file, mapped */
	size_t core_size;
};

/* These end the program with a message where they cannot do what they are for (refuse). */
/* pid: what it is looked at by: its number, or what target_lives_as() says. */
void target_live(struct target *, int process, int pid);
/* Its number, or, where its first thread has ended and others have not, that of one of these: the memory is
 * shown there. */
int target_lives_as(int process);
/* exe: NULL: where the core says it was. */
void target_core(struct target *, const char *core, const char *exe);

struct take {
	bool nonstop;
	/* all that is writable and private; else `chase` reads what it needs */
	bool heap;
	bool kept;		/* what the kernel keeps, too */
	uint64_t limit;		/* bytes, in all; more is not copied, and the take fails */
	/* called while it stands still; may call target_fetch. NULL: none */
	void (*chase)(struct target *);
};
/* Look again which files it has mapped, while it runs: how many modules there were before. Those
 * that are not there any more get `start` and `end` 0. */
size_t target_more(struct target *);
/* That one is not there any more. */
void target_gone(struct target *, struct module *);
bool module_is_there(const struct target *, const Dwfl_Module *);
/* False: it could not be read, for that reason. */
bool target_take(struct target *, const struct take *, char why[static 200]);
/* Calls that for each descriptor that it has open now. False: they cannot be listed. */
bool target_descriptors(const struct target *, void (*each)(void *arg, int fd), void *arg);
/* It was not open just before that was taken, nor just behind; nor at any look before. False: or that is not known, as
 * of a core, or of what was never stopped. */
bool descriptor_is_gone(const struct target *, uint64_t fd);
/* It stands still now: by a signal, or for a debugger. */
bool target_is_halted(const struct target *);
/* Forget what that copied, but constants (mem_constants). */
void target_drop(struct target *);
void target_free(struct target *);

/* Read from the process as it is now: what `chase` is for. Each piece gets its copy, NULL where
 * that cannot be read, and is part of the memory afterwards. Of a core: what it has. */
struct piece { uint64_t start, len; const unsigned char *copy; };
void target_fetch(struct target *, struct piece *, size_t count);
/* Of that the copy is known already: it is part of the memory, too, until the next target_take. */
void target_had(struct target *, struct piece);

/* memory.c: of the copy. False or NULL where that is not in it. */
bool mem_read(const struct target *, uint64_t addr, void *to, size_t len);
const unsigned char *mem_at(const struct target *, uint64_t addr, size_t len);
bool mem_word(const struct target *, uint64_t addr, uint64_t *to);
/* 0 where not there; len up to 8 */
uint64_t mem_number(const struct target *, uint64_t addr, size_t len);
/* Copy what files map read-only, as tables of functions: they do not change. Before target_take, which
 * copies them again where they lie otherwise by then: the module was just being loaded. */
void mem_constants(struct target *, struct module *);
/* live.c: a descriptor of the very file that a process has mapped there, not of what has its name
 * now; from within the process's own root. -1: it cannot be opened. */
int map_open(struct target *, const struct mapping *);
const struct mapping *map_at(const struct target *, uint64_t addr);
/* It could write to memory that is not copied, as what it shares with others. */
bool mem_withheld(const struct target *);
/* a thread's, or one's that has ended; of those that were not stopped, as far as glibc says */
bool on_stack(const struct target *, uint64_t addr);
void mem_add(struct target *, struct run);	/* then, once: */
void mem_sort(struct target *);
void mem_stacks(struct target *);	/* of its threads, then: `low` */
unsigned char *mem_block(struct target *, size_t size);	/* zeros */

/* unwind.c: fill in the threads' calls; where there were no registers or no memory, none. */
void unwind(struct target *);

/* stop.c */
bool stop_all(struct target *, char why[static 200]);	/* false: could not; all are let go */
bool let_go(struct target *);	/* false: it was killed while it stood still */
uint64_t now_ns(void);

/* modules.c: those that are mapped and not known yet, behind the others. */
void modules_report(struct target *, int (*open_map)(struct target *, const struct mapping *));
/* The code of a function, as its file has it; NULL: not there. */
const unsigned char *module_code(Dwfl_Module *, uint64_t addr, uint64_t size);

/* Print `PROGRAM: NAME: ...` and end with that status. Whatever is stopped is let go by that. */
void refuse(int status, const struct target *, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));
#endif
