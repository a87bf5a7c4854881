/* ui.h - what the display (screen.c) and the keys (keys.c) share. Of the thread that draws. */
#ifndef TOP_UI_H
#define TOP_UI_H

#include "top.h"

extern struct ui {
	struct view view;
	struct lines frame;	/* as last composed */
	bool paused, help, typing, quit, run_chosen;
	bool enter;		/* once the cursor stands where keys have put it */
	bool compose, paint;	/* a key wants the frame made anew; it is to be drawn */
	char typed[128], error[128];	/* the filter, and what is wrong with it */
	regex_t filter;
	uint64_t drawn, healed;	/* when last */
	uint64_t key_at, draw_at, judge_at;	/* not before */
	uint64_t read;		/* the watch's read_ns and over, when composed */
	bool over;
} ui;
extern const char *const ui_help[];	/* NULL ends it */
/* Into what the cursor is on: a site's coroutines, or one's story. */
void ui_enter(void);
/* Do what the key says; what it needs done is left in ui. */
void ui_key(struct watch *, int key);

#endif
