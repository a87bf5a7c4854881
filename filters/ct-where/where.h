/* where.h - what ct-where is made of: comparisons it makes itself (native.c), and libjq (jq.c). */
#ifndef WHERE_H
#define WHERE_H

#include "cttrace.h"

enum answer { NO, YES, UNSURE };

/* Comparisons of a key with a number, a text, true, false or null, joined by `and`, `or` and
 * parentheses. NULL: the expression is more than that. */
struct native *native_parse(const char *expr);
/* UNSURE: what the line says of a key the event does not report; jq has to look. */
enum answer native_eval(const struct native *, const struct ctt_event *);
void native_free(struct native *);

struct query;
/* Ends the program (status 2) where jq cannot compile the expression. */
struct query *query_new(const char *program, const char *expr);
/* Is any output of the expression true, that is neither false nor null? `m`: as the run was before
 * this line. NO with
 * *error set (valid until the next call) where the expression failed. */
enum answer query_eval(
	struct query *, const struct ctt_event *, struct ctt_model *m, const char **error);
void query_free(struct query *);
#endif
