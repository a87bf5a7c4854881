/* report.c - what a watched program did last, as one trace in a file of its own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../complain.h"
#include "../event.h"
#include "../extra/clock.h"
#include "../extra/process.h"
#include "../extra/stack.h"
#include "../harvest.h"
#include "../line.h"
#include "../options.h"
#include "../peer.h"
#include "../print.h"
#include "../region.h"
#include "../site.h"
#include "../stations.h"
#include "../totals.h"
#include "box.h"
#include "others.h"
#include "watch.h"

enum { WRITERS = 16, SECOND = 1000000000 };
/* By their numbers, for the target is a child of ours, too; and what each writes, until that is
 * whole. */
enum { PART = 4128 };
static struct { pid_t pid; char part[PART]; } writers[WRITERS];
static unsigned number;

/* Since when all that happened is there: the newest of what any ring that has wrapped still
 * holds. */
static uint64_t whole_from(const struct region *r, uint64_t from)
{
	uint32_t i;

	for (i = 0; i < harvest_rings(r); i++) {
		uint64_t wrapped = image_above(r->rings[i].limit, r->ring_slots);

		if (wrapped && wrapped < r->rings[i].head &&
			harvest_slot(r, i, wrapped)->timestamp > from)
			from = harvest_slot(r, i, wrapped)->timestamp;
	}
	return from;
}

static void print(struct region *r, const struct options *o, const char *why, pid_t target,
	int status, uint64_t alive)
{
	uint64_t now = clock_ns(), ticks = clock_ticks(), span = clock_from_ns(o->last_ns),
		 from = ticks > span ? ticks - span : 0, whole;
	char more[96];
	bool all;

	totals = (struct totals){ 0 };
	site_init(r);
	stack_init(r);
	harvest_init(r);
	image_adopt(r, from, ticks - clock_from_ns(now - r->taken));
	whole = whole_from(r, from);
	snprintf(more, sizeof more, ",\"attached\":true,\"snapshot\":true,\"reason\":\"%s\"", why);
	print_meta(o->command, now, wall_ns(), more);
	if (status == -1)
		process_seen((uint32_t)target, target, true);
	else		/* its /proc is gone */
		print_process(now, (uint32_t)target, (uint32_t)getppid(), o->command[0]);
	others_formers(clock_to_ns(from));
	states_print(r);
	harvest(r);
	others_look(now);
	others_look(now);
	harvest_end(r);
	all = totals.lost && stations_print(r);
	if (status != -1)
		print_exit(now, target, status, alive);
	print_end(now, all, status == -1 ? stopped_since(target) : 0);
	if (!o->quiet && whole > from)
		complain(
			"the rings hold only the last %.1f s of each thread: larger --ring-slots hold more",
			(double)(now - clock_to_ns(whole)) / 1e9);
}

/* By the first number, from its own on, that nobody has: in a container that is started anew the
 * process's number and ours are those of before. */
static bool give_name(const char *part, char path[PART])
{
	char *number_at;
	unsigned n;

	snprintf(path, PART, "%s", part);
	number_at = strrchr(path, '-') + 1;
	for (n = (unsigned)strtoul(number_at, NULL, 10); ; n++) {
		sprintf(number_at, "%u.jsonl", n);
		if (syscall(SYS_renameat2, AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
			return true;
		if (errno == EEXIST)
			continue;
		if (errno != EINVAL && errno != ENOSYS)
			return false;
		/* a file system that knows no such call: who comes in between is not seen */
		if (access(path, F_OK) < 0)
			return rename(part, path) == 0;
	}
}

/* part: its name until it is whole. */
static int write_file(const struct region *live, const struct options *o, const char *why,
	pid_t target, int status, uint64_t alive, const char *part)
{
	char path[PART];
	struct region r = { .fd = -1 };
	int fd;

	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		complain("%s: %s", part, strerror(errno));
		return 1;
	}
	print_open(fd, NULL, 0);
	if (image_of_process(&r, live->fd, "the region")) {
		others_init(&r, (uint32_t)target, live->fd);
		print(&r, o, why, target, status, alive);
		if (print_close() && give_name(part, path)) {
			complain("%s: wrote %s", why, path);
			return 0;
		}
	}
	unlink(part);
	return 1;
}

/* It needs as much memory as the rings hold, once more: where there is none it is the one to be killed,
 * and not the program. */
static void be_killed_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		complain("/proc/self/oom_score_adj: %s", strerror(errno));
	close(fd);
}

void report_write(const struct region *r, const struct options *o, const char *why, pid_t target,
	int status, uint64_t alive)
{
	pid_t pid;
	int i;

	peer_reap(clock_ns() + SECOND);		/* who became another just now */
	number++;
	for (i = 0; i < WRITERS && writers[i].pid; i++)
		;
	if (i == WRITERS) {
		complain("%s: nothing is written: %d reports are being written", why, WRITERS);
		return;
	}
	snprintf(writers[i].part, PART, "%.4000s/%s-%ld-%u.jsonl.part", o->directory, why,
		(long)target, number);
	pid = fork();
	if (pid < 0)
		complain("%s: nothing is written: %s", why, strerror(errno));
	else if (pid == 0) {
		be_killed_first();
		_exit(write_file(r, o, why, target, status, alive, writers[i].part));
	} else
		writers[i].pid = pid;
}

bool report_is_by(pid_t pid)
{
	int i;

	for (i = 0; i < WRITERS && writers[i].pid != pid; i++)
		;
	return i < WRITERS;
}

/* However it ended, by want of memory or a signal, it leaves no part behind. */
void report_wait(bool all)
{
	int i, status;

	for (i = 0; i < WRITERS; i++) {
		if (!writers[i].pid || waitpid(writers[i].pid, &status, all ? 0 : WNOHANG) == 0)
			continue;
		if (WIFSIGNALED(status))
			complain("%s: not written: who wrote it was killed by signal %d",
				writers[i].part, WTERMSIG(status));
		if (status)
			unlink(writers[i].part);
		writers[i].pid = 0;
	}
}
