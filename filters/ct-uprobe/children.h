/* children.h - processes that the traced one forks, and that go on as the same program. */
#ifndef UPROBE_CHILDREN_H
#define UPROBE_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

struct children_options {
	/* of this trace: that of child N is called so, and .N; NULL: they are not traced */
	const char *output;
	uint64_t limit_mb, buffer_mb;
	bool return_probes, quiet;
};
void children_set(const struct children_options *);

/* One was forked, then. It may be about to execute another program, which is that one's affair. */
void children_forked(uint64_t child, uint64_t ts);
/* Print a process line for each that has not, after a while, of which `parent` is one too; have it
 * traced by a ct-uprobe of its own, or say that it is not. */
void children_look(int parent);
/* How many of them are not traced, but for what their parent shows. */
unsigned children_untraced(void);
/* Wait for those that trace them. `now`: they are to come to an end. */
void children_end(bool now);
#endif
