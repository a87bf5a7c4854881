/* step.h - a processor that traps behind each instruction, where it can: stepping(), until no_more(), or until a handler of SIGTRAP
 * (SA_SIGINFO) calls stop_behind() with its context.
 */
#ifndef STEP_H
#define STEP_H

#ifdef __x86_64__
#include <ucontext.h>

#define CAN_STEP 1
#define stepping() __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc")
#define no_more() __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc")

static inline void stop_behind(void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)0x100;
}
#else
#define CAN_STEP 0
#define stepping() ((void)0)
#define no_more() ((void)0)
static inline void stop_behind(void *context) { (void)context; }
#endif

#endif
