/* process.h - processes, as /proc shows them, and their lines. */
#ifndef PROCESS_H
#define PROCESS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct options;

/* number: as the trace names it, its pid but for one of another pid namespace. again: it has
 * attached, anew where it was known (exec). Else an event of it was read. */
void process_seen(uint32_t number, pid_t pid, bool again);
bool process_known(uint32_t number);
void process_forget(uint32_t number);	/* it has ended: the next one of this number is another */
/* Its arguments as /proc has them, each ended by a 0, no more than size - 1 bytes; the text is
 * terminated. Returns their length. */
size_t process_arguments(pid_t, char *text, size_t size);
void process_command(pid_t, struct options *);	/* becomes the command */
/* is that inode of a pid namespace another than ours? */
bool process_is_foreign(uint64_t pid_ns);
uint32_t process_inner(pid_t);		/* its number in the innermost namespace that it is in */
/* Each process that /proc shows, then 0, and *proc is NULL again, as it is to be at first. */
pid_t process_next(DIR **proc);
/* Who lives in another than ours, and is called so there; 0: nobody. */
pid_t process_named(uint32_t inner);
void boot_id(uint8_t id[16]);		/* left alone where it is not known */
bool process_is_inner(pid_t pid);	/* does it live in another pid namespace than we do? */
/* Before a call stack is printed: where a frame lies in no code printed of that process, see what
 * it has mapped since. */
void process_code(uint32_t number, const uint64_t *frames, unsigned count);
bool process_catches(pid_t, int signal);	/* has it a handler of it? */
bool process_lives(pid_t);		/* neither stopped, nor frozen, nor on its way out */
enum { PROCESS_FILE = 96 };
/* Where /proc has this of it, a name of up to eight bytes: with the main thread, or where that has ended, with
 * another. Returns path. */
const char *process_file(char path[PROCESS_FILE], pid_t, const char *name);
bool process_is_go(pid_t);		/* a program that Go's linker made? */
bool process_exists(pid_t);		/* it may be stopped */
/* Was any other process started with this in its environment, as it is in ours? */
bool process_inherits(const char *name);
/* has it a file of ours, by that inode, in its memory? */
bool process_maps(pid_t, uint64_t inode);
bool process_unmapped(pid_t, uint64_t inode);	/* known not to have */
pid_t process_mapping(uint64_t inode);	/* one that has, but us; 0: nobody */

#endif
