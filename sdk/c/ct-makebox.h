/* ct-makebox.h - a part of ct.c: a black box is laid out, made and mapped.
 */

CT_COLD int ct_p_fail(const char *what, const char *why);
CT_COLD void *ct_p_map_part(int fd, uint64_t off, uint64_t size, int prot);
CT_COLD unsigned ct_p_halvings(uint64_t size);
CT_COLD int ct_p_use_v2(int fd, const struct ctp_header *h);
CT_COLD int ct_p_begin(uint32_t on);
CT_COLD void ct_p_unset(void);
CT_COLD int ct_p_hook(void);

/* What a small file says, as a text; "": nothing, or it cannot be read. */
CT_COLD void ct_p_file_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = 0;
}

/* Does the kernel promise no more memory than it has? */
CT_COLD void ct_p_see_strict(void)
{
	char how[8];

	ct_p_file_text("/proc/sys/vm/overcommit_memory", how, sizeof(how));
	ct_p_.strict = *how == '2';
}

/* The kernel uses the TSC as its clocksource only where it found it invariant and the same on every
 * core. */
CT_COLD uint32_t ct_p_tsc(void)
{
	char name[32];

	ct_p_file_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", name,
		sizeof(name));
#if defined __x86_64__
	return strcmp(name, "tsc\n") ? 0 : CTP_F_TSC;
#elif defined __aarch64__
	return strcmp(name, "arch_sys_counter\n") ? 0 : CTP_F_TSC;
#else
	return 0;
#endif
}

CT_COLD void ct_p_boot_id(uint8_t id[16])
{
	char text[64] = "", *p = text;
	unsigned byte;
	int i;

	ct_p_file_text("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	for (i = 0; i < 16 && sscanf(p, "%2x", &byte) == 1; i++) {
		id[i] = (uint8_t)byte;
		p += 2 + (p[2] == '-');
	}
}

/* ",NAME=NUMBER" in a text such as CTP_BOX. */
CT_COLD uint32_t ct_p_box_number(
	const char *text, const char *name, uint32_t normal, uint32_t least, uint32_t most)
{
	const char *at = strstr(text, name);
	unsigned long v = at ? strtoul(at + strlen(name), NULL, 10) : normal;

	return v < least ? least : v > most ? most : (uint32_t)v;
}

/* Nothing but these? A word that is misspelt, or "1e3", would be a box of another size than was asked
 * for. */
CT_COLD int ct_p_box_numbers(const char *text)
{
	static const char *const names[] = { ",threads=", ",slots=", ",coroutines=" };
	size_t i, len, digits;

	for (; *text; text += len + digits) {
		for (i = len = digits = 0; i < 3 && !digits; i++) {
			len = strlen(names[i]);
			digits = strncmp(text, names[i], len) ? 0 :
								strspn(text + len, "0123456789");
		}
		if (!digits)
			return 0;
	}
	return 1;
}

CT_COLD uint64_t ct_p_lay(uint64_t *at, uint64_t size)
{
	uint64_t off = *at;

	*at = (off + size + 65535) & ~(uint64_t)65535;	/* pages are no larger */
	return off;
}

/* The first number of DIR/FILE, or that behind `key`; `none` where there is none, as "max". One
 * thread at a time makes a box: what is static here does not stand on a coroutine's small stack. */
CT_COLD uint64_t ct_p_file_number(
	const char *dir, const char *file, const char *key, uint64_t none)
{
	static char text[2048];
	const char *at;

	snprintf(text, sizeof(text), "%s/%s", dir, file);
	ct_p_file_text(text, text, sizeof(text));
	at = strstr(text, key);
	at = at ? at + strlen(key) : "";
	return *at >= '0' && *at <= '9' ? (uint64_t)strtoull(at, NULL, 10) : none;
}

/* What a cgroup and those above it leave of their memory: files' pages can be had back. */
CT_COLD uint64_t ct_p_group_left(const char *root, const char *path, int v1)
{
	static char dir[1024];
	uint64_t left = UINT64_MAX, limit, high, used, files;

	if (snprintf(dir, sizeof(dir), "%s%s", root, path[1] ? path : "") >= (int)sizeof(dir))
		return left;
	for (;; *strrchr(dir, '/') = 0) {
		limit = ct_p_file_number(
			dir, v1 ? "memory.limit_in_bytes" : "memory.max", "", UINT64_MAX);
		/* who is beyond it is not killed, but hardly gets any further */
		high = v1 ? limit : ct_p_file_number(dir, "memory.high", "", UINT64_MAX);
		limit = high < limit ? high : limit;
		if (limit < (uint64_t)1 << 60) {
			used = ct_p_file_number(
				dir, v1 ? "memory.usage_in_bytes" : "memory.current", "", 0);
			files = ct_p_file_number(dir, "memory.stat",
					v1 ? "\ntotal_inactive_file " : "\ninactive_file ", 0) +
				ct_p_file_number(dir, "memory.stat",
					v1 ? "\ntotal_active_file " : "\nactive_file ", 0);
			used -= files < used ? files : used;
			limit -= used < limit ? used : limit;
			left = limit < left ? limit : left;
		}
		if (strlen(dir) <= strlen(root))
			return left;
	}
}

/* Of cgroups(7), version 2 or 1; UINT64_MAX: there is no limit. */
CT_COLD uint64_t ct_p_memory_left(void)
{
	static char text[4096];
	uint64_t left = UINT64_MAX, here;
	char *line = text, *end, *path;
	int v1;

	ct_p_file_text("/proc/self/cgroup", text, sizeof(text));
	for (; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		path = strchr(line, '/');
		v1 = strstr(line, ":memory:") != NULL;
		if (!path || (!v1 && strncmp(line, "0::", 3)))
			continue;
		here = ct_p_group_left(v1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup", path, v1);
		left = here < left ? here : left;
		here = v1 ? left : ct_p_group_left("/sys/fs/cgroup/unified", path, 0);
		left = here < left ? here : left;
	}
	return left;
}

/* Where memory is short a box must not be what the program is killed for: rings of 64 threads in a
 * quarter of what is left, all that there can be in a half, an eighth for stations and for texts
 * each. What is asked for by name is made. */
CT_COLD void ct_p_box_spare(struct ctp_header *h, const char *how)
{
	uint64_t left = ct_p_memory_left(), event = sizeof(struct ctp_event);
	uint32_t rings = h->ring_count < 64 ? h->ring_count : 64;

	if (!strstr(how, ",slots="))
		while (h->ring_slots > 64 && rings * event * h->ring_slots > left / 4)
			h->ring_slots /= 2;
	if (!strstr(how, ",threads="))
		while (h->ring_count > 1 && h->ring_count * event * h->ring_slots > left / 2)
			h->ring_count -= h->ring_count / 2;
	if (!strstr(how, ",coroutines="))
		while (h->station_count > 1024 &&
			h->station_count * (event + sizeof(struct ctp_birth)) > left / 8)
			h->station_count /= 2;
	while (h->strings_size > 1 << 16 && h->strings_size > left / 8)
		h->strings_size /= 2;
}

/* Behind the rings all comes into use piece by piece. */
CT_COLD void ct_p_box_layout(struct ctp_header *h, const char *how)
{
	uint64_t at = 0;
	unsigned less;

	h->ring_count = ct_p_box_number(how, ",threads=", 256, 1, 65536);
	h->ring_slots = ct_p_box_number(how, ",slots=", 16384, 8, 1u << 24);
	while (h->ring_slots & (h->ring_slots - 1))
		h->ring_slots &= h->ring_slots - 1;
	h->station_count = ct_p_box_number(how, ",coroutines=", 1u << 22, 16, 1u << 24);
	h->site_count = 1u << 16;
	h->strings_size = 16u << 20;
	ct_p_box_spare(h, how);
	less = ct_p_halvings(
		(uint64_t)h->station_count * (sizeof(struct ctp_event) + sizeof(struct ctp_birth)) +
		(uint64_t)h->ring_count * h->ring_slots * sizeof(struct ctp_event) +
		h->strings_size);
	h->ring_count = h->ring_count >> less ? h->ring_count >> less : 1;
	h->station_count >>= less;
	h->strings_size >>= less;
	h->look_slots = h->ring_slots < 1024 ? 2 : h->ring_slots / 16;
	ct_p_lay(&at, sizeof(*h));
	h->rings_off = ct_p_lay(&at, (uint64_t)h->ring_count * sizeof(struct ctp_ring));
	h->sites_off = ct_p_lay(&at, (uint64_t)h->site_count * sizeof(struct ctp_site));
	h->strings_off = ct_p_lay(&at, h->strings_size);
	h->stations_off = ct_p_lay(&at, (uint64_t)h->station_count * sizeof(struct ctp_event));
	h->births_off = ct_p_lay(&at, (uint64_t)h->station_count * sizeof(struct ctp_birth));
	h->slots_off =
		ct_p_lay(&at, (uint64_t)h->ring_count * h->ring_slots * sizeof(struct ctp_event));
	h->file_size = at;
}

CT_COLD void ct_p_box_header(struct ctp_header *h, int late)
{
	uint64_t sites = ct_p_.old_sites.open, texts = ct_p_.old_strings.open;
	struct timespec wall;

	h->magic = CTP_MAGIC;
	h->version = CTP_VERSION;
	h->v2_minor = CTP2_MINOR_BOX;
	h->kinds = CTP_KINDS;
	h->on_kinds = CTP_ON_KINDS;
	h->flags = ct_p_tsc();
	h->box_pid = (uint32_t)getpid();
	h->pid_ns = ct_p_pid_ns();
	h->born_late = (uint32_t)late;
	h->next_number = CTP_NUMBERS;
	h->next_probe_id = ctp_load(&ct_p_.old) + 1;
	h->sites_used = sites ? (uint32_t)(sites / sizeof(struct ctp_site)) : 1;
	h->strings_used = !texts ? 8 : texts < h->strings_size ? texts : h->strings_size;
	ct_p_boot_id(h->boot_id);
	clock_gettime(CLOCK_REALTIME, &wall);
	h->birth_wall = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
	h->birth_ns = ct_p_ns();
	h->birth_ticks = ct_p_now(h->flags);
}

/* Out of the way: programs expect low numbers to be theirs. */
CT_COLD int ct_p_high(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 200);

	if (high < 0)
		return fd;
	close(fd);
	return high;
}

CT_COLD int ct_p_memfd(const char *name, uint64_t size)
{
	int fd = ct_p_high(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)), blocked, bad, err;
	sigset_t was;

	if (fd < 0)
		return -1;
	blocked = ct_p_no_xfsz(&was);
	bad = ftruncate(fd, (off_t)size) ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	ct_p_xfsz_again(&was, blocked);
	if (!bad)
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* how: "1" or "/DIR", and ",NAME=NUMBER"s behind it. */
CT_COLD int ct_p_box_open(const char *how, uint64_t size, char path[4096])
{
	sigset_t was;
	int fd, blocked, cut;

	snprintf(path, 4096, "the memory for a box");
	ct_p_.box_file = *how == '/';
	if (!ct_p_.box_file)
		return ct_p_memfd(CTP_BOX_NAME, size);
	snprintf(path, 4096, "%.*s/" CTP_BOX_NAME ".%ld.XXXXXX", (int)strcspn(how, ","), how,
		(long)getpid());
	fd = ct_p_high(mkostemp(path, O_CLOEXEC));
	blocked = ct_p_no_xfsz(&was);
	cut = fd >= 0 && ftruncate(fd, (off_t)size);
	ct_p_xfsz_again(&was, blocked);
	if (cut) {
		int err = errno;

		unlink(path);
		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

CT_COLD void ct_p_box_part(struct ct_part *part, uint64_t off, uint64_t size)
{
	part->at = ct_p_.base + off;
	part->size = size;
	part->open = 0;
}

/* What is known here by its numbers has them in this box, too: so have sites, in the program's memory. */
CT_COLD int ct_p_box_inherit(struct ct_part *part, const struct ct_part *old)
{
	uint64_t size = old->open < part->size ? old->open : part->size;

	if (!size)
		return 1;
	if (!ct_p_open(part, size, CT_STEP))
		return 0;
	memcpy(part->at, old->at, size);
	return 1;
}

/* In one piece, so that a core shows it so. Used are the header and the rings now, the tables by
 * need: ct_p_open(). */
CT_COLD int ct_p_box_map(int fd, const struct ctp_header *h)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) ||
		!(ct_p_.base = (char *)ct_p_map_part(fd, 0, h->file_size, PROT_NONE)))
		return -1;
	memset(ct_p_.read, 0, sizeof(ct_p_.read));
	ct_p_.box_fd = fd;
	ct_p_.box_dev = st.st_dev;
	ct_p_.box_ino = st.st_ino;
	errno = ENOSPC;
	if (!ct_p_box_use(ct_p_.base, h->sites_off) || !ct_p_allow(ct_p_.base, h->sites_off))
		return -1;
	ct_p_.rings = (struct ctp_ring *)(void *)(ct_p_.base + h->rings_off);
	ct_p_box_part(
		&ct_p_.site_part, h->sites_off, (uint64_t)h->site_count * sizeof(struct ctp_site));
	ct_p_box_part(&ct_p_.string_part, h->strings_off, h->strings_size);
	ct_p_box_part(&ct_p_.station_part, h->stations_off,
		(uint64_t)h->station_count * sizeof(struct ctp_event));
	ct_p_box_part(&ct_p_.birth_part, h->births_off,
		(uint64_t)h->station_count * sizeof(struct ctp_birth));
	ct_p_box_part(&ct_p_.slot_part, h->slots_off,
		(uint64_t)h->ring_count * h->ring_slots * sizeof(struct ctp_event));
	return ct_p_box_inherit(&ct_p_.site_part, &ct_p_.old_sites) &&
			ct_p_box_inherit(&ct_p_.string_part, &ct_p_.old_strings) ?
		0 : -1;
}

/* What there was of it. It may be tried again. */
CT_COLD void ct_p_no_box(int fd, const struct ctp_header *h, const char *path)
{
	if (ct_p_.base)
		munmap(ct_p_.base, h->file_size);
	ct_p_unset();
	if (ct_p_.box_file && fd >= 0)
		unlink(path);
	if (fd >= 0)
		close(fd);
	ct_p_.box_fd = -1;
}

/* late: the program runs already, and has coroutines that nobody recorded. on: what the flag
 * becomes. */
CT_COLD int ct_p_make_box(const char *how, int late, uint32_t on)
{
	static struct ctp_header h;	/* not on a coroutine's small stack */
	static char path[4096];
	int fd;

	if (!how || !*how || !strcmp(how, "0"))
		return 0;
	if (*how != '/' && (*how != '1' || (how[1] && how[1] != ',')))
		return ct_p_fail(CTP_ENV_BOX, "neither 0, nor 1, nor a directory's whole path");
	if (!ct_p_box_numbers(how + strcspn(how, ",")))
		return ct_p_fail(CTP_ENV_BOX,
			"behind the first word come ,threads=N ,slots=N ,coroutines=N alone");
	ct_p_see_strict();
	memset(&h, 0, sizeof(h));
	ct_p_box_layout(&h, how);
	ct_p_box_header(&h, late);
	fd = ct_p_box_open(how, h.file_size, path);
	ct_p_unset();
	ct_p_.box = ct_p_.overwrites = 1;
	if (!ct_p_hook() || ct_p_box_map(fd, &h) || ct_p_use_v2(fd, &h)) {
		ct_p_fail(path, strerror(errno));
		ct_p_no_box(fd, &h, path);
		return 0;
	}
	/* who sees it has all of it */
	ct_p_.hdr = (struct ctp_header *)(void *)ct_p_.base;
	memcpy((void *)ct_p_.hdr, &h, sizeof(h));
	ctp_store_release(&ct_p_.hdr->v2_magic, CTP2_MAGIC);
	ct_p_.late = late;
	ct_p_.pid = h.box_pid;
	return ct_p_begin(on);
}
