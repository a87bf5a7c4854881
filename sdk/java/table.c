/* table.c - which methods of java.base call which hook. Contracts in agent.h. */
#include <string.h>

#include "agent.h"

#define VT "java/lang/VirtualThread"
#define SEM "java/util/concurrent/Semaphore"
#define CF "java/util/concurrent/CompletableFuture"
#define PER_TASK "java/util/concurrent/ThreadPerTaskExecutor"
#define POOL "java/util/concurrent/ThreadPoolExecutor"
#define FORK "java/util/concurrent/ForkJoinPool"
#define FORK_FACTORY "L" FORK "$ForkJoinWorkerThreadFactory;"
#define OBJECT "(Ljava/lang/Object;)V"
#define OBJECT_INT "(Ljava/lang/Object;I)V"
#define INT_OBJECT "(ILjava/lang/Object;)V"
#define TIME "JLjava/util/concurrent/TimeUnit;"
enum { ENTRY, END };
const struct hook hooks[] = {
	{ VT, "start", "(Ljdk/internal/vm/ThreadContainer;)V", "start", OBJECT, hook_start, ENTRY, true },
	{ VT, "runContinuation", "()V", "run", OBJECT, hook_run, ENTRY, true },
	{ VT, "yieldContinuation", "()Z", "yield_", OBJECT, hook_yield, ENTRY, true },
	{ VT, "afterYield", "()V", "yielded", OBJECT, hook_yielded, ENTRY, true },
	/* the last two by other names in JDK 21's first updates, and before JDK 25 */
	{ VT, "afterDone", "(Z)V", "done", OBJECT, hook_done, ENTRY, false },
	{ VT, "afterTerminate", "(ZZ)V", "terminated", OBJECT, hook_done, ENTRY, false },
	{ VT, "unpark", "(Z)V", "wake", OBJECT, hook_unpark, ENTRY, false },
	{ VT, "unpark", "()V", "wake0", OBJECT, hook_unpark, ENTRY, false },
	{ VT, "unblock", "()V", "unblock", OBJECT, hook_unblock, ENTRY, false },
	{ VT, "waitTimeoutExpired", "(B)V", "expired", OBJECT, hook_expired, ENTRY, false },
	{ VT, "parkOnCarrierThread", "(ZJ)V", "pinned", OBJECT, hook_pinned, ENTRY, false },
	{ VT, "setParkPermit", "(Z)V", "permit", OBJECT, hook_permit, ENTRY, false },
	{ VT, "joinNanos", "(J)Z", "joins", OBJECT, hook_joins, ENTRY, false },
	{ "sun/nio/ch/Poller", "poll", "(IIJLjava/util/function/BooleanSupplier;)V", "poll", "(I)V",
		hook_poll, ENTRY, false },
	{ CF, "waitingGet", "(Z)Ljava/lang/Object;", "awaits", OBJECT, hook_awaits, ENTRY, false },
	{ CF, "orTimeout", "(" TIME ")L" CF ";", "limited", OBJECT, hook_limited, ENTRY, false },
	{ CF, "completeOnTimeout", "(Ljava/lang/Object;" TIME ")L" CF ";", "limited2", OBJECT, hook_limited,
		ENTRY, false },
	{ CF "$AsyncSupply", "<init>", "(L" CF ";Ljava/util/function/Supplier;)V", "supplied", OBJECT,
		hook_supplied, END, false },
	{ CF "$AsyncSupply", "run", "()V", "supplies", OBJECT, hook_supplies, ENTRY, false },
	{ CF "$AsyncRun", "<init>", "(L" CF ";Ljava/lang/Runnable;)V", "runMade", OBJECT, hook_run_made, END,
		false },
	{ CF "$AsyncRun", "run", "()V", "runs", OBJECT, hook_runs, ENTRY, false },
	{ PER_TASK, "awaitTermination", "()V", "closes", OBJECT, hook_closes, ENTRY, false },
	{ "java/util/concurrent/StructuredTaskScopeImpl", "join", "()Ljava/lang/Object;", "joinsScope", OBJECT,
		hook_joins_scope, ENTRY, false },
	{ "jdk/internal/misc/ThreadFlock", "awaitAll", "()Z", "scope", OBJECT, hook_scope, ENTRY, false },
	{ POOL, "<init>", "(IIJLjava/util/concurrent/TimeUnit;Ljava/util/concurrent/BlockingQueue;"
		"Ljava/util/concurrent/ThreadFactory;Ljava/util/concurrent/RejectedExecutionHandler;)V",
		"pool", OBJECT, hook_pool, END, false },
	{ FORK, "<init>", "(I" FORK_FACTORY "Ljava/lang/Thread$UncaughtExceptionHandler;ZIII"
		"Ljava/util/function/Predicate;JLjava/util/concurrent/TimeUnit;)V",
		"forkPool", OBJECT, hook_pool, END, false },
	{ FORK, "<init>", "(B)V", "commonPool", OBJECT, hook_pool, END, false },
	{ SEM, "<init>", "(I)V", "made", OBJECT, hook_permits, END, false },
	{ SEM, "<init>", "(IZ)V", "madeFair", OBJECT, hook_permits, END, false },
	{ SEM, "acquire", "()V", "took", OBJECT, hook_took, END, false },
	{ SEM, "acquire", "(I)V", "tookSome", OBJECT_INT, hook_took_some, END, false },
	{ SEM, "acquireUninterruptibly", "()V", "took2", OBJECT, hook_took, END, false },
	{ SEM, "acquireUninterruptibly", "(I)V", "tookSome2", OBJECT_INT, hook_took_some, END, false },
	{ SEM, "tryAcquire", "()Z", "tried", INT_OBJECT, hook_tried, END, false },
	{ SEM, "tryAcquire", "(I)Z", "triedSome", "(ILjava/lang/Object;I)V", hook_tried_some, END, false },
	{ SEM, "tryAcquire", "(" TIME ")Z", "triedFor", INT_OBJECT, hook_tried, END, false },
	{ SEM, "tryAcquire", "(I" TIME ")Z", "triedSomeFor", "(ILjava/lang/Object;I)V", hook_tried_some,
		END, false },
	{ SEM, "release", "()V", "gives", OBJECT, hook_gives, ENTRY, false },
	{ SEM, "release", "(I)V", "givesSome", OBJECT_INT, hook_gives_some, ENTRY, false },
	{ SEM, "release", "()V", "gave", OBJECT, hook_permits, END, false },
	{ SEM, "release", "(I)V", "gaveSome", OBJECT_INT, hook_permits_by, END, false },
	{ SEM, "drainPermits", "()I", "drained", INT_OBJECT, hook_drained, END, false },
	{ SEM, "reducePermits", "(I)V", "reduced", OBJECT_INT, hook_permits_by, END, false },
};
const unsigned hook_count = sizeof(hooks) / sizeof(*hooks);

bool hook_is_of_semaphore(const struct hook *h)
{
	return !strcmp(h->cls, SEM);
}
