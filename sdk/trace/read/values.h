/* values.h - the members of a line by their keys, each of its type, for kinds.c. */
#ifndef CTTRACE_VALUES_H
#define CTTRACE_VALUES_H

#include "read/json.h"

enum key {
	K_PROBE_ID,
	K_TID,
	K_ADDR,
	K_SEQ,
	K_IS_ACTIVE,
	K_TS,
	K_EV,
	K_N,
	K_SITE,
	K_PARENT,
	K_BY,
	K_ON,
	K_ANY_OF,
	K_ALL_OF,
	K_DONE,
	K_RESULT,
	K_STACK,
	K_REASON,
	K_NAME,
	K_ROLE,
	K_FUNC,
	K_FILE,
	K_PATH,
	K_TOOL,
	K_FORMAT,
	K_LINE,
	K_OP,
	K_WOKEN,
	K_VALUE,
	K_DEPTH,
	K_COUNT,
	K_STATUS,
	K_SIGNAL,
	K_EVENTS,
	K_LOST,
	K_LIVE,
	K_PID,
	K_VERSION,
	K_FROM,
	K_TO,
	K_START,
	K_END,
	K_OFFSET,
	K_BUILD_ID,
	K_FRAMES,
	K_ENDED,
	K_ALIVE,
	K_SITES,
	K_AT,
	K_ATTACHED,
	K_SNAPSHOT,
	K_BORN_BEFORE,
	K_PARTIAL,
	K_UNTRACED,
	K_SINCE,
	K_WAKERS,
	K_REFS,
	K_LEAKED,
	K_DOUBT,
	K_LINES,
	K_DEAD,
	K_MEMORY,
	K_STATES,
	K_CLOSED,
	KEYS
};
extern const char *const key_names[KEYS];

/* For struct walk's `member`: its `values` are one for each key; the last of equal keys counts. */
void note_value(struct walk *, struct ctt_text name, struct ctt_text value);
/* The key's value into *v, and its flag into ev->has; an absent one changes nothing. False: it is of
 * another type or beyond 64 bits, and the walk has failed. */
bool number_of(struct walk *, enum key, uint64_t *v, struct ctt_event *, uint32_t flag);
bool text_of(struct walk *, enum key, struct ctt_text *v);
bool bool_of(struct walk *, enum key, bool *v, struct ctt_event *, uint32_t flag);
/* 0x and up to 16 digits. */
bool address_of(struct walk *, enum key, uint64_t *v, struct ctt_event *, uint32_t flag);
/* A stack's frames or sites, a symbol's functions: what they are made of is checked here, so that
 * who reads them need not. */
bool list_of(struct walk *, enum key, const char *(*check)(struct ctt_text), struct ctt_text *v);

#endif
