/* options.c - the command line. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "complain.h"
#include "event.h"
#include "options.h"

enum {
	OPT_TARGET_STDOUT = 256,
	OPT_ON_FULL,
	OPT_RING_SLOTS,
	OPT_THREADS,
	OPT_FOLLOW,
	OPT_STACKS,
	OPT_NO_SYSCALLS,
	OPT_REALTIME,
	OPT_BUFFER,
	OPT_NAME,
	OPT_BOX,
	OPT_LAST,
	OPT_ON,
	OPT_DUMP,
	OPT_VERSION
};

static const char usage_text[] =
"usage: ct-record [options] [--] program [argument ...]\n"
"       ct-record [options] -p PID | --name=REGEX\n"
"       ct-record [options] --box -p PID | FILE | CORE\n"
"       ct-record [options] --last=TIME [--on=WHAT] -o DIR [--] program ...\n"
"       ct-record --dump=PID\n"
"Print what the coroutines of a program do that has corotrace's (or\n"
"coroTracer's) probes, one JSON line an event: of a program that is started, of\n"
"one that runs, or what the black box of one holds.\n"
"\n"
"  -o, --output=FILE         write the trace there instead of stdout; compressed\n"
"                            where its name ends in .gz or .zst\n"
"      --buffer=SIZE         lines that a slow reader or disk may leave in\n"
"                            memory: 4M and more (default: a 32nd of it, at\n"
"                            most 256M)\n"
"  -q, --quiet               no message about what was lost\n"
"of a program that is started:\n"
"      --target-stdout=FILE  the program's own stdout (default: to stderr, so\n"
"                            that it does not mix with the trace)\n"
"      --on-full=drop|block  when a thread's ring is full: drop its newest event\n"
"                            and count it (default), or wait\n"
"      --follow              go on until the program's children that record have\n"
"                            ended too\n"
"      --stacks              with the call stack of every suspend and wake\n"
"                            (ct-sym names its functions)\n"
"      --no-syscalls         its C and C++ probes make none once attached: for\n"
"                            programs under seccomp\n"
"      --realtime            read before all other programs that want the\n"
"                            processor (SCHED_FIFO: needs privileges)\n"
"  -n, --stations=N          coroutines of a version 1 probe (default 256)\n"
"      --threads=N           threads that can record at once (default 1024)\n"
"      --ring-slots=N        events a thread's ring holds, a power of two\n"
"                            (default 65536)\n"
"of one that runs:\n"
"  -p, --pid=PID             the states of all its coroutines, the last events\n"
"                            that it kept, then all that happens until it ends\n"
"                            or Ctrl-C; it runs on\n"
"      --name=REGEX          the one with a probe whose command line matches\n"
"      --box                 what its black box holds now, or that of a crashed\n"
"                            one does: its FILE or its CORE\n"
"of a program that is watched:\n"
"      --last=TIME           keep the last 10s, or so, in memory, and write them\n"
"                            into a file of the directory -o DIR when something\n"
"                            happens:\n"
"      --on=WHAT[,WHAT...]   crash, exit (with a status other than 0), signal\n"
"                            (the default is these), hang:TIME (nothing runs for\n"
"                            so long while coroutines wait)\n"
"      --dump=PID            or somebody asks the recorder PID to\n"
"\n"
"  -h, --help                this text\n"
"      --version\n"
"\n"
"Exits with the program's status (128 + N when signal N killed it), 125 when\n"
"recording itself failed, 126 or 127 when the program could not be run; with -p\n"
"and --box 0 or 125.\n"
"\n"
"Example: ct-record ./server -p 8080 | tee trace.jsonl | ct-lostwake\n"
"         ct-record -p $(pidof server) | ct-lostwake\n";

static uint32_t number(const char *name, const char *s, uint32_t min, uint32_t max)
{
	char *end;
	unsigned long long v;

	v = strtoull(s, &end, 10);
	if (*s < '0' || *end || v < min || v > max) {
		complain("%s: \"%s\" is not a number from %u to %u", name, s, min, max);
		exit(125);
	}
	return (uint32_t)v;
}

/* "64M", "1G": bytes, of which 4 MiB to 1 TiB. */
static uint64_t size(const char *name, const char *s)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	unsigned long long v;

	v = strtoull(s, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	for (int i = unit ? (int)(unit - units) + 1 : 0; i; i--)
		v = v < 1ull << 41 ? v << 10 : 1ull << 62;
	if (*s < '0' || end[unit != NULL] || v < 4ull << 20 || v > 1ull << 40) {
		complain("%s: \"%s\" is not a size from 4M to 1T", name, s);
		exit(125);
	}
	return v;
}

static void usage_error(const char *what)
{
	complain("%s; see ct-record --help", what);
	exit(125);
}

_Noreturn static void print_and_exit(const char *text)
{
	if (fputs(text, stdout) >= 0 && !fflush(stdout))
		exit(0);
	complain("<stdout>: %s", strerror(errno));
	exit(125);
}

/* "10s", "500ms"; without a unit, seconds. Up to a day. */
static uint64_t duration(const char *name, const char *s)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ms", 1e6 }, { "s", 1e9 }, { "m", 6e10 }, { "h", 3.6e12 }, { "", 1e9 } };
	char *end;
	double v = strtod(s, &end);
	size_t i;

	for (i = 0; i < sizeof units / sizeof *units; i++)
		if (*s >= '0' && *s <= '9' && strcmp(end, units[i].unit) == 0 &&
			v * units[i].ns >= 1e6 && v * units[i].ns <= 8.64e13)
			return (uint64_t)(v * units[i].ns);
	complain("%s: \"%s\" is not a time from 1ms to 24h", name, s);
	exit(125);
}

/* "crash,exit,signal,hang:5s" */
static void set_on(struct options *o, char *list)
{
	char *word, *rest = NULL;

	o->on = 0;
	for (word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (!strcmp(word, "crash"))
			o->on |= ON_CRASH;
		else if (!strcmp(word, "exit"))
			o->on |= ON_EXIT;
		else if (!strcmp(word, "signal"))
			o->on |= ON_SIGNAL;
		else if (!strcmp(word, "hang") || !strncmp(word, "hang:", 5))
			o->on |= ON_HANG;
		else
			usage_error("--on is some of crash, exit, signal, hang and hang:TIME");
		if (!strncmp(word, "hang:", 5))
			o->hang_ns = duration("--on=hang", word + 5);
	}
	if (!o->on)
		usage_error("--on: of what? Of crash, exit, signal, hang and hang:TIME");
}

static void set_option(struct options *o, int c)
{
	switch (c) {
	case 'n':
		o->v1_stations = number("--stations", optarg, 1, 1u << 20);
		o->sized = true;
		break;
	case 'o': o->output = optarg; break;
	case 'q': o->quiet = true; break;
	case 'p':
		o->pid = (pid_t)number("--pid", optarg, 1, INT32_MAX);
		o->attach = true;
		break;
	case OPT_NAME:
		o->name = optarg;
		o->attach = true;
		break;
	case OPT_BOX: o->box = true; break;
	case OPT_LAST: o->last_ns = duration("--last", optarg); break;
	case OPT_ON: set_on(o, optarg); break;
	case OPT_DUMP: o->dump = (pid_t)number("--dump", optarg, 1, INT32_MAX); break;
	case OPT_TARGET_STDOUT: o->target_stdout = optarg; break;
	case OPT_THREADS:
		o->rings = number("--threads", optarg, 1, 65536);
		o->sized = true;
		break;
	case OPT_FOLLOW: o->follow = true; break;
	case OPT_STACKS: o->stacks = true; break;
	case OPT_REALTIME: o->realtime = true; break;
	case OPT_BUFFER: o->buffer = size("--buffer", optarg); break;
	case OPT_NO_SYSCALLS: o->no_syscalls = true; break;
	case OPT_RING_SLOTS:
		o->ring_slots = number("--ring-slots", optarg, 8, 1u << 24);
		if (o->ring_slots & (o->ring_slots - 1))
			usage_error("--ring-slots must be a power of two");
		o->sized = true;
		break;
	case OPT_ON_FULL:
		if (strcmp(optarg, "drop") && strcmp(optarg, "block"))
			usage_error("--on-full is drop or block");
		o->block = *optarg == 'b';
		break;
	case 'h':
		print_and_exit(usage_text);
	case OPT_VERSION:
		print_and_exit("ct-record " CT_VERSION "\n");
	default:
		fputs("try ct-record --help\n", stderr);
		exit(125);
	}
}

/* What goes with what. */
static void check(const struct options *o, int arguments)
{
	if (o->pid && o->name)
		usage_error("-p and --name are two ways to say the same");
	if (o->realtime && (o->attach || o->box || o->last_ns))
		usage_error("--realtime is for programs that are started and recorded");
	if (o->buffer && (o->box || o->last_ns))
		usage_error("--buffer is for what is recorded as it happens");
	if ((o->attach || o->box) && (o->stacks || o->follow || o->block || o->target_stdout))
		usage_error(
			"--stacks, --follow, --on-full and --target-stdout are for programs that are started");
	if ((o->attach || o->box) && o->sized)
		usage_error(
			"--threads, --ring-slots and -n are for programs that are started: a box has its sizes");
	if (o->no_syscalls && (o->stacks || o->block || o->attach || o->box))
		usage_error(
			"--no-syscalls goes with none of --stacks, --on-full=block, -p and --box");
	if (o->attach && arguments)
		usage_error("-p and --name record a program that runs, and start none");
	if (o->box && !o->attach && arguments != 1)
		usage_error("--box reads one file, or a process given by -p or --name");
	if (o->last_ns &&
		(o->attach || o->box || o->stacks || o->follow || o->block || o->no_syscalls))
		usage_error(
			"--last goes with a program that is started, and nothing that reads all of it");
	if (o->last_ns && !o->output)
		usage_error("--last writes files: into which directory? -o DIR");
	if (o->on && !o->last_ns)
		usage_error("--on is for --last");
	if (o->dump && (arguments || o->attach || o->box || o->last_ns || o->output))
		usage_error("--dump asks another ct-record, and records nothing itself");
	if (o->dump)
		return;
	if (!o->attach && !o->box && !arguments)
		usage_error("no program given");
}

struct options options_parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "stations", required_argument, NULL, 'n' },
		{ "output", required_argument, NULL, 'o' },
		{ "target-stdout", required_argument, NULL, OPT_TARGET_STDOUT },
		{ "on-full", required_argument, NULL, OPT_ON_FULL },
		{ "ring-slots", required_argument, NULL, OPT_RING_SLOTS },
		{ "threads", required_argument, NULL, OPT_THREADS },
		{ "follow", no_argument, NULL, OPT_FOLLOW },
		{ "stacks", no_argument, NULL, OPT_STACKS },
		{ "no-syscalls", no_argument, NULL, OPT_NO_SYSCALLS },
		{ "realtime", no_argument, NULL, OPT_REALTIME },
		{ "buffer", required_argument, NULL, OPT_BUFFER },
		{ "quiet", no_argument, NULL, 'q' }, { "help", no_argument, NULL, 'h' },
		{ "pid", required_argument, NULL, 'p' },
		{ "name", required_argument, NULL, OPT_NAME },
		{ "last", required_argument, NULL, OPT_LAST },
		{ "on", required_argument, NULL, OPT_ON },
		{ "dump", required_argument, NULL, OPT_DUMP },
		{ "box", no_argument, NULL, OPT_BOX },
		{ "version", no_argument, NULL, OPT_VERSION }, { NULL, 0, NULL, 0 }
	};
	struct options o = { .v1_stations = 256,
		.rings = 1024,
		.ring_slots = 65536,
		.hang_ns = 5000000000u };
	const char *file = NULL;
	int c;

	argv[0] = "ct-record";		/* in getopt's messages */
	for (;;) {
		while ((c = getopt_long(argc, argv, "+n:o:p:qh", longs, NULL)) != -1)
			set_option(&o, c);
		if (!o.box || file || optind == argc)
			break;
		file = argv[optind++];		/* and options may follow it */
	}
	check(&o, argc - optind + (file != NULL));
	if (!o.on)
		o.on = ON_CRASH | ON_EXIT | ON_SIGNAL;
	o.command = argv + optind;
	o.directory = o.output;
	o.file = file;
	return o;
}
