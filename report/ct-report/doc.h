/* doc.h - headings, paragraphs, lists and tables, as Markdown (GitHub's) or as plain text. */
#ifndef REPORT_DOC_H
#define REPORT_DOC_H

#include <stdbool.h>
#include <stdio.h>

struct doc {
	FILE *f;
	bool markdown, color;
	int level;			/* of the headings: added to each */
};

/* What was written by others - a name, a path - so that it can do no harm: in Markdown as a code
 * span (no markup, links, mentions or images in it), cut to some hundred characters; in text with
 * control characters escaped. */
char *doc_code(const struct doc *, const char *);

/* Texts are ours, with doc_code in them. */
void doc_heading(const struct doc *, int level, const char *text);
void doc_strong(const struct doc *, const char *text);	/* a paragraph that is the point */
void doc_para(const struct doc *, const char *text);
void doc_item(const struct doc *, const char *text);
void doc_end_items(const struct doc *);
/* Lines of foreign text, as they are. */
void doc_block(const struct doc *, char *const *lines, size_t n);

/* Rows of `cols` cells, the first row being the head. Columns whose head ends in '>' are numbers,
 * to the right. */
void doc_table(const struct doc *, char *const *cells, size_t cols, size_t rows);

#endif
