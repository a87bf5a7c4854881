/* sites.c - sites and stacks of programs that make a trace (sdk/trace/base/sites.c): equal ones have one number and one line, all others
 * one of their own, whatever they differ in.
 */
#include <stdint.h>
#include <string.h>

#include "base/sites.h"
#include "tap.h"

static const char expected[] =
	"{\"ev\":\"site\",\"site\":1,\"func\":\"f\",\"file\":\"a.c\",\"line\":7}\n"
	"{\"ev\":\"site\",\"site\":2,\"func\":\"f\",\"file\":\"a.h\",\"line\":7}\n"
	"{\"ev\":\"site\",\"site\":3,\"func\":\"g\",\"file\":\"a.c\",\"line\":7}\n"
	"{\"ev\":\"site\",\"site\":4,\"func\":\"f\",\"file\":\"a.c\",\"line\":8}\n"
	"{\"ev\":\"site\",\"site\":5,\"func\":\"fa\",\"file\":\".c\",\"line\":7}\n"
	"{\"ev\":\"site\",\"site\":6,\"func\":\"f\"}\n"
	"{\"ev\":\"site\",\"site\":7,\"file\":\"f\"}\n"
	"{\"ev\":\"site\",\"site\":8,\"file\":\"g\"}\n"
	"{\"ev\":\"stack\",\"stack\":1,\"sites\":[1,2,3]}\n"
	"{\"ev\":\"stack\",\"stack\":2,\"sites\":[1,2,4]}\n"
	"{\"ev\":\"stack\",\"stack\":3,\"sites\":[1,2]}\n"
	"{\"ev\":\"stack\",\"stack\":4,\"sites\":[2,1]}\n";

int main(void)
{
	static const uint32_t stacks[][3] = { { 1, 2, 3 }, { 1, 2, 4 }, { 2, 1, 0 } }, want[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 1, 2, 3, 4, 0 };
	struct sites *s = sites_new();
	uint32_t got[2][15];
	char text[2048] = "";
	FILE *out = stdout;

	stdout = fmemopen(text, sizeof text, "w");
	for (int again = 0; again < 2; again++) {
		uint32_t *at = got[again];

		*at++ = site_of(s, "f", "a.c", 7);
		*at++ = site_of(s, "f", "a.h", 7);
		*at++ = site_of(s, "g", "a.c", 7);
		*at++ = site_of(s, "f", "a.c", 8);
		*at++ = site_of(s, "fa", ".c", 7);
		*at++ = site_of(s, "f", NULL, 0);
		*at++ = site_of(s, NULL, "f", 0);
		*at++ = site_of(s, "", "g", 0);
		*at++ = site_of(s, NULL, NULL, 5);
		*at++ = site_of(s, "", "", 5);
		*at++ = stack_of(s, stacks[0], 3);
		*at++ = stack_of(s, stacks[1], 3);
		*at++ = stack_of(s, stacks[0], 2);
		*at++ = stack_of(s, stacks[2], 2);
		*at++ = stack_of(s, stacks[0], 0);
	}
	fclose(stdout);
	stdout = out;
	if (!ok(!strcmp(text, expected), "each is printed once, with what is known of it"))
		printf("# %s\n", text);
	ok(!memcmp(got[0], want, sizeof want) && !memcmp(got[1], want, sizeof want), "and has its number, each time");
	sites_free(s);
	return done_testing();
}
