/* ct-box.h - a part of ct.c: the black box, a region that the process makes itself and whose rings
 * overwrite their oldest events as long as nobody reads. A recorder may come at any time, and read
 * what is left when the process is dead. ctp(7), "Boxes", has the argument for each order here.
 */

/* ---- memory that comes into use ---- */

/* A limit of files' sizes is an error like a full disk, and no signal. 0: it is blocked anyway. */
CT_COLD int ct_p_no_xfsz(sigset_t *was)
{
	sigset_t xfsz;

	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	return !pthread_sigmask(SIG_BLOCK, &xfsz, was) && !sigismember(was, SIGXFSZ);
}

CT_COLD void ct_p_xfsz_again(const sigset_t *was, int blocked)
{
	struct timespec none = { 0, 0 };
	int err = errno;
	sigset_t xfsz;

	if (blocked) {
		sigemptyset(&xfsz);
		sigaddset(&xfsz, SIGXFSZ);
		while (sigtimedwait(&xfsz, NULL, &none) > 0)
			;
		pthread_sigmask(SIG_SETMASK, was, NULL);
	}
	errno = err;
}

/* A target may close any descriptor and get its number for something else. */
CT_COLD int ct_p_box_fd_ours(void)
{
	struct stat st;

	return ct_p_.box_fd >= 0 && !fstat(ct_p_.box_fd, &st) && st.st_dev == ct_p_.box_dev &&
		st.st_ino == ct_p_.box_ino;
}

/* Have this part of the box in a core, which holds no other, and in a file have blocks for it: on a
 * full disk a store would raise SIGBUS. 0: there is no room. It may be done twice at once. */
CT_COLD int ct_p_box_use(char *at, uint64_t len)
{
	sigset_t was;
	int blocked, full = 0;

	if (ct_p_.box_file) {
		blocked = ct_p_no_xfsz(&was);
		full = !ct_p_box_fd_ours() ||
			posix_fallocate(ct_p_.box_fd, (off_t)(at - ct_p_.base), (off_t)len);
		ct_p_xfsz_again(&was, blocked);
	}
	if (full)
		return 0;
	madvise(at, len, MADV_DODUMP);
	return 1;
}

/* ---- who reads ---- */

/* A recorder holds a lock on the file's first byte as long as it lives, wherever it lives. The
 * session is looked at first: where nobody holds the lock after that, the recorder of that session
 * is gone, whoever comes next. */
CT_COLD void ct_p_box_ask(struct ctp_header *h)
{
	struct flock lock;
	uint32_t s = ctp_load_acquire(&h->session);

	memset(&lock, 0, sizeof(lock));
	lock.l_type = F_WRLCK;
	lock.l_len = 1;
	if (s % 2 && ct_p_box_fd_ours() && !fcntl(ct_p_.box_fd, F_OFD_GETLK, &lock) &&
		lock.l_type == F_UNLCK)
		ctp_store(&ct_p_.gone, s);
}

CT_COLD int ct_p_box_read(uint32_t session)
{
	return session % 2 && session != ctp_load(&ct_p_.gone);
}

/* Now and then, a moment in both clocks; at first soon after the birth, then ever more rarely. Who
 * finds another at it does not wait. */
CT_COLD void ct_p_box_late(struct ctp_header *h, uint32_t flags)
{
	uint64_t now = ct_p_now(flags), last = ctp_load(&h->late_ticks), age;
	uint32_t lock = ctp_load(&h->late_lock);

	age = (last ? last : now) - h->birth_ticks;
	if (now - (last ? last : h->birth_ticks) < (age < 1u << 30 ? age : 1u << 30) || lock % 2 ||
		!__atomic_compare_exchange_n(
			&h->late_lock, &lock, lock + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	/* whoever sees the times sees that the lock is odd */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ctp_store(&h->late_ticks, ct_p_now(flags));
	ctp_store(&h->late_ns, ct_p_ns());
	ctp_store_release(&h->late_lock, lock + 2);
}

/* How many events may be written until the next look at who reads. What may be written is declared
 * in ring->limit first, and fenced: against the session, so that a recorder which makes it odd,
 * fences and reads limit sees ours, or we its session; and against the slots, so that whoever
 * copies a slot that we write below that limit, fences and reads limit, sees it. */
CT_COLD void ct_p_switch_off(struct ctp_header *h);

CT_COLD uint64_t ct_p_look(struct ct_writer *me)
{
	struct ctp_header *h = me->hdr;
	uint32_t session, again;
	uint64_t room;

	if (!ct_p_.overwrites)
		return ct_p_free(me);
	/* the tails that its recorder stored before */
	session = ctp_load_acquire(&h->session);
	for (;; session = again) {
		room = ct_p_box_read(session) ? ct_p_free(me) : h->look_slots;
		if (me->head + room > ctp_load(&me->ring->limit)) {
			ctp_store(&me->ring->limit, me->head + room);
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
		}
		again = ctp_load_acquire(&h->session);
		if (again == session)
			break;
	}
	if (!ct_p_box_read(session)) {
		ct_p_box_late(h, me->flags);
		if (ctp_load(&h->leave) == CTP_LEAVE)
			ct_p_switch_off(h);
	}
	return room;
}

/* ---- rings change hands without a recorder ---- */

CT_COLD int ct_p_open_slots(uint32_t ring);
CT_COLD int ct_p_take_ring(struct ct_writer *me, uint32_t i, uint64_t owner);

CT_COLD uint64_t ct_p_last_ts(uint32_t i)
{
	uint64_t head = ctp_load_acquire(&ct_p_.rings[i].head),
		 slot = (uint64_t)i * ct_p_.ring_slots + ((head - 1) & (ct_p_.ring_slots - 1));

	return head ? ctp_load(&((struct ctp_event *)(void *)ct_p_.slots)[slot].timestamp) : 0;
}

/* A ring of a thread that is gone, the one that is silent for the longest; the last `keep` keep
 * their history. */
CT_COLD int ct_p_claim_retired(struct ct_writer *me, uint32_t keep)
{
	uint64_t oldest = UINT64_MAX, owner, take = 0, ts;
	uint32_t i, best = 0, count = 0, used = ctp_load_acquire(&me->hdr->rings_used);
	uint32_t session = ctp_load(&me->hdr->session);

	if (session % 2)
		ct_p_box_ask(me->hdr);
	if (ct_p_box_read(session))
		return 0;		/* the recorder frees them when it has read them */
	for (i = 0; i < used && i < ct_p_.ring_count; i++) {
		owner = ctp_load_acquire(&ct_p_.rings[i].owner);
		/* another process may have used it */
		if (!(owner & CTP_RING_RETIRED) || !ct_p_open_slots(i))
			continue;
		count++;
		ts = ct_p_last_ts(i);
		if (ts < oldest) {
			oldest = ts;
			best = i;
			take = owner;
		}
	}
	return count > keep && ct_p_take_ring(me, best, take);
}

/* Threads of processes that were killed end without a word. */
CT_COLD void ct_p_reap_rings(struct ct_writer *me)
{
	uint32_t i, used = ctp_load_acquire(&me->hdr->rings_used);

	for (i = 0; i < used && i < ct_p_.ring_count; i++) {
		uint64_t owner = ctp_load(&ct_p_.rings[i].owner);
		uint32_t pid = CTP_OWNER_PID(owner), tid = CTP_OWNER_TID(owner);

		if (owner != CTP_RING_FREE && !(owner & CTP_RING_RETIRED) && pid < CTP_NUMBERS &&
			tid < CTP_NUMBERS && syscall(SYS_tgkill, (pid_t)pid, (pid_t)tid, 0) < 0 &&
			errno == ESRCH)
			__atomic_compare_exchange_n(&ct_p_.rings[i].owner, &owner,
				owner | CTP_RING_RETIRED, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	}
}

/* ---- births ---- */

/* The fence: whoever sees a word of ours sees the 0 as well, or the new id. */
CT_COLD void ct_p_birth(const struct ct_coro *c, uint64_t parent, uint32_t site, uint32_t name)
{
	struct ctp_birth *b = &ct_p_.births[c->station - 1];

	ctp_store(&b->id, 0);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ctp_store(&b->ts, c->last_ts);
	ctp_store(&b->parent, parent);
	ctp_store(&b->site, site);
	ctp_store(&b->name, name);
	ctp_store_release(&b->id, c->id);
}

/* ---- making one ---- */

CT_COLD int ct_p_fail(const char *what, const char *why);
CT_COLD void *ct_p_map_part(int fd, uint64_t off, uint64_t size, int prot);
CT_COLD unsigned ct_p_halvings(uint64_t size);
CT_COLD int ct_p_use_v2(int fd, const struct ctp_header *h);
CT_COLD int ct_p_begin(uint32_t on);
CT_COLD int ct_p_hook(void);

/* The kernel uses the TSC as its clocksource only where it found it invariant and the same on every
 * core. */
CT_COLD uint32_t ct_p_tsc(void)
{
	char name[32] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, name, sizeof(name) - 1) < 0)
		name[0] = 0;
	if (fd >= 0)
		close(fd);
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
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC), i;
	unsigned byte;

	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) > 0)
		for (i = 0; i < 16 && sscanf(p, "%2x", &byte) == 1; i++) {
			id[i] = (uint8_t)byte;
			p += 2 + (p[2] == '-');
		}
	close(fd);
}

CT_COLD uint64_t ct_p_pid_ns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}

/* ",NAME=NUMBER" in a text such as CTP_BOX. */
CT_COLD uint32_t ct_p_box_number(
	const char *text, const char *name, uint32_t normal, uint32_t least, uint32_t most)
{
	const char *at = strstr(text, name);
	unsigned long v = at ? strtoul(at + strlen(name), NULL, 10) : normal;

	return v < least ? least : v > most ? most : (uint32_t)v;
}

CT_COLD uint64_t ct_p_lay(uint64_t *at, uint64_t size)
{
	uint64_t off = *at;

	*at = (off + size + 65535) & ~(uint64_t)65535;	/* pages are no larger */
	return off;
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
	h->sites_used = 1;
	h->strings_used = 8;
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

/* In one piece, so that a core shows it so. Used are the header and the rings now, the tables by
 * need: ct_p_open(). */
CT_COLD int ct_p_box_map(int fd, const struct ctp_header *h)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) ||
		!(ct_p_.base = (char *)ct_p_map_part(fd, 0, h->file_size, PROT_NONE)))
		return -1;
	ct_p_.box_fd = fd;
	ct_p_.box_dev = st.st_dev;
	ct_p_.box_ino = st.st_ino;
	errno = ENOSPC;
	if (!ct_p_box_use(ct_p_.base, h->sites_off) ||
		mprotect(ct_p_.base, h->sites_off, PROT_READ | PROT_WRITE))
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
	return 0;
}

/* late: the program runs already, and has coroutines that nobody recorded. on: what the flag
 * becomes. */
CT_COLD int ct_p_make_box(const char *how, int late, uint32_t on)
{
	struct ctp_header h;
	char path[4096];
	int fd;

	if (!how || !*how || !strcmp(how, "0"))
		return 0;
	if (*how != '/' && (*how != '1' || (how[1] && how[1] != ',')))
		return ct_p_fail(CTP_ENV_BOX, "neither 0, nor 1, nor a directory's whole path");
	memset(&h, 0, sizeof(h));
	ct_p_box_layout(&h, how);
	ct_p_box_header(&h, late);
	fd = ct_p_box_open(how, h.file_size, path);
	if (ct_p_box_map(fd, &h)) {
		ct_p_fail(path, strerror(errno));
		if (ct_p_.box_file && fd >= 0)
			unlink(path);
		if (fd >= 0)
			close(fd);
		ct_p_.box_fd = -1;
		return 0;
	}
	ct_p_.hdr = (struct ctp_header *)(void *)ct_p_.base;
	memcpy((void *)ct_p_.hdr, &h, sizeof(h));
	ctp_store_release(&ct_p_.hdr->v2_magic, CTP2_MAGIC);
	ct_p_.box = ct_p_.overwrites = 1;
	ct_p_.late = late;
	ct_p_.pid = h.box_pid;
	if (ct_p_use_v2(fd, ct_p_.hdr))
		return ct_p_fail("no memory", strerror(errno));
	return ct_p_begin(on);
}

/* ---- asked for one ---- */

CT_COLD void ct_p_switch_on(uint32_t on);

CT_COLD int ct_p_is_on(void)
{
	uint32_t on = ctp_load(&ct_flag_.on);

	return on == CTP_FLAG_ON || on == CTP_FLAG_LENT;
}

/* Nobody switches it off any more. One who is just at it finds the flag changed, and says so
 * himself. */
CT_COLD void ct_p_keep_box(void)
{
	uint32_t leave = ctp_load(&ct_p_.hdr->leave);

	while (leave != CTP_LEFT &&
		!__atomic_compare_exchange_n(&ct_p_.hdr->leave, &leave, CTP_KEPT, 0,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* The program wants the box for itself, whoever asked for it first. */
CT_COLD void ct_p_keep(void)
{
	int on = CTP_FLAG_LENT;

	if (__atomic_compare_exchange_n(
		    &ct_flag_.on, &on, CTP_FLAG_ON, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		ct_p_keep_box();
	else if (on != CTP_FLAG_ON)
		ct_p_switch_on(CTP_FLAG_ON);
}

/* Nobody asked for anything. Put a page of shared memory where the flag is, for a recorder that
 * comes later: it finds the page by its name in /proc/PID/fd, and needs no right to trace. What
 * could fail in the middle of the program is done now. */
CT_COLD void ct_p_share_flag(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct stat st;
	int fd;

	if (ct_p_.flag_shared || (uintptr_t)&ct_flag_ % page || sizeof(ct_flag_) % page ||
		!ct_p_hook())
		return;
	fd = ct_p_memfd(CTP_FLAG_NAME, sizeof(ct_flag_));
	if (fd < 0)
		return;
	if (fstat(fd, &st) ||
		mmap(&ct_flag_, sizeof(ct_flag_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			fd, 0) == MAP_FAILED) {
		close(fd);
		return;
	}
	ct_p_.flag_shared = 1;
	ct_p_.flag_fd = fd;
	ct_p_.flag_ino = st.st_ino;
}

/* A recorder asks. One thread makes the box, here, in the middle of the program's life; others lose
 * their events until it is made, rather than wait. */
CT_COLD int ct_p_asked(void)
{
	uint64_t done = CT_DONE;

	if (!__atomic_compare_exchange_n(&ct_p_.init, &done,
		    CTP_OWNER(getpid(), (uint32_t)syscall(SYS_gettid)), 0, __ATOMIC_ACQUIRE,
		    __ATOMIC_RELAXED))
		return CTP_FLAG_OFF;
	if (ctp_load(&ct_flag_.on) != CTP_FLAG_ASKED)
		;
	else if (ct_p_.box)
		ct_p_switch_on(CTP_FLAG_LENT);
	else if (!ct_p_make_box("1", 1, CTP_FLAG_LENT))
		ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
	__atomic_store_n(&ct_p_.init, CT_DONE, __ATOMIC_RELEASE);
	return ct_p_is_on();
}

/* In a forked child: the page is its parent's, too. Have one of our own, in the state that it is
 * in. */
CT_COLD void ct_p_flag_forked(void)
{
	uint32_t on = ctp_load(&ct_flag_.on);
	struct stat st;

	if (!ct_p_.flag_shared)
		return;
	ct_p_.flag_shared = 0;
	if (mmap(&ct_flag_, sizeof(ct_flag_), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return;
	if (!fstat(ct_p_.flag_fd, &st) && st.st_ino == ct_p_.flag_ino)
		close(ct_p_.flag_fd);
	ct_p_share_flag();
	ctp_store(&ct_flag_.on, on);
}

/* A child in another pid namespace than the box was made in goes by numbers that nobody has
 * there. */
CT_COLD void ct_p_box_number_child(void)
{
	uint64_t ns = ct_p_pid_ns();

	ct_p_.pid = (uint32_t)getpid();
	if (ns && ct_p_.hdr->pid_ns && ns != ct_p_.hdr->pid_ns)
		ct_p_.pid = ctp_add(&ct_p_.hdr->next_number, 1) & 0x7fffffffu;
}
