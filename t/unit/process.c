/* process.c - what the recorder reads of processes in /proc (record/extra/process.c, alive.c): of this one, of children, of files that it makes.
 */
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../record/extra/clock.h"

/* No time passes but what the test says that a look at the clock takes. */
static uint64_t now_is = 1000000000000, step, looks;
static const char *stat_says, *program;	/* what /proc/PID/stat holds, and which file a process runs; NULL: the kernel's */

static int world_open(const char *path, int flags)
{
	int fd;

	if (program && strstr(path, "/exe"))
		return open(program, flags);
	if (!stat_says || !strstr(path, "/stat"))
		return open(path, flags);
	fd = memfd_create("stat", MFD_CLOEXEC);
	if (write(fd, stat_says, strlen(stat_says)) < 0 || lseek(fd, 0, SEEK_SET))
		exit(99);
	return fd;
}

static const char *groups, *group_file, *group_says;	/* /proc/PID/cgroup, and what one file of cgroups holds */

static FILE *world_fopen(const char *path, const char *mode)
{
	const char *text = !groups ? NULL : strstr(path, "/cgroup") == path + strlen(path) - 7 ? groups :
		!strcmp(path, group_file) ? group_says : NULL;

	if (groups && !text && !strncmp(path, "/sys/", 5))
		return NULL;
	return text ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : fopen(path, mode);
}

#define open(path, flags) world_open(path, flags)
#define fopen(path, mode) world_fopen(path, mode)
#define clock_ns() (looks++, now_is += step)
#define count count_seen
#define build_id build_id_of
#include "../../record/extra/alive.c"
#include "../../record/extra/process.c"
#undef clock_ns
#undef open
#undef fopen
#undef count
#undef build_id
#include "../../record/extra/stack.h"
#include "../../record/options.h"
#include "writers.h"

static void begin(int out)
{
	print_open(out, NULL, 0);
	start = clock_ns();
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		text++;
		n++;
	}
	return n;
}

/* ---- is it there? ---- */

static pid_t child(void)
{
	pid_t pid = fork();

	while (!pid)
		pause();
	return pid;
}

static bool becomes(bool (*is)(pid_t), pid_t pid, bool so)
{
	for (int i = 0; i < 10000 && is(pid) != so; i++)
		usleep(1000);
	return is(pid) == so;
}

static void lives(void)
{
	pid_t pid = child();

	ok(process_lives(getpid()) && process_exists(getpid()) && process_lives(pid), "we live, and so does a child");
	kill(pid, SIGSTOP);
	ok(becomes(process_lives, pid, false) && process_exists(pid), "one that is stopped does not, but is there");
	kill(pid, SIGCONT);
	ok(becomes(process_lives, pid, true), "and goes on");
	kill(pid, SIGKILL);
	ok(becomes(process_exists, pid, false) && !process_lives(pid), "a zombie is gone");
	waitpid(pid, NULL, 0);
	ok(!process_exists(pid) && !process_exists(0) && !process_exists(-1), "and so is who was, and nobody");
}

static void *last_thread(void *arg)
{
	pause();
	return arg;
}

/* Its main thread has ended. */
static void headless(void)
{
	pthread_t t;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&t, NULL, last_thread, NULL);
		pthread_exit(NULL);
	}
	usleep(200000);
	ok(process_lives(pid) && process_exists(pid), "whose main thread has ended lives in another");
	ok(!process_maps(pid, 1) && process_unmapped(pid, 1), "and what it has mapped is known by that");
	kill(pid, SIGSTOP);
	ok(becomes(process_lives, pid, false) && process_exists(pid), "is stopped in it");
	kill(pid, SIGKILL);
	ok(becomes(process_exists, pid, false), "and gone with it");
	waitpid(pid, NULL, 0);
}

static void states(void)
{
	static const struct { const char *stat; bool lives, exists; } all[] = {
		{ "9 (a) S 1 1 1 0 -1 0 7", true, true }, { "9 (a) R 1 1 1 0 -1 4194560 7", true, true }, { "9 (Z (b) D 1 1 1 0 -1 3 7", true, true },
		{ "9 (a) T 1 1 1 0 -1 0 7", false, true }, { "9 (a) t 1 1 1 0 -1 0 7", false, true }, { "9 (a) R 1 1 1 0 -1 4 7", false, false },
		{ "9 (a) S 1 1 1 0 -1 4194308 7", false, false }, { "9 (a) Z 1 1 1 0 -1 0 7", false, false }, { "9 (a) X 1 1 1 0 -1 0 7", false, false },
		{ "9 (a) x 1 1 1 0 -1 0 7", false, false }, { "9 (a) S 1 1 1", false, false }, { "9 a S 1 1 1 0 -1 0 7", false, false }, { "", false, false },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		stat_says = all[i].stat;
		ok(process_lives(getpid()) == all[i].lives && process_exists(getpid()) == all[i].exists, "\"%s\"", all[i].stat);
	}
	stat_says = NULL;
}

/* Where cgroups(7) are mounted, and how: all of version 2; of version 1, or of both. */
static void freezers(void)
{
	static const struct { const char *groups, *file, *says; bool lives; } all[] = {
		{ "0::/a/b\n", "/sys/fs/cgroup/a/b/cgroup.events", "populated 1\nfrozen 1\n", false },
		{ "0::/a/b\n", "/sys/fs/cgroup/a/b/cgroup.events", "populated 1\nfrozen 0\n", true },
		{ "0::/a/b\n", "/sys/fs/cgroup/a/cgroup.events", "frozen 1\n", true },
		{ "2:cpu:/\n0::/a\n", "/sys/fs/cgroup/unified/a/cgroup.events", "frozen 1\n", false },
		{ "6:freezer:/c\n0::/\n", "/sys/fs/cgroup/freezer/c/freezer.state", "FROZEN\n", false },
		{ "6:freezer:/c\n", "/sys/fs/cgroup/freezer/c/freezer.state", "FREEZING\n", false },
		{ "6:freezer:/c\n", "/sys/fs/cgroup/freezer/c/freezer.state", "THAWED\n", true },
		{ "6:devices:/c\n", "/sys/fs/cgroup/freezer/c/freezer.state", "FROZEN\n", true },
		{ "nothing", "/sys/fs/cgroup/cgroup.events", "frozen 1\n", true },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		groups = all[i].groups;
		group_file = all[i].file;
		group_says = all[i].says;
		ok(process_lives(getpid()) == all[i].lives && process_exists(getpid()), "%s, %d", all[i].file, all[i].lives);
	}
	groups = NULL;
}

/* No file stays open. */
static bool asked_often(void)
{
	struct rlimit few = { 40, 40 };
	uint64_t inode = 1;
	int status, n = 0;
	pid_t pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_NOFILE, &few);
		for (int i = 0; i < 200; i++) {
			char text[64];

			n += process_exists(getppid()) && process_inner(getpid()) && !process_is_go(getppid()) && process_unmapped(getppid(), inode) &&
				process_arguments(getppid(), text, sizeof text) > 0;
		}
		_exit(n == 200 ? 0 : 1);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

/* Without a descriptor to look with. */
static bool unseen(void)
{
	struct rlimit few = { 40, 40 };
	int status;
	pid_t pid = fork();

	if (!pid) {
		DIR *proc = NULL;

		setrlimit(RLIMIT_NOFILE, &few);
		while (dup(0) >= 0)
			;
		_exit(process_exists(getppid()) && !process_lives(getppid()) && !process_next(&proc) ? 0 : 1);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

/* It has a number here and another in its own namespace; and it is born there. */
static bool inner(void)
{
	int status, tell[2];
	uint32_t number = 0;
	bool is = false;
	pid_t pid, of;

	if (pipe(tell))
		exit(99);
	if (!(pid = fork())) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
			_exit(0);
		of = child();
		_exit(write(tell[1], &of, sizeof of) != sizeof of);
	}
	close(tell[1]);
	waitpid(pid, &status, 0);
	if (read(tell[0], &of, sizeof of) != sizeof of)
		return true;		/* not permitted */
	is = process_is_inner(of);
	number = process_inner(of);
	kill(of, SIGKILL);
	return is && number == 1;
}

static bool booted(void)
{
	uint8_t id[17] = { [16] = 77 };
	char text[64] = "", got[64];
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

	if (!f || !fgets(text, sizeof text, f))
		return true;
	fclose(f);
	boot_id(id);
	snprintf(got, sizeof got, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\n", id[0], id[1], id[2], id[3], id[4], id[5],
		id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13], id[14], id[15]);
	return !strcmp(got, text) && id[16] == 77;
}

/* More words than are kept, of a shell that waits. */
static bool of_many_words(void)
{
	static char *all[400], text[8192];
	struct options o = { 0 };
	pid_t pid = fork();
	bool kept;

	for (size_t i = 0; i < 399; i++)
		all[i] = i == 0 ? "sh" : i == 1 ? "-c" : i == 2 ? "kill -STOP $$; :" : "word";
	if (!pid)
		_exit(execv("/bin/sh", all));
	for (int i = 0; i < 10000 && process_arguments(pid, text, sizeof text) < 399 * 4; i++)
		usleep(1000);
	process_command(pid, &o);
	kept = o.command[255] && !strcmp(o.command[255], "word") && !o.command[256];
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return kept;
}

static void words(const char *self)
{
	struct options o = { 0 };
	struct stat st;
	char text[300], four[4];
	size_t n = process_arguments(getpid(), text, sizeof text);

	ok(n == strlen(self) + 1 && !strcmp(text, self), "our arguments");
	ok(process_arguments(getpid(), four, sizeof four) == 3 && !strncmp(four, self, 3) && !four[3], "as many of them as there is room for");
	ok(!process_arguments(-1, text, sizeof text) && !*text, "nobody's");
	process_command(getpid(), &o);
	ok(!strcmp(o.command[0], self) && !o.command[1], "as a command");
	ok(process_inner(getpid()) == (uint32_t)getpid() && !process_is_inner(getpid()), "our number is our number");
	ok(of_many_words(), "256 of them at most");
	ok(inner(), "one of another namespace has its own there");
	ok(booted(), "which start of the machine this is");
	ok(!stat("/proc/self/ns/pid", &st) && !process_is_foreign(st.st_ino) && process_is_foreign(st.st_ino + 1) && !process_is_foreign(0),
		"our namespace, another, not known");
}

/* ---- is a file of ours in its memory? ---- */

static void mapped(void)
{
	struct stat ours, other;
	int fd = memfd_create("corotrace-test", MFD_CLOEXEC), no = memfd_create("else", MFD_CLOEXEC);
	void *p, *q;
	pid_t pid;

	if (ftruncate(fd, 4096) || ftruncate(no, 4096) || fstat(fd, &ours) || fstat(no, &other))
		exit(99);
	ok(!process_maps(getpid(), ours.st_ino) && process_unmapped(getpid(), ours.st_ino), "not mapped yet");
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	q = mmap(NULL, 4096, PROT_READ, MAP_SHARED, no, 0);
	ok(process_maps(getpid(), ours.st_ino) && !process_unmapped(getpid(), ours.st_ino), "mapped");
	ok(!process_maps(getpid(), other.st_ino) && process_unmapped(getpid(), other.st_ino), "what bears another name is not ours");
	ok(!process_maps(-1, ours.st_ino) && !process_unmapped(-1, ours.st_ino), "of nobody it is not known");
	ok(!process_mapping(ours.st_ino), "nobody else has it");
	if (!(pid = fork()))
		for (;;)
			pause();
	ok(process_mapping(ours.st_ino) == pid && !process_mapping(other.st_ino), "a child has");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(!process_mapping(ours.st_ino), "until it ends");
	munmap(p, 4096);
	munmap(q, 4096);
	ok(process_unmapped(getpid(), ours.st_ino), "and mapped no more");
}

/* ---- who has our environment ---- */

static void inherits(void)
{
	static const struct { char *name, *value; bool is; } all[] = {
		{ "CTT_X", "/a/sock", true }, { "CTT_X", "/a/soc", false }, { "CTT_X", "/a/sock2", false }, { "CTT_X2", "/a/sock", false },
		{ "CTT_", "/a/sock", false },
	};

	unsetenv("CTT_X");
	ok(!process_inherits("CTT_X"), "nobody what we have not");
	setenv("CTT_X", "/a/sock", 1);
	ok(!process_inherits("CTT_X"), "not we ourselves");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char entry[64], *args[] = { "sleep", "20", NULL }, *env[] = { "PATH=/bin:/usr/bin", entry, "Z=1", NULL };
		int ready[2];
		pid_t pid;

		snprintf(entry, sizeof entry, "%s=%s", all[i].name, all[i].value);
		if (pipe2(ready, O_CLOEXEC))
			exit(99);
		if (!(pid = fork())) {
			execvpe("sleep", args, env);
			_exit(99);
		}
		close(ready[1]);
		if (read(ready[0], entry, 1) != 0)	/* it has executed */
			exit(99);
		ok(process_inherits("CTT_X") == all[i].is, "%s=%s", all[i].name, all[i].value);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(ready[0]);
	}
	ok(!process_inherits("CTT_X"), "nor who has ended");
	unsetenv("CTT_X");
}

/* ---- what is printed ---- */

static void seen_twice(void)
{
	process_seen(7, getpid(), false);	/* by an event, first */
	number("early", process_known(7) && !process_known(8));
	process_seen(7, getpid(), false);
	process_seen(7, getpid(), true);	/* it attaches: no news */
	number("attached", 0);
	process_seen(7, getpid(), true);	/* anew: exec */
	number("again", 0);
	process_forget(7);
	process_forget(9);
	number("forgotten", !process_known(7));
	process_seen(7, getpid(), true);
}

static void come_and_gone(void)
{
	enum { MANY = 5000 };

	process_seen(7, -1, true);
	for (uint32_t i = 0; i < MANY; i++) {
		process_seen(100 + i, -1, true);
		process_forget(100 + i);
	}
	if (!process_known(7))
		_exit(97);
	for (uint32_t i = 0; i < MANY; i++)
		process_seen(100 + i, -1, true);
	if (!process_known(7) || !process_known(100) || !process_known(100 + MANY - 1))
		_exit(96);
}

/* Frames in code that came since: its mapping is printed, once; what lies at the same place later, too. */
static char *file;

static void *map_code(const char *path, void *at)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p = mmap(at, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);

	close(fd);
	if (p == MAP_FAILED)
		exit(99);
	return p;
}

static void later_code(void)
{
	uint64_t frames[2] = { 0, (uint64_t)(uintptr_t)later_code + 1 };
	void *p;

	process_seen(7, getpid(), true);
	number("known", 0);
	process_code(7, frames + 1, 1);
	process_code(8, frames, 1);		/* nobody knows that one */
	process_code(7, frames, 0);
	p = map_code(file, NULL);
	frames[0] = (uint64_t)(uintptr_t)p + 1;
	number("new", 0);
	process_code(7, frames, 2);
	number("once", 0);
	process_code(7, frames, 2);
	frames[0] = (uint64_t)(uintptr_t)map_code(file, NULL) + 4096;
	process_code(7, frames + 1, 1);
	number("unseen", 0);			/* nothing was looked for */
	process_code(7, frames, 1);		/* a call that is the last of its code */
	number("last", 0);
	frames[0] = 4096;			/* in no code: it is looked for, each time */
	for (int i = 0; i < 2; i++) {
		map_code(file, NULL);
		process_code(7, frames, 1);
	}
}

/* So many of n frames that lie in no code are looked for, where a look takes 10 ms: the clock is looked at before and after. */
static unsigned looked_for(unsigned n)
{
	uint64_t frame = 4096;
	unsigned found = 0;

	while (n--) {
		looks = 0;
		process_code(7, &frame, 1);
		found += looks == 2;
	}
	return found;
}

static void in_vain(void)
{
	process_seen(7, getpid(), true);
	step = 10000000;
	number("at_once", looked_for(2));
	number("then", looked_for(16));
	number("later", looked_for(1));
	number("again", looked_for(1));
	step = 1000000000;
	number("and", looked_for(1));
	number("a_long_look", looked_for(30));
}

/* What an event's call stack is of is told before it. */
static void code_of_stack(void)
{
	static struct { uint64_t none; uint32_t len; char frame[8]; } arena = { .len = 9 };
	struct region of = { .stacks = true, .strings = (char *)&arena, .strings_size = 1024 };
	struct ctp_event e = { .stack = { 1 } };
	uint64_t frame;

	process_seen(7, getpid(), true);
	frame = (uint64_t)(uintptr_t)map_code(file, NULL) + 1;
	memcpy(arena.frame, &frame, sizeof frame);
	number("then", 0);
	stack_init(&of);
	stack_print(&of, &e, 7);
}

/* Two files, with nothing before them and behind them. */
static void borders(void)
{
	char *room = mmap(NULL, 4 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t frame = (uint64_t)(uintptr_t)room;

	process_seen(7, getpid(), true);
	map_code("/proc/self/exe", room + 4096);
	map_code(file, room + 8192);
	frame += 4096 + 1;
	number("two", 0);
	process_code(7, &frame, 1);
	map_code(file, NULL);
	number("none", 0);
	process_code(7, &frame, 1);		/* the first byte */
	frame += 2 * 4096 - 1;
	process_code(7, &frame, 1);		/* the last */
	number("one", 0);
	frame++;
	process_code(7, &frame, 1);		/* and one behind it */
	map_code(file, NULL);
	frame = (uint64_t)(uintptr_t)room + 4096;
	number("another", 0);
	process_code(7, &frame, 1);		/* one before it */
	number("in_turn", 0);
	for (int i = 0; i < 3; i++) {		/* what was there before is as new as any */
		map_code(i % 2 ? file : "/proc/self/exe", room + 8192);
		process_code(7, &frame, 1);
	}
}

/* ---- build ids ---- */

static unsigned char elf[4096];
static size_t elf_size;

static void note(const char *name, uint32_t type, uint32_t size, uint32_t said)
{
	Elf64_Nhdr n = { 4, said, type };

	memcpy(elf + elf_size, &n, sizeof n);
	memcpy(elf + elf_size + sizeof n, name, 4);
	for (uint32_t i = 0; i < size; i++)
		elf[elf_size + sizeof n + 4 + i] = (unsigned char)(i + 1);
	elf_size += sizeof n + 4 + (size + 3) / 4 * 4;
}

/* An ELF file of two segments, the second of which holds the notes. */
static void make_elf(int class)
{
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', (unsigned char)class }, .e_phoff = 64, .e_phentsize = 56, .e_phnum = 2 };
	Elf64_Phdr ph[2] = { { .p_type = PT_LOAD }, { .p_type = PT_NOTE, .p_offset = 256, .p_filesz = elf_size - 256 } };
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	memcpy(elf, &eh, sizeof eh);
	memcpy(elf + 64, ph, sizeof ph);
	if (write(fd, elf, sizeof elf) != sizeof elf)
		exit(99);
	close(fd);
}

static void one_file(void)
{
	uint64_t frame;

	process_seen(7, getpid(), true);
	frame = (uint64_t)(uintptr_t)map_code(file, NULL) + 1;
	number("file", 0);
	process_code(7, &frame, 1);
}

static bool build_id(int class, const char *expected)
{
	char line[4400], *got;

	make_elf(class);
	got = strstr(printed(one_file), "\"file\":0");
	memset(elf, 0, sizeof elf);
	elf_size = 256;
	if (!got)
		return false;
	snprintf(line, sizeof line, expected ? "\"path\":\"%s\",\"build_id\":\"%s\"}" : "\"path\":\"%s\"}", file, expected);
	return strstr(got, line) != NULL;
}

static void build_ids(void)
{
	char hex[129];

	elf_size = 256;
	for (unsigned i = 0; i < 64; i++)
		sprintf(hex + 2 * i, "%02x", i + 1);
	note("GNU", NT_GNU_BUILD_ID, 64, 64);
	ok(build_id(ELFCLASS64, hex), "a build id of 64 bytes");
	note("GNU", 1, 16, 16), note("XYZ", NT_GNU_BUILD_ID, 4, 4), note("GNU", NT_GNU_BUILD_ID, 3, 3);
	ok(build_id(ELFCLASS64, "010203"), "behind other notes");
	note("GNU", NT_GNU_BUILD_ID, 68, 68);
	ok(build_id(ELFCLASS64, NULL), "too long to be one");
	note("GNU", NT_GNU_BUILD_ID, 20, 21);
	ok(build_id(ELFCLASS64, NULL), "that says it is longer than there is");
	note("GNU", NT_GNU_BUILD_ID, 4, 0xfffffffc);
	ok(build_id(ELFCLASS64, NULL), "or without end");
	note("GNU", NT_GNU_BUILD_ID, 20, 20);
	ok(build_id(ELFCLASS32, NULL), "of a 32-bit file");
	program = file;
	note("GNU", NT_GNU_BUILD_ID, 4, 4);
	make_elf(ELFCLASS64);
	ok(!process_is_go(7), "a program of another linker");
	note("Go\0", 4, 8, 8);
	make_elf(ELFCLASS64);
	ok(process_is_go(7), "one of Go's");
	program = NULL;
	memset(elf, 0, sizeof elf);
	elf_size = 256;
	ok(build_id(ELFCLASS64, NULL), "a file without notes");
}

int main(int argc, char *argv[])
{
	char maps[1 << 16], *got, path[] = "/tmp/corotrace-code-XXXXXX", id[1100];
	size_t n = 0, code = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	int fd = mkstemp(path);

	(void)argc;
	file = path;
	while (fgets(maps, sizeof maps, f))
		code += strstr(maps, "-xp ") != NULL && strchr(maps, '/') != NULL;
	fclose(f);
	if (write(fd, elf, sizeof elf) != sizeof elf)
		return 99;
	close(fd);
	lives();
	headless();
	states();
	freezers();
	ok(asked_often(), "no file stays open");
	ok(unseen(), "nobody is gone because there is no descriptor to look with");
	words(argv[0]);
	mapped();
	inherits();
	got = printed(seen_twice);
	n = count(got, "\"ev\":\"process\"");
	ok(n == 3, "a process is printed when it is seen, when it attaches anew, and as another: %zu times", n);
	ok(count(strstr(got, "\"early\":1"), "\"ev\":\"process\"") == 2 && count(strstr(got, "\"attached\":0"), "\"ev\":\"process\"") == 2 &&
		count(strstr(got, "\"again\":0"), "\"ev\":\"process\"") == 1 && strstr(got, "\"forgotten\":1"), "not when it attaches after its first event");
	n = count(got, "\"ev\":\"map\"");
	ok(n == 3 * code, "each time with its code: %zu lines, and it has %zu mappings of code", n, code);
	maps[readlink("/proc/self/exe", maps, 1000)] = '\0';
	snprintf(id, sizeof id, "\"pid\":7,\"ppid\":%ld,\"path\":\"%.1000s\"}", (long)getpid(), maps);
	ok(strstr(got, id) != NULL, "of its parent, and which program it runs");
	got = printed(come_and_gone);
	ok(strstr(got, "\"pid\":7,") != NULL,
		"who is there makes no room for others, however many come");
	got = printed(later_code);
	ok(strstr(got, "\"known\":0") && strstr(got, "\"new\":0") &&
		!count(strstr(got, "\"known\":0"), "\"ev\":\"map\"") == !count(strstr(got, "\"new\":0"), "\"ev\":\"map\"") &&
		count(strstr(got, "\"new\":0"), "\"ev\":\"map\"") == count(strstr(got, "\"once\":0"), "\"ev\":\"map\"") + 1 && strstr(got, path) &&
		count(strstr(got, "\"once\":0"), "\"ev\":\"map\"") == count(strstr(got, "\"unseen\":0"), "\"ev\":\"map\""),
		"code that came later is printed once, when a frame lies in it");
	ok(count(strstr(got, "\"unseen\":0"), "\"ev\":\"map\"") == count(strstr(got, "\"last\":0"), "\"ev\":\"map\"") + 1 &&
		count(strstr(got, "\"last\":0"), "\"ev\":\"map\"") == 2, "a call may be the last of its code, and each time it is looked anew");
	got = strstr(printed(in_vain), "{\"ev\":\"lost");
	ok(got && !strcmp(got, SAYS("at_once", "2") SAYS("then", "0") SAYS("later", "1") SAYS("again", "0") SAYS("and", "1") SAYS("a_long_look", "1")),
		"code is looked for in vain for a twentieth of the time, 200 ms ahead");
	got = printed(code_of_stack);
	ok(count(strstr(got, "\"then\":0"), "\"ev\":\"map\"") == 1 && strstr(strstr(got, "\"then\":0"), "}\n{\"ev\":\"stack\",\"stack\":1,"),
		"an event's call stack lies in it: before that");
	got = printed(borders);
	n = count(strstr(got, "\"another\":0"), "\"ev\":\"map\"");
	ok(count(strstr(got, "\"in_turn\":0"), "\"ev\":\"map\"") == 3, "what lies at one place in turn is told each time");
	ok(n == 4 && count(strstr(got, "\"one\":0"), "\"ev\":\"map\"") == 5 && count(strstr(got, "\"none\":0"), "\"ev\":\"map\"") == 5 &&
		count(strstr(got, "\"two\":0"), "\"ev\":\"map\"") == 7, "from the first byte of code to the last");
	snprintf(id, sizeof id, "\"path\":\"%s\"}", path);
	ok(count(strstr(got, "\"two\":0"), id) == 4, "each file has its own build id, or none");
	build_ids();
	unlink(path);
	return done_testing();
}
