/* sections.h - what the sections of the report for people share: cells of tables (cells.c), and
 * what findings.c and behaviour.c write. */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include "doc.h"
#include "report.h"

/* GROUPS: with more of them findings stand by cause; MARKDOWN_MOST: bytes, of GitHub's 1 MiB. */
enum { FEW = 5, GROUPS = 10, CELLS = 1024, MARKDOWN_MOST = 1000000 };

/* A table in the making; one that is full takes no more cells. */
struct cells { char *cell[CELLS]; size_t count; };
void cell(struct cells *, const char *text);
void number(struct cells *, uint64_t);
size_t few(const struct report *, size_t n);	/* how many of n to show */
const char *exit_text(const struct exited *);	/* "status 0", "killed by signal 11 SIGSEGV" */

/* findings.c; the others in behaviour.c */
void findings_section(const struct doc *, const struct report *, const struct run *);
void suspects_section(const struct doc *, const struct run *);
void sched_section(const struct doc *, const struct report *, struct run *);

#endif
