/* sym.h - what ct-sym is made of: what lies where (maps.c); files of code and their debug information (file.c), opened with
 * care (root.c, guard.c) and read by a process apart (worker.c); names as people write them
 * (names.c). */
#ifndef SYM_H
#define SYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYM_DEPTH = 32 };
/* of one address: the innermost inlined function first, the real one last */
struct symbols {
	size_t count;
	struct symbol {
		char *func;		/* demangled; NULL: not known */
		char *file;		/* NULL: not known */
		uint64_t line, column;	/* 0: not known */
	} at[SYM_DEPTH];
	const char *missing;		/* NULL: nothing is; else a phrase */
};
void symbols_free(struct symbols *);

/* ---- maps.c ---- */

/* A file with code from that offset on, at those addresses; neither text is NULL. */
struct map { uint64_t start, end, offset; char *path, *build_id; };
/* That process has it from now on; the map stays the caller's. True: what the process had there
 * before is gone. */
bool maps_add(uint64_t pid, const struct map *);
/* The latest that covers it, until the next call that changes them; NULL: none. *ambiguous: another
 * process has another file there. */
const struct map *maps_find(uint64_t addr, bool *ambiguous);
void maps_forget(void);

/* ---- worker.c ---- */

/* What is at that offset of the file with code that `path` names, below root, which must have that
 * build id (hex; empty: none reported, and none is asked for). Fills *s; never fails: a file that
 * breaks who reads it, or takes longer than `limit_ns` for one address, is reported once on stderr,
 * and s->missing says so. s->missing is valid until the next call. */
struct sym_files {		/* where they are looked for, and how */
	const char *program, *root;
	uint64_t limit_ns;
};
void sym_ask(const struct sym_files *, const char *path, const char *build_id, uint64_t offset,
	struct symbols *s);
void sym_end(void);

/* ---- root.c ---- */

/* Open for reading what `path` is where `root` ("": the system's) is the root: no "..", and no
 * link, leads out of it. Only a regular file: else -1 and errno, EINVAL where it is none. */
int root_open(const char *root, const char *path);

/* ---- guard.c ---- */

/* From here on, whatever this process opens for reading, its libraries too, it opens by
 * root_open(root, path); a path that begins with root is meant from there on. */
void guard_opens(const char *root);
/* A file of that size is read from here on: memory for it is allowed beside what was. 0: none yet. */
void guard_memory(uint64_t size);

/* ---- file.c: within the worker ---- */

/* The file with code that `path` names, which must have that build id (hex; NULL or empty: none
 * reported, and none is asked for). Reported once on stderr when it cannot be used; then sym_lookup
 * says so. Kept until the process ends. */
struct sym_file *sym_open(
	const char *program, const char *root, const char *path, const char *build_id);
/* What is at that offset of the file. Fills *s; never fails. */
void sym_lookup(struct sym_file *, uint64_t offset, struct symbols *s);

/* A malloc'd readable form of a symbol: C++, Rust; as it is where it is neither. */
char *sym_name(const char *mangled);
/* That name, where it is a closure's, with the name that debug information has for it, as
 * {async_fn#0}; frees the old one. */
char *sym_closure(char *name, const char *die);
#endif
