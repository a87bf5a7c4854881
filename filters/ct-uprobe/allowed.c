/* allowed.c - do this kernel and these rights allow it? Contracts in attach.h. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "attach.h"
#include "snap/snap.h"

enum { CAP_PTRACE = 19, CAP_ADMIN = 21, CAP_PERF = 38, CAP_LOAD = 39 };

void refuse_here(const char *why)
{
	refuse(3, &(struct target){ .name = NULL }, "%s", why);
}

static bool file_has(const char *path, const char *text)
{
	char line[200] = "";
	FILE *f = fopen(path, "r");
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, text);
	if (f)
		fclose(f);
	return found;
}

static uint64_t capabilities(void)
{
	char line[200];
	unsigned long long bits = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "CapEff: %llx", &bits);
	if (f)
		fclose(f);
	return bits;
}

static void rights(void)
{
	static const struct { int bit; const char *name; } needed[] = {
		{ CAP_LOAD, "CAP_BPF" }, { CAP_PERF, "CAP_PERFMON" }, { CAP_PTRACE, "CAP_SYS_PTRACE" }
	};
	uint64_t have = capabilities();
	char missing[100] = "", why[300];

	if (have >> CAP_ADMIN & 1)	/* stands for the first two */
		have |= 1ull << CAP_LOAD | 1ull << CAP_PERF;
	for (int i = 0; i < 3; i++)
		if (!(have >> needed[i].bit & 1)) {
			strcat(missing, *missing ? ", " : "");
			strcat(missing, needed[i].name);
		}
	if (!*missing)
		return;
	snprintf(why, sizeof(why),
		"not permitted: missing %s; run as root, or: setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep ct-uprobe",
		missing);
	refuse_here(why);
}

/* The kernel's programs know processes by the numbers that they have outside of containers. */
static void namespace(void)
{
	enum { FIRST_NAMESPACE = 0xeffffffc };	/* include/linux/proc_ns.h */
	struct stat st;

	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != FIRST_NAMESPACE)
		refuse_here("within a container, whose process numbers are not the kernel's: run it outside of it, or with the host's PID namespace (docker run --pid=host --privileged)");
}

void attach_allowed(void)
{
	struct utsname u;
	int major = 0, minor = 0;
	char why[200];

#ifndef __x86_64__
	refuse_here("knows x86-64 only");
#endif
	if (!uname(&u) && sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
		(major < 6 || (major == 6 && minor < 6))) {
		snprintf(why, sizeof(why),
			"needs Linux 6.6 or later (uprobe_multi), this is %.60s: ct-snap -p shows one moment on any, a probe in the program all of it",
			u.release);
		refuse_here(why);
	}
	if (access("/proc/self", F_OK))
		refuse_here("/proc is not mounted");
	namespace();
	rights();
	if (file_has("/sys/kernel/security/lockdown", "[confidentiality]"))
		refuse_here("the kernel is locked down (confidentiality): its programs may not read memory; ct-snap -p does without them");
}
