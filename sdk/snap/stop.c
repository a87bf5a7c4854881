/* stop.c - all threads of a process stand still, and are let go. Contracts in target.h.
 *
 * By PTRACE_SEIZE, which changes nothing of the process's signals, and which the kernel undoes when
 * this program ends in any way: a target never stays stopped.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "live.h"

_Static_assert(sizeof(struct user_regs_struct) == REGISTERS * 8, "registers");
#define STOP_LIMIT_NS 2000000000ull	/* a thread that the kernel does not stop so long is within a call that cannot be */
#define DEEP_LIMIT_NS 200000000ull	/* and so is one that sleeps there then: the others stand still for it */

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Seize the threads that are not yet, which `known` says; how many, -1 where one cannot be. */
static int seize_new(struct target *t, DIR *dir, size_t *room, struct hash *known)
{
	static char yes;
	int count = 0;

	rewinddir(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		uint32_t tid = (uint32_t)atoi(e->d_name);

		if (!tid || hash_find(known, tid))
			continue;
		if (ptrace(PTRACE_SEIZE, tid, 0, 0)) {
			int error = errno;

			/* it ended meanwhile, or long ago, as by pthread_exit(3) in main() */
			if (error == ESRCH || is_over(tid))
				continue;
			errno = error;
			return -1;
		}
		*ADD(t->thread, t->threads, *room) = (struct thread){ .tid = tid, .queue = -1 };
		hash_add(known, tid, &yes);
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		count++;
	}
	return count;
}

static void registers(struct thread *th)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, th->tid, 0, &r))
		return;
	memcpy(th->reg, &r, sizeof(r));
	th->sp = r.rsp;
	th->fs = r.fs_base;
}

/* Until it stands still or is gone; false: neither in all that time. That it stands still is seen and not
 * taken (WNOWAIT): a signal that it was about to get would be lost if this program were killed then. */
static bool wait_stopped(struct thread *th, uint64_t limit)
{
	uint64_t deep = limit - STOP_LIMIT_NS + DEEP_LIMIT_NS;

	for (unsigned tries = 0;; tries++) {
		siginfo_t is = { .si_pid = 0 };
		int error = waitid(P_PID, th->tid, &is,
			WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL);

		if (error || (is.si_pid && is.si_code != CLD_TRAPPED &&
			is.si_code != CLD_STOPPED)) {
			waitpid((pid_t)th->tid, NULL, __WALL | WNOHANG);
			return true;		/* it ended */
		}
		if (is.si_pid) {
			th->stopped = true;
			/* Stopped because of a signal: it has still to be given to it. */
			th->signal = is.si_status >> 8 == PTRACE_EVENT_STOP ?
				0 :
				is.si_status & 0xff;
			registers(th);
			return true;
		}
		/* D: as behind vfork(2), or a file server that is gone */
		if (now_ns() > limit || (now_ns() > deep && proc_state(th->tid) == 'D'))
			return false;
		if (tries > 100)
			nanosleep(&(struct timespec){ 0, 20000 }, NULL);
	}
}

bool let_go(struct target *t)
{
	bool stood = true;

	for (size_t i = 0; i < t->threads; i++)
		if (t->thread[i].stopped)
			stood &= !ptrace(PTRACE_DETACH, t->thread[i].tid, 0,
				(void *)(uintptr_t)t->thread[i].signal);
	return stood;
}

static void why_not(const struct target *t, int error, char why[static 200])
{
	char path[64], line[200];
	FILE *f;
	int tracer = 0, scope = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", t->pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "TracerPid: %d", &tracer);
	if (f)
		fclose(f);
	f = fopen("/proc/sys/kernel/yama/ptrace_scope", "r");
	if (f && fscanf(f, "%d", &scope) != 1)
		scope = 0;
	if (f)
		fclose(f);
	if (tracer && tracer != getpid())
		snprintf(why, 200, "process %d traces it already", tracer);
	else if (error == EPERM && scope)
		snprintf(why, 200,
			"not permitted: kernel.yama.ptrace_scope is %d; run as root or with CAP_SYS_PTRACE%s",
			scope, scope == 1 ? ",\nor: sysctl kernel.yama.ptrace_scope=0" : "");
	else if (error == EPERM)
		snprintf(why, 200,
			"not permitted: another user's process, or one that changed its rights, or seccomp denies it, as in a container; needs CAP_SYS_PTRACE");
	else
		snprintf(why, 200, "%s", strerror(error));
}

bool stop_all(struct target *t, char why[static 200])
{
	char path[64];
	size_t room = 0, waited = 0;
	struct hash known = { .slot = NULL };
	uint64_t limit = now_ns() + STOP_LIMIT_NS;
	DIR *dir;
	int count;

	free(t->thread);
	t->thread = NULL;
	t->threads = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", t->pid);
	dir = opendir(path);
	if (!dir) {
		snprintf(why, 200, "%s", errno == ENOENT ? "no such process" : strerror(errno));
		return false;
	}
	/* A thread may make another one until it stands still itself. */
	while ((count = seize_new(t, dir, &room, &known)) > 0)
		for (; waited < t->threads; waited++)
			if (!wait_stopped(&t->thread[waited], limit)) {
				snprintf(why, 200,
					"thread %u does not stop: it is in a system call that cannot be interrupted",
					t->thread[waited].tid);
				closedir(dir);
				let_go(t);
				hash_free(&known);
				return false;
			}
	if (count < 0)
		why_not(t, errno, why);
	else if (!t->threads)
		snprintf(why, 200, "it has ended");
	closedir(dir);
	if (count < 0 || !t->threads)
		let_go(t);
	hash_free(&known);
	return count == 0 && t->threads;
}
