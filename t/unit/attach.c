/* attach.c - the C probe's beginning (sdk/c/ct-attach.h) against the region of probe.c: whose turn it is, what is said where it cannot attach,
 * when it shares its flag, and what a forked child does about its parent's threads and connection.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
	bool secure, no_key, no_atfork;		/* another user's rights; no room for hooks */
	long barrier;				/* what membarrier() says */
	int barriers, gone, stays;		/* stays: calls that take the linker's lock */
	uint64_t stays_after;			/* whose turn it was then */
	void (*in_nap)(void);
	unsigned naps;
	bool no_write, no_high;
	size_t not_dumped;
	rlim_t space;				/* what there may be of addresses; 0: all */
	int no_map;				/* which of what is mapped is not to be had; 0: none */
} world;

static ssize_t world_write(int fd, const char *p, size_t n);
static int world_nap(long ns);
static long world_barrier(void)
{
	world.barriers++;
	return world.barrier;
}

#define getrlimit(which, l) ((which) == RLIMIT_AS ? (l)->rlim_cur = world.space ? world.space : RLIM_INFINITY, 0 : (getrlimit)(which, l))
#define mmap(at, n, may, how, fd, from) (world.no_map && !--world.no_map ? errno = ENOMEM, MAP_FAILED : (mmap)(at, n, may, how, fd, from))
#define fcntl(fd, command, arg) (world.no_high && (command) == F_DUPFD_CLOEXEC ? -1 : (fcntl)(fd, command, arg))
#define getauxval(what) ((what) == AT_SECURE ? world.secure : (getauxval)(what))
#define write(fd, p, n) world_write(fd, p, n)
#define madvise(at, n, how) (world.not_dumped += (how) == MADV_DONTDUMP ? (n) : 0, (madvise)(at, n, how))
#define nanosleep(t, rest) world_nap((t)->tv_sec ? -1 : (t)->tv_nsec)
#define syscall(call, ...) ((call) == SYS_membarrier ? world_barrier() : (syscall)(call __VA_OPT__(,) __VA_ARGS__))
#define pthread_key_create(key, end) (world.no_key || (pthread_key_create)(key, end))
#define pthread_atfork(a, b, c) (world.no_atfork || (pthread_atfork)(a, b, c))
#define dladdr(at, info) (world.stays++, world.stays_after = ct_p_.init, (dladdr)(at, info))
#define kill(pid, sig) ((sig) ? -2 : world.gone ? errno = ESRCH, -1 : 0)
#include "../../sdk/c/ct.c"
#undef write
#undef getrlimit
#undef mmap
#undef fcntl
#undef madvise
#undef dladdr
#undef kill
#undef nanosleep
#undef syscall
#define main probe_main
#include "probe.c"
#undef main
#include "open-here.h"
#include "told.h"

static size_t size_written;
static ssize_t world_write(int fd, const char *p, size_t n)
{
	if (fd != 2)
		return write(fd, p, n);
	if (world.no_write)
		return -1;
	size_written = n;
	tell("%.*s", (int)n, p);
	return (ssize_t)n;
}

static int world_nap(long ns)
{
	tell("nap %ld ", ns);
	if (++world.naps > 20)
		exit(99);
	if (world.in_nap)
		world.in_nap();
	errno = EINTR;
	return 0;
}

static void fresh(void)
{
	int hooked = ct_p_.hooked;
	pthread_key_t key = ct_p_.key;

	memset(&world, 0, sizeof world);
	memset(&ct_p_, 0, sizeof ct_p_);
	ct_p_.hooked = hooked;
	ct_p_.key = key;
	ct_p_.flag_shared = 1;		/* else it would be */
	ct_p_.sock = -1;
	ct_flag_.on = 0;
	ct_me_ = NULL;
	told[0] = '\0';
}

static void says(void)
{
	static char what[600];
	static const size_t long_as[] = { 480, 484, 485, 486, 487, 488, 489, 599 };

	fresh();
	ok(!ct_p_fail("its memory", "why") && is("ct: cannot attach: its memory: why\n"), "in one line");
	for (size_t i = 0; i < sizeof long_as / sizeof *long_as; i++) {
		size_t whole = strlen("ct: cannot attach: : why\n") + long_as[i];

		memset(what, 'x', long_as[i]);
		what[long_as[i]] = '\0';
		ct_p_fail(what, "why");
		ok(strlen(told) == (whole < 511 ? whole : 511) && size_written == strlen(told), "of 511 bytes at most");
		told[0] = '\0';
	}
}

/* What it maps is not in cores; what cannot be said is no success either. */
static void maps(void)
{
	int fd = memfd_create("x", MFD_CLOEXEC);
	char *at;

	fresh();
	if (ftruncate(fd, 1 << 20))
		exit(99);
	at = ct_p_map_part(fd, 2 * CT_ALIGN + 64, 5000, PROT_READ | PROT_WRITE);
	ok(at && world.not_dumped == 5000 + 64, "all of it");
	memcpy(at, "here", 4);
	ok(pread(fd, told, 4, 2 * CT_ALIGN + 64) == 4 && !memcmp(told, "here", 4), "where it was asked for");
	told[0] = '\0';
	world.not_dumped = 0;
	ok(!ct_p_map_part(-1, 0, 4096, PROT_READ) && !world.not_dumped, "nowhere");
	world.no_write = true;
	ok(!ct_p_fail("its memory", "why") && is(""), "without stderr");
	close(fd);
}

/* ---- turns ---- */

static uint64_t mine(void) { return CTP_OWNER(getpid(), (uint32_t)((uintptr_t)&ct_me_ >> 4)); }
static void is_done(void) { ct_p_.init = CT_DONE; }
static void gives_up(void) { if (world.naps == 2) ct_p_.init = 0; }

static void turns(void)
{
	fresh();
	ok(ct_p_turn(0) == 1 && ct_p_.init == mine(), "nobody was there");
	ok(ct_p_turn(0) == 0 && ct_p_turn(1) == 0 && ct_p_.init == mine() && is(""), "a handler that interrupts us does not wait");
	ct_p_.init = 0;
	ok(ct_p_turn(1) == 1 && ct_p_.init == mine(), "once is once, even if again");
	ct_p_.init = CT_DONE;
	ok(ct_p_turn(0) == 0 && ct_p_.init == CT_DONE, "it is done");
	ok(ct_p_turn(1) == 2 && ct_p_.init == mine(), "once more");
	ct_p_.init = CTP_OWNER(getpid() + 1, 5);
	ok(ct_p_turn(0) == 1 && ct_p_.init == mine() && is(""), "who forked us is not waited for");
	world.stays = 0;
	ct_p_.hooked = 0;
	ok(ct_p_hook() && (ct_p_stay(), !world.stays), "nor for the linker's lock, which he may have had");
	ct_p_.init = CT_DONE;
	ok(ct_p_turn(1) == 2 && ct_p_hook() && (ct_p_stay(), !world.stays), "nor later");
	ct_p_.init = 0;
	ok(ct_p_turn(0) == 1, "by one that nobody forked");
	ct_p_.hooked = ct_p_.stays = 0;
	ct_p_stay();
	ok(!world.stays && ct_p_hook() && !world.stays, "nor while it is our turn, for which one may wait that has that lock");
	ct_p_stay();
	ct_p_stay();
	ok(world.stays == 1, "the linker is asked, once");
	ct_p_.init = CTP_OWNER(getpid(), 1);
	world.in_nap = is_done;
	ok(ct_p_turn(0) == 0 && ct_p_.init == CT_DONE && is("nap 1000000 "), "another thread is");
	ct_p_.init = CTP_OWNER(getpid(), 1);
	ok(ct_p_turn(1) == 2 && ct_p_.init == mine() && is("nap 1000000 "), "then it is our turn");
	ct_p_.init = CTP_OWNER(getpid(), 1);
	world.in_nap = gives_up;
	world.naps = 0;
	ok(ct_p_turn(0) == 1 && ct_p_.init == mine() && is("nap 1000000 nap 1000000 "), "or it gives up");
	/* attached, and no call is to be made */
	ct_p_.store = calloc(1, sizeof *ct_p_.store);
	ct_p_.process = getpid();
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	ct_p_.init = CT_DONE;
	ok(ct_p_turn(1) == 2 && ct_p_.init == mine(), "who asks is known without a call");
	ok(ct_p_turn(1) == 0 && ct_p_init("1", 1) == 1 && ct_p_.init == ct_p_asker(), "and is not waited for");
	free(ct_p_.store);
	ct_p_.store = NULL;
	ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
}

/* ---- the environment ---- */

static void unset(void)
{
	unsetenv(CTP_ENV_SHM);
	unsetenv(CTP_ENV_SOCK);
	unsetenv(CTP_ENV_BOX);
}

static bool attaches(const char *said)
{
	bool no = !ct_p_attach(NULL, 0);

	return is(said) && no;
}

/* A path that is older than its recorder's end leads to a terminal now: a daemon gets none by that. */
static bool takes_terminal(void)
{
	int pty = posix_openpt(O_RDWR | O_NOCTTY), status = 0;
	pid_t child;

	if (pty < 0 || grantpt(pty) || unlockpt(pty))
		return true;
	setenv(CTP_ENV_SHM, ptsname(pty), 1);
	child = fork();
	if (!child) {
		setsid();
		ct_p_attach(NULL, 0);
		_exit(open("/dev/tty", O_RDWR) >= 0);
	}
	waitpid(child, &status, 0);
	close(pty);
	return status;
}

static void asked(void)
{
	char path[200], want[400];
	int before;

	fresh();
	unset();
	ok(attaches("") && ct_p_.process == getpid(), "nobody asks");
	region(1, 64, 0);
	listen_here();
	before = open_here();
	world.secure = true;
	ok(attaches("ct: cannot attach: CTP_SHM_PATH: not followed by a program that runs with another user's rights\n"), "another user's rights");
	world.secure = false;
	unsetenv(CTP_ENV_SHM);
	ok(attaches("ct: cannot attach: CTP_SHM_PATH: not set\n"), "only a socket");
	setenv(CTP_ENV_SHM, shm_path, 1);
	unsetenv(CTP_ENV_SOCK);
	ok(attaches("ct: cannot attach: CTP_SOCK_PATH: not set\n"), "only memory");
	for (size_t n = sizeof addr.sun_path - 1; n < sizeof addr.sun_path + 2; n++) {
		memset(path, 'x', n);
		path[n] = '\0';
		setenv(CTP_ENV_SOCK, path, 1);
		snprintf(want, sizeof want, "ct: cannot attach: %s: %s\n", path, n < sizeof addr.sun_path ? strerror(ENOENT) : "path too long for a socket");
		ok(attaches(want), "a path of %zu bytes", n);
	}
	setenv(CTP_ENV_SOCK, addr.sun_path, 1);
	h->magic++;
	snprintf(want, sizeof want, "ct: cannot attach: %s: not a recorder's memory\n", shm_path);
	ok(attaches(want), "another's memory");
	h->magic--;
	h->rings_off = 64;
	snprintf(want, sizeof want, "ct: cannot attach: %s: its tables do not lie within it\n", shm_path);
	ok(attaches(want), "a broken one");
	h->rings_off = 1024 + V1 * 1024;
	setenv(CTP_ENV_SHM, "/nonexistent", 1);
	ok(attaches("ct: cannot attach: /nonexistent: No such file or directory\n") && open_here() == before, "none, and a recorder that does not answer");
	setenv(CTP_ENV_SHM, "/dev/null", 1);
	ok(attaches("ct: cannot attach: /dev/null: too small to be a recorder's memory\n"), "none of its size");
	ok(!takes_terminal(), "a terminal, which stays nobody's");
	setenv(CTP_ENV_SHM, shm_path, 1);
	ok(ct_p_attach(NULL, 0) == 1 && is("") && ct_flag_.on == CTP_FLAG_ON && ct_p_.starting.hdr == ct_p_.hdr && ct_p_.starting.ours == 1 &&
		ct_p_sock_ours() && open_here() == before + 1, "attached");
	ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
	ok(!ct_p_attach("1", 1) && is("ct: cannot attach: a second time: the recorder of this process is gone\n") && !ct_p_.box && !ct_flag_.on,
		"nothing after its recorder has died");
}

/* No more than a quarter of the address space, each table in proportion. */
static bool maps_of(unsigned less, uint32_t ring_count, uint64_t text_size)
{
	struct ct_part *all[] = { &ct_p_.slot_part, &ct_p_.station_part, &ct_p_.site_part, &ct_p_.string_part };
	uint64_t sizes[] = { ring_count * 64 * 64, (STATIONS >> less) * 64, (SITES >> less) * sizeof(struct ctp_site), text_size };
	bool as_large = true;

	fresh();
	world.space = 4 * (h->file_size >> less);
	if (!ct_p_attach(NULL, 0))
		return false;
	for (int i = 0; i < 4; i++)
		as_large = as_large && all[i]->size == sizes[i] && !all[i]->open;
	close(ct_p_.sock);
	return as_large && ct_p_.ring_count == ring_count && ct_p_.station_count == (uint32_t)STATIONS >> less && ct_p_.site_count == (uint32_t)SITES >> less &&
		ct_p_.strings_size == text_size && ct_p_.ring_slots == 64;
}

static void limited(void)
{
	region(1, 64, 0);
	listen_here();
	h->strings_size = STRINGS - 8;
	ok(maps_of(0, RINGS, STRINGS - 8), "as large as it is");
	ok(maps_of(1, RINGS / 2, STRINGS / 2 - 8), "a half of it; texts of whole words");
	ok(maps_of(3, 1, STRINGS / 8 - 8), "one ring at least");
	ok(is(""), "of which nothing is said");
}

/* Births are of regions whose rings overwrite, where these have such. */
static void born(void)
{
	region(1, 64, 0);
	listen_here();
	h->births_off = h->rings_off;
	ok(maps_of(0, RINGS, STRINGS) && !ct_p_.births, "not of others");
	h->v2_minor = CTP2_MINOR_BOX;
	ok(maps_of(0, RINGS, STRINGS) && (char *)ct_p_.births == ct_p_.birth_part.at && ct_p_.birth_part.size == STATIONS * sizeof(struct ctp_birth), "of these");
	h->births_off = 0;
	ok(maps_of(0, RINGS, STRINGS) && !ct_p_.births, "but there are none");
}

/* Each of what it maps is not to be had, in turn: 2 for the texts and sites that it knows, with call stacks or no calls 1 more. */
static void without(void)
{
	static const struct { uint32_t flags; int maps; } all[] = { { 0, 7 }, { CTP_F_STACKS, 8 }, { CTP_F_QUIET, 8 } };
	char one[200], other[100];
	static uint32_t mark;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		region(1, 64, all[i].flags);
		listen_here();
		snprintf(one, sizeof one, "ct: cannot attach: %s: Cannot allocate memory\n", shm_path);
		snprintf(other, sizeof other, "ct: cannot attach: no memory: Cannot allocate memory\n");
		for (int n = 1; n <= all[i].maps; n++) {
			fresh();
			ct_p_.original = &mark;
			world.no_map = n;
			ok(attaches(n == 1 ? one : other) && !ct_flag_.on, "map %d", n);
		}
		fresh();
		ct_p_.original = &mark;
		world.no_map = all[i].maps + 1;
		ct_object_count_ = 0;
		ok(ct_p_attach(NULL, 0) == 1 && world.no_map == 1 && !ct_object_count_ == !(all[i].flags & CTP_F_STACKS), "all others are there");
	}
}

/* Where standard input is closed, and there is no higher descriptor, 0 is one as good as any. */
static void as_input(void)
{
	int before;

	region(1, 64, 0);
	listen_here();
	before = open_here();
	close(0);
	fresh();
	ok(ct_p_attach(NULL, 0) == 1 && ct_p_.sock >= 200 && fcntl(0, F_GETFD) < 0 && open_here() == before + 1, "the memory by it");
	close(ct_p_.sock);
	fresh();
	world.no_high = true;
	ok(ct_p_attach(NULL, 0) == 1 && !ct_p_.sock && ct_p_sock_ours() && open_here() == before, "the connection, too");
	ct_p_.process = 1;
	ct_p_forked();
	ok(ct_flag_.on && ct_p_sock_ours() && !h->unconnected && fcntl(0, F_GETFD) < 0, "which a child has of its own");
	ct_p_.sock = -1;
	close(0);
	ct_p_connect_child();
	ok(!ct_p_.sock && ct_p_sock_ours() && !h->unconnected, "by 0");
}

/* A recorder that gives its memory by the connection, once. */
static void gives(int memory)
{
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	char byte;
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	char image[33];
	int fd;

	if (fork())
		return;
	fd = accept(listener, NULL, NULL);
	memcpy(CMSG_DATA(&control.head), &memory, sizeof memory);
	_exit(recv(fd, &byte, 1, 0) != 1 || sendmsg(fd, &m, 0) != 1 || recv(fd, image, 33, MSG_WAITALL) != 33 || recv(fd, &byte, 1, 0));
}

static void given(void)
{
	int memory, status, before;

	region(1, 64, 0);
	listen_here();
	memory = open(shm_path, O_RDWR | O_CLOEXEC);
	setenv(CTP_ENV_SHM, "/nonexistent", 1);
	before = open_here();
	for (int low = 0; low < 2; low++) {
		fresh();
		gives(memory);
		world.no_high = low;
		if (low)
			close(0);
		ok(ct_p_attach(NULL, 0) == 1 && is("") && ct_p_sock_ours() && (low ? !ct_p_.sock : ct_p_.sock >= 200) && open_here() == before + !low,
			"memory by the connection%s", low ? ", which is 0" : "");
		close(ct_p_.sock);
		ok(wait(&status) > 0 && !status, "which is the only one");
	}
}

static void initialised(void)
{
	fresh();
	unset();
	ct_p_.flag_shared = 0;
	errno = 77;
	ok(!ct_init() && errno == 77 && ct_p_.flag_shared == 1 && ct_p_.init == CT_DONE && is(""), "nobody asks: the flag is shared");
	fresh();
	ct_p_.flag_shared = 0;
	setenv(CTP_ENV_BOX, "0", 1);
	ok(!ct_init() && !ct_p_.flag_shared, "unless it is not wanted");
	setenv(CTP_ENV_BOX, "", 1);
	fresh();
	ct_p_.flag_shared = 0;
	ok(!ct_init() && ct_p_.flag_shared, "an empty word is none");
	fresh();
	setenv(CTP_ENV_BOX, "nonsense", 1);
	ok(!ct_init() && is("ct: cannot attach: CTP_BOX: neither 0, nor 1, nor a directory's whole path\n"), "nonsense is said");
	fresh();
	ok(!ct_box("0") && is("ct: cannot attach: CTP_BOX: neither 0, nor 1, nor a directory's whole path\n"), "the environment comes first");
	fresh();
	world.secure = true;
	ok(!ct_init() && is(""), "but not another user's");
	unset();
	region(1, 64, 0);
	listen_here();
	fresh();
	ct_p_.flag_shared = 0;
	ok(ct_init() == 1 && !ct_p_.flag_shared && ct_init() == 1, "attached: it is not");
	ok(world.stays == 1 && world.stays_after == CT_DONE, "then the linker is asked");
}

static void hooked(void)
{
	fresh();
	ct_p_.hooked = 0;
	ct_p_.hdr = &(struct ctp_header){ 0 };
	world.no_key = true;
	ok(!ct_p_hook() && errno == ENOMEM && !ct_p_.hooked, "no key");
	world.no_key = false, world.no_atfork = true;
	ok(!ct_p_hook() && errno == ENOMEM && !ct_p_.hooked, "no hook");
	world.no_atfork = false;
	ok(ct_p_hook() && ct_p_begin(CTP_FLAG_LENT) == 1 && ct_p_.hooked == 1 && ct_flag_.on == CTP_FLAG_LENT, "both");
	world.no_key = world.no_atfork = true;
	ok(ct_p_hook() && ct_p_begin(CTP_FLAG_ON) == 1 && ct_flag_.on == CTP_FLAG_ON, "once");
	fresh();
	ct_p_register();
	ok(world.barriers == 1 && !(ct_p_.flags & CTP_F_FENCE), "fences are made for us");
	world.barrier = -1;
	ct_p_register();
	ok(world.barriers == 2 && (ct_p_.flags & CTP_F_FENCE), "where they may not, by us");
	ct_p_register();
	ok(world.barriers == 2 && (ct_p_.flags & CTP_F_FENCE), "nor where the recorder does not");
	fresh();
	ct_p_.v1 = 1;
	ct_p_register();
	ok(!world.barriers && (ct_p_.flags & CTP_F_FENCE), "nor one of version 1");
}

static void stored(void)
{
	fresh();
	ct_p_.ring_count = 3;
	ok(ct_p_make_store() == 1 && !ct_p_.store, "none");
	ct_p_.flags = CTP_F_QUIET;
	ok(ct_p_make_store() == 1 && ct_p_.store, "where no call is to be made later, it is made at once");
	ct_p_.store[2].taken = 1;
	ok(ct_p_.store[2].taken == 1, "for each ring");
	ct_p_.ring_count = UINT32_MAX;
	ct_p_.store = NULL;
	ok(!ct_p_make_store() && !ct_p_.store, "as much as there is");
}

/* ---- children ---- */

static void joins(void)
{
	char said[40];
	int there, ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || dup2(ends[0], 0))	/* which is no connection to a recorder */
		exit(99);
	attach(1, 64, 0);
	ct_p_.sock = -1;
	ct_p_connect_child();
	there = accept(listener, NULL, NULL);
	ok(there >= 0 && ct_p_sock_ours() && !h->unconnected && ct_flag_.on && recv(there, said, 40, MSG_DONTWAIT) == 33 && *said == 'B', "connected");
	h->recorder_pid = (uint32_t)getpid();
	h->next_number = CTP_NUMBERS + 3;
	ct_p_.addr.sun_path[0] = 'x';
	ct_p_.sock = -1;
	ct_p_.pid = 5;
	ct_p_connect_child();
	ok(h->unconnected == 1 && ct_flag_.on && ct_p_.pid == (uint32_t)getpid(), "without a connection it is counted");
	ct_p_.pid = CTP_NUMBERS;
	ct_p_connect_child();
	ok(h->unconnected == 2 && ct_p_.pid == CTP_NUMBERS + 3, "in another namespace under another number");
	ct_p_.pid = 5;
	world.gone = 1;
	ct_p_connect_child();
	ok(h->unconnected == 2 && !ct_flag_.on, "not where the recorder is gone");
	world.gone = 0;
	ct_flag_.on = CTP_FLAG_ON;
	ct_p_.v1 = 1;
	ct_p_connect_child();
	ok(h->unconnected == 2 && !ct_flag_.on, "nor where there is no place to count it");
	ct_p_.v1 = 0;
	ct_flag_.on = CTP_FLAG_ON;
	ct_p_.addr.sun_path[0] = '.';
	close(listener);
	ct_p_connect_child();
	ok(h->unconnected == 2 && !ct_flag_.on, "nor where nobody listens");
}

/* In this process, as if it had been forked. */
static void forked_here(void)
{
	struct ct_coro c = { 0 };
	int parents, there, cancel;
	uint64_t next;

	attach(1, 64, 0);
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	parents = ct_p_.sock;
	next = h->next_probe_id;
	ct_p_.process = 1;
	world.barriers = 0;
	errno = 77;
	ct_p_forked();
	there = accept(listener, NULL, NULL);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
	ok(errno == 77 && cancel == PTHREAD_CANCEL_ENABLE && world.barriers == 1 && ct_p_.process == getpid() && !ct_me_ && !pthread_getspecific(ct_p_.key), "no thread of before is there");
	ok(there >= 0 && fcntl(parents, F_GETFD) < 0 && ct_p_sock_ours() && ct_p_.sock != parents, "its connection is its own, and its parent's closed");
	ok(ct_p_.forked == next - 1 && ct_p_.old == next - 1 && ct_p_.floor == next - 1, "coroutines of before are not its own");
	ct_flag_.on = 0;
	ct_p_.forked = 5;
	parents = ct_p_.sock;
	errno = 77;
	ct_p_forked();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
	ok(errno == 77 && cancel == PTHREAD_CANCEL_ENABLE && ct_p_.forked == 5 && ct_p_.sock == parents && fcntl(parents, F_GETFD) >= 0, "nothing where nothing is recorded");
	ct_flag_.on = CTP_FLAG_ON;
	ct_p_.sock_ino++;
	ct_p_forked();
	ok(fcntl(parents, F_GETFD) >= 0 && fcntl(0, F_GETFD) >= 0 && ct_p_.sock != parents, "a descriptor that is the program's now stays");
	ct_p_.v1 = 1;
	ct_p_forked();
	ok(!ct_p_.forked && !ct_p_.old && ct_flag_.on, "version 1 has no such numbers");
	ct_p_.v1 = 0;
	ct_p_.addr.sun_path[0] = 'x';
	h->recorder_pid = 5;
	world.gone = 1;
	ct_p_forked();
	ok(!ct_flag_.on && !h->unconnected, "its parent's connection does not say that the recorder lives");
}

static void forked_store(void)
{
	static struct ct_writer many[RINGS + 1];

	attach(1, 64, CTP_F_QUIET);
	ok(ct_p_.store != NULL && ct_p_.slot_part.open == RINGS * 64 * 64 && ct_p_.station_part.open == STATIONS * 64 &&
		ct_p_.site_part.open == SITES * sizeof(struct ctp_site) && ct_p_.string_part.open == STRINGS, "all is made, and may be used, at once");
	ct_p_.store = many;
	for (uint32_t i = 0; i < RINGS + 1; i++)
		ct_p_.store[i].taken = ct_p_.store[i].ours = 1;
	ct_me_ = &ct_p_.store[1];
	ct_p_forked();
	ok(!many[1].ours, "the call under way is the parent's");
	ok(!ct_p_.store[0].taken && ct_p_.store[1].taken == 1 && !ct_p_.store[2].taken && !ct_p_.store[RINGS - 1].taken && ct_p_.store[RINGS].taken == 1 && !ct_me_,
		"what threads had that are not here is free");
}

static const struct unit_case all[] = {
	{ "says", says }, { "maps", maps }, { "turns", turns }, { "asked", asked }, { "limited", limited }, { "born", born }, { "without", without }, { "as_input", as_input }, { "given", given }, { "initialised", initialised }, { "hooked", hooked }, { "stored", stored },
	{ "joins", joins }, { "forked_here", forked_here }, { "forked_store", forked_store },
};

int main(int argc, char *argv[])
{
	return run_case("attach", all, sizeof all / sizeof *all, argc, argv);
}
