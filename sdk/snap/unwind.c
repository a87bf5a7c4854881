/* unwind.c - the call stack of each thread, from the copy: nothing has to stand still for that.
 * Contracts in target.h. */
#include <stdlib.h>

#include "snap.h"

/* libdwfl keeps the first argument it was given, and a target may be taken again */
static const struct target *at;

static pid_t next_thread(Dwfl *dwfl, void *dwfl_arg, void **arg)
{
	size_t next = *arg ? (size_t)((struct thread *)*arg - at->thread) + 1 : 0;

	(void)dwfl, (void)dwfl_arg;
	if (next >= at->threads)
		return 0;
	*arg = &at->thread[next];
	return (pid_t)at->thread[next].tid;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	uint64_t word;

	(void)dwfl, (void)arg;
	if (!mem_word(at, addr, &word))
		return false;
	*result = word;
	return true;
}

/* DWARF's numbers of x86-64's registers, in the order of struct user_regs_struct. */
static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	static const int order[17] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16 };
	const struct thread *th = arg;
	Dwarf_Word reg[17];

	for (int i = 0; i < 17; i++)
		reg[i] = th->reg[order[i]];
	return th->sp && dwfl_thread_state_registers(thread, 0, 17, reg);
}

static uint64_t saved(Dwfl_Frame *f, unsigned number)
{
	Dwarf_Word v;

	return dwfl_frame_reg(f, number, &v) ? 0 : v;
}

static int frame(Dwfl_Frame *f, void *arg)
{
	struct thread *th = arg;
	Dwarf_Addr pc;
	bool activation;

	if (th->calls == CALLS || !dwfl_frame_pc(f, &pc, &activation))
		return DWARF_CB_ABORT;
	th->saved[th->calls] = (struct saved){ saved(f, 3), saved(f, 6), saved(f, 7),
		saved(f, 12), saved(f, 13), saved(f, 14), saved(f, 15) };
	th->call[th->calls++] = pc - !activation;	/* within the call, not behind it */
	return DWARF_CB_OK;
}

static int one_thread(Dwfl_Thread *thread, void *arg)
{
	pid_t tid = dwfl_thread_tid(thread);

	(void)arg;
	for (size_t i = 0; i < at->threads; i++)
		if ((pid_t)at->thread[i].tid == tid)
			dwfl_thread_getframes(thread, frame, &at->thread[i]);
	return DWARF_CB_OK;
}

void unwind(struct target *t)
{
	static const Dwfl_Thread_Callbacks callbacks = { .next_thread = next_thread,
		.memory_read = memory_read,
		.set_initial_registers = set_registers };

	at = t;
	if (t->unwound || !t->threads || !t->thread[0].sp)
		return;
	t->unwound = true;
	if (dwfl_pid(t->dwfl) < 0 && !dwfl_attach_state(t->dwfl, NULL, t->pid, &callbacks, t))
		return;
	dwfl_getthreads(t->dwfl, one_thread, NULL);
}
