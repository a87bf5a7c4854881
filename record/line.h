/* line.h - the lines of meta, processes, losses and the end. */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* wall: CLOCK_REALTIME at ts; more: members of it, begun by a comma, or "". */
void print_meta(char *const *command, uint64_t ts, uint64_t wall, const char *more);
void print_attach(uint64_t ts, uint64_t live, uint64_t states, uint64_t history, uint64_t before);
uint64_t wall_ns(void);
void print_process(uint64_t ts, uint32_t pid, uint32_t ppid, const char *path);
void print_process_end(uint64_t ts, pid_t pid, uint64_t alive);
void print_map(uint64_t ts, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset,
	const char *path, const char *build_id);
void print_name(uint64_t ts, uint64_t id, const char *name);
/* who: "tid", "probe_id" or NULL */
void print_lost(const char *who, uint64_t id, uint64_t count, uint64_t from, uint64_t to);
void print_sync(uint64_t ts, uint64_t slept);	/* slept: ns, 0 for not */
/* alive: last seen to be. status -1: it is not known how it ended. */
void print_exit(uint64_t ts, pid_t pid, int status, uint64_t alive);

#endif
