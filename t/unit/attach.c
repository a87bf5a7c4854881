/* attach.c - the C probe's beginning (sdk/c/ct-attach.h) against the region of probe.c: whose turn it is, what is said where it cannot attach,
 * when it shares its flag, and what a forked child does about its parent's threads and connection.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
	bool secure, no_key, no_atfork;		/* another user's rights; no room for hooks */
	long barrier;				/* what membarrier() says */
	int barriers, gone;
	void (*in_nap)(void);
	unsigned naps;
	bool no_write;
	size_t not_dumped;
} world;

static ssize_t world_write(int fd, const char *p, size_t n);
static void world_nap(long ns);
static long world_barrier(void)
{
	world.barriers++;
	return world.barrier;
}

#define getauxval(what) ((what) == AT_SECURE ? world.secure : (getauxval)(what))
#define write(fd, p, n) world_write(fd, p, n)
#define madvise(at, n, how) (world.not_dumped += (how) == MADV_DONTDUMP ? (n) : 0, (madvise)(at, n, how))
#define nanosleep(t, rest) world_nap((t)->tv_sec ? -1 : (t)->tv_nsec)
#define syscall(call, ...) ((call) == SYS_membarrier ? world_barrier() : (syscall)(call __VA_OPT__(,) __VA_ARGS__))
#define pthread_key_create(key, end) (world.no_key || (pthread_key_create)(key, end))
#define pthread_atfork(a, b, c) (world.no_atfork || (pthread_atfork)(a, b, c))
#define kill(pid, sig) ((sig) ? -2 : world.gone ? errno = ESRCH, -1 : 0)
#include "../../sdk/c/ct.c"
#undef write
#undef madvise
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

static void world_nap(long ns)
{
	tell("nap %ld ", ns);
	if (++world.naps > 20)
		exit(99);
	if (world.in_nap)
		world.in_nap();
	errno = EINTR;
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

static uint64_t mine(void) { return CTP_OWNER(getpid(), (uint32_t)syscall(SYS_gettid)); }
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
	ok(ct_p_turn(1) == 2 && ct_p_.init == ct_p_asker() && ct_p_.init != mine(), "who asks is known without a call");
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
	setenv(CTP_ENV_SHM, shm_path, 1);
	ok(ct_p_attach(NULL, 0) == 1 && is("") && ct_flag_.on == CTP_FLAG_ON && ct_p_.starting.hdr == ct_p_.hdr && ct_p_.starting.ours == 1 &&
		ct_p_sock_ours() && open_here() == before + 1, "attached");
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
}

static void hooked(void)
{
	fresh();
	ct_p_.hooked = 0;
	ct_p_.hdr = &(struct ctp_header){ 0 };
	world.no_key = true;
	ok(!ct_p_begin(CTP_FLAG_ON) && is("ct: cannot attach: thread hooks: no memory\n") && !ct_p_.hooked && !ct_flag_.on, "no key");
	world.no_key = false, world.no_atfork = true;
	ok(!ct_p_begin(CTP_FLAG_ON) && is("ct: cannot attach: thread hooks: no memory\n") && !ct_p_.hooked && !ct_flag_.on, "no hook");
	world.no_atfork = false;
	ok(ct_p_begin(CTP_FLAG_LENT) == 1 && ct_p_.hooked == 1 && ct_flag_.on == CTP_FLAG_LENT, "both");
	world.no_key = world.no_atfork = true;
	ok(ct_p_begin(CTP_FLAG_ON) == 1 && ct_flag_.on == CTP_FLAG_ON, "once");
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
	char byte;
	int there;

	attach(1, 64, 0);
	ct_p_.sock = -1;
	ct_p_connect_child();
	there = accept(listener, NULL, NULL);
	ok(there >= 0 && ct_p_sock_ours() && !h->unconnected && ct_flag_.on && recv(there, &byte, 1, MSG_DONTWAIT) < 0, "connected");
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
	int parents, there;
	uint64_t next;

	attach(1, 64, 0);
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	parents = ct_p_.sock;
	next = h->next_probe_id;
	ct_p_.process = 1;
	errno = 77;
	ct_p_forked();
	there = accept(listener, NULL, NULL);
	ok(errno == 77 && ct_p_.process == getpid() && !ct_me_ && !pthread_getspecific(ct_p_.key), "no thread of before is there");
	ok(there >= 0 && fcntl(parents, F_GETFD) < 0 && ct_p_sock_ours() && ct_p_.sock != parents, "its connection is its own, and its parent's closed");
	ok(ct_p_.forked == next - 1 && ct_p_.old == next - 1 && ct_p_.floor == next - 1, "coroutines of before are not its own");
	ct_flag_.on = 0;
	ct_p_.forked = 5;
	parents = ct_p_.sock;
	ct_p_forked();
	ok(ct_p_.forked == 5 && ct_p_.sock == parents && fcntl(parents, F_GETFD) >= 0, "nothing where nothing is recorded");
	ct_flag_.on = CTP_FLAG_ON;
	ct_p_.sock_ino++;
	ct_p_forked();
	ok(fcntl(parents, F_GETFD) >= 0 && ct_p_.sock != parents, "a descriptor that is the program's now stays");
	ct_p_.v1 = 1;
	ct_p_forked();
	ok(!ct_p_.forked && !ct_p_.old && ct_flag_.on, "version 1 has no such numbers");
}

static void forked_store(void)
{
	attach(1, 64, CTP_F_QUIET);
	ok(ct_p_.store != NULL && ct_p_.slot_part.open == RINGS * 64 * 64 && ct_p_.station_part.open == STATIONS * 64 &&
		ct_p_.site_part.open == SITES * sizeof(struct ctp_site) && ct_p_.string_part.open == STRINGS, "all is made, and may be used, at once");
	for (uint32_t i = 0; i < RINGS; i++)
		ct_p_.store[i].taken = 1;
	ct_me_ = &ct_p_.store[1];
	ct_p_forked();
	ok(!ct_p_.store[0].taken && ct_p_.store[1].taken == 1 && !ct_p_.store[2].taken && !ct_p_.store[RINGS - 1].taken && !ct_me_,
		"what threads had that are not here is free");
}

static const struct unit_case all[] = {
	{ "says", says }, { "maps", maps }, { "turns", turns }, { "asked", asked }, { "initialised", initialised }, { "hooked", hooked }, { "stored", stored },
	{ "joins", joins }, { "forked_here", forked_here }, { "forked_store", forked_store },
};

int main(int argc, char *argv[])
{
	return run_case("attach", all, sizeof all / sizeof *all, argc, argv);
}
