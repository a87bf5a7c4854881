/* follow.h - from records to what each coroutine does. */
#ifndef UPROBE_FOLLOW_H
#define UPROBE_FOLLOW_H

#include "coros.h"

void follow_record(struct follow *, const struct record *);

/* frames.c: a record of a C++ frame */
void frame_record(struct follow *, struct stack *, const struct record *);
/* What stands at this stack pointer or below it was left: by a jump into what is entered there now,
 * or by an exception or longjmp, of which no probe knows. */
void frames_leave(struct follow *, struct stack *, const struct record *, uint64_t sp);
/* tasks.c: a record of one of tokio's tasks */
void task_record(struct follow *, struct stack *, const struct record *);
/* owned.c: of a scheduler that the user described */
void own_record(struct follow *, struct stack *, const struct record *);

/* descriptors.c: those that are open by now, before any record of one */
void descriptors_open(struct follow *);
void descriptor_record(struct follow *, const struct stack *, const struct record *);

/* A thread sleeps since then. */
void follow_asleep(struct follow *, uint32_t tid, uint64_t since);
#endif
