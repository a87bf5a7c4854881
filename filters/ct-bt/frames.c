/* frames.c - a call stack as lines, without the frames that say nothing, or as JSON. Contracts in
 * bt.h. */
#include <inttypes.h>

#include "bt.h"

static size_t frame_indent;

static void frame_text(void *arg, const struct ctt_site *at, uint64_t addr)
{
	char text[2048];

	(void)arg;
	printf("%*s", (int)frame_indent, "");
	if (at)
		puts(ctt_site_text(text, sizeof(text), at));
	else
		printf("0x%016" PRIx64 "\n", addr);
}

void stack_text(const struct view *v, const struct ctt_stack *s, size_t indent)
{
	frame_indent = indent;
	ctt_model_frames(v->model, s,
		CTT_FRAMES_OUTERMOST_FIRST | CTT_FRAMES_SHORT | (v->frames ? 0 : CTT_FRAMES_OWN),
		frame_text, NULL);
}

static void frame_json(void *comma, const struct ctt_site *at, uint64_t addr)
{
	fputs(*(const char **)comma, stdout);
	*(const char **)comma = ",";
	if (at)
		ctt_site_json(stdout, at);
	else
		printf("\"0x%016" PRIx64 "\"", addr);
}

void stack_json(const struct view *v, const char *key, const struct ctt_stack *s)
{
	const char *comma = "";

	if (!s)
		return;
	printf(",\"%s\":[", key);
	ctt_model_frames(v->model, s, CTT_FRAMES_ALL, frame_json, &comma);
	fputs("]", stdout);
}
