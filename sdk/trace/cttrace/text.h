/* text.h - writing for people and for programs. See cttrace.h. */
#ifndef CTTRACE_TEXT_H
#define CTTRACE_TEXT_H

#include <stdio.h>

#include "event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Length of the UTF-8 sequence at s (before end), 0 where it is not one. Texts of events are UTF-8;
 * what was cut to size may end within a sequence. */
size_t ctt_utf8_length(const char *s, const char *end);

/* `s` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD; control characters (C0, DEL, C1,
 * and those of direction) are escaped. */
void ctt_out_json(FILE *, const char *s, size_t len);
/* `s` for a terminal: control characters (C0, DEL, C1, and those of direction) and invalid UTF-8 as
 * \xNN; the rest as it is. */
void ctt_out_text(FILE *, const char *s, size_t len);
/* 1.23s, 56.7ms, 890us: three significant digits, in `buf` of at least 24 bytes. Returns buf. */
char *ctt_out_duration(char *buf, uint64_t ns);
/* Write the trace line of `ev` in canonical form. */
void ctt_out_event(FILE *, const struct ctt_event *ev);

#ifdef __cplusplus
}
#endif
#endif
