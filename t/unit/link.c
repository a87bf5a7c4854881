/* link.c - the C probe's connection to its recorder (sdk/c/ct-link.h), whose part this program plays: whose descriptor that is, the number of
 * a process, who does not answer, memory by the connection, the bell, and whether the recorder lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "open-here.h"
#include "tap.h"
#include "told.h"

static struct {
	int refused, error;	/* calls of connect(), by this error */
	bool no_socket, no_high, no_poll, orphan;
	int dead;		/* what kill() says of the recorder */
	uint64_t ns;		/* the pid namespace; 0: not known */
	bool no_group;
	int interrupted;	/* calls of poll(), each by a signal after so many ns */
	long after;
	struct timespec now;
} world;

static int world_connect(int fd, const struct sockaddr *addr, socklen_t size)
{
	if (!world.refused)
		return connect(fd, addr, size);
	world.refused--;
	errno = world.error;
	return -1;
}

static int world_poll(struct pollfd *p, nfds_t n, int ms)
{
	tell("poll %d %d ", (int)p->events, ms);
	if (n != 1)
		tell("of %d ", (int)n);
	if (world.interrupted) {
		world.interrupted--;
		world.now.tv_nsec += world.after;
		errno = EINTR;
		return -1;
	}
	return world.no_poll ? 0 : poll(p, n, 0);
}

/* Of those that are made, only that of the bell is one of this part. */
static long world_syscall(long call, ...)
{
	va_list ap;

	va_start(ap, call);
	if (call == SYS_futex && va_arg(ap, uint32_t *)) {
		int op = va_arg(ap, int);

		tell("futex %d %d ", op == FUTEX_WAKE, va_arg(ap, int));
	} else {
		tell("another ");
	}
	va_end(ap);
	return 0;
}

static int world_stat(const char *path, struct stat *st)
{
	st->st_ino = world.ns;
	return world.ns && !strcmp(path, "/proc/self/ns/pid") ? 0 : -1;
}

/* Who closes keeps an earlier reason. */
static int world_close(int fd)
{
	close(fd);
	errno = EIO;
	return 0;
}

static int world_nap(const struct timespec *t)
{
	tell("nap %ld.%ld ", (long)t->tv_sec, (long)t->tv_nsec);
	return 0;
}

#define connect world_connect
#define poll world_poll
#define socket(a, b, c) (world.no_socket ? errno = EMFILE, -1 : (socket)(a, b, c))
#define fcntl(fd, command, ...) (world.no_high && (command) == F_DUPFD_CLOEXEC ? -1 : (fcntl)(fd, command, __VA_ARGS__))
#define nanosleep(t, rest) world_nap(t)
#define stat(path, st) world_stat(path, st)
#define close world_close
#define getpgrp() (world.no_group ? 0 : 1)
#define getppid() (world.orphan ? 0 : 1)
#define kill(pid, sig) (tell("kill %d %d ", (int)(pid), sig), errno = world.dead, world.dead ? -1 : 0)
#define syscall world_syscall
#define clock_gettime(clock, t) ((void)(*(t) = world.now))
#include "../../sdk/c/ct.c"
#undef kill
#undef stat
#undef close
#undef poll
#undef connect
#undef socket
#undef fcntl

static struct ctp_header h;
static int here, there = -1;	/* the probe's end, and the recorder's */

static void fresh(bool connected)
{
	int ends[2];
	struct stat st;

	memset(&world, 0, sizeof world);
	memset(&h, 0, sizeof h);
	memset(&ct_p_, 0, sizeof ct_p_);
	if (there >= 0)
		close(there), close(here);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) || fstat(ends[0], &st))
		exit(99);
	here = ends[0], there = ends[1];
	ct_p_.hdr = &h;
	ct_p_.sock = connected ? here : -1;
	ct_p_.sock_dev = st.st_dev;
	ct_p_.sock_ino = st.st_ino;
	ct_flag_.on = CTP_FLAG_ON;
	told[0] = '\0';
}

/* What the recorder has received. */
static const char *came(void)
{
	static char bytes[100];
	ssize_t n = recv(there, bytes, sizeof bytes - 1, MSG_DONTWAIT);

	bytes[n > 0 ? n : 0] = '\0';
	return bytes;
}

static void whose(void)
{
	fresh(true);
	ok(ct_p_sock_ours(), "ours");
	ct_p_.sock_ino++;
	ok(!ct_p_sock_ours(), "another socket");
	ct_p_.sock_ino--, ct_p_.sock_dev++;
	ok(!ct_p_sock_ours(), "another file system's");
	ct_p_.sock_dev--, ct_p_.sock = there;
	ok(!ct_p_sock_ours(), "the other end");
	ct_p_.sock = 299;
	ok(!ct_p_sock_ours(), "a closed one");
	ct_p_.sock = -1;
	ok(!ct_p_sock_ours(), "none");
	close(0);
	ct_p_.sock = dup(here);
	ok(ct_p_.sock == 0 && ct_p_sock_ours(), "any number may be it");
	close(0);
	if (open("/dev/null", O_RDONLY))
		exit(99);
}

/* The number that it goes by then; bytes: what the recorder was told. */
static uint32_t number(int sock, uint32_t before, uint32_t recorder)
{
	h.next_number = CTP_NUMBERS + 7;
	h.recorder_pid = recorder;
	ct_p_.pid = before;
	ct_p_take_number(sock);
	return ct_p_.pid;
}

static void numbers(void)
{
	uint32_t me = (uint32_t)getpid();
	char bytes[6] = "N";

	fresh(true);
	ok(number(here, 0, me) == me && !*came() && h.next_number == CTP_NUMBERS + 7, "its own, where the recorder has its own here");
	ok(number(here, 0, me + 1) == CTP_NUMBERS + 7 && h.next_number == CTP_NUMBERS + 8, "of another namespace: one of the recorder's");
	memcpy(bytes + 1, &ct_p_.pid, 4);
	ok(recv(there, bytes, 6, MSG_DONTWAIT) == 5 && *bytes == 'N' && !memcmp(bytes + 1, &ct_p_.pid, 4), "who is told");
	ok(number(here, CTP_NUMBERS + 1, me) == me && !*came(), "the connection counts more than what was");
	ok(number(-1, 0, me) == me && number(-1, CTP_NUMBERS - 1, me) == me && number(-1, CTP_NUMBERS, me) == CTP_NUMBERS + 7, "without one, what was");
	world.orphan = true;
	ok(number(-1, 0, me) == CTP_NUMBERS + 7, "or a parent that is nowhere");
	ok(number(-1, 0, 0) == me, "a recorder that gives none");
	ct_p_.v1 = 1;
	ok(number(-1, 0, me) == me && number(here, 0, me + 1) == me && !*came(), "version 1");
	ct_p_.v1 = 0;
	h.recorder_pid = me + 1;
	h.next_number = 0x80000005;
	ct_p_take_number(here);
	ok(ct_p_.pid == 5, "numbers come round");
	came();
	world.orphan = false;
	close(0);
	if (dup(here))
		exit(99);
	number(0, 0, me + 1);
	ok(came()[0] == 'N', "by any descriptor");
	close(0);
	if (open("/dev/null", O_RDONLY))
		exit(99);
}

/* Without a connection, what is known of namespaces: its recorder's, its own; its parent's group. */
static bool inner(uint64_t recorders, uint64_t own, bool no_group, int dead)
{
	uint32_t is;

	ct_p_.pid_ns = recorders;
	world.ns = own, world.no_group = no_group, world.dead = dead;
	is = number(-1, 5, (uint32_t)getpid());
	return is == CTP_NUMBERS + 7;
}

static void namespaces(void)
{
	fresh(true);
	ok(!ct_p_pid_ns(), "not known");
	world.ns = 77;
	ok(ct_p_pid_ns() == 77, "as /proc says");
	number(here, 0, (uint32_t)getpid());
	ok(ct_p_.pid_ns == 77, "kept where it is the recorder's");
	ct_p_.pid_ns = 0;
	number(here, 0, (uint32_t)getpid() + 1);
	ok(!ct_p_.pid_ns, "and not else");
	came();
	ok(inner(77, 78, false, 0) && !inner(77, 77, false, 0), "another is another");
	ok(!inner(77, 0, false, 0) && !inner(0, 78, false, 0) && !inner(0, 0, false, ESRCH), "what is not known is none");
	told[0] = '\0';
	ok(inner(0, 0, true, ESRCH) && strstr(told, "kill ") && strstr(told, " 0 "), "a group of elsewhere, and a recorder that is not here");
	ok(!inner(0, 0, true, EPERM) && !inner(0, 0, true, 0), "unless it is here");
	told[0] = '\0';
}

static void listener(int *fd)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof a.sun_path, "./link.%ld", (long)getpid());
	unlink(a.sun_path);
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(*fd, (struct sockaddr *)&a, sizeof a) || listen(*fd, 8))
		exit(99);
	ct_p_.addr = a;
}

static int naps(void)
{
	int n = 0;

	for (char *p = told; (p = strstr(p, "nap 0.5000000 ")); p++)
		n++;
	told[0] = '\0';
	return n;
}

static void dials(void)
{
	int fd, l, before;

	fresh(false);
	before = open_here();
	listener(&l);
	fd = ct_p_dial();
	ok(fd >= 200 && open_here() == before + 2 && fcntl(fd, F_GETFD) == FD_CLOEXEC && (fcntl(fd, F_GETFL) & O_NONBLOCK) && !naps(), "out of the way");
	close(fd);
	world.no_high = true;
	fd = ct_p_dial();
	ok(fd >= 0 && fd < 200 && open_here() == before + 2, "unless there is no such descriptor");
	close(fd);
	world.no_high = false, world.no_socket = true;
	ok(ct_p_dial() == -1 && errno == EMFILE, "no descriptor");
	world.no_socket = false;
	world.refused = 100, world.error = EAGAIN;
	fd = ct_p_dial();
	ok(fd >= 0 && naps() == 100, "busy for half a second");
	close(fd);
	world.refused = 3, world.error = EINTR;
	fd = ct_p_dial();
	ok(fd >= 0 && naps() == 3, "interrupted");
	close(fd);
	world.refused = 101, world.error = EAGAIN;
	ok(ct_p_dial() == -1 && errno == EAGAIN && naps() == 100 && !world.refused && open_here() == before + 1, "no longer");
	world.refused = 1, world.error = EACCES;
	ok(ct_p_dial() == -1 && errno == EACCES && !naps() && open_here() == before + 1, "whatever else it is, at once");
	close(l);
	ok(ct_p_dial() == -1 && errno == ECONNREFUSED && open_here() == before, "nobody is there");
	unlink(ct_p_.addr.sun_path);
}

static void greets(void)
{
	struct stat st;
	char byte;

	fresh(false);
	h.recorder_pid = (uint32_t)getpid();
	fstat(here, &st);
	ct_p_.sock_dev = 0, ct_p_.sock_ino = 0;
	if (send(there, "ab", 2, 0) != 2)
		exit(99);
	ok(!ct_p_greet(here) && ct_p_sock_ours() && ct_p_.pid == (uint32_t)getpid() && is("") && recv(here, &byte, 1, MSG_PEEK) == 1, "this process's");
	ct_p_.flags = CTP_F_STACKS;
	ok(!ct_p_greet(here) && is("poll 1 250 ") && recv(here, &byte, 1, 0) < 0, "with call stacks it waits until its code was looked at");
	ok(!ct_p_greet(here) && is("poll 1 250 ") && ct_p_sock_ours(), "not for ever");
	ct_p_.flags = 0;
	ct_p_.sock = 77;
	ok(ct_p_greet(298) == -1 && ct_p_.sock == 77, "a descriptor that is none");
	ct_p_.sock = -1;
}

/* The same for each copy in a program, in whatever region. */
static void images(void)
{
	uint64_t half[2], want[2], got[2] = { 0, 0 };
	const char *s;

	fresh(true);
	memcpy(half, (void *)(uintptr_t)getauxval(AT_RANDOM), sizeof half);
	want[0] = (half[0] ^ half[1]) * 0x9e3779b97f4a7c15u;
	world.now = (struct timespec){ 77, 123456789 };
	want[1] = 77123456789;
	ct_p_say_image(here);
	s = came();
	ok(strlen(s) == 33 && *s == 'B' && strspn(s + 1, "abcdefghijklmnop") == 32, "in letters that say nothing else: %s", s);
	for (int i = 0; i < 32; i++)
		got[i / 16] |= (uint64_t)(s[1 + i] - 'a') << i % 16 * 4;
	ok(want[0] && !memcmp(got, want, sizeof got), "what the kernel gave the program at its exec, and the time");
	ct_p_greet(here);
	ok(*came() == 'B', "as it connects");
	h.recorder_pid = (uint32_t)getpid() + 1;
	h.next_number = 0x41414141;
	ct_p_greet(here);
	s = came();
	ok(strlen(s) == 38 && *s == 'N' && s[5] == 'B', "behind its number");
	ct_p_.v1 = 1;
	ct_p_greet(here);
	ok(!*came(), "not to a recorder of version 1");
	ct_p_.v1 = 0;
}

/* What is on the stack where the next call has its own. */
__attribute__((noinline)) static void soil(void)
{
	volatile char room[4096];

	for (size_t i = 0; i < sizeof room; i++)
		room[i] = 0x55;
}

/* The recorder's answer, there before it is asked. */
static int answered(char byte, int fd, int type)
{
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, type } };
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };

	memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	if (fd < 0)
		m.msg_control = NULL, m.msg_controllen = 0;
	if (sendmsg(there, &m, 0) != 1)
		exit(99);
	soil();
	return ct_p_ask_memory(here);
}

static void memory(void)
{
	struct stat a, b;
	int before, fd;

	fresh(false);
	before = open_here();
	if (bind(there, &(struct sockaddr){ .sa_family = AF_UNIX }, sizeof(sa_family_t)))	/* as a recorder's has, a name */
		exit(99);
	fstat(1, &a);
	fd = answered('F', 1, SCM_RIGHTS);
	fstat(fd, &b);
	ok(fd > 2 && a.st_ino == b.st_ino && fcntl(fd, F_GETFD) == FD_CLOEXEC && !strcmp(came(), "F") && is("poll 1 2000 ") && open_here() == before + 1,
		"its descriptor");
	close(fd);
	if (send(there, "1", 1, 0) != 1)
		exit(99);
	fd = answered('F', 1, SCM_RIGHTS);
	ok(fd > 2 && is("poll 1 2000 poll 1 2000 "), "behind the hello");
	close(fd);
	ok(answered('F', -1, 0) == -1 && open_here() == before, "none in it");
	fd = answered('X', 1, SCM_RIGHTS);
	ok(fd == -1, "another answer");
	setsockopt(here, SOL_SOCKET, SO_PASSCRED, &(int){ 1 }, sizeof(int));
	ok(answered('F', -1, 0) == -1, "what is said beside it is no descriptor");
	setsockopt(here, SOL_SOCKET, SO_PASSCRED, &(int){ 0 }, sizeof(int));
	ok(!strcmp(came(), "FFFF"), "each was asked for");
	told[0] = '\0';
	world.interrupted = 3, world.after = 1500000;
	fd = answered('F', 1, SCM_RIGHTS);
	ok(fd > 2 && is("poll 1 2000 poll 1 1999 poll 1 1997 poll 1 1996 "), "signals come meanwhile");
	close(fd);
	world.interrupted = 9, world.after = 900000000;
	ok(answered('F', 1, SCM_RIGHTS) == -1 && is("poll 1 2000 poll 1 1100 poll 1 200 poll 1 0 ") && recv(here, &(char){ 0 }, 1, 0) == 1, "not for ever");
	world.interrupted = 0;
	told[0] = '\0';
	world.no_poll = true;
	ok(answered('F', 1, SCM_RIGHTS) == -1 && recv(here, &(char){ 0 }, 1, 0) == 1, "none in time");
	world.no_poll = false;
	shutdown(there, SHUT_WR);
	ok(ct_p_ask_memory(here) == -1, "the other end is closed");
	fresh(false);
	close(there);
	there = open("/dev/null", O_RDONLY);
	ok(ct_p_ask_memory(here) == -1 && is(""), "it cannot be asked");
}

static void rings_bell(uint32_t sleeping)
{
	h.tracer_sleeping = sleeping;
	errno = 77;
	ct_p_bell(&h);
	ok(errno == 77, "errno stays");
}

static void bell(void)
{
	static struct ct_writer store;
	int n = 0;

	fresh(true);
	rings_bell(1);
	ok(!h.tracer_sleeping && !strcmp(came(), "1"), "who sleeps is rung");
	rings_bell(0);
	ok(!*came(), "who does not, is not");
	rings_bell(2);
	ok(!*came() && h.tracer_sleeping == 2, "nor who is about to");
	ct_p_.store = &store;
	rings_bell(1);
	ok(!*came() && h.tracer_sleeping == 1, "nor where no system call is to be made");
	ct_p_.store = NULL;
	ct_p_.box = 1;
	rings_bell(1);
	ok(!*came() && !h.tracer_sleeping && is("futex 1 1 "), "of a box the word is the bell");
	ct_p_.box = 0;
	ct_p_.sock_ino++;
	rings_bell(1);
	ok(!*came() && h.tracer_sleeping == 1 && ct_flag_.on == CTP_FLAG_ON, "nobody else's socket: the word is left to who has one");
	rings_bell(1);
	ok(h.tracer_sleeping == 1 && ct_p_.sock == -1, "nor without any");
	ct_p_.sock_ino--;
	ct_p_.sock = here;
	while (send(here, told, sizeof told, MSG_DONTWAIT) > 0)
		n++;
	rings_bell(1);
	ok(n && ct_flag_.on == CTP_FLAG_ON, "a full one is rung already");
	close(there);
	there = open("/dev/null", O_RDONLY);
	rings_bell(0);
	ok(ct_flag_.on == CTP_FLAG_ON, "not looked at");
	rings_bell(1);
	ok(!ct_flag_.on, "nobody reads any more");
}

static void lives(void)
{
	static struct ct_writer store;

	fresh(true);
	ok(!ct_p_recorder_gone() && is("poll 0 0 "), "connected");
	ct_p_.store = &store;
	close(there);
	there = open("/dev/null", O_RDONLY);
	ok(!ct_p_recorder_gone() && is(""), "not asked without system calls");
	ct_p_.store = NULL;
	ok(ct_p_recorder_gone() && is("poll 0 0 "), "closed");
	fresh(false);
	h.recorder_pid = 1234;
	ct_p_.pid = CTP_NUMBERS - 1;
	world.dead = ESRCH;
	ok(ct_p_recorder_gone() && is("kill 1234 0 "), "no connection: there is no such process");
	world.dead = EPERM;
	ok(!ct_p_recorder_gone() && is("kill 1234 0 "), "another user's");
	world.dead = 0;
	ok(!ct_p_recorder_gone() && is("kill 1234 0 "), "it lives");
	world.dead = ESRCH;
	ct_p_.pid = CTP_NUMBERS;
	ok(!ct_p_recorder_gone() && is(""), "its number says nothing in another namespace");
	ct_p_.pid = 5;
	h.recorder_pid = 0;
	ok(!ct_p_recorder_gone() && is(""), "it has given none");
	h.recorder_pid = 1234;
	ct_p_.v1 = 1;
	ok(!ct_p_recorder_gone() && is(""), "version 1 has no place for it");
}

int main(void)
{
	alarm(100);
	whose();
	numbers();
	namespaces();
	dials();
	greets();
	images();
	memory();
	bell();
	lives();
	return done_testing();
}
