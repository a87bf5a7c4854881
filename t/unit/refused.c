/* refused.c - the C probe where the system refuses one of its calls, or all from one on: no crash, errno as it was, no file left of a box
 * that could not be made, and a second try. refused box, file or asked; t/cases/probe.t runs each. Within ct-record: refused recorder.
 */
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tap.h"

static long calls, refuse;
static bool all;
static const char **which;

static bool refused(const char *call)
{
	if (++calls == refuse)
		*which = call;
	return calls == refuse || (all && refuse && calls > refuse);
}

static int refused_open(const char *path, int flags, ...)
{
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = va_arg(more, mode_t);
	va_end(more);
	return refused("open") ? errno = EMFILE, -1 : open(path, flags, mode);
}

static int refused_control(int fd, int command, long arg)
{
	return refused("fcntl") ? errno = EMFILE, -1 : fcntl(fd, command, arg);
}

#define OR(call, error, bad, args) (refused(#call) ? (errno = (error), (bad)) : (call)args)
#define open refused_open
#define fcntl(fd, command, arg) refused_control(fd, command, (long)(arg))
#define mmap(a, n, p, f, fd, o) OR(mmap, ENOMEM, MAP_FAILED, (a, n, p, f, fd, o))
#define mprotect(a, n, p) OR(mprotect, ENOMEM, -1, (a, n, p))
#define madvise(a, n, how) OR(madvise, EINVAL, -1, (a, n, how))
#define memfd_create(n, f) OR(memfd_create, ENFILE, -1, (n, f))
#define mkostemp(n, f) OR(mkostemp, EACCES, -1, (n, f))
#define ftruncate(fd, n) OR(ftruncate, ENOSPC, -1, (fd, n))
#define fallocate(fd, how, o, n) OR(fallocate, ENOSPC, -1, (fd, how, o, n))
#define fstat(fd, st) OR(fstat, EBADF, -1, (fd, st))
#define socket(d, t, p) OR(socket, EMFILE, -1, (d, t, p))
#define connect(fd, a, n) OR(connect, EACCES, -1, (fd, a, n))
#define send(fd, b, n, f) OR(send, EAGAIN, -1, (fd, b, n, f))
#define poll(p, n, ms) OR(poll, EINTR, -1, (p, n, ms))
#define pthread_key_create(k, f) OR(pthread_key_create, EAGAIN, EAGAIN, (k, f))
#define pthread_atfork(a, b, c) OR(pthread_atfork, ENOMEM, ENOMEM, (a, b, c))
#define pthread_setspecific(k, v) OR(pthread_setspecific, ENOMEM, ENOMEM, (k, v))
#include "../../sdk/c/ct.c"
#undef open
#undef fcntl
#undef mmap

enum { CRASHED = 1, ERRNO, LEFT };
static char dir[] = "/dev/shm/refused.XXXXXX", beside[] = "./refused.XXXXXX", whole[4096], dump_path[4200];

/* A call as the program makes it. */
#define KEEPS(call)				\
	do {					\
		errno = 77;			\
		call;				\
		if (errno != 77)		\
			_exit(ERRNO);		\
	} while (0)

static void *lives(void *arg)
{
	static struct ct_coro c[40];
	int i;

	for (i = 0; i < 40; i++)
		KEEPS(ct_create(&c[i], 0, CT_HERE, &c[i], i % 3 ? NULL : "name"));
	for (i = 0; i < 40; i++) {
		KEEPS(ct_resume(&c[i]));
		KEEPS(ct_suspend(&c[i], CT_HERE, ct_user("text")));
		KEEPS(ct_wake(c[i].id, ct_fd(i)));
	}
	for (i = 0; i < 40; i++)
		KEEPS(ct_destroy(&c[i], 1));
	return arg;
}

/* So that more of the tables is opened. */
static void use_much(void)
{
	if (!ct_p_.hdr || ct_p_.v1)
		return;
	ctp_store(&ct_p_.hdr->stations_used, (uint32_t)(CT_STEP / sizeof(struct ctp_event)) - 8);
	ctp_store(&ct_p_.hdr->strings_used, (uint64_t)CT_STEP - 8);
	ctp_store(&ct_p_.hdr->sites_used, (uint32_t)(CT_STEP / sizeof(struct ctp_site)) - 1);
}

static void child_lives(pid_t pid)
{
	int status = 0;

	if (pid == 0) {
		lives(NULL);
		KEEPS(ct_init());
		_exit(lives(NULL) != NULL);
	}
	waitpid(pid, &status, 0);
	if (status)
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : CRASHED);
}

static void life(bool asked)
{
	pthread_t t;

	KEEPS(ct_init());
	if (asked)
		ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
	lives(NULL);
	KEEPS(ct_init());
	lives(NULL);
	KEEPS(ct_box(NULL));
	use_much();
	lives(NULL);
	pthread_create(&t, NULL, lives, NULL);
	pthread_join(t, NULL);
	KEEPS(ct_stop());
	lives(NULL);
	KEEPS(ct_start());
	KEEPS(ct_dump(dump_path));
	unlink(dump_path);
	child_lives(fork());
	child_lives((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

/* Of boxes in files. */
static int files(void)
{
	struct dirent *e;
	DIR *d = opendir(whole);
	int n = 0;

	while (d && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.') {
			unlinkat(dirfd(d), e->d_name, 0);
			n++;
		}
	if (d)
		closedir(d);
	return n;
}

/* What became of a life in which call n is refused; its calls are counted. */
static int lived(long n, bool asked, long *count)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(60);
		refuse = n;
		life(asked);
		*count = calls;
		_exit(files() > (ct_p_.box_file && ct_p_.hdr) ? LEFT : 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : CRASHED;
}

int main(int argc, char *argv[])
{
	static const char *const words[] = { "well", "crashed", "errno is another", "a file is left" };
	long *count = (mmap)(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), there, n;
	bool asked = argc > 1 && !strcmp(argv[1], "asked");
	char how[4200];
	int bad;

	which = (const char **)(count + 1);
	if ((!(mkdtemp(dir) && realpath(dir, whole)) && !(mkdtemp(beside) && realpath(beside, whole))) || dup2((open)("/dev/null", O_WRONLY), 2) < 0)
		return 99;
	snprintf(dump_path, sizeof dump_path, "%s/dump", whole);
	snprintf(how, sizeof how, "%s,threads=4,slots=64", argc > 1 && !strcmp(argv[1], "file") ? whole : "1");
	if (argc > 1 && (!strcmp(argv[1], "file") || !strcmp(argv[1], "box")))
		setenv(CTP_ENV_BOX, how, 1);
	bad = lived(0, asked, count);
	there = *count;
	ok(!bad && there > 20, "nothing refused, of %ld calls: %s", there, words[bad]);
	for (int i = 0; i < 2; i++, all = true)
		for (n = 1; n <= there; n++) {
			bad = lived(n, asked, count);
			if (bad)
				ok(0, "%s%s, call %ld: %s", *which, all ? " and all from there on" : "", n, words[bad]);
		}
	ok(true, "each refused once, and all from each on");
	files();
	rmdir(whole);
	return done_testing();
}
