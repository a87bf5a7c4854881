/* halfmade.c - a process is forked at each system call by which the C probe sets itself up (sdk/c/ct-makebox.h, ct-flag.h), by another
 * thread or by a signal handler of the same: the child sets itself up, or is asked for a box, as if nobody had begun. So it is where
 * attaching has failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tap.h"

static _Thread_local int steps;		/* how many calls are left until the fork; 0: none is to come */
static bool by_handler;
static sem_t half, goes_on;
static void forks(void);

static void step(void)
{
	if (!steps || --steps)
		return;
	if (by_handler) {
		forks();
		return;
	}
	sem_post(&half);
	sem_wait(&goes_on);
}

#define memfd_create(name, flags) (step(), (memfd_create)(name, flags))
#define ftruncate(fd, size) (step(), (ftruncate)(fd, size))
#define fstat(fd, st) (step(), (fstat)(fd, st))
#define mmap(at, n, may, how, fd, from) (step(), (mmap)(at, n, may, how, fd, from))
#define mprotect(at, n, may) (step(), (mprotect)(at, n, may))
#define madvise(at, n, how) (step(), (madvise)(at, n, how))
#include "../../sdk/c/ct.c"

enum how { BY_ENV, BY_CALL, ASKED, SHARED, HOWS };
static const char *const names[] = { "CTP_BOX", "ct_box()", "a recorder asks", "nobody asks" };
static enum how how;

static void live(void)
{
	struct ct_coro c = { 0 };

	ct_create(&c, 0, CT_HERE, &c, "x");
	ct_resume(&c);
	ct_destroy(&c, 1);
}

static void begins(void)
{
	if (how == ASKED)
		live();
	else if (how == BY_CALL)
		ct_box(NULL);
	else
		ct_init();
}

/* Of a child that was forked by another thread: 0: all is well. before: there was a box by then. */
static int child(bool before)
{
	if (how == ASKED) {
		if ((int)ctp_load(&ct_flag_.on) != (before ? CTP_FLAG_LENT : CTP_FLAG_OFF))
			return 1;
		if (!before)
			ct_flag_.on = CTP_FLAG_ASKED;
	} else {
		begins();
	}
	live();
	if (how == SHARED)
		return ct_flag_.on != CTP_FLAG_OFF || !ct_p_.flag_shared || ct_p_.hdr ? 2 : 0;
	if (!ct_p_is_on() || !ct_p_.hdr || ct_p_.hdr->next_probe_id < 2)
		return 3;
	return !before && ct_p_.hdr->box_pid != (uint32_t)getpid() ? 4 : ct_p_.init != CT_DONE ? 5 : 0;
}

static int result;
static void forks(void)
{
	bool before = ct_p_whole();
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		alarm(20);
		if (by_handler)		/* goes back into it */
			return;
		_exit(child(before));
	}
	waitpid(pid, &status, 0);
	result = WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void *makes(void *arg)
{
	steps = *(int *)arg;
	begins();
	steps = steps != 0;		/* 1: there were not so many */
	if (!by_handler && steps)
		sem_post(&half);
	*(int *)arg = steps;
	return NULL;
}

/* A program that is forked at that call: what came of the child, -1: there were not so many. */
static int program(int at)
{
	pid_t me = getpid();
	pthread_t t;
	int left = at;

	unsetenv("CTP_BOX");
	if (how == ASKED) {
		ct_init();
		ct_flag_.on = CTP_FLAG_ASKED;
	} else if (how == BY_ENV) {
		setenv("CTP_BOX", "1", 1);
	} else if (how == BY_CALL) {
		ct_init();
	}
	sem_init(&half, 0, 0);
	sem_init(&goes_on, 0, 0);
	if (by_handler) {
		makes(&left);
		if (getpid() != me)
			_exit(how == SHARED ? ct_flag_.on != CTP_FLAG_OFF : !ct_p_is_on() || ct_p_.init != CT_DONE);
		return left ? -1 : result;
	}
	pthread_create(&t, NULL, makes, &left);
	sem_wait(&half);
	forks();
	sem_post(&goes_on);
	pthread_join(t, NULL);
	live();
	return left ? -1 : result;
}

/* Of a recorder that could not be attached to, whose memory was of that version, nothing is left for a box that comes later. */
static void failed(bool v1)
{
	static struct ctp_header h = { .magic = CTP_MAGIC, .version = CTP_VERSION, .max_stations = 256 };
	int status, fd = (memfd_create)("recorder", 0);
	char path[64];
	pid_t pid;

	if (!v1) {
		memset(&h, 0, sizeof h);
		ct_p_box_layout(&h, "1");
		ct_p_box_header(&h, 0);
		h.v2_magic = CTP2_MAGIC;
		h.flags |= CTP_F_QUIET;
	}
	if ((ftruncate)(fd, (off_t)(v1 ? 1024 + 256 * 1024 : h.file_size)) || pwrite(fd, &h, sizeof h, 0) != sizeof h)
		exit(99);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if ((pid = fork()) == 0) {
		alarm(20);
		setenv(CTP_ENV_SHM, path, 1);
		setenv(CTP_ENV_SOCK, "/nonexistent/sock", 1);
		if (ct_init() || ct_p_.hdr || ct_p_.base)
			_exit(1);
		unsetenv(CTP_ENV_SHM);
		unsetenv(CTP_ENV_SOCK);
		if (!ct_box(NULL) || ct_p_.v1 || ct_p_.store || ct_p_is_quiet())
			_exit(2);
		for (int i = 0; i < 2000; i++)
			live();
		_exit(ct_p_.hdr->next_probe_id <= 2000);
	}
	waitpid(pid, &status, 0);
	close(fd);
	ok(!status, "attaching failed, of version %d: then a box: %d", v1 ? 1 : 2, status);
}

int main(void)
{
	int at, status, last;

	alarm(200);
	failed(true);
	failed(false);
	for (how = 0; how < HOWS; how++)
		for (int handler = 0; handler < 2; handler++) {
			by_handler = handler;
			for (at = 1, last = 0; !last; at++) {
				pid_t pid = fork();

				if (pid == 0) {
					alarm(20);
					_exit(program(at) & 255);
				}
				waitpid(pid, &status, 0);
				last = WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status);
			}
			ok(last == 255 && at > 4, "%s, forked by %s: %d at call %d", names[how], handler ? "a signal handler" : "another thread", last, at - 1);
		}
	return done_testing();
}
