/* complain.h - ct-record says on stderr what is wrong. */
#ifndef COMPLAIN_H
#define COMPLAIN_H

/* "ct-record: ...\n" on stderr, in one piece */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* what an allocation has given; the end, with status 125, where that is nothing */
void *need(void *allocated);

#endif
