/* command.c - what the recorder makes of its command line (record/options.c): each option at its limits, and which go with which.
 */
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../record/options.h"
#include "leave.h"
#include "tap.h"

static char said[16384];

static void number(const char *what, unsigned long long v, unsigned long long common)
{
	if (v != common)
		dprintf(1, "%s=%llu ", what, v);
}

static void text(const char *what, const char *s)
{
	if (s)
		dprintf(1, "%s=%s ", what, s);
}

#define WATCH "--last=1 -o d "
#define WATCHES "last=1000000000 "
#define IN_D "output=d directory=d [a]"

/* All that differs from where nothing is asked for. */
static void tell(const struct options *o)
{
	number("stations", o->v1_stations, 256);
	number("threads", o->rings, 1024);
	number("slots", o->ring_slots, 65536);
	number("block", o->block, 0);
	number("follow", o->follow, 0);
	number("quiet", o->quiet, 0);
	number("stacks", o->stacks, 0);
	number("no_syscalls", o->no_syscalls, 0);
	number("realtime", o->realtime, 0);
	number("buffer", o->buffer, 0);
	number("attach", o->attach, 0);
	number("box", o->box, 0);
	number("pid", (unsigned)o->pid, 0);
	number("last", o->last_ns, 0);
	number("hang", o->hang_ns, 5000000000);
	number("on", o->on, ON_CRASH | ON_EXIT | ON_SIGNAL);
	number("dump", (unsigned)o->dump, 0);
	text("output", o->output);
	text("directory", o->directory);
	text("stdout", o->target_stdout);
	text("name", o->name);
	text("file", o->file);
	for (char **word = o->command; word && *word; word++)
		dprintf(1, "[%s]", *word);
}

/* Its status; what it says is in `said`. */
static int parse(const char *line)
{
	int fd = memfd_create("out", MFD_CLOEXEC), status;
	pid_t pid = fork();
	ssize_t n;

	if (!pid) {
		char words[600], *argv[30] = { (char *)"/somewhere/else" };
		struct options o;
		int argc = 1;

		dup2(fd, 1);
		dup2(fd, 2);
		strcpy(words, line);
		for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
			argv[argc++] = word;
		o = options_parse(argc, argv);
		tell(&o);
		leave(0);
	}
	waitpid(pid, &status, 0);
	n = pread(fd, said, sizeof said - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	close(fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(void)
{
	static const struct { const char *line, *said; } good[] = {
		{ "a", "[a]" }, { "-- a -q", "[a][-q]" }, { "-q a -q", "quiet=1 [a][-q]" }, { "-o x a", "output=x directory=x [a]" },
		{ "-n 1 a", "stations=1 [a]" }, { "-n 09 a", "stations=9 [a]" }, { "-n 9 a", "stations=9 [a]" }, { "--stations=1048576 a", "stations=1048576 [a]" },
		{ "--threads=1 a", "threads=1 [a]" }, { "--threads=65536 a", "threads=65536 [a]" },
		{ "--ring-slots=8 a", "slots=8 [a]" }, { "--ring-slots=16777216 a", "slots=16777216 [a]" },
		{ "--on-full=drop a", "[a]" }, { "--on-full=block a", "block=1 [a]" }, { "--on-full=block --on-full=drop a", "[a]" },
		{ "--follow --stacks --realtime --target-stdout=y a", "follow=1 stacks=1 realtime=1 stdout=y [a]" },
		{ "--no-syscalls --follow a", "follow=1 no_syscalls=1 [a]" },
		{ "--buffer=04M a", "buffer=4194304 [a]" }, { "--buffer=9M a", "buffer=9437184 [a]" }, { "--buffer=4194304 a", "buffer=4194304 [a]" }, { "--buffer=4096K a", "buffer=4194304 [a]" },
		{ "--buffer=3G -p 1", "buffer=3221225472 attach=1 pid=1 " }, { "--buffer=1T a", "buffer=1099511627776 [a]" },
		{ "-p 2147483647", "attach=1 pid=2147483647 " }, { "--name=x.y", "attach=1 name=x.y " },
		{ "--box f", "box=1 file=f " }, { "--box f -o x -q", "quiet=1 box=1 output=x directory=x file=f " }, { "f --box", "[f][--box]" },
		{ "--box -p 5", "attach=1 box=1 pid=5 " }, { "-p 5 --box", "attach=1 box=1 pid=5 " },
		{ "--last=1ms -o d a", "last=1000000 output=d directory=d [a]" }, { "--last=24h -o d a", "last=86400000000000 output=d directory=d [a]" },
		{ "--last=0.5s -o d a", "last=500000000 output=d directory=d [a]" }, { "--last=9s -o d a", "last=9000000000 output=d directory=d [a]" },
		{ "--last=2 -o d a", "last=2000000000 output=d directory=d [a]" }, { "--last=1.5m -o d a", "last=90000000000 output=d directory=d [a]" },
		{ WATCH "--on=crash a", WATCHES "on=1 " IN_D }, { WATCH "--on=exit a", WATCHES "on=2 " IN_D },
		{ WATCH "--on=signal a", WATCHES "on=4 " IN_D }, { WATCH "--on=hang a", WATCHES "on=8 " IN_D },
		{ WATCH "--on=crash,hang:7s,exit a", WATCHES "hang=7000000000 on=11 " IN_D },
		{ WATCH "--on=exit --on=signal a", WATCHES "on=4 " IN_D }, { WATCH "--on=,exit, a", WATCHES "on=2 " IN_D },
		{ "--dump=2147483647", "dump=2147483647 " }, { "--dump=1", "dump=1 " },
	}, bad[] = {
		{ "", "no program given" }, { "-q", "no program given" },
		{ "-n 0 a", "--stations: \"0\" is not a number from 1 to 1048576" }, { "-n 1048577 a", "is not" }, { "-n 5x a", "is not" },
		{ "-n x a", "is not" }, { "-n -5 a", "is not" }, { "-n +5 a", "is not" }, { "-n 18446744073709551617 a", "is not" },
		{ "-n /5 a", "is not" }, { "-n :5 a", "is not" },
		{ "--threads=0 a", "--threads: " }, { "--threads=65537 a", "--threads: " },
		{ "--ring-slots=4 a", "from 8 to 16777216" }, { "--ring-slots=33554432 a", "from 8 to" }, { "--ring-slots=24 a", "a power of two" },
		{ "--on-full=x a", "drop or block" }, { "--on-full=blocks a", "drop or block" },
		{ "--buffer=4194303 a", "is not a size from 4M to 1T" }, { "--buffer=1025G a", "a size" }, { "--buffer=2T a", "a size" },
		{ "--buffer=4MB a", "a size" }, { "--buffer=4Q a", "a size" }, { "--buffer=M a", "a size" }, { "--buffer=-4M a", "a size" },
		{ "--buffer=18446744073709551617M a", "a size" }, { "--buffer=17592186044417M a", "a size" }, { "--buffer=16777217T a", "a size" },
		{ "--buffer=5M5 a", "a size" }, { "--buffer=/4M a", "a size" }, { "--buffer=:4M a", "a size" }, { "--buffer=x a", "a size" },
		{ "--buffer=+4M a", "a size" }, { "--buffer=-18446744069414584320 a", "a size" },
		{ "-p 0", "--pid: \"0\"" }, { "-p 2147483648", "--pid: " }, { "--dump=0", "--dump: " }, { "--dump=2147483648", "--dump: " },
		{ "--last=0.9ms -o d a", "is not a time from 1ms to 24h" }, { "--last=24.1h -o d a", "a time" }, { "--last=x -o d a", "a time" },
		{ "--last=5x -o d a", "a time" }, { "--last=-5s -o d a", "a time" }, { "--last=inf -o d a", "a time" },
		{ "--on=hang:0 a", "--on=hang: \"0\" is not a time" }, { "--on=hangs a", "some of crash" }, { "--on=x a", "some of crash" },
		{ WATCH "--on= a", "--on: of what?" }, { WATCH "--on=,, a", "--on: of what?" }, { WATCH "--on=exit --on= a", "--on: of what?" },
		{ "--on=exit a", "--on is for --last" }, { "--on=exit -p 1", "--on is for --last" },
		{ "--on=exit --box f", "--on is for --last" }, { "--on=exit --dump=1", "--on is for --last" },
		{ "--dump=1 a", "records nothing" }, { "--dump=1 -p 1", "records nothing" }, { "--dump=1 --box f", "records nothing" },
		{ "--dump=1 --last=1 -o d", "records nothing" }, { "--dump=1 -o x", "records nothing" },
		{ "-p 1 -n 256", "a box has its sizes" }, { "--name=x --threads=1024", "a box has its sizes" },
		{ "--box f --ring-slots=65536", "a box has its sizes" }, { "--box -p 1 -n 9", "a box has its sizes" },
		{ "-p 1 --name=x", "two ways" }, { "-p 1 a", "start none" }, { "--name=x a", "start none" }, { "-p 1 --box f", "start none" },
		{ "--realtime -p 1", "--realtime is" }, { "--realtime --box f", "--realtime is" }, { "--realtime --last=1 -o d a", "--realtime is" },
		{ "--buffer=4M --box f", "--buffer is" }, { "--buffer=4M --last=1 -o d a", "--buffer is" },
		{ "-p 1 --stacks", "that are started" }, { "-p 1 --follow", "that are started" }, { "-p 1 --on-full=block", "that are started" },
		{ "-p 1 --target-stdout=x", "that are started" }, { "--box f --stacks", "that are started" }, { "--box f --follow", "that are started" },
		{ "--no-syscalls --stacks a", "--no-syscalls goes" }, { "--no-syscalls --on-full=block a", "--no-syscalls goes" },
		{ "--no-syscalls -p 1", "--no-syscalls goes" }, { "--no-syscalls --box f", "--no-syscalls goes" },
		{ "--box", "reads one file" }, { "--box f g", "reads one file" },
		{ "--last=1 -o d -p 1", "--last goes" }, { "--last=1 -o d --box f", "--last goes" }, { "--last=1 -o d --stacks a", "--last goes" },
		{ "--last=1 -o d --follow a", "--last goes" }, { "--last=1 -o d --on-full=block a", "--last goes" },
		{ "--last=1 -o d --no-syscalls a", "--last goes" }, { "--last=1 a", "into which directory" }, { "--last=1 -o d", "no program" },
		{ "--nonsense a", "ct-record: unrecognized option '--nonsense'\ntry ct-record --help" }, { "-n", "try ct-record --help" },
	};
	int status;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		status = parse(good[i].line);
		ok(status == 0 && !strcmp(said, good[i].said), "%s: %d %s", good[i].line, status, said);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		status = parse(bad[i].line);
		ok(status == 125 && strstr(said, bad[i].said), "%s: %d", bad[i].line, status);
	}
	status = parse("--help");
	ok(status == 0 && !strncmp(said, "usage: ", 7) && !strstr(said, "ct-record " CT_VERSION), "--help");
	status = parse("--version");
	ok(status == 0 && !strcmp(said, "ct-record " CT_VERSION "\n"), "--version");
	return done_testing();
}
