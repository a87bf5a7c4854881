/* terminal.c - how large the terminal is that stdout leads to. Contract in terminal.h. */
#define _GNU_SOURCE	/* TIOCGWINSZ */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tool/terminal.h"

static size_t choose(const char *name, size_t least, size_t asked)
{
	const char *given = getenv(name);
	unsigned long n = given ? strtoul(given, NULL, 10) : 0;

	if (n >= least && n <= TERMINAL_MOST)
		return n;
	return asked < least ? 0 : asked;
}

struct terminal terminal_size(void)
{
	struct winsize asked = { 0, 0, 0, 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &asked))
		asked = (struct winsize){ 0, 0, 0, 0 };
	return (struct terminal){ choose("COLUMNS", 40, asked.ws_col),
		choose("LINES", 12, asked.ws_row) };
}
