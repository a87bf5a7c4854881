/* peer.c - the processes that are connected to the recorder (record/peer.c), in a world of its own in which the test says who connects, who
 * lives, what is mapped and what time it is: who is met, by which number, who is gone, and when that is said.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../record/complain.h"
#include "../../record/event.h"
#include "../../record/extra/clock.h"
#include "../../record/extra/process.h"
#include "../../record/harvest.h"
#include "../../record/line.h"
#include "../../record/peer.h"
#include "../../record/target.h"
#include "tap.h"
#include "told.h"

enum { MOST = 8192, INNER = 5000 };	/* from INNER on: of another pid namespace */
static struct {
	uint64_t now;
	struct { int fd; pid_t pid; } come[300];
	size_t coming, came;
	pid_t pid_of[4096];			/* by descriptor */
	char gone[MOST], stopped[MOST], maps[MOST], known[MOST];
	pid_t target;
	uint32_t picked;
	int full;				/* no descriptor to spare */
	int read_error;
	unsigned looks, waits;
} world;
static int bell[2];

static int world_accept(int fd)
{
	if (fd != bell[0])
		tell("accept %d? ", fd);
	errno = world.full ? EMFILE : EAGAIN;
	return world.full || world.came == world.coming ? -1 : world.come[world.came++].fd;
}

static int world_peer(int fd, struct ucred *who)
{
	if (world.pid_of[fd] >= 0)
		who->pid = world.pid_of[fd];
	return world.pid_of[fd] < 0 ? -1 : 0;
}

static int world_poll(struct pollfd *p, nfds_t n, int wait)
{
	if (n != 1 || wait)
		tell("poll? ");
	return poll(p, n, wait);
}

static int world_ppoll(struct pollfd *p, nfds_t n, const struct timespec *ts, const sigset_t *mask)
{
	if (ts->tv_sec || ts->tv_nsec)
		tell("waits %llu %llu ", (unsigned long long)ts->tv_sec, (unsigned long long)ts->tv_nsec);
	world.waits++;
	return ppoll(p, n, &(struct timespec){ 0, 0 }, mask);
}

static ssize_t world_read(int fd, char *to, size_t size)
{
	if (fd == bell[0])
		tell("read? ");
	errno = world.read_error ? world.read_error : EAGAIN;
	return world.read_error ? -1 : read(fd, to, size);
}

static void world_seen(uint32_t number, pid_t pid, bool again)
{
	tell("seen %u %d%s ", number, (int)pid, again ? " anew" : "");
	world.known[number % MOST] = 1;
}

#define clock_ns() (world.now)
#define clock_to_ns(ticks) (1000 * (ticks))
#define accept4(fd, a, b, flags) world_accept(fd)
#define getsockopt(fd, level, what, who, size) ((void)(size), world_peer(fd, who))
#define process_is_inner(pid) ((pid) >= INNER && !world.gone[pid])
#define process_seen(number, pid, again) world_seen(number, pid, again)
#define process_known(number) (world.known[(number) % MOST])
#define process_forget(number) (tell("forget %u ", number), world.known[(number) % MOST] = 0)
#define poll(p, n, wait) world_poll(p, n, wait)
#define ppoll(p, n, ts, mask) world_ppoll(p, n, ts, mask)
#define read(fd, to, size) world_read(fd, to, size)
#define process_lives(pid) (world.looks++, !world.gone[pid] && !world.stopped[pid])
#define process_exists(pid) (!world.gone[pid])
#define process_unmapped(pid, inode) ((inode) == world_inode && !world.maps[pid])
#define print_process_end(at, pid, alive) tell("end %d %llu %llu ", (int)(pid), (unsigned long long)(at), (unsigned long long)(alive))
#define harvest_retire(r, number) tell("retire %u ", number)
#define harvest_pick(r, number) (world.picked = (number))
#define harvest_retire_picked(r) tell("executed %u ", world.picked)
#define harvest_on_process(call) tell((call) == peer_meet ? "meet " : "meet? ")
#define target_pid() (world.target)
static ino_t world_inode;
#include "../../record/peer.c"
#undef poll
#undef ppoll
#undef read

/* Somebody connects: our end. */
static int connects(pid_t pid)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		exit(99);
	world.pid_of[ends[0]] = pid;
	world.come[world.coming].fd = ends[0];
	world.come[world.coming++].pid = pid;
	return ends[1];
}

static struct region r;
static uint64_t T = 1000000000000ull;

static void begin(bool stacks)
{
	struct stat st;

	memset(&world, 0, sizeof world);
	world.now = T;
	count = room = 0;
	free(fds);
	free(peers);
	fds = NULL;
	peers = NULL;
	gone.count = strays.count = 0;
	attached = false;
	accepted_at = 0;
	if (pipe(bell))
		exit(99);
	r = (struct region){ .fd = memfd_create("corotrace", MFD_CLOEXEC), .listener = bell[0], .stacks = stacks };
	if (fstat(r.fd, &st))
		exit(99);
	world_inode = st.st_ino;
	told[0] = '\0';
	peer_init(&r);
	if (!is("meet "))
		exit(99);
}

static void pass(uint64_t ns)
{
	world.now += ns;
}

static void meets(uint32_t number)
{
	peer_meet(number, world.now);
}

static void met(void)
{
	int a, b;
	char byte, two[2];

	begin(false);
	ok(!peer_attached() && !peer_following(), "nobody yet");
	peer_accept();
	ok(is("") && !peer_attached(), "nobody comes");
	a = connects(10);
	b = connects(11);
	peer_accept();
	ok(is("seen 10 10 anew seen 11 11 anew ") && peer_attached() && peer_following(), "whoever connects is met");
	ok(recv(a, &byte, 1, 0) < 0, "and not answered");
	connects(10);
	peer_accept();
	ok(is("seen 10 10 "), "a second connection of one is no news");
	world.maps[11] = 1;
	close(b);
	peer_wait(0);
	peer_reap(world.now + GONE_AFTER);
	ok(is(""), "who has closed is not gone at once");
	world.gone[11] = 1;
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("retire 11 end 11 1000000000000 1000000000000 forget 11 "), "and then is");
	peer_reap(world.now + 10 * GONE_AFTER);
	ok(is(""), "once");
	begin(true);
	a = connects(10);
	peer_accept();
	ok(recv(a, two, 2, 0) == 1 && *two == '1' && peer_following(), "where stacks are asked for, it is told that its code was seen");
}

static void numbers(void)
{
	static const struct { const char *sends; size_t size; const char *told; } all[] = {
		{ "N\x05\0\0\x70", 5, "seen 1879048197 6000 anew " }, { "1", 1, "seen 6000 6000 anew " }, { "N\x05\0\0\0", 5, "seen 6000 6000 anew " },
		{ "N\x05\0\0\x80", 5, "seen 6000 6000 anew " }, { "N\x05\0\0", 4, "seen 6000 6000 anew " }, { "F", 1, "" },
		{ "N\0\0\x40\0", 5, "seen 4194304 6000 anew " }, { "N\xff\xff\x3f\0", 5, "seen 6000 6000 anew " },
		{ "N\xff\xff\xff\x7f", 5, "seen 2147483647 6000 anew " }, { "NF11\x70", 5, "seen 1882272070 6000 anew " }, { "11N\5\5\5", 6, "seen 6000 6000 anew " },
		{ "1N\x05\0\0\x70", 6, "seen 1879048197 6000 anew " }, { "FN\x06\0\0\x70", 6, "seen 1879048198 6000 anew " },
	};
	char room[CMSG_SPACE(sizeof(int))], byte[2];
	struct iovec io = { byte, 2 };
	struct stat st = { 0 };
	int fd;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };

		begin(false);
		fd = connects(6000);
		peer_accept();
		ok(is(""), "%zu: of another namespace: who it is, it says", i);
		if (write(fd, all[i].sends, all[i].size) != (ssize_t)all[i].size)
			exit(99);
		peer_wait(0);
		ok(is(all[i].told), "%zu: by number, or by ringing", i);
		ok((recvmsg(fd, &m, 0) == 1) == (*all[i].sends == 'F'), "%zu: the memory is sent to who asks", i);
		if (*all[i].sends == 'F') {
			memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
			ok(*byte == 'F' && !fstat(fd, &st) && st.st_ino == world_inode, "%zu: as a descriptor", i);
		}
	}
	for (int sends = 0; sends < 2; sends++) {
		begin(false);
		fd = connects(6000);
		if (sends && write(fd, "N\x05\0\0\x70", 5) != 5)
			exit(99);
		close(fd);
		world.gone[6000] = 1;
		peer_accept();
		ok(is(sends ? "seen 1879048197 6000 anew " : "seen 6000 6000 anew "), "one that has ended had said it, or not");
		peer_wait(0);
		peer_reap(world.now + GONE_AFTER + 1);
		ok(is(sends ? "retire 1879048197 end 1879048197 1000000000000 1000000000000 forget 1879048197 " :
			"retire 6000 end 6000 1000000000000 1000000000000 forget 6000 "), "and ends by that name");
	}
	begin(false);
	fd = connects(10);
	peer_accept();
	for (int i = 0; i < 3; i++) {
		if (write(fd, "FFF", 3) != 3)
			exit(99);
		peer_wait(0);
	}
	ok(recv(fd, byte, 1, MSG_DONTWAIT) == 1 && recv(fd, byte, 1, MSG_DONTWAIT) < 0, "it is sent once");
	begin(true);
	fd = connects(10);
	peer_accept();
	if (write(fd, "F", 1) != 1)
		exit(99);
	peer_wait(0);
	for (int i = 0; i < 3; i++)
		ok(recv(fd, byte, 1, MSG_DONTWAIT) == 1 && *byte == "1F1"[i], "where stacks are asked for, the hello before it and behind it: %d", i);
	begin(true);
	fd = connects(6000);
	peer_accept();
	if (write(fd, "FN\x06\0\0\x70", 6) != 6)
		exit(99);
	peer_wait(0);
	for (int i = 0; i < 2; i++)
		ok(recv(fd, byte, 1, MSG_DONTWAIT) == 1 && *byte == "F1"[i], "behind it, where it says then who it is: %d", i);
	begin(false);
	connects(1);
	connects(10);
	fd = connects(-1);
	peer_accept();
	ok(is("seen 1 1 anew seen 10 10 anew "), "a container's first; one of whom nothing is known");
	if (write(fd, "N\x05\0\0\x70", 5) != 5)
		exit(99);
	peer_wait(0);
	ok(is(""), "who is nobody stays it");
	fd = connects(11);
	peer_accept();
	ok(is("seen 11 11 anew "), "who is one");
	if (write(fd, "N\x05\0\0\x70", 5) != 5)
		exit(99);
	peer_wait(0);
	ok(is(""), "stays that");
}

/* What cannot be read now can be later; what never can has ended. */
static void unreadable(void)
{
	int a, fd;

	begin(false);
	a = connects(10);
	peer_accept();
	fd = fds[1].fd;
	if (write(a, "1", 1) != 1 || write(bell[1], "1", 1) != 1)
		exit(99);
	world.read_error = EAGAIN;
	peer_wait(7 * (uint64_t)SECOND + 5);
	world.read_error = EINTR;
	peer_wait(0);
	ok(count == 2 && is("seen 10 10 anew waits 7 5 "), "not now");
	world.maps[10] = 1;
	world.read_error = ECONNRESET;
	peer_wait(0);
	ok(count == 1 && fcntl(fd, F_GETFD) < 0 && is(""), "never, and it is closed");
}

/* A program that has two copies of the probe, or becomes another. */
static void twice(void)
{
	int a, b;

	begin(false);
	a = connects(10);
	b = connects(10);
	peer_accept();
	ok(is("seen 10 10 anew seen 10 10 "), "two copies");
	world.maps[10] = 1;
	close(b);
	peer_wait(0);
	world.gone[10] = 1;
	peer_reap(world.now + 10 * GONE_AFTER);
	ok(is(""), "the second goes: nothing ends");
	world.gone[10] = 0;
	close(a);
	peer_wait(0);
	world.gone[10] = 1;
	peer_reap(world.now + 10 * GONE_AFTER);
	ok(is("retire 10 end 10 1000000000000 1000000000000 forget 10 "), "the last does");

	begin(false);
	a = connects(10);
	b = connects(10);
	peer_accept();
	world.maps[10] = 1;
	close(a);
	peer_wait(0);
	world.gone[10] = 1;
	peer_reap(world.now + 10 * GONE_AFTER);
	ok(is("seen 10 10 anew seen 10 10 "), "the first goes: the second is it");
	close(b);
	peer_wait(0);
	peer_reap(world.now + 10 * GONE_AFTER);
	ok(is("retire 10 end 10 1000000000000 1000000000000 forget 10 "), "until that goes, too");

	begin(false);
	a = connects(10);
	peer_accept();
	pass(5);
	close(a);
	connects(10);		/* exec: the old connection is closed before the new one is made */
	peer_accept();
	ok(is("seen 10 10 anew seen 10 10 anew "), "another program of that number is met anew");
	peer_wait(0);
	peer_reap(world.now + 10 * GONE_AFTER);
	ok(is("executed 10 "), "the rings of the one before are given back where it has none yet, and the process has not ended");

	begin(false);
	a = connects(10);
	peer_accept();
	close(a);
	peer_wait(0);
	connects(10);
	peer_accept();
	world.maps[10] = 1;
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("seen 10 10 anew executed 10 seen 10 10 anew end 10 1000000000000 1000000000000 ") && !strays.count,
		"where that is seen in between, what it was before has ended, and it is known");
	begin(false);
	world.target = 10;
	a = connects(10);
	peer_accept();
	close(a);
	world.gone[10] = 1;
	peer_wait(0);
	peer_reap(world.now + 10 * GONE_AFTER);
	ok(is("seen 10 10 anew retire 10 forget 10 "), "the target's own end stands elsewhere");
}

/* What a probe says of its program: which it is, and since when, in ticks of 1000 ns. */
static void image(int fd, uint64_t which, uint64_t since)
{
	char s[34];

	*s = 'B';
	for (int i = 0; i < 16; i++) {
		s[1 + i] = (char)('a' + (which >> 4 * i & 15));
		s[17 + i] = (char)('a' + (since / 1000 >> 4 * i & 15));
	}
	if (write(fd, s, 33) != 33)
		exit(99);
}

static void is_next(int *fd, uint64_t which, uint64_t since)
{
	close(*fd);
	*fd = connects(10);
	image(*fd, which, since);
}

static void begin_rung(void)
{
	begin(false);
	if (write(bell[1], "x", 1) != 1)	/* somebody waits to be accepted, always */
		exit(99);
}

/* It becomes another program, and that is seen late: when each of them ended, their own words say. */
static void executed(void)
{
	uint64_t first = 0xfedcba9876543210;
	int a, b;

	begin_rung();
	a = connects(10);
	image(a, first, T - 2000);
	peer_accept();
	world.maps[10] = 1;
	pass(9000);
	is_next(&a, first + 1, T + 4000);
	peer_meet(10, T + 3999);
	ok(is("seen 10 10 anew seen 10 10 anew "), "a line of the one before, once it is known");
	peer_look(world.now);
	peer_meet(10, T + 4000);
	ok(is("end 10 1000000003999 1000000000000 "), "has ended before the first line of the next");
	peer_meet(10, T + 4001);
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("") && count == 2 && !gone.count, "once");
	for (int i = 0; i < 3; i++)
		is_next(&a, first + 2 + (uint64_t)i, T + 5000 + 1000 * (uint64_t)i), b = a, peer_accept();
	peer_look(world.now);
	is_next(&b, first, T + 9000);
	peer_wait(0);
	peer_accept();
	told[0] = '\0';
	peer_reap(world.now + GONE_AFTER);
	ok(is(""), "several at once");
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("end 10 1000000004999 1000000004999 end 10 1000000005999 1000000005999 end 10 1000000006999 1000000006999 "
	      "end 10 1000000008999 1000000008999 "), "each when the next began, in their order, and lived no longer");

	begin_rung();
	world.maps[10] = 1;
	a = connects(10);
	image(a, first, T - 2000);
	peer_accept();
	close(a);
	peer_wait(0);
	pass(9000);
	connects(10);
	told[0] = '\0';
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("seen 10 10 anew end 10 1000000000000 1000000000000 "), "one that does not say what it is: when it was seen");

	begin_rung();
	world.maps[10] = 1;
	a = connects(10);
	image(a, first, T - 2000);
	b = connects(10);
	image(b, first, T - 1000);
	peer_accept();
	ok(is("seen 10 10 anew seen 10 10 "), "two copies in one program are one");
	close(a);
	close(b);
	a = connects(10);
	pass(9000);
	image(a, first + 1, T + 5000);
	peer_meet(10, T + 6000);
	ok(is("seen 10 10 anew end 10 1000000004999 1000000000000 "), "which ends once");

	begin_rung();
	world.maps[10] = world.maps[11] = 1;
	a = connects(10);
	image(a, first, T - 2000);
	image(connects(11), first, T - 2000);
	peer_accept();
	b = connects(10);
	pass(9000);
	peer_accept();
	ok(is("seen 10 10 anew seen 11 11 anew seen 10 10 "), "one that was left the descriptors of the one before looks like a copy");
	image(b, first + 1, T + 5000);
	peer_wait(0);
	ok(is("seen 10 10 anew "), "until it says who it is");
	peer_meet(10, T + 6000);
	ok(is("end 10 1000000004999 1000000000000 ") && count == 3, "then the one before has ended, and nobody else");
	told[0] = '\0';
	b = connects(10);
	pass(9000);
	image(b, first + 2, T + 9000);
	peer_accept();
	peer_meet(10, T + 9000);
	ok(is("seen 10 10 anew end 10 1000000008999 1000000008999 ") && count == 3, "or says so at once");

	begin(false);
	a = connects(10);
	b = connects(11);
	peer_accept();
	world.maps[10] = world.maps[11] = world.gone[10] = world.gone[11] = 1;
	close(a);
	close(b);
	told[0] = '\0';
	peer_meet(11, T);
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is(""), "that one has ended, seen amid a cut, is not said before the next one, which has all that it wrote");
	peer_reap(world.now + GONE_AFTER + 1);
	ok(strstr(told, "end 10 ") && strstr(told, "end 11 "), "and then is");
	told[0] = '\0';

	begin_rung();
	world.target = 10;
	a = connects(10);
	image(a, first, T);
	peer_accept();
	is_next(&a, first + 1, T + 1000);
	pass(9000);
	peer_wait(0);
	peer_accept();
	close(a);
	peer_wait(0);
	world.gone[10] = 1;
	told[0] = '\0';
	peer_end(10);
	ok(is("retire 10 end 10 1000000000999 1000000000000 "), "of a target the end of what it was before stands nowhere else, and what it became is known yet");

	begin_rung();
	a = connects(6000);
	if (write(a, "N\x05\0\0\x70", 5) != 5)
		exit(99);
	image(a, first, T);
	peer_accept();
	ok(is("seen 1879048197 6000 anew ") && peers[1].image == first && peers[1].since == T, "behind a number");
	image(a, first + 1, T);
	peer_wait(0);
	ok(peers[1].image == first, "once");
	b = connects(6000);
	pass(9000);
	if (write(b, "N\x06\0\0\x70", 5) != 5)
		exit(99);
	image(b, first + 1, T + 5000);
	peer_accept();
	peer_wait(0);
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("seen 1879048198 6000 anew executed 1879048197 retire 1879048197 end 1879048197 1000000004999 1000000000000 forget 1879048197 "), "where the next one has another number");
	begin_rung();
	a = connects(10);
	image(a, first, T + 1000);
	peer_accept();
	ok(peers[1].image == first && peers[1].since == T, "not from the future");
	a = connects(11);
	if (write(a, "Babcdefghijklmnopabcdefghijklmno", 32) != 32)
		exit(99);
	peer_accept();
	ok(!peers[2].image, "nor in part");
	told[0] = '\0';
}

/* They write without a connection. */
static void strays_(void)
{
	int a;

	begin(false);
	meets(20);
	ok(is("seen 20 20 ") && peer_following(), "an event's process is met");
	meets(20);
	ok(is(""), "once");
	connects(21);
	meets(21);
	ok(is("seen 21 21 anew "), "one that just connects is met so");
	a = connects(6000);
	peer_accept();
	if (write(a, "N\x07\0\0\x70", 5) != 5)
		exit(99);
	meets(0x70000007);
	ok(is("seen 1879048199 6000 anew "), "one that just says its number, too");
	meets(0x70000009);
	meets(CTP_NUMBERS);
	ok(is(""), "of a number that nobody has nothing is known");
	pass(1000);
	peer_look(world.now);
	world.gone[20] = 1;
	peer_look(world.now + 500);
	peer_reap(world.now + LOOK);
	ok(is("retire 20 end 20 1000100001000 1000000001000 forget 20 "), "it is seen to be gone, and when it lived last");

	begin(false);
	a = connects(22);
	peer_accept();
	world.maps[22] = 1;
	pass(7);
	close(a);
	peer_wait(0);
	told[0] = '\0';
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("") && peer_following(), "one that has closed its descriptors and goes on has not ended");
	pass(10 * LOOK);
	peer_reap(world.now);
	ok(is(""), "as long as it is there");
	world.gone[22] = 1;
	pass(10 * LOOK);
	peer_reap(world.now);
	ok(is("retire 22 end 22 1002000000007 1000000000000 forget 22 ") && !peer_following(), "until it is not");

	begin(false);
	meets(20);
	meets(24);
	world.gone[20] = 1;
	peer_reap(world.now + 100ull * LOOK);
	ok(is("seen 20 20 seen 24 24 retire 20 end 20 1010000000000 1000000000000 forget 20 "), "one of two");
	world.gone[24] = 1;
	peer_reap(world.now + 101ull * LOOK);
	ok(is(""), "looked at now and then");
	peer_reap(world.now + 101ull * LOOK + 1);
	ok(is("retire 24 end 24 1010100000001 1000000000000 forget 24 "), "ten times a second");
	begin(false);
	meets(0x300);
	connects(25);
	peer_accept();
	world.looks = 0;
	peer_look(world.now);
	ok(world.looks == 2, "each is looked at once");
	told[0] = '\0';

	begin(false);
	a = connects(26);
	connects(27);
	connects(28);
	connects(0);
	peer_accept();
	pass(1000);
	peer_look(world.now);
	world.gone[26] = world.gone[0] = 1;
	pass(500);
	peer_look(world.now);
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("seen 26 26 anew seen 27 27 anew seen 28 28 anew retire 26 end 26 1000000001500 1000000001000 forget 26 ") && read(a, told, 1) == 0 && count == 4,
		"one whose connection a child of its has open is seen to be gone");
	world.gone[27] = world.gone[28] = 1;
	peer_end(28);
	ok(is("retire 27 end 27 1000000001500 1000000001500 forget 27 "), "at the end at once; what the exit line says is not said twice");

	begin(false);
	a = connects(23);
	peer_accept();
	close(a);
	peer_wait(0);
	told[0] = '\0';
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("end 23 1000000000000 1000000000000 forget 23 "), "one that goes on without the memory has ended here");
}

/* However many they are, each ends once, when it does. */
static void most_strays(void)
{
	int a;

	begin(false);
	for (uint32_t i = 0; i < 2000; i++)
		meets(1000 + i);
	a = connects(22);
	peer_accept();
	world.maps[22] = 1;
	close(a);
	peer_wait(0);
	told[0] = '\0';
	pass(GONE_AFTER + 1);
	peer_reap(world.now);
	ok(is("") && strays.count == 2001, "one that is there, among many");
	world.looks = 0;
	peer_look(world.now);
	ok(world.looks == 2001, "each is looked at once");
	world.gone[22] = world.gone[2999] = 1;
	pass(10 * LOOK);
	peer_reap(world.now);
	ok(strstr(told, "retire 22 end 22 ") && strstr(told, "retire 2999 end 2999 ") && strays.count == 1999, "until it is not");
	told[0] = '\0';
	begin(false);
	a = connects(CTP_NUMBERS % MOST + INNER);
	peer_accept();
	if (write(a, "N\0\0\x40\0", 5) != 5)
		exit(99);
	peer_wait(0);
	close(a);
	peer_wait(0);
	told[0] = '\0';
	peer_reap(world.now + GONE_AFTER + 1);
	ok(!strncmp(told, "retire 4194304 ", 15), "the first number of ours");
	told[0] = '\0';
}

static void alive(void)
{
	int a, b, c;

	begin(false);
	a = connects(30);
	b = connects(31);
	c = connects(32);
	peer_accept();
	told[0] = '\0';
	world.stopped[31] = 1;
	pass(100);
	peer_look(world.now);
	pass(100);
	for (int i = 30; i < 33; i++)
		world.stopped[i] = 1;
	peer_look(world.now);
	for (int i = 30; i < 33; i++)
		world.gone[i] = 1;
	close(b);
	peer_wait(0);
	close(a);
	close(c);
	peer_wait(0);
	peer_reap(world.now + GONE_AFTER + 1);
	ok(is("retire 31 end 31 1000000000200 1000000000000 forget 31 retire 32 end 32 1000000000200 1000000000100 forget 32 "
		"retire 30 end 30 1000000000200 1000000000100 forget 30 "), "each ends when it did, and lived when it was seen to");
}

static void many(void)
{
	int all[200], n = 0;
	char *p = told;

	begin(false);
	for (int i = 0; i < 200; i++)
		all[i] = connects(100 + i);
	peer_accept();
	for (; (p = strstr(p, "seen ")); p++)
		n++;
	ok(n == 200 && peer_following(), "as many as come");
	told[0] = '\0';
	for (int i = 0; i < 200; i++) {
		world.gone[100 + i] = 1;
		close(all[i]);
	}
	peer_wait(0);
	peer_reap(world.now + GONE_AFTER + 1);
	for (n = 0, p = told; (p = strstr(p, "end ")); p++)
		n++;
	ok(n == 200 && !peer_following(), "as many go");
	begin(false);
	for (int turn = 0; turn < 8; turn++) {	/* while we stand still */
		world.coming = world.came = 0;
		for (int i = 0; i < 200; i++)
			all[i] = connects(100 + i);
		peer_accept();
		for (int i = 0; i < 200; i++) {
			world.gone[100 + i] = 1;
			close(all[i]);
		}
		peer_wait(0);
		pass(GONE_AFTER);
		told[0] = '\0';
	}
	n = 0;
	for (uint64_t turn = 1; turn <= 8; turn++) {
		peer_reap(T + turn * GONE_AFTER + 1);
		for (p = told; (p = strstr(p, "end ")); p++)
			n++;
		told[0] = '\0';
	}
	ok(n == 1600 && !peer_following(), "however many go at once");
}

/* It may have as many descriptors as there may be; whom it starts has as many as it was started with. */
static void descriptors(void)
{
	struct rlimit few, l;

	getrlimit(RLIMIT_NOFILE, &few);
	few.rlim_cur = 300;
	setrlimit(RLIMIT_NOFILE, &few);
	begin(false);
	getrlimit(RLIMIT_NOFILE, &l);
	ok(l.rlim_cur == few.rlim_max && l.rlim_max == few.rlim_max, "as many descriptors as may be");
	peer_forked();
	getrlimit(RLIMIT_NOFILE, &l);
	ok(l.rlim_cur == 300, "for itself");
	few.rlim_cur = few.rlim_max;
	setrlimit(RLIMIT_NOFILE, &few);
}

/* Some are left to look at processes with: without any, nobody would be seen to live. */
static int few_descriptors(void)
{
	int next = dup(0), i;
	struct rlimit few;

	close(next);
	few.rlim_cur = few.rlim_max = (rlim_t)next + 3 + SPARE + 3;	/* three are of the test's world */
	if (setrlimit(RLIMIT_NOFILE, &few))
		return 9;
	begin(false);
	for (i = 100; i < 105; i++)
		connects(i);
	peer_accept();
	if (!is("seen 100 100 anew seen 101 101 anew seen 102 102 anew ") || fds[0].events)
		return 1;
	world.gone[100] = 1;
	ended(1, world.now);
	told[0] = '\0';
	peer_accept();
	if (!is("seen 103 103 anew ") || fds[0].events)
		return 2;
	ended(1, world.now);
	ended(1, world.now);
	told[0] = '\0';
	peer_accept();
	return !is("seen 104 104 anew ") || fds[0].events != POLLIN ? 3 : places(r.listener, SPARE) != 1;
}

static void crowded(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(few_descriptors());
	ok(waitpid(pid, &status, 0) == pid && status == 0, "no more connections than leave descriptors to look at processes with: %x", status);
}

static void turns(void)
{
	begin(false);
	peer_accept();
	connects(40);
	if (write(bell[1], "x", 1) != 1)
		exit(99);
	pass(MILLISECOND - 1);
	peer_serve(world.now);
	ok(is(""), "not looked at all the time");
	pass(1);
	peer_serve(world.now);
	ok(is("seen 40 40 anew "), "but each millisecond");
	connects(41);
	pass(1);
	world.waits = 0;
	peer_serve(world.now);
	ok(is("") && !world.waits, "no sooner");
	pass(MILLISECOND);
	if (read(bell[0], told, 1) != 1)
		exit(99);
	told[0] = '\0';
	peer_serve(world.now);
	peer_serve(world.now);
	ok(world.waits == 1, "once");
	world.full = 1;
	peer_accept();
	ok(!fds[0].events, "without a descriptor to spare nobody is waited for");
	world.full = 0;
	peer_accept();
	ok(is("seen 41 41 anew ") && fds[0].events == POLLIN, "until there is one");
}

int main(void)
{
	descriptors();
	crowded();
	met();
	numbers();
	twice();
	executed();
	unreadable();
	strays_();
	most_strays();
	alive();
	many();
	turns();
	return done_testing();
}
