/* hash.c - the library's hash table and arrays: they hold what a plain list of the same keys holds. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/pool.h"
#include "base/table.h"
#include "tap.h"

enum { KEYS = 5000, STEPS = 400000 };

static uint64_t state = 88172645463325252ull;
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Keys in a row, addresses, and any. */
static uint64_t key_of(unsigned shape, uint64_t i)
{
	return shape == 0 ? i : shape == 1 ? 0x7f0000000000ull + 64 * i : (i + 1) * 0x2545f4914f6cdd1dull;
}

static void same_as_a_list(unsigned shape)
{
	static char thing[KEYS];
	bool there[KEYS] = { false };
	struct hash m = { 0 };
	size_t count = 0, seen = 0, bad = 0;

	for (unsigned step = 0; step < STEPS; step++) {
		size_t i = next() % KEYS;
		uint64_t key = key_of(shape, i);

		bad += hash_find(&m, key) != (there[i] ? &thing[i] : NULL);
		if (there[i])
			hash_remove(&m, key, &thing[i]);
		else
			hash_add(&m, key, &thing[i]);
		there[i] = !there[i];
		count += there[i] ? 1 : -1;
		bad += m.used != count;
		if (step == STEPS / 2) {
			hash_clear(&m);
			memset(there, 0, sizeof(there));
			count = 0;
		}
	}
	for (size_t at = 0; hash_each(&m, &at);)
		seen++;
	ok(!bad && seen == count, "keys of shape %u: what was added and not removed is found, nothing else", shape);
	hash_free(&m);
}

/* Cleared, nothing is found, in whatever slot it was. */
static void cleared(void)
{
	static char thing[KEYS];
	size_t left = 0;

	for (unsigned shape = 0; shape < 3; shape++)
		for (uint64_t count = 1; count < 64; count++) {
			struct hash m = { 0 };

			for (uint64_t i = 0; i < count; i++)
				hash_add(&m, key_of(shape, i), &thing[i]);
			hash_clear(&m);
			for (uint64_t i = 0; i < count; i++)
				left += hash_find(&m, key_of(shape, i)) != NULL;
			for (size_t at = 0; hash_each(&m, &at);)
				left++;
			hash_free(&m);
		}
	ok(!left, "nothing is left of what was cleared: %zu", left);
}

static void equal_hashes(void)
{
	static int thing[8];
	struct hash m = { 0 };
	unsigned found = 0;

	for (int i = 0; i < 8; i++)
		hash_add(&m, i < 5 ? 42 : 43, &thing[i]);
	hash_remove(&m, 42, &thing[2]);
	for (size_t at = hash_first(&m, 42); ;) {
		int *t = hash_next(&m, 42, &at);

		if (!t)
			break;
		found |= 1u << (t - thing);
	}
	ok(found == 0x1b, "items of one hash are met one after another");
	hash_free(&m);
}

/* Keys that meet whatever the table's size where the multiplier is the golden ratio's. */
static void chosen_keys(void)
{
	uint64_t golden = 0x9E3779B97F4A7C15ull, inverse = golden;
	struct timespec from, to;
	struct hash m = { 0 };

	for (int i = 0; i < 6; i++)
		inverse *= 2 - golden * inverse;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (uint64_t i = 0; i < 200000; i++)
		hash_add(&m, (i * inverse) << 2, &m);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	ok(to.tv_sec - from.tv_sec < 10, "keys chosen to meet do not");
	hash_free(&m);
}

/* What multiplies keys leads back to nearly the same slot in few steps for none. */
static void spread(void)
{
	struct hash m = { 0 };
	unsigned bad = 0;

	hash_add(&m, 1, &m);
	for (uint64_t q = 1; q <= 256; q++) {
		uint64_t at = q * m.odd;

		bad += (at < -at ? at : -at) < (1ull << 60) / q;
	}
	ok(m.odd & 1 && !bad, "keys in a row do not meet: %u steps are too short", bad);
	hash_free(&m);
}

static void tables(void)
{
	struct item { struct pair key; uint64_t n; };
	struct table t = { .elem = sizeof(struct item) };
	struct keyed k = { .elem = sizeof(uint64_t) * 2 };
	size_t bad = 0;

	for (unsigned round = 0; round < 2; round++)
		for (uint64_t i = 0; i < KEYS; i++) {
			struct item *at = table_get(&t, i / 7, i % 7);
			uint64_t *one = keyed_get(&k, i * 8);

			bad += at->n++ != round || one[1]++ != round || table_index(&t, i / 7, i % 7) != i || k.item[i] != one;
		}
	ok(!bad && t.count == KEYS && k.count == KEYS && !keyed_find(&k, 3), "tables make an item once, in order of first sight");
	table_free(&t);
	keyed_free(&k);
}

static void bytes(void)
{
	char text[64], copy[65];
	struct hash m = { 0 };
	size_t met = 0;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)i;
	memcpy(copy + 1, text, sizeof(text));
	ok(hash_of_bytes(text, 64) == hash_of_bytes(copy + 1, 64), "a hash is of the bytes, wherever they stand");
	for (size_t len = 0; len <= 64; len++) {
		uint64_t hash = hash_of_bytes(text, len);

		met += hash_find(&m, hash) != NULL;
		hash_add(&m, hash, text);
	}
	/* The top bit of one word and the two that it becomes in the next: this pair meets where words are multiplied in. */
	text[7] ^= (char)0x80;
	text[15] ^= (char)0x80;
	text[12] ^= 4;
	ok(!met && !hash_find(&m, hash_of_bytes(text, 64)), "other bytes or fewer have another hash");
	hash_free(&m);
}

/* Numbers of which only the uppermost bits differ, of both or of one. */
static void pairs(void)
{
	struct hash m = { 0 };
	size_t met = 0;

	for (uint64_t a = 0; a < 256; a++)
		for (uint64_t b = 0; b < 256; b++) {
			uint64_t hash = hash_of_pair(a << 56, b << 56);

			met += hash_find(&m, hash) != NULL;
			hash_add(&m, hash, &m);
		}
	ok(!met, "other pairs have another hash: %zu have not", met);
	hash_free(&m);
}

/* SipHash with c and d rounds, as its paper has it. */
static void sip_rounds(uint64_t v[4], int n)
{
	static const int left[2][2] = { { 13, 16 }, { 17, 21 } };

	for (; n; n--)
		for (int half = 0; half < 2; half++) {
			int a = half ? 2 : 0, c = 2 - a;
			int l = left[half][0], r = left[half][1];

			v[a] += v[1];
			v[c] += v[3];
			v[1] = (v[1] << l | v[1] >> (64 - l)) ^ v[a];
			v[3] = (v[3] << r | v[3] >> (64 - r)) ^ v[c];
			v[a] = v[a] << 32 | v[a] >> 32;
		}
}

static uint64_t sip(int c, int d, uint64_t k0, uint64_t k1, const unsigned char *text, size_t len)
{
	uint64_t v[4] = { 0x736f6d6570736575 ^ k0, 0x646f72616e646f6d ^ k1, 0x6c7967656e657261 ^ k0, 0x7465646279746573 ^ k1 };

	for (size_t word = 0; word <= len / 8; word++) {
		uint64_t m = word == len / 8 ? (uint64_t)len << 56 : 0;

		for (size_t i = word * 8; i < word * 8 + 8 && i < len; i++)
			m |= (uint64_t)text[i] << i % 8 * 8;
		v[3] ^= m;
		sip_rounds(v, c);
		v[0] ^= m;
	}
	v[2] ^= 0xff;
	sip_rounds(v, d);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static uint64_t unmixed(uint64_t x)
{
	x = (x ^ x >> 31 ^ x >> 62) * 0x319642b2d24d8ec3;
	x = (x ^ x >> 27 ^ x >> 54) * 0x96de1b173f119089;
	return x ^ x >> 30 ^ x >> 60;
}

/* A hash of bytes is SipHash-1-3, of pairs two rounds of SplitMix64, whose key is this process's seed: a pair of 0 and 0 shows it. */
static void as_published(void)
{
	static const unsigned char text[15] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
	uint64_t seed = unmixed(unmixed(hash_of_pair(0, 0))), slots;
	struct hash m = { 0 };
	size_t bad = 0;

	ok(sip(2, 4, 0x0706050403020100, 0x0f0e0d0c0b0a0908, text, 15) == 0xa129ca6149be45e5, "the paper's own example");
	for (size_t len = 0; len <= sizeof(text); len++)
		bad += hash_of_bytes(text, len) != sip(1, 3, seed, mixed(seed), text, len);
	for (uint64_t a = 0; a < 100; a++)
		bad += hash_of_pair(a << 60 | a, a * 77) != mixed(mixed((a << 60 | a) ^ seed) + a * 77);
	ok(seed & 1 && !bad, "hashes are the published ones: %zu are not", bad);

	hash_add(&m, 1, &m);
	for (uint64_t q = 1; q <= 256; q++) {	/* 256 ids in a row, each four: none comes near the first's slot */
		slots = m.odd * q;
		slots = slots < -slots ? slots : -slots;
		bad += slots < (1ull << 60) / q;
	}
	ok(m.odd & 1 && !bad, "the multiplier %#llx spreads numbers in a row", (unsigned long long)m.odd);
	hash_free(&m);
}

/* What is some times LARGE begins at such a place; all is zero at first, and given back whole. */
static void large(void)
{
	size_t bad = 0;

	for (int round = 0; round < 4; round++)
		for (size_t size = 4096; size <= 4 * (size_t)LARGE; size *= 4) {
			char *p = large_new(size);

			bad += size >= LARGE && (uintptr_t)p % LARGE;
			for (size_t i = 0; i < size; i += 512)
				bad += p[i] != 0;
			memset(p, 1, size);
			large_free(p, size);
		}
	large_free(NULL, LARGE);
	ok(!bad, "large memory is aligned, and zero whenever it is taken");
}

/* Pages of this process. */
static long mapped(void)
{
	char text[200];
	int fd = open("/proc/self/statm", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return strtol(text, NULL, 10);
}

/* Of several, each is as large as was asked for, with nothing around it, and whole; given back, all is as it was. */
static void large_alone(void)
{
	enum { COUNT = 9, SIZE = 3 * LARGE };
	long page = sysconf(_SC_PAGESIZE), before = mapped(), held;
	unsigned char *p[COUNT];
	size_t bad = 0;

	for (int i = 0; i < COUNT; i++)
		memset(p[i] = large_new(SIZE), i + 1, SIZE);
	held = mapped() - before;
	for (int i = 0; i < COUNT; i++)
		for (size_t k = 0; k < SIZE; k += 512)
			bad += p[i][k] != i + 1;
	for (int i = 0; i < COUNT; i++)
		large_free(p[i], SIZE);
	ok(!bad && held == COUNT * (SIZE / page) && mapped() == before, "large memory is as much as was asked for: %ld pages, then %ld", held,
		mapped() - before);
}

/* So many that their blocks become large ones. */
static void pools(void)
{
	enum { ITEMS = 60000, SIZE = 200 };
	static unsigned char *item[ITEMS];
	struct pool pool = { .elem = SIZE };
	size_t bad = 0;

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ITEMS; i++) {
			item[i] = pool_take(&pool);
			bad += (uintptr_t)item[i] % 64 || item[i][0] || item[i][SIZE - 1];
			memset(item[i], (int)(1 + i % 255), SIZE);
		}
		for (size_t i = 0; i < ITEMS; i++)
			for (size_t k = 0; k < SIZE; k++)
				bad += item[i][k] != 1 + i % 255;
		for (size_t i = 0; i < ITEMS; i++)
			pool_give(&pool, item[i]);
	}
	ok(!bad && pool.held > 2 * (size_t)LARGE, "items of a large pool are zero when taken, and nobody else's");
	pool_free(&pool);
}

int main(int argc, char **argv)
{
	int *list = NULL;
	size_t count = 0, room = 0, bad = 0;

	as_published();
	pairs();
	spread();
	if (argc > 1 && !strcmp(argv[1], "--seed"))	/* another each time */
		return done_testing();
	for (unsigned shape = 0; shape < 3; shape++)
		same_as_a_list(shape);
	cleared();
	equal_hashes();
	chosen_keys();
	tables();
	bytes();
	large();
	large_alone();
	pools();
	for (int i = 0; i < KEYS; i++)
		*ADD(list, count, room) = i;
	for (size_t i = 0; i < count; i++)
		bad += list[i] != (int)i;
	ok(!bad && room >= KEYS, "an array grows and keeps what it holds");
	free(list);
	return done_testing();
}
