/* output.h - where a program's product goes (output.c). Of options.c. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "cttrace.h"

/* Make stdout the file of -o, where it is given; refuse a terminal, where the product is no use
 * there. `files`: its inputs, none of which may be that file. Ends the program where it cannot. */
void output_open(const struct ctt_program *, struct ctt_common *, char **files);
#endif
