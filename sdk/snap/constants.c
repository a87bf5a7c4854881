/* constants.c - what files map read-only, as tables of functions: read once, and again where it is
 * mapped otherwise by then. Contracts in target.h and live.h.
 *
 * A library that is being loaded is not there yet: what the dynamic linker relocates is writable until
 * that is done, or is mapped as something else still. Who looks at it in that moment reads nothing, or
 * what lies elsewhere later.
 */
#define _GNU_SOURCE
#include <sys/uio.h>

#include "live.h"

static bool is_constant(const struct mapping *map, const struct module *m)
{
	return map->read && !map->write && !map->exec && map->start >= m->start &&
		map->end <= m->end;
}

static bool is_of(const struct run *r, const struct module *m)
{
	return r->constant && r->start < m->end && r->end > m->start;
}

void constants_forget(struct target *t, const struct module *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->runs; i++)
		if (!is_of(&t->run[i], m))
			t->run[kept++] = t->run[i];
	t->runs = kept;
}

/* The block that was made last stays when others are dropped. */
static void keep_block(struct target *t)
{
	struct block last = t->block[t->blocks - 1];

	t->block[t->blocks - 1] = t->block[t->constant_blocks];
	t->block[t->constant_blocks++] = last;
}

static void read_map(struct target *t, const struct mapping *map)
{
	size_t size = map->end - map->start;
	struct iovec to = { mem_block(t, size), size },
		     from = { (void *)(uintptr_t)map->start, size };
	ssize_t got = process_vm_readv(t->pid, &to, 1, &from, 1, 0);

	keep_block(t);
	if (got > 0)
		mem_add(t, (struct run){ map->start, map->start + (uint64_t)got, to.iov_base,
			false, true });
}

void mem_constants(struct target *t, struct module *m)
{
	m->constants = t->live;
	constants_forget(t, m);
	for (size_t i = 0; i < t->maps && t->live; i++)
		if (is_constant(&t->map[i], m))
			read_map(t, &t->map[i]);
	mem_sort(t);
}

static bool was_read(const struct target *t, const struct mapping *map)
{
	for (size_t i = 0; i < t->runs; i++)
		if (t->run[i].constant && t->run[i].start == map->start &&
			t->run[i].end == map->end)
			return true;
	return false;
}

/* Is it mapped as it was when it was read? */
static bool is_same(const struct target *t, const struct module *m)
{
	size_t had = 0;

	for (size_t i = 0; i < t->runs; i++)
		had += is_of(&t->run[i], m);
	for (size_t i = 0; i < t->maps; i++)
		if (is_constant(&t->map[i], m)) {
			if (!was_read(t, &t->map[i]))
				return false;
			had--;
		}
	return !had;
}

void constants_renew(struct target *t)
{
	for (size_t i = 0; i < t->modules; i++)
		if (t->module[i].constants && !is_same(t, &t->module[i]))
			mem_constants(t, &t->module[i]);
}
