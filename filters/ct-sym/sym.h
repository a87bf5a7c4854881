/* sym.h - what ct-sym is made of: files of code and their debug information (file.c), names as people write them
 * (names.c). */
#ifndef SYM_H
#define SYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYM_DEPTH = 32 };
struct symbols {		/* of one address: the innermost inlined function first, the real one last */
	size_t count;
	struct symbol {
		char *func;		/* demangled; NULL: not known */
		char *file;		/* NULL: not known */
		uint64_t line, column;	/* 0: not known */
	} at[SYM_DEPTH];
	const char *missing;		/* NULL: nothing is; else a phrase */
};
void symbols_free(struct symbols *);

/* The file with code that `path` names, which must have that build id (hex; NULL or empty: none told, and none is asked
 * for). Told once on stderr when it cannot be used; then sym_lookup says so. Kept until sym_close. */
struct sym_file *sym_open(const char *program, const char *root, const char *path, const char *build_id);
/* What is at that offset of the file. Fills *s; never fails. */
void sym_lookup(struct sym_file *, uint64_t offset, struct symbols *s);
void sym_close(void);

/* A malloc'd readable form of a symbol: C++, Rust; as it is where it is neither. */
char *sym_name(const char *mangled);
/* That name, where it is a closure's, with the name that debug information has for it, as {async_fn#0}; frees the old one. */
char *sym_closure(char *name, const char *die);
#endif
