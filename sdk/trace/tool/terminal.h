/* terminal.h - how large the terminal is that stdout leads to (terminal.c), for what fits itself to it. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stddef.h>

enum { TERMINAL_MOST = 10000 };
/* Each as $COLUMNS or $LINES says, else as the terminal does; 0: not known, or less than 40 columns
 * or 12 lines, to which nothing fits itself. */
struct terminal { size_t columns, lines; };
struct terminal terminal_size(void);
#endif
