/* tokio-words.c - the words of a thread that the program's code may have. Contracts in tokio.h. */
#include <string.h>

#include "tokio.h"

/* Also at odd addresses, as in a packed structure. */
static void stack_words(const struct target *t, uint64_t from, word_fn *fn, void *arg)
{
	uint64_t at = from & ~(uint64_t)7, two[2], word;

	for (; at && on_stack(t, at) && mem_word(t, at, two); at += 8) {
		two[1] = mem_number(t, at + 8, 8);
		for (size_t odd = 0; odd < 8; odd++) {
			memcpy(&word, (char *)two + odd, sizeof(word));
			fn(arg, at + odd, word);
		}
	}
}

/* Where its runtime sleeps, those of who called it. Of one that only sleeps in its runtime, what lies
 * beyond its calls: its thread-local variables. */
void thread_words(const struct target *t, const struct thread *th, word_fn *fn, void *arg)
{
	const struct saved *s = &th->saved[th->rest];
	const uint64_t outer[] = { s->bx, s->bp, s->r12, s->r13, s->r14, s->r15 },
		*reg = th->rest ? outer : th->reg;
	size_t regs = th->rest ? sizeof(outer) / sizeof(*outer) : REGISTERS;

	if (th->idle) {
		s = &th->saved[th->calls - 1];
		stack_words(t, s->sp ? s->sp : th->sp, fn, arg);
		return;
	}
	for (size_t i = 0; i < regs; i++)
		fn(arg, 0, reg[i]);
	stack_words(t, th->rest ? s->sp : th->sp, fn, arg);
}
