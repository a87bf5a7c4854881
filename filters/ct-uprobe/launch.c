/* launch.c - a program that is started to be traced. Contracts in launch.h.
 *
 * By ptrace, up to the instruction that its file names as the first (AT_ENTRY): the dynamic linker
 * has mapped all libraries by then. A trap is put there, and taken out again; also of what a library's
 * constructor forks.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"
#include "snap/snap.h"

volatile int launch_interrupted;
static volatile pid_t child;
static int status;
static bool over;
static volatile uint64_t interrupted_ns;
static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
enum { PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };

/* What the terminal's driver sends (SI_KERNEL) goes to the program's process group already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	enum { SAME_NS = 1000000000 };	/* timeout(1) signals its child, and then its group */
	int saved = errno;

	(void)context;
	if (child && !over) {
		if (info->si_code != SI_KERNEL)
			kill(child, number);
	} else if (!launch_interrupted) {
		launch_interrupted = number;
		interrupted_ns = now_ns();
	} else if (now_ns() - interrupted_ns > SAME_NS) {
		/* whatever keeps the trace from being finished */
		signal(number, SIG_DFL);
		raise(number);
	}
	errno = saved;
}

/* Ignored, as nohup(1) wants it, by both; but a shell ignores the keyboard's for what runs in the
 * background. */
static bool spared(int number)
{
	struct sigaction now;

	return number != SIGINT && number != SIGQUIT && !sigaction(number, NULL, &now) &&
		now.sa_handler == SIG_IGN;
}

void launch_signals(void)
{
	struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	for (int i = 0; i < (child ? PASSED_ON : 2); i++)
		if (!spared(passed_on[i]))
			sigaction(passed_on[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void run_child(char **command, int output, int report)
{
	int error;

	dup2(output, 1);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	execvp(command[0], command);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(125);
	_exit(127);
}

static void cannot(int with, const char *what, int error)
{
	fprintf(stderr, "%s: ", note_program);
	ctt_out_text(stderr, what, strlen(what));
	fprintf(stderr, ": %s\n", strerror(error));
	exit(with);
}

int launch(char **command, const char *output)
{
	int report[2], error, out = 2;

	if (output && (out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
		cannot(125, output, errno);
	if (pipe2(report, O_CLOEXEC) || (child = fork()) < 0)
		cannot(125, command[0], errno);
	if (!child)
		run_child(command, out, report[1]);
	launch_signals();
	close(report[1]);
	if (out != 2)
		close(out);
	if (read(report[0], &error, sizeof(error)) > 0) {
		waitpid(child, NULL, 0);
		cannot(error == ENOENT || error == ENOTDIR ? 127 : 126, command[0], error);
	}
	close(report[0]);
	return child;
}

static uint64_t entry;
static long first_word;		/* there, as it was */

static long trap(void)
{
	return (first_word & ~0xffl) | 0xcc;
}

/* What it forked has the trap in its copy, and nobody who waits for it there. What shares its memory, as a
 * thread does, takes out the trap itself: it is put back. */
static void let_go_born(void)
{
	unsigned long born;

	if (ptrace(PTRACE_GETEVENTMSG, child, 0, &born))
		return;
	while (waitpid((pid_t)born, NULL, __WALL) < 0 && errno == EINTR)
		;
	ptrace(PTRACE_POKETEXT, born, entry, first_word);
	ptrace(PTRACE_POKETEXT, child, entry, trap());
	ptrace(PTRACE_DETACH, born, 0, 0);
}

static bool is_born(int event)
{
	return event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
		event == PTRACE_EVENT_CLONE;
}

/* Until it stops for `sure`; what else stops it, as its signals, it gets. False: it has ended. */
static bool run_to(bool (*sure)(void))
{
	for (;;) {
		if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status)) {
			over = true;
			return false;
		}
		if (WSTOPSIG(status) == SIGTRAP && sure())
			return true;
		if (is_born(status >> 16))
			let_go_born();
		ptrace(PTRACE_CONT, child, 0,
			(void *)(intptr_t)(status >> 16 ? 0 : WSTOPSIG(status)));
	}
}

static bool at_exec(void)
{
	static bool begun;	/* the first one comes as a plain signal */
	bool first = !begun && !(status >> 16);

	begun = true;
	return first || status >> 16 == PTRACE_EVENT_EXEC;
}

static bool at_entry(void)
{
	uint64_t ip = (uint64_t)ptrace(
		PTRACE_PEEKUSER, child, offsetof(struct user_regs_struct, rip), 0);

	return status >> 16 == 0 && ip == entry + 1;
}

static uint64_t first_instruction(void)
{
	Elf64_auxv_t a;
	uint64_t found = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", child);
	f = fopen(path, "r");
	while (f && fread(&a, sizeof(a), 1, f) == 1)
		if (a.a_type == AT_ENTRY)
			found = a.a_un.a_val;
	if (f)
		fclose(f);
	return found;
}

bool launch_next(void)
{
	const long always = PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL,
		   births = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	static bool stopped;

	if (stopped)
		ptrace(PTRACE_CONT, child, 0, 0);
	if (!run_to(at_exec))
		return false;
	stopped = true;
	ptrace(PTRACE_SETOPTIONS, child, 0, (void *)always);
	entry = first_instruction();
	errno = 0;
	first_word = ptrace(PTRACE_PEEKTEXT, child, entry, 0);
	if (errno || ptrace(PTRACE_POKETEXT, child, entry, trap()))
		return true;		/* as one of 32 bits: who reads it says so */
	ptrace(PTRACE_SETOPTIONS, child, 0, (void *)(always | births));
	ptrace(PTRACE_CONT, child, 0, 0);
	if (!run_to(at_entry))
		return false;
	ptrace(PTRACE_SETOPTIONS, child, 0, (void *)always);
	ptrace(PTRACE_POKETEXT, child, entry, first_word);
	ptrace(PTRACE_POKEUSER, child, offsetof(struct user_regs_struct, rip), entry);
	return true;
}

void launch_go(void)
{
	ptrace(PTRACE_DETACH, child, 0, 0);
}

int launch_status(void)
{
	while (!over && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	over = true;
	return status;
}

int launch_wait(void)
{
	launch_status();
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
