/* text.c - texts as gnuplot's program has them. Contracts in plot.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "plot.h"

/* What is no text of XML's, though gnuplot writes it into an SVG as it stands. */
static bool no_xml(const char *s)
{
	return !strncmp(s, "]]>", 3) || !strncmp(s, "\xef\xbf\xbe", 3) ||
		!strncmp(s, "\xef\xbf\xbf", 3);
}

/* Between single quotes gnuplot reads everything as it stands - no `command`, no @macro, no \escape
 * - but a quote. Doubled it would be one, but gnuplot 5.4 loses count where two stand together:
 * each is a string of its own, "'". Markup is off in every terminal. In the label of a tic a
 * percent sign would begin a format. */
static void string(FILE *f, const char *s, size_t longest, bool tic)
{
	size_t len = strlen(s), cut = len;
	char *text = NULL;
	FILE *mem;

	if (len > longest)
		cut = utf8_cut(s, longest);
	mem = need(open_memstream(&text, &len));
	ctt_out_text(mem, s, cut);
	fputs(s[cut] ? "..." : "", mem);
	if (fclose(mem) || !text)
		need(NULL);
	putc('\'', f);
	for (const char *p = text; *p; p++) {
		if (no_xml(p)) {
			fprintf(f, "\\x%02x\\x%02x\\x%02x", p[0] & 0xff, p[1] & 0xff, p[2] & 0xff);
			p += 2;
		} else if (tic && *p == '%') {
			fputs("\\x25", f);
		} else {
			fputs(*p == '\'' ? "'.\"'\".'" : (char[]){ *p, '\0' }, f);
		}
	}
	putc('\'', f);
	free(text);
}

void plot_string(FILE *f, const char *s, size_t longest)
{
	string(f, s, longest, false);
}

void plot_tic(FILE *f, const char *s, size_t longest)
{
	string(f, s, longest, true);
}
