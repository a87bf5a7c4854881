/* output.h - where a program's product goes (output.c), and how it fits
 * a terminal (wrap.c). Of options.c. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "cttrace.h"

/* Standard streams that are closed become such that can neither be read nor written, as before: else
 * a file that is opened would get the number of one, and messages be written into it. A limit of
 * files' size (ulimit -f) is an error like a full disk. That others have made a pipe or a terminal
 * non-blocking does not hold for us. */
void output_init(void);
/* Make stdout the file of -o, where it is given; refuse a terminal, where the product is no use
 * there. `files`: its inputs, none of which may be that file. Ends the program where it cannot. */
void output_open(const struct ctt_program *, struct ctt_common *, char **files);
bool output_is(const char *file);	/* is stdout that regular file, by whatever name? */
/* stdout, a terminal, becomes a stream that breaks longer lines between words; a word that is longer
 * stays whole. As wide as $COLUMNS or the terminal says, from 40 columns; else nothing changes. */
void output_wrap(void);
#endif
