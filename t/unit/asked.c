/* asked.c - the C probe's flag (sdk/c/ct-flag.h): shared for a recorder that comes later, asked for a box, had by a forked child; in a world in
 * which each call may fail. asked children: by children that are none by fork().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "open-here.h"
#include "tap.h"

static struct {
	long page;
	bool no_memory, no_high, no_stat, no_map;
	uint64_t ns;
} world;

static int world_control(int fd, int command, long arg)
{
	return command == F_DUPFD_CLOEXEC && world.no_high ? -1 : fcntl(fd, command, arg);
}

static void *world_map(void *at, size_t size, int prot, int flags, int fd, off_t off)
{
	if (world.no_map)
		return MAP_FAILED;
	if (fd < 0 && (!(flags & MAP_ANONYMOUS) || off))
		return errno = EINVAL, MAP_FAILED;
	return mmap(at, size, prot, flags, fd, off);
}

static int world_stat(struct stat *st)
{
	st->st_ino = world.ns;
	return world.ns ? 0 : -1;
}

#define sysconf(what) world.page
#define memfd_create(name, flags) (world.no_memory ? errno = ENFILE, -1 : (memfd_create)(name, flags))
#define fcntl(fd, command, arg) world_control(fd, command, (long)(arg))
#define fstat(fd, st) (world.no_stat ? -1 : (fstat)(fd, st))
#define mmap world_map
#define stat(path, st) world_stat(st)
#include "../../sdk/c/ct.c"
#undef sysconf
#undef memfd_create
#undef fcntl
#undef fstat
#undef mmap
#undef stat

/* The page as another process sees it, NULL: it is not shared. */
static struct ct_flag_page_ *shared(void)
{
	void *at = mmap(NULL, sizeof ct_flag_, PROT_READ | PROT_WRITE, MAP_SHARED, ct_p_.flag_fd, 0);
	static int last;
	struct stat st;

	if (at == MAP_FAILED || fstat(ct_p_.flag_fd, &st) || st.st_ino != ct_p_.flag_ino)
		return NULL;
	last++;
	ctp_store(&ct_flag_.rest[0], (char)last);
	return ((struct ct_flag_page_ *)at)->rest[0] == (char)last ? at : NULL;
}

static void shares(void)
{
	int here = open_here(), input;

	world.page = 2 * (long)sizeof ct_flag_;
	ct_p_share_flag();
	ok(!ct_p_.flag_shared && open_here() == here, "not where pages are larger");
	world.page = (long)sizeof ct_flag_;
	world.no_memory = true;
	ct_p_share_flag();
	ok(!ct_p_.flag_shared && open_here() == here, "nor without memory");
	world.no_memory = false;
	world.no_stat = true;
	ct_p_share_flag();
	ok(!ct_p_.flag_shared && open_here() == here, "nor with what cannot be looked at");
	world.no_stat = false;
	world.no_map = true;
	ct_p_share_flag();
	ok(!ct_p_.flag_shared && open_here() == here, "nor mapped");
	world.no_map = false;
	ct_p_share_flag();
	ok(ct_p_.flag_shared && shared() && ct_p_.flag_fd >= 200 && open_here() == here + 1, "shared, out of the way");
	ct_p_share_flag();
	ok(ct_p_.flag_shared && shared() && open_here() == here + 1, "once");
	input = dup(0);
	close(0);
	close(ct_p_.flag_fd);
	ct_p_.flag_shared = 0;
	world.no_high = true;
	ct_p_share_flag();
	ok(ct_p_.flag_shared && shared() && !ct_p_.flag_fd, "where standard input is closed, too");
	world.no_high = false;
	dup2(input, 0);
	close(input);
	ct_p_.flag_shared = 0;
	ct_p_share_flag();
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
/* On a coroutine's stack, of which so much is used. */
static ucontext_t back, coroutine;
static int answer;
static void is_asked(void) { answer = ct_p_asked(); }

static size_t asked_on_a_stack(void)
{
	static unsigned char stack[1 << 16];
	size_t left = 0;

	memset(stack, 0xaa, sizeof stack);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof stack;
	coroutine.uc_link = &back;
	makecontext(&coroutine, is_asked, 0);
	swapcontext(&back, &coroutine);
	while (left < sizeof stack && stack[left] == 0xaa)
		left++;
	return sizeof stack - left;
}
#else
static int answer;
static size_t asked_on_a_stack(void) { answer = ct_p_asked(); return 0; }
#endif

static void asks(void)
{
	int here = open_here();
	size_t used;

	world.no_memory = true;
	ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
	ok(!ct_p_asked() && ct_flag_.on == CTP_FLAG_OFF && ct_p_.init == CT_DONE && !ct_p_.box && open_here() == here, "no box can be made: nobody records");
	world.no_memory = false;
	ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
	used = asked_on_a_stack();
	ok(used < 5000, "on the small stack of whichever coroutine comes first: %zu", used);
	ok(answer && ct_flag_.on == CTP_FLAG_LENT && ct_p_.init == CT_DONE && ct_p_.box && ct_p_.hdr->born_late == 1 && ct_p_.late, "else one is, lent and late");
}

/* ---- children who write first where their parent is asked ---- */

static bool ends_well(pid_t pid)
{
	int status = 1;

	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static pid_t raw_clone(void) { return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }

/* One by vfork(), whose memory is ours. */
static bool writes_in_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		ct_wake(7, ct_fd(1));
		_exit(0);
	}
	return ends_well(pid);
}

/* One that has a copy, and in another pid namespace may have our number. */
static bool writes_in_clone(bool same_number)
{
	pid_t pid = raw_clone();

	if (pid == 0) {
		uint64_t of_parent = ct_p_.flag_ino;

		if (same_number)
			ct_p_.process = getpid();
		ct_wake(7, ct_fd(1));
		if (ct_p_.box || ct_flag_.on != CTP_FLAG_OFF)
			_exit(1);
		ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
		ct_wake(7, ct_fd(1));
		_exit(!(ct_p_.box && ct_p_.hdr && ct_p_.hdr->box_pid == (uint32_t)getpid() && ct_p_.flag_ino != of_parent && *ct_p_.original &&
			ct_flag_.on == CTP_FLAG_LENT));
	}
	return ends_well(pid);
}

/* By one whose parent's box was left. */
static bool writes_in_clone_of_left(void)
{
	pid_t pid = raw_clone();

	if (pid == 0) {
		struct ctp_header *of_parent = ct_p_.hdr;

		ct_wake(7, ct_fd(1));
		if (ct_p_.box || ct_flag_.on != CTP_FLAG_OFF)
			_exit(1);
		ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
		ct_wake(7, ct_fd(1));
		_exit(!(ct_p_.box && ct_p_.hdr && ct_p_.hdr != of_parent && ct_me_ && ct_me_->idle && of_parent->leave == CTP_LEFT));
	}
	return ends_well(pid);
}

static void children(void)
{
	int here = open_here();

	ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
	ok(writes_in_vfork() && ct_flag_.on == CTP_FLAG_ASKED && !ct_p_.box && !ct_p_.hdr && !ct_me_ && open_here() == here,
		"a child by vfork() makes no box of its parent's");
	ok(writes_in_clone(false) && ct_flag_.on == CTP_FLAG_ASKED && !ct_p_.hdr && *ct_p_.original, "a copy has a flag of its own, by which it is asked for a box of its own, and we are still asked");
	ok(writes_in_clone(true) && ct_flag_.on == CTP_FLAG_ASKED && *ct_p_.original, "so one whose number is ours");
	ct_wake(7, ct_fd(1));
	ok(ct_flag_.on == CTP_FLAG_LENT && ct_p_.box && ct_p_.hdr->box_pid == (uint32_t)getpid() && ct_me_, "then the box is ours");
	ctp_store(&ct_p_.hdr->leave, CTP_LEAVE);
	ct_p_switch_off(ct_p_.hdr);
	ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
	ok(writes_in_clone_of_left() && ct_flag_.on == CTP_FLAG_ASKED && ct_p_.hdr->leave == CTP_LEFT && (ct_p_.gate & CT_LEFT),
		"a copy of one who was left does not answer for us");
	ct_wake(7, ct_fd(1));
	ok(ct_flag_.on == CTP_FLAG_LENT && ct_p_.hdr->leave == CTP_STAY && !ct_p_.gate, "we do");
}

/* fork() is played. */
static void forked(void)
{
	struct ct_flag_page_ *of_parent = shared();
	uint64_t ino = ct_p_.flag_ino;
	int fd = ct_p_.flag_fd, here = open_here();
	struct stat st;

	ct_p_.flag_shared = 0;
	ct_p_flag_forked();
	ok(!ct_p_.flag_shared && ct_p_.flag_ino == ino && open_here() == here && shared(), "one that is not shared is not");
	ct_p_.flag_shared = 1;
	ctp_store(&ct_flag_.on, CTP_FLAG_LENT);
	ct_p_flag_forked();
	ok(ct_p_.flag_shared && ct_p_.flag_ino != ino && shared() && open_here() == here, "a child has its own");
	ok(ct_flag_.on == CTP_FLAG_LENT && of_parent->on == CTP_FLAG_LENT, "in the state that it was in");
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	ok(of_parent->on == CTP_FLAG_LENT, "no longer its parent's");
	fd = ct_p_.flag_fd;
	dup2(1, fd);
	ct_p_.flag_ino = fstat(1, &st) ? 0 : st.st_ino;
	ct_p_flag_forked();
	ok(fcntl(fd, F_GETFD) >= 0 && ct_p_.flag_fd != fd && shared() && open_here() == here + 1, "what is another's now stays open, be its number the same on another device");
	close(fd);
	close(ct_p_.flag_fd);
	ct_p_flag_forked();
	ok(ct_p_.flag_shared && shared() && open_here() == here, "and what is closed");
	world.no_memory = true;
	ct_p_flag_forked();
	ok(!ct_p_.flag_shared && ct_flag_.on == CTP_FLAG_ON && open_here() == here - 1, "or it is nobody's but its own");
	world.no_memory = false;
	ct_p_share_flag();
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	fd = ct_p_.flag_fd;
	world.no_map = true;
	ct_p_flag_forked();
	ok(!ct_p_.flag_shared && ct_flag_.on == CTP_FLAG_ON && fcntl(fd, F_GETFD) >= 0 && !fstat(fd, &st) && st.st_ino == ct_p_.flag_ino, "or stays");
	world.no_map = false;
}

static void numbers(void)
{
	uint32_t next = ct_p_.hdr->next_number, pid = (uint32_t)getpid();

	for (int i = 0; i < 3; i++) {
		ct_p_.pid = 1;
		world.ns = i == 0 ? 5 : i == 1 ? 0 : 6;
		ct_p_.hdr->pid_ns = i == 2 ? 0 : 5;
		ct_p_box_number_child();
		ok(ct_p_.pid == pid && ct_p_.hdr->next_number == next, "%s", i == 0 ? "its own" : i == 1 ? "where no namespace is known" : "nor the box's");
	}
	ct_p_.hdr->pid_ns = 5;
	ct_p_box_number_child();
	ok(ct_p_.pid == next && ct_p_.hdr->next_number == next + 1, "in another namespace, one that nobody has");
	ctp_store(&ct_p_.hdr->next_number, 0x80000005u);
	ct_p_box_number_child();
	ok(ct_p_.pid == 5, "of 31 bits");
}

int main(int argc, char *argv[])
{
	(void)argv;
	ct_p_.process = getpid();
	ct_p_.init = CT_DONE;
	shares();
	if (argc > 1) {
		children();
		return done_testing();
	}
	asks();
	forked();
	numbers();
	return done_testing();
}
