/* libraries.c - libraries that come and go while the process is traced. Contracts in libraries.h.
 *
 * The kernel puts probes into files, not addresses: in one that is loaded again they are there.
 */
#include "base/mem.h"
#include "libraries.h"

/* Where modules were. */
struct lay { uint64_t start, end; bool again, overwritten; };
static struct lay *lays;
static size_t lay_count, lay_room;

size_t libraries_module(const struct target *t, size_t from, uint64_t addr)
{
	size_t i = from;

	while (i < t->modules && (addr < t->module[i].start || addr >= t->module[i].end))
		i++;
	return i;
}

void libraries_note(const struct target *t)
{
	while (lay_count < t->modules) {
		const struct module *m = &t->module[lay_count];

		*ADD(lays, lay_count, lay_room) = (struct lay){ m->start, m->end, false, false };
	}
}

bool libraries_new(const struct target *t, size_t from, uint64_t addr)
{
	size_t i = libraries_module(t, from, addr);

	return i < t->modules && !lays[i].again;
}

static bool same_file(const struct target *t, size_t a, size_t b)
{
	return t->module[a].inode == t->module[b].inode &&
		t->module[a].device == t->module[b].device;
}

void libraries_overwritten(struct target *t, size_t module)
{
	for (size_t i = 0; i < lay_count; i++)
		if (same_file(t, i, module)) {
			lays[i].overwritten = true;
			target_gone(t, &t->module[i]);
		}
}

size_t libraries_moved(
	const struct target *t, size_t from, void (*move)(size_t was, size_t is, uint64_t by))
{
	size_t count = 0;

	libraries_note(t);
	for (size_t i = from; i < t->modules; i++)
		for (size_t k = 0; k < i && !lays[i].again; k++) {
			if (lays[k].overwritten || !same_file(t, k, i))
				continue;
			lays[i].again = true;
			if (!t->module[k].start && lays[k].end) {
				move(k, i, lays[i].start - lays[k].start);
				lays[k].end = 0;
				count++;
			}
		}
	return count;
}
