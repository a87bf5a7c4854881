/* peer.c - the processes that are connected: who they are, whether they live, and what to do when
 * one is gone. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "complain.h"
#include "event.h"
#include "extra/clock.h"
#include "extra/process.h"
#include "harvest.h"
#include "line.h"
#include "peer.h"
#include "region.h"
#include "target.h"

enum { SECOND = 1000000000, MILLISECOND = 1000000 };
/* until then what a process wrote before its end is being read */
enum { LOOK = 100 * MILLISECOND, GONE_AFTER = 5 * MILLISECOND };
/* descriptors that are not for connections: to look at processes with */
enum { SPARE = 8 };
struct peer {
	pid_t pid;		/* as the kernel names the process to us */
	/* as the trace names it: ctp(7), "Numbers of processes and threads"; 0: not known yet */
	uint32_t number;
	bool other;		/* of a connected process: it has two copies of the probe */
	bool given;		/* the memory: once, whatever it writes to keep us busy */
	/* which program it is since its last exec, and when that had begun; 0: it has not said */
	uint64_t image, since;
	uint64_t alive, at;	/* when last seen to live, when the connection ended */
	bool amid;		/* seen amid a cut, which need not have all that it wrote */
};
static struct pollfd *fds;	/* the listener, then the connections */
static struct peer *peers;	/* beside fds */
static nfds_t count, room, most;
static struct list {
	struct peer *all;
	size_t count, room;
} gone, strays;			/* connections that have ended; who writes without one */
static struct former *formers;
static size_t former_count, former_room;
static uint64_t accepted_at;
static bool amid_cut;
static bool attached;
static const struct region *region;
static struct rlimit files;		/* as we were started */

static bool grow(void)
{
	nfds_t more = room ? 2 * room : 64;
	struct pollfd *f = realloc(fds, more * sizeof *fds);
	struct peer *p = f ? realloc(peers, more * sizeof *peers) : NULL;

	fds = f ? f : fds;
	peers = p ? p : peers;
	room = p ? more : room;
	return p != NULL;
}

/* A descriptor a process, of those that are left. */
static nfds_t places(int listener, rlim_t all)
{
	int next = fcntl(listener, F_DUPFD_CLOEXEC, 0);

	if (next >= 0)
		close(next);
	return next >= 0 && all > (rlim_t)next + SPARE ? all - (rlim_t)next - SPARE : 1;
}

void peer_init(const struct region *r)
{
	struct rlimit more;

	region = r;
	harvest_on_process(peer_meet);
	need(grow() ? fds : NULL);
	fds[0] = (struct pollfd){ .fd = r->listener, .events = POLLIN };
	count = 1;
	getrlimit(RLIMIT_NOFILE, &files);
	more = files;
	more.rlim_cur = more.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &more) < 0)
		more = files;
	most = places(r->listener, more.rlim_cur);
}

void peer_forked(void)
{
	setrlimit(RLIMIT_NOFILE, &files);
}

bool peer_attached(void)
{
	return attached;
}

static bool is_open(nfds_t i)
{
	struct pollfd open = { .fd = fds[i].fd };

	return poll(&open, 1, 0) == 0;
}

/* Is it known to be another program of the same process, before or after an exec? In another pid
 * namespace that has a number of its own. */
static bool is_executed(const struct peer *p, const struct peer *q)
{
	return (p->number == q->number || (p->pid > 0 && p->pid == q->pid)) && p->image &&
	       q->image && p->image != q->image;
}

/* Another connection of the same program: exec closes those of the one before, but where that let it
 * have them. */
static struct peer *other_of(const struct peer *p)
{
	nfds_t i;

	for (i = 1; i < count; i++)
		if (&peers[i] != p && peers[i].number == p->number && !is_executed(&peers[i], p) &&
			is_open(i))
			return &peers[i];
	return NULL;
}

/* Is `next` what p became? */
static bool is_after(const struct peer *next, const struct peer *p)
{
	return is_executed(next, p) && next->since > p->since;
}

/* When it was another program already, by exec, or another process has its number; UINT64_MAX: not
 * that we know. */
static uint64_t followed_at(const struct peer *p)
{
	uint64_t at = UINT64_MAX;
	nfds_t i;

	for (i = 1; i < count; i++)
		if (is_after(&peers[i], p) && peers[i].since < at)
			at = peers[i].since;
	for (i = 0; i < gone.count; i++)
		if (is_after(&gone.all[i], p) && gone.all[i].since < at)
			at = gone.all[i].since;
	return at;
}

/* It waits, where call stacks are asked for, until its maps were read. */
static void greet(int fd)
{
	if (region->stacks)
		send(fd, "1", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* The program before it has ended, though its descriptors were left to it. */
static void end_former(const struct peer *p)
{
	nfds_t i;

	for (i = 1; i < count; i++)
		if (is_after(p, &peers[i]))
			shutdown(fds[i].fd, SHUT_RDWR);
}

/* It is known who has connected. */
static void welcome(struct peer *p, int fd)
{
	end_former(p);
	p->other = other_of(p) != NULL;
	process_seen(p->number, p->pid, !p->other);
	greet(fd);
}

enum { LETTERS = 16 };	/* of a u64 */

static uint64_t letters(const char *s)
{
	uint64_t n = 0;
	int i;

	for (i = LETTERS; i-- > 0; )
		n = n << 4 | ((unsigned)s[i] - 'a') % 16;
	return n;
}

/* What it says: ctp(7), "Connection". */
static void is_image(struct peer *p, const char *s)
{
	uint64_t since = clock_to_ns(letters(s + LETTERS)), now = clock_ns();

	if (p->image)
		return;
	p->image = letters(s);
	p->since = since < now ? since : now;
	if (!p->number)
		return;
	end_former(p);
	if (p->other && !other_of(p)) {	/* no second copy of the probe, but a second program */
		p->other = false;
		process_seen(p->number, p->pid, true);
	}
}

/* The memory, for one that its path leads nowhere. Its user may have it: the socket's directory is
 * for nobody else. */
static void send_memory(int sock)
{
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS } };
	struct iovec io = { "F", 1 };
	struct msghdr m = { .msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof control.room };

	memcpy(CMSG_DATA(&control.head), &region->fd, sizeof region->fd);
	sendmsg(sock, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* What a process sends: F, it wants the memory; N and four bytes, its number; B and 32 letters, which
 * program it is; else it rings, and was looked at. One of another pid namespace that rings before it
 * has sent its number has an old probe, and keeps its pid. */
static void received(struct peer *p, int fd, const char *bytes, ssize_t n)
{
	uint32_t number = 0;
	bool rung = false;
	ssize_t i;

	for (i = 0; i < n; i++)
		if (bytes[i] == 'F') {
			if (!p->given) {
				send_memory(fd);
				if (p->number)	/* for which it waits only then */
					greet(fd);
			}
			p->given = true;
		} else if (bytes[i] == 'N' && n - i >= 5) {
			memcpy(&number, bytes + i + 1, sizeof number);
			i += 4;
		} else if (bytes[i] == 'B' && n - i > 2 * LETTERS) {
			is_image(p, bytes + i + 1);
			i += 2 * LETTERS;
		} else {
			rung = true;
		}
	if (p->number || p->pid <= 0 || !(number || rung))
		return;
	p->number = number >= CTP_NUMBERS && number <= INT32_MAX ? number : (uint32_t)p->pid;
	welcome(p, fd);
}

static ssize_t hear(struct peer *p, int fd)
{
	char bytes[256];
	ssize_t n = read(fd, bytes, sizeof bytes);

	if (n > 0)
		received(p, fd, bytes, n);
	return n;
}

/* As they come: one that waits for long to be accepted gives up. */
void peer_accept(void)
{
	struct ucred who = { 0 };
	socklen_t size = sizeof who;
	int fd;

	accepted_at = clock_ns();
	while (count <= most && (count < room || grow()) &&
		(fd = accept4(fds[0].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
			who.pid = 0;
		attached = true;
		fds[count] = (struct pollfd){ .fd = fd, .events = POLLIN };
		peers[count] = (struct peer){ .pid = who.pid, .alive = accepted_at };
		/* Which program it is, it may have said already. In which namespace one lived that
		 * is dead, nobody can be asked; but all that it has sent is there. */
		hear(&peers[count], fd);
		if (who.pid > 0 && !peers[count].number && !process_is_inner(who.pid)) {
			peers[count].number = (uint32_t)who.pid;
			welcome(&peers[count], fd);
		}
		count++;
	}
	/* without descriptors to spare, try again each second: ppoll would return at once for those
	 * that wait */
	fds[0].events = count > most || errno == EMFILE || errno == ENFILE ? 0 : POLLIN;
}

/* Of one process, of which several ended at once, in their order. */
static bool add(struct list *l, const struct peer *p)
{
	size_t i;

	if (l->count == l->room) {
		size_t more = l->room ? 2 * l->room : 64;
		struct peer *all = realloc(l->all, more * sizeof *all);

		if (!all)
			return false;
		l->all = all;
		l->room = more;
	}
	for (i = l->count++; i && l->all[i - 1].at == p->at && l->all[i - 1].since > p->since; i--)
		l->all[i] = l->all[i - 1];
	l->all[i] = *p;
	return true;
}

/* Known not to have our memory. */
static bool is_without(pid_t pid)
{
	struct stat st;

	return fstat(region->fd, &st) == 0 && process_unmapped(pid, st.st_ino);
}

/* Its main thread goes on by the same number when it becomes another program, whose rings are
 * others. One that has not our memory after they were picked had none of these. */
static void retire_executed(const struct peer *p)
{
	if (!process_exists(p->pid))
		return;
	harvest_pick(region, p->number);
	if (is_without(p->pid))
		harvest_retire_picked(region);
}

static bool is_connected(uint32_t number)
{
	nfds_t i;

	for (i = 1; i < count; i++)
		if (peers[i].number == number)
			return true;
	return false;
}

/* By the same number, and it has ended meanwhile: that is still to be printed. */
static bool is_followed(const struct peer *p)
{
	size_t i;

	for (i = 0; i < gone.count; i++)
		if (gone.all[i].number == p->number && is_after(&gone.all[i], p))
			return true;
	return false;
}

static void keep_former(const struct former f)
{
	if (former_count == former_room) {
		former_room = former_room ? 2 * former_room : 64;
		formers = need(realloc(formers, former_room * sizeof *formers));
	}
	formers[former_count++] = f;
}

size_t peer_formers(const struct former **all)
{
	*all = formers;
	return former_count;
}

static void print_gone(const struct peer *p, uint64_t at)
{
	uint64_t next = followed_at(p), alive = p->alive;

	/* that it became another is seen late, when that has written already, and lived */
	if (next <= at)
		at = next - 1;
	if (alive > at)
		alive = at;
	if (next != UINT64_MAX && region->overwrites)
		keep_former((struct former){ p->number, at, alive });
	/* of threads with such numbers the kernel knows nothing: CTP_NUMBERS, CTP_F_QUIET */
	if (p->number >= CTP_NUMBERS || !process_exists(p->pid))
		harvest_retire(region, p->number);
	/* the target's own end stands in its exit line */
	if (p->pid != target_pid() || process_exists(p->pid) || next != UINT64_MAX)
		print_process_end(at, (pid_t)p->number, alive);
	if (!is_connected(p->number) && !is_followed(p))
		process_forget(p->number);
}

static void ended(nfds_t i, uint64_t now)
{
	struct peer *p = &peers[i], *left = p->number ? other_of(p) : NULL;

	close(fds[i].fd);
	p->at = now;
	p->amid = amid_cut;
	if (p->number)
		retire_executed(p);
	if (left && !p->other)
		left->other = false;
	else if (p->number && !p->other && !add(&gone, p))
		print_gone(p, p->at);
	fds[i] = fds[--count];
	peers[i] = peers[count];
}

void peer_wait(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / SECOND), (long)(ns % SECOND) };
	static sigset_t none;
	uint64_t now;
	nfds_t i;

	if (ppoll(fds, count, &ts, &none) <= 0)
		return;
	now = clock_ns();
	for (i = count; i-- > 1; ) {
		ssize_t n;

		if (!fds[i].revents)
			continue;
		n = hear(&peers[i], fds[i].fd);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			ended(i, now);
	}
	if (fds[0].revents)
		peer_accept();
}

void peer_serve(uint64_t now)
{
	if (now - accepted_at < MILLISECOND)
		return;
	accepted_at = now;
	peer_wait(0);
}

/* Has one of its connections ended, and that is not printed yet? */
static bool is_ending(uint32_t number)
{
	nfds_t i;

	for (i = 0; i < gone.count; i++)
		if (gone.all[i].number == number)
			return true;
	for (i = 1; i < count; i++)
		if (peers[i].number == number && !is_open(i))
			return true;
	return false;
}

/* What the process was before it became what writes now. All that it wrote then has been printed. */
static void print_former(uint32_t number, uint64_t now)
{
	size_t i = 0;

	while (i < gone.count) {
		struct peer p = gone.all[i];

		if (p.number != number || followed_at(&p) > now) {
			i++;
			continue;
		}
		print_gone(&p, p.at);
		memmove(gone.all + i, gone.all + i + 1, (--gone.count - i) * sizeof *gone.all);
	}
}

static void look_amid_cut(void)
{
	amid_cut = true;
	peer_wait(0);
	amid_cut = false;
}

void peer_meet(uint32_t number, uint64_t ts)
{
	if (process_known(number)) {
		if (is_ending(number) || poll(fds, 1, 0) > 0) {
			look_amid_cut();	/* whose connection ended, then who comes */
			look_amid_cut();	/* may have ended, too */
			print_former(number, ts);
		}
		return;
	}
	peer_accept();
	if (number >= CTP_NUMBERS)
		look_amid_cut();
	else if (!process_known(number)) {
		process_seen(number, (pid_t)number, false);
		add(&strays, &(struct peer){
			.pid = (pid_t)number, .number = number, .alive = clock_ns() });
	}
}

/* A child that it made by a raw clone(2) may have its connection open for longer than it lives. */
void peer_look(uint64_t now)
{
	size_t i;

	for (i = count; i-- > 1; )
		if (process_lives(peers[i].pid))
			peers[i].alive = now;
		else if (peers[i].pid > 0 && !process_exists(peers[i].pid) && is_open(i))
			ended(i, now);
	for (i = 0; i < strays.count; i++)
		if (process_lives(strays.all[i].pid))
			strays.all[i].alive = now;
}

bool peer_following(void)
{
	return count > 1 || strays.count || gone.count;
}

/* Who cannot connect, as with another user's rights, has our memory, and may not have written yet. */
bool peer_unmet(uint64_t now)
{
	static uint64_t last;
	static pid_t who;
	struct stat st;

	if (now - last > LOOK && fstat(region->fd, &st) == 0) {
		last = now;
		if (!who || !process_maps(who, st.st_ino))
			who = process_mapping(st.st_ino);
	}
	return who != 0;
}

/* A connection ends with its process, or when that becomes another by exec. Or it has closed what
 * descriptors it found, and goes on to write: then it still has the memory, or it is not known what
 * it has. */
static void look_at_gone(uint64_t now)
{
	size_t n = 0;

	if (gone.count && now - gone.all[0].at > GONE_AFTER)
		peer_accept();		/* what one has become says since when */
	for (; n < gone.count && !gone.all[n].amid && now - gone.all[n].at > GONE_AFTER; n++) {
		const struct peer *p = &gone.all[n];

		if (process_exists(p->pid) && !is_connected(p->number) && !is_without(p->pid) &&
			add(&strays, p))
			continue;
		print_gone(p, p->at);
	}
	if (n)
		memmove(gone.all, gone.all + n, (gone.count -= n) * sizeof *gone.all);
	for (n = 0; n < gone.count; n++)	/* the next cut has it all */
		gone.all[n].amid = false;
}

/* Those without a connection. */
static void look_at_strays(uint64_t now)
{
	size_t i;

	for (i = strays.count; i-- > 0; )
		if (!process_exists(strays.all[i].pid)) {
			struct peer p = strays.all[i];

			strays.all[i] = strays.all[--strays.count];
			print_gone(&p, now);
		}
}

void peer_end(pid_t target)
{
	uint64_t now = clock_ns();
	size_t i;

	peer_look(now);
	for (i = 0; i < gone.count; i++)
		/* its end stands in the exit line, unless it has become another since */
		if (gone.all[i].pid != target || followed_at(&gone.all[i]) != UINT64_MAX)
			print_gone(&gone.all[i], gone.all[i].at);
	gone.count = 0;
	look_at_strays(now);
}

void peer_reap(uint64_t now)
{
	static uint64_t last;

	look_at_gone(now);
	if (strays.count && now - last > LOOK) {
		last = now;
		look_at_strays(now);
	}
}
