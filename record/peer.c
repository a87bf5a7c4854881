/* peer.c - the processes that are connected: who they are, whether they live, and what to do when one is gone. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "record.h"

enum { SECOND = 1000000000, MILLISECOND = 1000000 };
enum { GONE_AFTER = 5 * MILLISECOND };	/* until then what a process wrote before its end is being read */
enum { LATER = 1024 };			/* processes whose end or next program is waited for, at most */

struct peer {
	pid_t pid;		/* as the kernel names the process to us */
	uint32_t number;	/* as the trace names it: ctp(7), "Numbers of processes and threads"; 0: it has yet to say */
	uint64_t alive, at;	/* when last seen to live, when the connection ended */
};
static struct pollfd *fds;	/* the listener, then the connections */
static struct peer *peers;	/* beside fds */
static nfds_t count, room;
static struct peer gone[LATER], lingering[LATER];
static size_t gone_count, lingering_count;
static uint64_t accepted_at;
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

bool peer_init(const struct region *r)
{
	struct rlimit more;

	region = r;
	if (!grow()) {
		complain("out of memory");
		return false;
	}
	fds[0] = (struct pollfd){ .fd = r->listener, .events = POLLIN };
	count = 1;
	getrlimit(RLIMIT_NOFILE, &files);
	more = files;
	more.rlim_cur = more.rlim_max;		/* a descriptor a process */
	setrlimit(RLIMIT_NOFILE, &more);
	return true;
}

void peer_forked(void)
{
	setrlimit(RLIMIT_NOFILE, &files);
}

unsigned peer_count(void)
{
	return (unsigned)count - 1;
}

bool peer_attached(void)
{
	return attached;
}

/* It is known who has connected. It waits, where call stacks are asked for, until its maps were read. */
static void welcome(struct peer *p, int fd)
{
	process_seen(p->number, p->pid, true);
	if (region->stacks)
		send(fd, "1", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* As they come: one that waits for long to be accepted gives up. */
void peer_accept(void)
{
	struct ucred who = { 0 };
	socklen_t size = sizeof who;
	int fd;

	accepted_at = clock_ns();
	while ((count < room || grow()) && (fd = accept4(fds[0].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
			who.pid = 0;
		attached = true;
		fds[count] = (struct pollfd){ .fd = fd, .events = POLLIN };
		peers[count] = (struct peer){ .pid = who.pid, .alive = accepted_at };
		if (who.pid > 0 && !process_is_inner(who.pid)) {
			peers[count].number = (uint32_t)who.pid;
			welcome(&peers[count], fd);
		}
		count++;
	}
	/* without descriptors to spare, try again each second: ppoll would return at once for those that wait */
	fds[0].events = errno == EMFILE || errno == ENFILE ? 0 : POLLIN;
}

void peer_accept_often(uint64_t now)
{
	if (now - accepted_at > MILLISECOND)
		peer_accept();
}

/* The first bytes of a process of another pid namespace; one with an old probe says nothing of it, and keeps its pid. */
static void take_number(struct peer *p, int fd, const char *bytes, ssize_t n)
{
	uint32_t number = 0;

	if (p->number || p->pid <= 0)
		return;
	if (n >= 5 && bytes[0] == 'N')
		memcpy(&number, bytes + 1, sizeof number);
	p->number = number >= CTP_NUMBERS && number <= INT32_MAX ? number : (uint32_t)p->pid;
	welcome(p, fd);
}

static void ended(nfds_t i)
{
	struct peer *p = &peers[i];

	close(fds[i].fd);
	p->at = clock_ns();
	if (p->number && gone_count < LATER)
		gone[gone_count++] = *p;
	if (p->number >= CTP_NUMBERS && lingering_count < LATER)
		lingering[lingering_count++] = *p;
	fds[i] = fds[--count];
	peers[i] = peers[count];
}

void peer_wait(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / SECOND), (long)(ns % SECOND) };
	static sigset_t none;
	char bytes[256];
	nfds_t i;

	if (ppoll(fds, count, &ts, &none) <= 0)
		return;
	for (i = count; i-- > 1; ) {
		ssize_t n;

		if (!fds[i].revents)
			continue;
		n = read(fds[i].fd, bytes, sizeof bytes);	/* wake bytes are read and forgotten */
		if (n > 0)
			take_number(&peers[i], fds[i].fd, bytes, n);
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			ended(i);
	}
	if (fds[0].revents)
		peer_accept();
}

void peer_meet(uint32_t number)
{
	if (process_known(number))
		return;
	peer_accept();
	if (number >= CTP_NUMBERS)
		peer_wait(0);
	else
		process_seen(number, (pid_t)number, false);
}

void peer_look(uint64_t now)
{
	nfds_t i;

	for (i = 1; i < count; i++)
		if (process_lives(peers[i].pid))
			peers[i].alive = now;
}

/* A connection of another namespace has ended, and its process with it: its rings are nobody's. That of a process that
 * closed its descriptors has ended, too; it goes on to write. */
static void reap_lingering(void)
{
	size_t i;

	for (i = lingering_count; i-- > 0; )
		if (!process_lives(lingering[i].pid)) {
			harvest_retire(region, lingering[i].number);
			lingering[i] = lingering[--lingering_count];
		}
}

void peer_reap(uint64_t now)
{
	static uint64_t last;

	/* the target's own end stands in its exit line */
	while (gone_count && now - gone[0].at > GONE_AFTER) {
		if (gone[0].pid != target_pid() || process_lives(gone[0].pid))
			print_process_end(gone[0].at, (pid_t)gone[0].number, gone[0].alive);
		memmove(gone, gone + 1, --gone_count * sizeof *gone);
	}
	if (now - last > SECOND) {
		last = now;
		reap_lingering();
	}
}
