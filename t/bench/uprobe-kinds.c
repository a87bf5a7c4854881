/* uprobe-kinds.c - a function for each kind of first instruction that a probe may stand at; the one named by argv[1] is called
 * again and again; a line a round: ns for each call. "calls": a system call instead. Where it is not x86-64, a nop only. */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION(name, code) \
	__asm__(".text\n.type first_" #name ",@function\nfirst_" #name ":\n" code \
		"\nret\n.size first_" #name ",.-first_" #name "\n"); \
	void first_##name(void *)
#ifdef __x86_64__
FUNCTION(push, "push %rbx\npop %rbx");
FUNCTION(jump, "je 1f\n1:");
FUNCTION(nop5, ".byte 0x0f, 0x1f, 0x44, 0, 0");
FUNCTION(movzwl, "movzwl (%rdi),%eax");
FUNCTION(movzwl_jump, "movzwl (%rdi),%eax\ntest $1,%al\nje 1f\n1:");
FUNCTION(endbr, "endbr64");
FUNCTION(sub, "sub $8,%rsp\nadd $8,%rsp");
#endif
FUNCTION(nop, "nop");

static void calls(void *unused)
{
	(void)unused;
	syscall(SYS_getppid);
}

static const struct { const char *name; void (*fn)(void *); } kinds[] = {
#ifdef __x86_64__
	{ "push", first_push }, { "jump", first_jump }, { "nop5", first_nop5 },
	{ "movzwl", first_movzwl }, { "movzwl_jump", first_movzwl_jump }, { "endbr", first_endbr },
	{ "sub", first_sub },
#endif
	{ "nop", first_nop }, { "calls", calls },
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void rounds(void (*fn)(void *))
{
	enum { ROUND = 1000 };
	short word[4] = { 1 };

	for (;;) {
		double from = now(), each;

		for (int i = 0; i < ROUND; i++)
			fn(word);
		each = (now() - from) / ROUND;
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
		if (printf("%.1f\n", each) < 0 || fflush(stdout))
			return;
	}
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (argc > 1 && !strcmp(argv[1], kinds[i].name))
			rounds(kinds[i].fn);
	return 2;
}
