/* options.h - what ct-record was asked for on its command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct options {
	uint32_t v1_stations, rings, ring_slots;
	bool block, follow, quiet, stacks, no_syscalls, realtime, sized;
	const char *output, *target_stdout;
	uint64_t buffer;		/* 0: as is sane */
	char **command;			/* or what is read instead of a program: */
	bool attach, box;		/* a running process, or what a box holds */
	pid_t pid;
	/* keep so much in memory, and write it `on` something; 0: record */
	uint64_t last_ns, hang_ns;
	enum { ON_CRASH = 1, ON_EXIT = 2, ON_SIGNAL = 4, ON_HANG = 8 } on;
	const char *directory;
	pid_t dump;			/* the recorder that is asked to; 0: none */
	const char *name, *file;	/* a regex; a box or a core; NULL: none */
};

struct options options_parse(int argc, char **argv);	/* exits where they are wrong */

#endif
