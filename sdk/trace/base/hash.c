/* hash.c - the hash table. Contracts in hash.h. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"
#include "base/mem.h"

enum { FEWEST = 8, FEWEST_LOG = 3 };

/* ---- the seed ---- */

static uint64_t stir(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Where the system has none, addresses are drawn, too. */
static uint64_t draw(void)
{
	uint64_t seed;

	return (getentropy(&seed, sizeof(seed)) ? stir((uintptr_t)&seed) : seed) | 1;
}

/* Drawn when first asked for; several threads may ask at once. */
static uint64_t seed(void)
{
	static _Atomic uint64_t drawn;
	uint64_t s = atomic_load_explicit(&drawn, memory_order_relaxed), none = 0;

	if (s)
		return s;
	s = draw();
	return atomic_compare_exchange_strong(&drawn, &none, s) ? s : none;
}

/* Numbers in a row, which ids are, meet where a few steps of the multiplier lead back to nearly the
 * same slot. */
static bool spreads(uint64_t odd)
{
	for (uint64_t q = 1; q <= 256; q++) {
		uint64_t at = q * odd, off = at < -at ? at : -at;

		if (off < (1ull << 60) / q)
			return false;
	}
	return true;
}

static uint64_t multiplier(void)
{
	uint64_t odd = seed();

	while (!spreads(odd))
		odd = stir(odd) | 1;
	return odd;
}

/* ---- hashes ---- */

static inline uint64_t turn(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

uint64_t hash_of_pair(uint64_t a, uint64_t b)
{
	return stir(stir(a ^ seed()) + b);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1], v[1] = turn(v[1], 13) ^ v[0], v[0] = turn(v[0], 32);
	v[2] += v[3], v[3] = turn(v[3], 16) ^ v[2];
	v[0] += v[3], v[3] = turn(v[3], 21) ^ v[0];
	v[2] += v[1], v[1] = turn(v[1], 17) ^ v[2], v[2] = turn(v[2], 32);
}

/* SipHash-1-3: of the cheap ones, each that multiplies and shifts has pairs of texts that meet
 * whatever the seed. */
uint64_t hash_of_bytes(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t key = seed(), other = stir(key), last = (uint64_t)len << 56, w;
	uint64_t v[4] = { key ^ 0x736f6d6570736575ull, other ^ 0x646f72616e646f6dull,
		key ^ 0x6c7967656e657261ull, other ^ 0x7465646279746573ull };

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		v[3] ^= w;
		sip_round(v);
		v[0] ^= w;
	}
	for (size_t i = 0; i < len; i++)
		last |= (uint64_t)p[i] << 8 * i;
	v[3] ^= last;
	sip_round(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- the table ---- */

static size_t size_of(const struct hash *t)
{
	return (t->mask + 1) * sizeof(*t->slot);
}

static void put(struct hash *t, struct hash_slot s)
{
	size_t i = hash_home(t, s.key);

	while (t->slot[i].item)
		i = (i + 1) & t->mask;
	t->slot[i] = s;
}

static void grow(struct hash *t)
{
	struct hash old = *t;

	t->mask = old.slot ? 2 * old.mask + 1 : FEWEST - 1;
	t->shift = old.slot ? old.shift - 1 : 64 - (FEWEST_LOG - 2);
	t->odd = old.slot ? old.odd : multiplier();
	t->slot = large_new(size_of(t));
	for (size_t i = 0; old.slot && i <= old.mask; i++)
		if (old.slot[i].item)
			put(t, old.slot[i]);
	large_free(old.slot, size_of(&old));
}

void hash_add(struct hash *t, uint64_t key, void *item)
{
	if (!t->slot || 2 * t->used > t->mask)
		grow(t);
	put(t, (struct hash_slot){ key, item });
	t->used++;
}

/* Close the hole: whatever was pushed past it moves back, so that searches still end where due. */
void hash_remove(struct hash *t, uint64_t key, const void *item)
{
	size_t hole = hash_home(t, key);

	while (t->slot[hole].item != item || t->slot[hole].key != key)
		hole = (hole + 1) & t->mask;
	for (size_t i = (hole + 1) & t->mask; t->slot[i].item; i = (i + 1) & t->mask)
		if (((i - hash_home(t, t->slot[i].key)) & t->mask) >= ((i - hole) & t->mask)) {
			t->slot[hole] = t->slot[i];
			hole = i;
		}
	t->slot[hole].item = NULL;
	t->used--;
}

void hash_clear(struct hash *t)
{
	/* or many small fillings after a large one would each pay for that */
	if (t->slot && t->used * 64 < t->mask)
		hash_free(t);
	else if (t->slot)
		memset(t->slot, 0, size_of(t));
	t->used = 0;
}

void hash_free(struct hash *t)
{
	large_free(t->slot, size_of(t));
	*t = (struct hash){ NULL, 0, 0, 0, 0 };
}
