/* terminal.c - how large the terminal is that stdout leads to. Contract in terminal.h. */
#define _GNU_SOURCE	/* TIOCGWINSZ */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cttrace.h"
#include "tool/terminal.h"

static size_t choose(const char *name, size_t least, size_t asked)
{
	const char *given = getenv(name);
	uint64_t n;

	if (given && ctt_parse_number(given, least, TERMINAL_MOST, &n))
		return (size_t)n;
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
