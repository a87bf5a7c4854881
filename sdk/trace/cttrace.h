/* cttrace.h - libcttrace: read a corotrace trace, fold it into the state of each coroutine, judge
 * it.
 *
 * Every filter is this loop, and so can yours be:
 *
 *	struct ctt_trace *in = ctt_trace_open(inputs, "ct-mine");
 *	struct ctt_event ev;
 *	while (ctt_trace_next(in, &ev))
 *		...
 *	return ctt_trace_finish(in, status);
 *
 * Every public name begins with ctt_ or CTT_. No call prints to stdout. One thread a `struct
 * ctt_trace`; several traces in several threads are fine. The format read is ct-trace(5). Version 1
 * lines (six keys, no "ev") and everything ct-record prints are read by a scanner of their
 * canonical form; any other JSON by a complete parser, with the same result. Before version 1.0
 * names and layouts may change between releases: the library is static, programs are built against
 * the headers that they were shipped with.
 */
#ifndef CTTRACE_H
#define CTTRACE_H

#include "cttrace/event.h"
#include "cttrace/read.h"
#include "cttrace/model.h"
#include "cttrace/judge.h"
#include "cttrace/options.h"
#include "cttrace/text.h"

#endif
