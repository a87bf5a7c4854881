/* unwind.c - the probe's walk up the call stack (ct-stack.h), against that of the compiler's own runtime, in functions of
 * every shape; and on stacks made by hand, which may end in anything. */
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>
#include "../../sdk/c/ct.c"
#include "tap.h"

static struct ct_stacks stacks;
static uint64_t peer[CT_P_FRAMES + 1];
static unsigned peers, compared, deepest;
static const char *wrong;

#define NOINLINE __attribute__((noinline, noclone))
#if defined __clang__
#undef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif
#define AFTER __asm__ volatile("" ::: "memory")		/* no tail call */

static _Unwind_Reason_Code add(struct _Unwind_Context *c, void *arg)
{
	int before = 0;
	uint64_t ip = _Unwind_GetIPInfo(c, &before);

	(void)arg;
	peer[peers] = ip + (unsigned)before;
	return ip && ++peers < CT_P_FRAMES + 1 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static NOINLINE unsigned ours(void)
{
	unsigned n = ct_p_walk(&stacks, __builtin_return_address(0));

	AFTER;
	return n;
}

static NOINLINE void theirs(void)
{
	peers = 0;
	_Unwind_Backtrace(add, NULL);
	AFTER;
}

/* Twice, so that what is kept is looked at too. The innermost frame is the same function, at another call. */
static NOINLINE void compare(void)
{
	unsigned i, n, turn;

	for (turn = 0; turn < 2; turn++) {
		theirs();
		n = ours();
		compared++;
		deepest = n > deepest ? n : deepest;
		for (i = 1; i < n && i + 1 < peers && stacks.frame[i] == peer[i + 1]; i++)
			;
		if (i != n || (n != peers - 1 && n != CT_P_FRAMES))
			wrong = "our frames are not theirs";
	}
}

static NOINLINE void plain(int depth)
{
	if (depth)
		plain(depth - 1);
	else
		compare();
	AFTER;
}

static NOINLINE void sized(int size)		/* its frame has no fixed size: addressed by the frame pointer */
{
	volatile char *room = (volatile char *)__builtin_alloca((size_t)size);

	room[0] = room[size - 1] = 1;
	plain(1);
	AFTER;
}

static NOINLINE void realigned(int size)	/* where its frame is, stands in memory */
{
	volatile char line[64] __attribute__((aligned(128)));
	volatile char *room = (volatile char *)__builtin_alloca((size_t)size);

	line[0] = 1;
	room[0] = line[0];
	sized(size + 8);
	plain(1);
	AFTER;
}

static NOINLINE void aligned_only(long a, long b, long c, long d, long e, long f, long on_stack)
{
	volatile char line[64] __attribute__((aligned(64)));

	line[0] = (char)(a + b + c + d + e + f + on_stack);
	sized(24 + line[0] % 2);
	AFTER;
}

static NOINLINE void many_registers(int n, int *v)
{
	int a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6];

	while (n--) {
		plain(n);
		a += b ^ c, b += c ^ d, c += d ^ e, d += e ^ f, e += f ^ g, f += g ^ a, g += a ^ b;
	}
	v[0] = a + b + c + d + e + f + g;
}

static int by_value(const void *a, const void *b)
{
	plain(0);
	return *(const int *)a - *(const int *)b;
}

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	plain(2);
#if defined __aarch64__
	((ucontext_t *)context)->uc_mcontext.pc += 4;
#else
	(void)context;
#endif
}

#if defined __aarch64__
#define TRAP __asm__ volatile("brk #0" ::: "memory")
#else
#define TRAP __asm__ volatile("int3" ::: "memory")
#endif
static NOINLINE int leaf(int a)		/* interrupted where it has no frame yet, or never has one */
{
	TRAP;
	return a + 1;
}

static NOINLINE void interrupted(int size)
{
	volatile char *room = (volatile char *)__builtin_alloca((size_t)size);

	room[0] = (char)leaf(size);
	TRAP;
	AFTER;
}

static NOINLINE void everything(void)
{
	int v[] = { 7, 3, 5, 1, 6, 2, 4 }, i;

	plain(0);
	plain(5);
	plain(100);		/* deeper than is kept */
	for (i = 1; i < 5000; i += 700)
		sized(i), realigned(i);
	aligned_only(1, 2, 3, 4, 5, 6, 7);
	many_registers(5, v);
	qsort(v, 7, sizeof v[0], by_value);
	interrupted(100);
	AFTER;
}

/* Not a local's address: AddressSanitizer may keep locals elsewhere. */
static int own_found(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return stacks.lo < here && here < stacks.hi;
}

static void *thread(void *arg)
{
	(void)arg;
	ct_p_own_stack(&stacks, 0);
	if (!own_found())
		wrong = "the thread's own stack is not found";
	everything();
	return NULL;
}

/* ---- stacks of our own ---- */

static ucontext_t here, there;

static void coroutine(void)
{
	everything();
}

static void on_ucontext(void)
{
	static char room[256 << 10];

	getcontext(&there);
	there.uc_stack.ss_sp = room;
	there.uc_stack.ss_size = sizeof room;
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
}

/* At the very end of what is mapped: call f with the stack pointer `below` under it, and words of garbage there. */
static volatile unsigned made_frames;

static NOINLINE void at_the_end(void)
{
	made_frames = ours();
	AFTER;
}

static void by_hand(size_t below, uint64_t word)
{
	char *room = (char *)mmap(NULL, 65536 + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *top = room + 65536;
	size_t i;

	munmap(top, 4096);
	for (i = 8; i <= 4096; i += 8)
		memcpy(top - i, &word, 8);
	top -= below;
#if defined __aarch64__
	__asm__ volatile("mov x19, sp\n\tmov sp, %0\n\tblr %1\n\tmov sp, x19"
			 : : "r"(top), "r"(at_the_end) : "x19", "x30", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
			 "x12", "x13", "x14", "x15", "x16", "x17", "x18", "memory", "cc");
#else
	__asm__ volatile("movq %%rsp, %%r12\n\tmovq %0, %%rsp\n\tcallq *%1\n\tmovq %%r12, %%rsp"
			 : : "r"(top), "r"(at_the_end) : "r12", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
#endif
	munmap(room, 65536);
}

/* The return into by_hand is told, whatever lies above it; by_hand's own frame cannot be found there. */
static void on_made_stacks(void)
{
	uint64_t words[] = { 0, 1, ~0ull, (uintptr_t)by_hand + 1, (uintptr_t)plain + 8, (uintptr_t)everything + 30, 0x8000000000000000ull };
	size_t below, i, bad = 0;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		for (below = 0; below <= 512; below += 16) {
			made_frames = 0;
			by_hand(below, words[i]);
			bad += made_frames < 1 || made_frames > CT_P_FRAMES;
		}
	ok(!bad, "a stack that ends in garbage, at the end of what is mapped, ends the walk");
}

/* Nine functions deep: the probe's own is looked for in eight frames, of which the walk and who asks for it are two. */
static unsigned found_at[9];

static NOINLINE unsigned from(uint64_t probe)
{
	unsigned n = ct_p_walk(&stacks, (const void *)(uintptr_t)probe);

	AFTER;
	return n;
}

static NOINLINE void deep9(void)
{
	uint64_t at[9];
	unsigned n = ours();

	ok(n > 8, "nine deep");
	memcpy(at, stacks.frame, sizeof at);
	for (unsigned i = 1; i < 9; i++)
		found_at[i] = from(at[i]);
	AFTER;
}
#define DEEP(name, next) static NOINLINE void name(void) { next(); AFTER; }
DEEP(deep8, deep9) DEEP(deep7, deep8) DEEP(deep6, deep7) DEEP(deep5, deep6) DEEP(deep4, deep5) DEEP(deep3, deep4) DEEP(deep2, deep3) DEEP(deep1, deep2)

static void far(void)
{
	unsigned i = 1;

	deep1();
	while (i < 9 && found_at[i])
		i++;
	ok(i == 7 && !found_at[7] && !found_at[8], "the probe is looked for so far and no further");
}

static void check(const char *what)
{
	ok(!wrong && compared, "%s: %u stacks are those of the runtime%s%s", what, compared, wrong ? ": " : "", wrong ? wrong : "");
	wrong = NULL;
	compared = 0;
}

int main(void)
{
	static char alternate[256 << 10];
	stack_t other = { .ss_sp = alternate, .ss_size = sizeof alternate };
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t id;
	int fd = dup(0), err;

	dl_iterate_phdr(ct_p_add_object, NULL);
	sigaction(SIGTRAP, &act, NULL);
	everything();
	check("where the own stack is not known");
	ok(deepest == CT_P_FRAMES, "a deep one is cut at %d", CT_P_FRAMES);
	ct_p_own_stack(&stacks, 1);
	ok(own_found(), "the first thread's own stack is found");
	everything();
	check("first thread");
	memset(&stacks, 0, sizeof stacks);
	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
	check("another thread");
	on_ucontext();
	check("a context of makecontext");
	sigaltstack(&other, NULL);
	act.sa_flags |= SA_ONSTACK;
	sigaction(SIGTRAP, &act, NULL);
	everything();
	check("an alternate signal stack");
	on_made_stacks();
	far();
	err = dup(0);
	ok(err == fd + 1, "no descriptor is left open");
	return done_testing();
}
