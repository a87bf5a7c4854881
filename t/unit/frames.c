/* frames.c - the C probe's walk up the call stack, step by step (sdk/c/ct-stack.h): which objects have tables, what is kept of an address, which
 * memory is looked at, each way to the caller, and where the own stack lies; in a world whose kernel says what the test wants. Whole walks are
 * in unwind.c.
 */
#include <errno.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tap.h"

static struct {
	const char *maps;		/* what /proc/self/maps says, NULL: it cannot be read */
	size_t at, piece;		/* read so far; most of one read */
	int opened, closed;
	uint64_t random, self;
	int asks, refused;		/* questions for a page, counted from 1; the one that is not there, -1: all */
	uint64_t page;
	bool odd;			/* a kernel that says yes to what cannot be */
	const void *found;		/* the tables of what came later */
} world;
#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* NULL: a C library that does not know. A name by itself and not static: clang puts it into ct.c's #pragma weak */
extern int (*world_finds)(void *pc, struct dl_find_object *o);
int (*world_finds)(void *pc, struct dl_find_object *o);
#endif

static long world_call(long call, ...)
{
	va_list ap;

	if (call != SYS_rt_sigprocmask)
		return syscall(call);
	va_start(ap, call);
	va_arg(ap, int);
	world.page = va_arg(ap, uint64_t);
	va_end(ap);
	errno = ++world.asks == world.refused || world.refused < 0 ? EFAULT : EINVAL;
	return world.odd ? 0 : -1;
}

static int world_open(const char *path, int flags, ...)
{
	if (strcmp(path, "/proc/self/maps") || !(flags & O_CLOEXEC))
		return -1;
	world.opened++;
	world.at = 0;
	return world.maps ? 12345 : -1;
}

static ssize_t world_read(int fd, char *to, size_t n)
{
	if (fd != 12345 || !world.maps)
		return -1;
	n = n > world.piece ? world.piece : n;
	n = strnlen(world.maps + world.at, n);
	memcpy(to, world.maps + world.at, n);
	world.at += n;
	return (ssize_t)n;
}

#define syscall world_call
#define open world_open
#define read(fd, to, n) world_read(fd, (char *)(to), n)
#define close(fd) ((fd) == 12345 ? world.closed++ : 0)
#define getauxval(what) ((what) == AT_RANDOM ? world.random : 0)
#define pthread_self() world.self
#define _dl_find_object world_finds
#include "../../sdk/c/ct.c"
#undef syscall
#undef open
#undef read
#undef close
#undef pthread_self

#ifdef CT_P_FIND_OBJECT
static int world_find(void *pc, struct dl_find_object *o)
{
	(void)pc;
	o->dlfo_eh_frame = (void *)(uintptr_t)world.found;
	return world.found ? 0 : -1;
}
#endif

/* ---- objects ---- */

static int add(const ElfW(Phdr) *p, ElfW(Half) count)
{
	struct dl_phdr_info o = { .dlpi_addr = 0x10000, .dlpi_phdr = p, .dlpi_phnum = count };

	return ct_p_add_object(&o, sizeof o, NULL);
}

static bool object_is(unsigned i, uint64_t start, uint64_t end, uint64_t hdr)
{
	return ct_objects_[i].start == start && ct_objects_[i].end == end && (uintptr_t)ct_objects_[i].hdr == hdr;
}

static void objects(void)
{
	enum { X = PF_R | PF_X };
	static const ElfW(Phdr) all[] = {
		{ .p_type = PT_GNU_EH_FRAME, .p_vaddr = 0x40, .p_flags = X }, { .p_type = PT_LOAD, .p_vaddr = 0x1000, .p_memsz = 0x500, .p_flags = X },
		{ .p_type = PT_LOAD, .p_vaddr = 0x2000, .p_memsz = 0x500, .p_flags = PF_R }, { .p_type = PT_DYNAMIC, .p_vaddr = 0x3000, .p_flags = X },
		{ .p_type = PT_LOAD, .p_vaddr = 0x4000, .p_memsz = 0x600, .p_flags = X }, { .p_type = PT_GNU_EH_FRAME, .p_vaddr = 0x80, .p_flags = X },
		{ .p_type = PT_LOAD, .p_vaddr = 0x5000, .p_memsz = 0x700, .p_flags = X },
	};

	ok(!add(all, 5) && ct_object_count_ == 2 && object_is(0, 0x11000, 0x11500, 0x10040) && object_is(1, 0x14000, 0x14600, 0x10040), "what is code, and its tables");
	ok(!add(all + 4, 2) && ct_object_count_ == 3 && object_is(2, 0x14000, 0x14600, 0x10080), "wherever they stand");
	ok(!add(all + 4, 1) && ct_object_count_ == 3, "nothing has none");
	ct_object_count_ = 127;
	ok(!add(all, 7) && ct_object_count_ == 128, "no more than there is room for");
	ct_object_count_ = 0;
}

/* ---- what is kept of an address ---- */

enum { START = 0x100000, SIZE = 0x1000 };
static unsigned char tables[256];

/* An index of one function, `START` beyond it: its caller's frame is sp + 16, from 4 bytes on sp + 32. */
static void make_tables(void)
{
	static const unsigned char text[] = {
		1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0, START & 255, START >> 8 & 255, START >> 16, 0, 44, 0, 0, 0,
		/* 20: the unit */
		20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, CT_P_RA, 1, 0x1b, 0x0c, CT_P_SP, 16, 0x80 | CT_P_RA, 1, 0, 0,
		/* 44: the function; its start, relative to itself, stands at 52 */
		16, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0x44, 0x0e, 32,
	};
	int32_t start = START - 52;

	memcpy(tables, text, sizeof text);
	memcpy(tables + 52, &start, 4);
}

static struct ct_stacks stacks;

static void learnt(void)
{
	uint64_t code = (uintptr_t)tables + START, pc;
	struct ct_rule set[CT_P_WAYS], once;
	const struct ct_rule *r;

	make_tables();
	ct_objects_[0] = (struct ct_object){ code - 0x9000, code - 0x8000, tables };
	ct_objects_[1] = (struct ct_object){ code, code + SIZE + 8, tables };
	ct_object_count_ = 2;
	memset(set, 0, sizeof set);
	memset(&once, 0xee, sizeof once);
	for (unsigned i = 0; i < CT_P_WAYS; i++) {
		r = ct_p_learn(set, &once, code + i);
		ok(r == set + i && r->pc == code + i && r->base == CT_P_FROM_SP && r->cfa == 16, "of an object that stays it is kept: %u", i);
	}
	for (unsigned i = 0; i < CT_P_WAYS; i++) {
		pc = code + 0x100 + 4 * i;
		r = ct_p_learn(set, &once, pc);
		ok(r == set + (pc >> 2) % CT_P_WAYS && r->pc == pc && r->base == CT_P_FROM_SP && r->cfa == 32, "instead of another, where all are: %u", i);
	}
	set[2].pc = 0;
	ok(ct_p_learn(set, &once, code) == set + 2 && ct_p_learn(set, &once, code + SIZE - 1) != &once && ct_p_learn(set, &once, code + SIZE - 1)->base == CT_P_FROM_SP,
		"the first and the last byte");
	memset(set, 0xee, sizeof set);
	set[0].pc = 0;
	r = ct_p_learn(set, &once, code + SIZE + 7);
	ok(r == set && r->pc == code + SIZE + 7 && r->base == CT_P_END && !r->cfa && !r->fp_in && !r->ra_in, "what tables do not know ends the stack, and is kept");
	r = ct_p_learn(set, &once, code + SIZE + 8);
	ok(r == &once && r->pc == code + SIZE + 8 && r->base == CT_P_END, "what lies in no object is not");
	ct_object_count_ = 1;
	r = ct_p_learn(set, &once, code);
	ok(r == &once && r->base == CT_P_END && !r->cfa, "nor of objects beyond those that there are");
	r = ct_p_learn(set, &once, code - 0x9000);
	ok(r != &once && r->base == CT_P_END, "the first is one");
#ifdef CT_P_FIND_OBJECT
	world_finds = world_find;
	r = ct_p_learn(set, &once, code);
	ok(r == &once && r->base == CT_P_END, "nor what nobody knows");
	world.found = tables;
	r = ct_p_learn(set, &once, code);
	ok(r == &once && r->pc == code && r->base == CT_P_FROM_SP && r->cfa == 16, "what came later is asked for each time");
	world_finds = NULL;
#endif
	ct_object_count_ = 2;
	r = ct_p_rule(&stacks, code, &once);
	ok(r != &once && r->pc == code && ct_p_rule(&stacks, code, &once) == r, "once known it is found");
	for (unsigned i = 0; i < CT_P_WAYS; i++) {
		struct ct_rule *mine = (struct ct_rule *)r;		/* the first of its set */

		memset(mine, 0xee, CT_P_WAYS * sizeof *mine);
		mine[i].pc = code;
		ok(ct_p_rule(&stacks, code, &once) == mine + i, "in its set: %u", i);
	}
	((struct ct_rule *)r)[CT_P_WAYS - 1].pc = 1;
	((struct ct_rule *)r)[CT_P_WAYS].pc = code;
	ok(ct_p_rule(&stacks, code, &once) != r + CT_P_WAYS, "and no other");
	ct_object_count_ = 0;
}

/* ---- memory ---- */

static uint64_t memory[2048] __attribute__((aligned(4096)));

static void peeks(void)
{
	struct ct_walk w = { 0 };
	uint64_t v = 0, at = (uintptr_t)&memory[520];

	memory[512] = 5, memory[520] = 7, memory[1023] = 9, memory[1024] = 11;
	world.asks = world.refused = 0;
	ok(!ct_p_peek(&w, at + 1, &v) && !ct_p_peek(&w, at + 4, &v) && !world.asks, "words only");
	ok(ct_p_peek(&w, at, &v) && v == 7 && world.asks == 1 && world.page == (uintptr_t)&memory[512], "a page that was not seen yet is asked for");
	ok(ct_p_peek(&w, (uintptr_t)&memory[512], &v) && v == 5 && ct_p_peek(&w, (uintptr_t)&memory[1023], &v) && v == 9 && world.asks == 1, "once");
	ok(ct_p_peek(&w, (uintptr_t)&memory[1024], &v) && v == 11 && world.asks == 2 && world.page == (uintptr_t)&memory[1024], "no further");
	world.refused = 3;
	ok(!ct_p_peek(&w, at, &v) && v == 11, "one that is not there is not read");
	world.asks = 0, world.refused = -1;
	ok(!ct_p_peek(&w, at, &v) && !ct_p_peek(&w, at, &v) && world.asks == 2 && w.lo == w.hi, "nor kept");
	world.refused = 0, world.odd = true;
	ok(!ct_p_is_there(4096), "a kernel that reads no mask says nothing of the page");
	world.odd = false;
	ok(ct_p_is_there(4096) && !ct_p_is_sigreturn(1), "it is there; no code of the kernel's");
}

/* ---- to the caller ---- */

static struct ct_walk w;

/* From sp at the 10th word, fp at the 20th. */
static int up(struct ct_rule r, int in_ra)
{
	w = (struct ct_walk){ 1, (uintptr_t)&memory[10], (uintptr_t)&memory[20], 77, (uintptr_t)memory, (uintptr_t)(memory + 1024) };
	return ct_p_up(&w, &r, in_ra);
}
#define UP(in, by, off, ret, ...) up((struct ct_rule){ .base = CT_P_##by, .cfa = off, .ra_in = CT_P_##ret, .ra = -8 __VA_OPT__(,) __VA_ARGS__ }, in)

static bool at(unsigned sp, uint64_t fp, uint64_t pc)
{
	return w.sp == (uintptr_t)&memory[sp] && w.fp == fp && w.pc == pc && w.ra == pc;
}

static void callers(void)
{
	uint64_t fp = (uintptr_t)&memory[20];

	for (unsigned i = 0; i < 64; i++)
		memory[i] = 1000 + i;
	world.refused = -1;
	ok(UP(0, FROM_SP, 16, AT_CFA) && at(12, fp, 1011), "by sp");
	ok(UP(0, FROM_FP, 16, AT_CFA) && at(22, fp, 1021), "by fp");
	memory[18] = (uintptr_t)&memory[30];
	ok(UP(0, AT_FP, -16, AT_CFA) && at(30, fp, 1029), "by what stands beside fp");
	memory[18] = 1018;
	ok(!UP(0, AT_FP, 1 << 16, AT_CFA) && !UP(0, OTHER, 16, AT_CFA) && !UP(0, END, 16, AT_CFA) &&
		!UP(0, SIGNAL, 16, AT_CFA), "by nothing else");
	ok(!UP(0, FROM_SP, 0, AT_CFA) && !UP(0, FROM_SP, -8, AT_CFA) && UP(0, FROM_SP, 8, AT_CFA) && at(11, fp, 1010), "upwards only");
	ok(!UP(0, FROM_SP, 8192, AT_CFA), "where it returns to is read");
	memory[11] = 0;
	ok(!UP(0, FROM_SP, 16, AT_CFA), "nowhere: the end");
	memory[11] = 1011;
	ok(UP(1, FROM_SP, 8, KEPT) && at(11, fp, 77) && UP(1, FROM_SP, 0, KEPT) && at(10, fp, 77),
		"or not yet saved");
	ok(!UP(0, FROM_SP, 8, KEPT) && !UP(1, FROM_SP, -8, KEPT) &&
		!UP(1, FROM_SP, 8, LOST) && !UP(1, FROM_SP, 8, BESIDE_FP), "by one that was interrupted only");
	ok(UP(0, FROM_SP, 16, AT_CFA, .fp_in = CT_P_AT_CFA, .fp = 8) && at(12, 1013, 1011), "fp was saved beside the frame");
	ok(UP(0, FROM_SP, 16, AT_CFA, .fp_in = CT_P_BESIDE_FP, .fp = 8) && at(12, 1021, 1011), "or beside fp");
	ok(UP(0, FROM_SP, 16, AT_CFA, .fp_in = CT_P_LOST, .fp = 8) && at(12, 0, 1011), "or nowhere");
	ok(UP(0, FROM_SP, 16, AT_CFA, .fp_in = CT_P_AT_CFA, .fp = 8192) && at(12, 0, 1011), "or where nothing is");
}

/* Which of its questions for memory is refused, 0: none. The frame's words lie on two pages, asked for in turn. */
static int interrupted(int refused)
{
	char *sp = (char *)&memory[1024] - CT_P_SIG_SP - 8;	/* the last word of a page: sp; behind it: pc */

	memset(memory, 0, sizeof memory);
	*(uint64_t *)(void *)(sp + CT_P_SIG_FP) = 11;
	*(uint64_t *)(void *)(sp + CT_P_SIG_RA) = 22;
	*(uint64_t *)(void *)(sp + CT_P_SIG_PC) = 33;
	*(uint64_t *)(void *)(sp + CT_P_SIG_SP) = 44;
	w = (struct ct_walk){ .sp = (uintptr_t)sp };
	world.asks = 0, world.refused = refused;
	return ct_p_interrupted(&w);
}

static void signals(void)
{
	ok(interrupted(0) && w.fp == 11 && w.ra == (CT_P_SIG_RA == CT_P_SIG_PC ? 33 : 22) && w.pc == 34 && w.sp == 44, "what a signal interrupted");
	for (int i = 1; i <= 3; i++)
		ok(!interrupted(i), "if it can be read: %d", i);
}

/* ---- the own stack ---- */

static bool stack_is(const char *maps, uint64_t at, int first, uint64_t lo, uint64_t hi)
{
	world.maps = maps;
	world.random = first ? at : 1;
	world.self = first ? 1 : at;
	memset(&stacks, 'f', sizeof stacks);
	stacks.lo = stacks.hi = 0;
	world.opened = world.closed = 0;
	ct_p_own_stack(&stacks, first);
	return stacks.lo == lo && stacks.hi == hi && world.opened == 1 && world.closed == (maps != NULL);
}

static void own(void)
{
	static const char maps[] = "10-2000 r--p 00000000 fe:00 12345 /a/program\n"
				   "20000000-23456789 r-xp 00000000 fe:00 12345 /a/library (deleted)\n"
				   "7a9abcde0000-7a9abcdf0000 rw-p 00000000 00:00 0 \n"
				   "7a9abcdf0000-7a9abcdff000 rw-p 00000000 00:00 0 [stack]\n"
				   "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";

	for (world.piece = 1; world.piece < 600; world.piece += world.piece < 40 ? 1 : 511) {
		if (!ok(stack_is(maps, 0x1238, 1, 0x10, 0x1238) && stack_is(maps, 0x21234569, 0, 0x20000000, 0x21234568) &&
			    stack_is(maps, 0x7a9abcdf000c, 1, 0x7a9abcdf0000, 0x7a9abcdf0008) && stack_is(maps, 0x7a9abcdefff8, 0, 0x7a9abcde0000, 0x7a9abcdefff8),
			    "below what the C library or the kernel keeps, read by %zu", world.piece))
			break;
	}
	ok(stack_is(maps, 0x7a9abcdf0000, 1, 0x7a9abcdf0000, 0x7a9abcdf0000) && stack_is(maps, 0x10, 0, 0x10, 0x10), "from the first byte");
	ok(stack_is(maps, 0x7a9abcdff000, 1, 0, 0) && stack_is(maps, 0x2000, 1, 0, 0) && stack_is(maps, 8, 0, 0, 0), "to the last");
	ok(stack_is(NULL, 0x1238, 1, 0, 0), "or it is not known");
}

int main(void)
{
	world.piece = 4096;
	objects();
	learnt();
	peeks();
	callers();
	signals();
	own();
	return done_testing();
}
