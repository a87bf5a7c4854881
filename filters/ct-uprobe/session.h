/* session.h - a process is traced, from the first probe to the last line. */
#ifndef UPROBE_SESSION_H
#define UPROBE_SESSION_H

#include "moment.h"

struct session_options {
	char **command;		/* of a program that was started and stands still; NULL: it runs */
	uint64_t for_ns;	/* 0: no end is set */
	uint64_t limit_mb, buffer_mb;
	bool return_probes, quiet;
	/* the file whose name those of its children begin with; NULL: they are not traced */
	const char *forks;
};

/* Trace it to its end, or as long as is wanted. Ends the program where it cannot be traced. */
void session_run(const struct session_options *, struct target *, struct runtimes);
#endif
