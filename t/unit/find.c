/* find.c - which process is to be attached to, and by which of its descriptors (record/box/find.c): boxes in memory and in files, flags,
 * others of like names; one that is not ready; a name that fits none, one or several; and what is said where there is none.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dirent.h>
#include <regex.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include "../../record/complain.h"
#include "../../record/event.h"
#include "../../record/extra/process.h"
#include "../../record/box/box.h"
#include "tap.h"

static struct {
	int naps, files;
	bool short_naps, not_ours, no_server;
	size_t argument_bytes;		/* 0: those that it has */
} world;

static int world_nap(const struct timespec *ts)
{
	world.naps++;
	return world.short_naps && !ts->tv_sec && ts->tv_nsec == 20000000 ? 0 : nanosleep(ts, NULL);
}

static size_t world_arguments(pid_t pid, char *text, size_t size)
{
	static const char odd[] = "\0x\0\0";

	if (!world.argument_bytes)
		return process_arguments(pid, text, size);
	memcpy(text, odd, sizeof odd);
	return world.argument_bytes;
}

#define nanosleep(ts, left) world_nap(ts)
#define fopen(path, how) (world.files++, fopen(path, how))
#define fclose(f) (world.files--, fclose(f))
#define access(path, how) (world.not_ours && (how) == (R_OK | X_OK) ? errno = EACCES, -1 : access(path, how))
#define fstat(fd, st) (world.no_server ? errno = ENOTCONN, -1 : fstat(fd, st))
#define process_arguments(pid, text, size) world_arguments(pid, text, size)
#include "../../record/box/find.c"
#undef nanosleep
#undef fopen
#undef fclose
#undef access
#undef fstat

static char said[1000];

/* What is complained of between the two. */
static int err, old;
static void listen(void)
{
	err = memfd_create("err", MFD_CLOEXEC);
	old = dup(2);
	dup2(err, 2);
}

static bool heard(const char *expected)
{
	ssize_t n = pread(err, said, sizeof said - 1, 0);

	said[n > 0 ? n : 0] = '\0';
	dup2(old, 2);
	close(old);
	close(err);
	if (strstr(said, expected) && (*expected || !*said))
		return true;
	printf("# said: %s\n", said);
	return false;
}

/* A child with these descriptors alone; magic: the box's second. */
enum what { NOTHING, BOX, FLAG, LIKE_BOX, BEFORE_BOX, A_FILE, LIKE_FILE, MAPPED, MAPPED_FILE, RECORDED, EMPTY, A_PIPE, LEASED, A_DIRECTORY };

static enum copies { ONE, SAME, SEVERAL } copies;		/* open twice, or two */

static pid_t child(enum what what, uint64_t magic, const char *name)
{
	static const char *const names[] = { "else", CTP_BOX_NAME, CTP_FLAG_NAME, CTP_BOX_NAME "s", "x" CTP_BOX_NAME, NULL, NULL, CTP_BOX_NAME, NULL, "corotrace", CTP_BOX_NAME, NULL, NULL, NULL };
	char path[64] = "", ready[2];
	int tell[2], fd;
	pid_t pid;

	if (pipe(tell))
		exit(99);
	if (!(pid = fork())) {
		alarm(200);
		if (names[what]) {
			fd = memfd_create(names[what], 0);
		} else {
			snprintf(path, sizeof path, "/tmp/" "%s%s.%ld", what == LIKE_FILE ? "x" : "", CTP_BOX_NAME, (long)getpid());
			if (what == A_PIPE)
				mkfifo(path, 0600);
			if (what == A_DIRECTORY)
				mkdir(path, 0700);
			else
				close(open(path, O_RDWR | O_CREAT, 0600));
			/* the pipe has no writer: who opens it waits for one */
			fd = open(path, what >= A_PIPE ? O_RDONLY | O_NONBLOCK : O_RDWR);
			if (what == LEASED && (signal(SIGIO, SIG_IGN) == SIG_ERR || fcntl(fd, F_SETLEASE, F_RDLCK) < 0))
				_exit(99);
		}
		if (what >= EMPTY)
			;
		else if (ftruncate(fd, 4096) || pwrite(fd, &magic, sizeof magic, offsetof(struct ctp_header, v2_magic)) != sizeof magic)
			_exit(99);
		if (what >= MAPPED && what < EMPTY && mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			_exit(99);
		if (what >= MAPPED && what < EMPTY)
			close(fd);
		for (int i = 3; i < 100; i++)
			if (i != fd && i != tell[1])
				close(i);
		if (copies == SAME)
			dup(fd);
		else if (copies == SEVERAL)
			pwrite(memfd_create(names[what], 0), &magic, sizeof magic, offsetof(struct ctp_header, v2_magic));
		if (name) {		/* as a program of that name: it keeps its descriptors */
			char number[20];

			snprintf(number, sizeof number, "%d", tell[1]);
			execl("/proc/self/exe", "find", "wait", number, name, (char *)NULL);
			_exit(99);
		}
		if (write(tell[1], "r", 1) != 1)
			_exit(99);
		for (;;)
			pause();
	}
	close(tell[1]);
	if (read(tell[0], ready, 1) != 1)
		exit(99);
	close(tell[0]);
	return pid;
}

static void end(pid_t pid)
{
	char path[64];

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	snprintf(path, sizeof path, "/tmp/" CTP_BOX_NAME ".%ld", (long)pid);
	remove(path);
	snprintf(path, sizeof path, "/tmp/x" CTP_BOX_NAME ".%ld", (long)pid);
	unlink(path);
}

static int open_now(void)
{
	int n = 0;

	for (int i = 0; i < 256; i++)
		n += fcntl(i, F_GETFD) >= 0;
	return n;
}

static bool opens(int fd, const char *name)
{
	char link[200], path[64];
	ssize_t n;

	if (fd < 0)
		return false;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	n = readlink(path, link, sizeof link - 1);
	link[n > 0 ? n : 0] = '\0';
	n = fcntl(fd, F_GETFD) == FD_CLOEXEC;
	close(fd);
	return n && strstr(link, name);
}

static void boxes(void)
{
	static const struct { enum what what; bool box, flag; const char *said; } all[] = {
		{ BOX, true, false, "" }, { A_FILE, true, false, "" }, { FLAG, false, true, "has no probe that can be attached to" },
		{ NOTHING, false, false, "has no probe that can be attached to" }, { LIKE_BOX, false, false, "has no probe" }, { BEFORE_BOX, false, false, "has no probe" },
		{ LIKE_FILE, false, false, "has no probe" }, { MAPPED, false, false, "has a box, but has closed its descriptor" },
		{ MAPPED_FILE, false, false, "has a box, but has closed its descriptor" }, { RECORDED, false, false, "was started under ct-record" },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		pid_t pid = child(all[i].what, 5, NULL);
		int before = open_now(), got;

		ok(opens(find_fd(pid, CTP_BOX_NAME, O_RDWR), CTP_BOX_NAME) == all[i].box && opens(find_made_box(pid, O_RDONLY), CTP_BOX_NAME) == all[i].box,
			"%zu: a box is found where there is one", i);
		ok(find_flag(pid) == all[i].flag, "%zu: a flag is", i);
		listen();
		ok(opens(find_box(pid, O_RDWR, false), CTP_BOX_NAME) == all[i].box, "%zu: by who wants one", i);
		ok(heard(all[i].said), "%zu: else it is said what is there", i);
		listen();
		got = find_box(pid, O_RDWR, true);
		ok(got == NO_BOX ? all[i].flag && !all[i].box : opens(got, CTP_BOX_NAME) == all[i].box, "%zu: and by who would ask for one", i);
		ok(heard(all[i].flag ? "" : all[i].said), "%zu: who is silent where that can be", i);
		ok(before == open_now() && !world.files, "%zu: no descriptor stays open", i);
		end(pid);
	}
}

static void unreachable(void)
{
	pid_t pid = child(A_FILE, 5, NULL);

	world.no_server = true;
	listen();
	ok(find_box(pid, O_RDWR, false) < 0, "no box is found where the server of its file system is gone");
	ok(heard("has a box that cannot be opened: Transport endpoint is not connected"), "and that is said");
	world.no_server = false;
	end(pid);
}

static void several(void)
{
	static const char *const said[] = { "", "", "has several copies of the probe, and this shows what one records: /proc/" };

	for (copies = ONE; copies <= SEVERAL; copies++)
		for (enum what what = BOX; what <= FLAG; what++) {
			pid_t pid = child(what, 5, NULL);
			int got;

			listen();
			got = find_box(pid, O_RDWR, true);
			ok(what == BOX ? opens(got, CTP_BOX_NAME) : got == NO_BOX, "one is found");
			ok(find_others(pid) == (copies == SEVERAL), "and whether there is another");
			ok(heard(said[copies]), "%s there is another is said", what == BOX ? "of boxes" : "of flags");
			end(pid);
		}
	copies = ONE;
}

static void unready(void)
{
	pid_t pid = child(BOX, 0, NULL);
	uint64_t magic = CTP2_MAGIC;
	int fd;

	errno = 0;
	ok(find_made_box(pid, O_RDWR) < 0 && errno == EAGAIN, "one that is being made is not taken yet");
	if (!fork()) {
		usleep(50000);
		fd = find_fd(pid, CTP_BOX_NAME, O_RDWR);
		_exit(pwrite(fd, &magic, sizeof magic, offsetof(struct ctp_header, v2_magic)) != sizeof magic);
	}
	ok(opens(find_box(pid, O_RDWR, false), CTP_BOX_NAME), "but waited for");
	end(pid);
	waitpid(-1, NULL, 0);
	listen();
	ok(find_box(pid, O_RDWR, false) == -1 && heard("is gone"), "of one that is gone, that is said");
}

/* Not taken for one that is being made: what was there before the look, what can never be one. */
static void never_ready(void)
{
	static const enum what strange[] = { A_PIPE, A_DIRECTORY };
	pid_t pid = child(BOX, 0, NULL), empty = child(EMPTY, 5, NULL), none = child(NOTHING, 5, NULL), leased = child(LEASED, 5, NULL);
	int before = open_now(), free_one;
	struct rlimit few;
	rlim_t many;

	memset(&world, 0, sizeof world);
	world.short_naps = true;
	listen();
	ok(find_box(pid, O_RDWR, true) == -1 && heard("has a box that is not ready: is the process stopped?") && world.naps == 500, "ten seconds");
	ok(find_made_box(empty, O_RDWR) == -1 && errno == EAGAIN, "of no bytes yet");
	world.naps = 0;
	errno = EAGAIN;
	listen();
	ok(find_box(none, O_RDWR, false) == -1 && heard("has no probe") && !world.naps, "none is not waited for");
	for (int k = 0; k < 4; k++) {
		pid_t tube = child(strange[k / 2], 5, NULL);

		ok(find_made_box(tube, k % 2 ? O_RDWR : O_RDONLY) == -1 && errno != EAGAIN, "what is no file is none, and is not opened");
		end(tube);
	}
	ok(find_made_box(leased, O_RDWR) == -1 && errno == EAGAIN, "nor is its owner waited for who has a lease of it");
	ok(before == open_now(), "no descriptor stays open");
	errno = 0;
	getrlimit(RLIMIT_NOFILE, &few);
	many = few.rlim_cur;
	free_one = dup(0);
	close(free_one);
	few.rlim_cur = (rlim_t)free_one + 1;
	setrlimit(RLIMIT_NOFILE, &few);
	ok(find_fd(pid, CTP_BOX_NAME, O_RDWR) == -1 && errno == EMFILE, "nor found where none is left to look with");
	few.rlim_cur = many;
	setrlimit(RLIMIT_NOFILE, &few);
	world.not_ours = true;
	listen();
	ok(find_box(none, O_RDWR, false) == -1 && heard("is not ours to read: Permission denied"), "another's");
	world.not_ours = false;
	end(pid);
	end(empty);
	end(none);
	end(leased);
}

static void arguments(void)
{
	char text[4096];

	world.argument_bytes = 4;
	command_line(1, text);
	ok(!memcmp(text, " x \0", 4), "arguments, empty ones as well");
	world.argument_bytes = 1;
	command_line(1, text);
	ok(!*text, "none but that");
	world.argument_bytes = 0;
}

static void names(void)
{
	pid_t one = child(BOX, 5, "first-of-them"), two = child(FLAG, 5, "second-of-them"), none = child(NOTHING, 5, "third-of-them");
	char both[100];
	int before = open_now();

	listen();
	ok(find_by_name("first-of-[t]hem") == one && find_by_name("^find wait [0-9]+ second-of-them$") == two && heard(""), "one of a name, with box or flag");
	listen();
	ok(!find_by_name("third-of-[t]hem") && heard("no process with a probe matches \"third-of-[t]hem\""), "one without is none");
	listen();
	snprintf(both, sizeof both, "several processes match \"[a-z]-of-[t]hem\": %ld %ld\n", (long)(one < two ? one : two), (long)(one < two ? two : one));
	ok(!find_by_name("[a-z]-of-[t]hem") && heard(both), "of several none is taken");
	listen();
	ok(!find_by_name("(") && heard("is not a regular expression"), "no expression");
	ok(before == open_now(), "no descriptor stays open");
	end(one);
	end(two);
	end(none);
}

/* More than a line has room for. */
static void many(void)
{
	enum { MANY = 60 };
	pid_t all[MANY];
	char *list;

	for (int i = 0; i < MANY; i++)
		all[i] = child(BOX, 5, "one-of-many");
	listen();
	ok(!find_by_name("one-of-[m]any") && heard("several processes match \"one-of-[m]any\": "), "of many none is taken");
	list = strstr(said, "\": ");
	ok(list && strlen(list) > 200 && strlen(list) < 245 && list[strlen(list) - 1] == '\n', "nor are all said");
	for (int i = 0; i < MANY; i++)
		end(all[i]);
}

int main(int argc, char *argv[])
{
	if (argc == 4 && write(atoi(argv[2]), "r", 1) == 1)
		for (;;)
			pause();
	boxes();
	unreachable();
	several();
	unready();
	never_ready();
	arguments();
	names();
	many();
	return done_testing();
}
