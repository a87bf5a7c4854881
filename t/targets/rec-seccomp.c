/* rec-seccomp - record under a seccomp filter that kills whoever makes another system call: rec-seccomp COUNTFILE none|listed|boxed|forked [stop].
 * none: only what threads need to end; listed: also what ct-record(1) says that the probe makes; boxed: and with a box in a file; forked: and
 * in a child, which there is; stop: stop and start, too. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "rec.h"

enum { THREADS = 3, PAIRS = 3000 };
static int begin, done;

static inline void pause_briefly(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#endif
}

static void live(unsigned who, unsigned pairs)
{
	struct ct_coro c = { 0 };

	ct_create(&c, 0, CT_HERE, &c, NULL);
	emitted(who, 1);
	while (pairs--) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
		emitted(who, 2);
	}
	ct_destroy(&c, 1);
	emitted(who, 1);
}

/* Its first event comes behind the filter; without a call that waits. */
static void *thread(void *arg)
{
	while (!__atomic_load_n(&begin, __ATOMIC_ACQUIRE))
		pause_briefly();
	live((unsigned)(uintptr_t)arg, PAIRS);
	__atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < THREADS)
		pause_briefly();		/* else its ring may go to one that comes later */
	return NULL;
}

/* Allowed: those of `calls`; the rest kills. */
static int forbid(const int *calls, unsigned count)
{
	struct sock_filter f[64] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog program = { 0, f };
	unsigned i, n = 1;

	for (i = 0; i < count; i++)
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], (unsigned char)(count - i), 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

int main(int argc, char *argv[])
{
	static const struct { const char *name; unsigned count; } ways[] = { { "none", 10 }, { "listed", 22 }, { "boxed", 26 },
		{ "forked", 35 } };
	/* the C library's, when a thread ends; so many are for each way */
	static const int calls[] = {
		SYS_exit, SYS_exit_group, SYS_futex, SYS_rt_sigprocmask, SYS_madvise, SYS_munmap, SYS_set_robust_list, SYS_rseq,
		SYS_rt_sigreturn, SYS_restart_syscall,
		SYS_gettid, SYS_getpid, SYS_mmap, SYS_mprotect, SYS_prctl, SYS_fstat, SYS_newfstatat, SYS_sendto, SYS_kill, SYS_nanosleep,
		SYS_clock_nanosleep,
#ifdef SYS_poll
		SYS_poll,
#else
		SYS_ppoll,
#endif
		SYS_fcntl, SYS_tgkill, SYS_fallocate, SYS_rt_sigtimedwait,
		SYS_membarrier, SYS_socket, SYS_close, SYS_connect, SYS_getsockopt, SYS_getppid, SYS_getpgid,
		SYS_clone, SYS_wait4,			/* fork(3) and waitpid(3) */
	};
	unsigned way = 0;
	pid_t child;
	int status;
	pthread_t t[THREADS];
	uintptr_t i;

	while (argc > 2 && way < 4 && strcmp(argv[2], ways[way].name))
		way++;
	if (argc < 3 || way == 4)
		return 99;
	count_open(argv[1]);
	if (!ct_init())
		return 97;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)(i + 1)))
			return 98;
	if (forbid(calls, ways[way].count))
		return 77;
	__atomic_store_n(&begin, 1, __ATOMIC_RELEASE);
	live(0, PAIRS);
	if (argc > 3) {
		if (!ct_init() || !ct_start())
			return 96;
		ct_stop();
		if (!ct_start())
			return 95;
	}
	while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < THREADS)
		pause_briefly();
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	if (way == 3) {
		child = fork();
		if (child == 0) {
			live(4, PAIRS);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			_exit(94);
	}
	_exit(0);
}
