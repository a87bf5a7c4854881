/* ct-attach.h - a part of ct.c: finding a recorder or a box, mapping its region, forks. */

CT_COLD int ct_p_fail(const char *what, const char *why)
{
	char line[512];

	snprintf(line, sizeof(line), "ct: cannot attach: %s: %s\n", what, why);
	if (write(2, line, strlen(line)) < 0)
		return 0;
	return 0;
}

/* Does the table lie within the file? */
CT_COLD int ct_p_fits(uint64_t off, uint64_t count, uint64_t size, uint64_t file)
{
	return off >= 1024 && off % 64 == 0 && off <= file && count <= (file - off) / size;
}

CT_COLD int ct_p_check_v2(const struct ctp_header *h, uint64_t size)
{
	return h->file_size <= size && h->ring_slots >= 2 &&
		!(h->ring_slots & (h->ring_slots - 1)) && h->station_count <= 1u << 24 &&
		h->strings_size <= UINT32_MAX * (uint64_t)8 &&
		ct_p_fits(h->rings_off, h->ring_count, sizeof(struct ctp_ring), h->file_size) &&
		ct_p_fits(
			h->slots_off, h->ring_count, (uint64_t)h->ring_slots * 64, h->file_size) &&
		ct_p_fits(h->stations_off, h->station_count, 64, h->file_size) &&
		ct_p_fits(h->sites_off, h->site_count, sizeof(struct ctp_site), h->file_size) &&
		ct_p_fits(h->strings_off, h->strings_size, 1, h->file_size) &&
		(h->v2_minor != CTP2_MINOR_BOX || !h->births_off ||
			ct_p_fits(h->births_off, h->station_count, sizeof(struct ctp_birth),
				h->file_size));
}

/* Map bytes `off` to `off + size` of the file, NULL: could not. Kept out of cores: the kernel would
 * fill them with all that the file could hold. */
CT_COLD void *ct_p_map_part(int fd, uint64_t off, uint64_t size, int prot)
{
	uint64_t before = off & (CT_ALIGN - 1);
	char *at = (char *)mmap(
		NULL, size + before, prot, MAP_SHARED | MAP_NORESERVE, fd, (off_t)(off - before));

	if (at == MAP_FAILED)
		return NULL;
	madvise(at, size + before, MADV_DONTDUMP);
	return at + before;
}

CT_COLD int ct_p_map_table(int fd, struct ct_part *part, uint64_t off, uint64_t size)
{
	int at_once = ct_p_.flags & CTP_F_QUIET;

	part->at =
		(char *)ct_p_map_part(fd, off, size, at_once ? PROT_READ | PROT_WRITE : PROT_NONE);
	part->size = size;
	part->open = at_once ? size : 0;
	return part->at != NULL;
}

/* Where the address space is limited, no more than a quarter is ours: how often to halve the
 * tables. */
CT_COLD unsigned ct_p_halvings(uint64_t size)
{
	struct rlimit space;
	unsigned n = 0;

	if (getrlimit(RLIMIT_AS, &space))
		return 0;
	while (n < 31 && size >> n > space.rlim_cur / 4)
		n++;
	return n;
}

/* Of so many those that are in use, and what room is left for. */
CT_COLD uint64_t ct_p_within(uint64_t count, uint64_t used, uint64_t size, uint64_t room)
{
	uint64_t most = used + room / size;

	return count < most ? count : most;
}

/* The recorder looked at its own cgroup. Where less is left of this program's, which pays for what it
 * writes, it makes do as with a box. */
CT_COLD void ct_p_given_spare(struct ct_shared *g, const struct ctp_header *h)
{
	uint64_t left = ct_p_memory_left(), size = sizeof(struct ctp_event);
	uint64_t texts = ctp_load(&h->strings_used);

	g->ring_count = (uint32_t)ct_p_within(
		g->ring_count, ctp_load(&h->rings_used), h->ring_slots * size, left / 2);
	g->ring_count += !g->ring_count;
	g->station_count = (uint32_t)ct_p_within(
		g->station_count, ctp_load(&h->stations_used), size, left / 8);
	g->strings_size = ct_p_within(g->strings_size, texts, 1, left / 8) & ~(uint64_t)7;
}

/* Of a region that a recorder made. */
CT_COLD int ct_p_map_given(int fd, const struct ctp_header *h)
{
	struct ct_shared *g = &ct_p_;
	unsigned less = ct_p_halvings(h->file_size);

	ct_p_see_strict();
	g->strings_size = h->strings_size >> less & ~(uint64_t)7;
	g->ring_count = h->ring_count >> less;
	g->station_count = h->station_count >> less;
	g->site_count = h->site_count >> less;
	ct_p_given_spare(g, h);
	g->rings = (struct ctp_ring *)ct_p_map_part(
		fd, h->rings_off, g->ring_count * sizeof(struct ctp_ring), PROT_READ | PROT_WRITE);
	return g->rings &&
		ct_p_allow((char *)(void *)g->rings, g->ring_count * sizeof(struct ctp_ring)) &&
		ct_p_map_table(fd, &g->slot_part, h->slots_off,
			(uint64_t)g->ring_count * h->ring_slots * 64) &&
		ct_p_map_table(
			fd, &g->station_part, h->stations_off, (uint64_t)g->station_count * 64) &&
		ct_p_map_table(
			fd, &g->site_part, h->sites_off, g->site_count * sizeof(struct ctp_site)) &&
		ct_p_map_table(fd, &g->string_part, h->strings_off, g->strings_size) &&
		(!g->overwrites || !h->births_off ||
			ct_p_map_table(fd, &g->birth_part, h->births_off,
				g->station_count * sizeof(struct ctp_birth)));
}

CT_COLD int ct_p_map_tables(int fd, const struct ctp_header *h)
{
	struct ct_shared *g = &ct_p_;

	g->ring_slots = h->ring_slots;
	g->strings_size = h->strings_size;
	g->ring_count = h->ring_count;
	g->station_count = h->station_count;
	g->site_count = h->site_count;
	if (!g->box && !ct_p_map_given(fd, h))
		return 0;
	g->slots = g->slot_part.at;
	g->births = (struct ctp_birth *)(void *)g->birth_part.at;
	g->stations = (struct ctp_event *)(void *)g->station_part.at;
	g->sites = (struct ctp_site *)(void *)g->site_part.at;
	g->strings = g->string_part.at;
	return 1;
}

/* Where no system call is to be made later. Untouched, it is no memory. */
CT_COLD int ct_p_make_store(void)
{
	void *at;

	if (!(ct_p_.flags & CTP_F_QUIET))
		return 1;
	at = mmap(NULL, ct_p_.ring_count * sizeof(struct ct_writer), PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return 0;
	ct_p_.store = (struct ct_writer *)at;
	return 1;
}

CT_COLD int ct_p_use_v2(int fd, const struct ctp_header *h)
{
	struct ct_shared *g = &ct_p_;
	size_t table = CT_TABLE * sizeof(uint64_t);
	uint64_t *tables = (uint64_t *)mmap(
		NULL, 2 * table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	g->flags = h->flags;
	if ((void *)tables == MAP_FAILED || !ct_p_map_tables(fd, h) || !ct_p_make_store())
		return -1;
	g->text_table = tables;
	g->site_table = tables + CT_TABLE;
	if (g->flags & CTP_F_STACKS) {
		g->stack_table = (uint64_t *)mmap(NULL, CT_STACK_TABLE * sizeof(uint64_t),
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if ((void *)g->stack_table == MAP_FAILED)
			return -1;
		dl_iterate_phdr(ct_p_add_object, NULL);
	}
	return 0;
}

/* Commands 4 registers for membarrier's GLOBAL_EXPEDITED; where it may not, this process fences for
 * itself. */
CT_COLD void ct_p_register(void)
{
#ifdef SYS_membarrier
	if (!ct_p_.v1 && !(ct_p_.flags & CTP_F_FENCE) && !syscall(SYS_membarrier, 4, 0, 0))
		return;
#endif
	ct_p_.flags |= CTP_F_FENCE;
}

/* One that finds no connection (its rights or its root are others, its descriptors all in use)
 * records all the same, and is counted. */
CT_COLD void ct_p_connect_child(void)
{
	int sock = ct_p_dial();

	if (sock >= 0 && !ct_p_greet(sock))
		return;
	if (!ct_p_.v1 && errno != ECONNREFUSED) {
		/* first: about a recorder of another namespace the kernel cannot be asked */
		ct_p_take_number(-1);
		if (!ct_p_recorder_gone()) {
			ctp_add(&ct_p_.hdr->unconnected, 1);
			return;
		}
	}
	/* nobody reads any more, or there is no place to count it */
	ctp_store(&ct_flag_.on, 0);
}

/* Nothing of a region that was begun, and is not whole, is left. */
CT_COLD void ct_p_unset(void)
{
	ct_p_.hdr = NULL;
	ct_p_.base = NULL;
	ct_p_.store = NULL;
	ct_p_.v1 = ct_p_.box = ct_p_.overwrites = 0;
	ct_p_.v1_max = 0;
}

/* In a child: what a thread of its parent's had begun, which is not here to end it, never was; but it
 * may have been this thread's, whose signal handler forked: it goes back into it. Whether the region
 * was whole was seen before the fork. Behind it nobody can tell: what others store while it is under
 * way may be in the copy of one page, and what they stored before not in that of another. Nothing
 * they store once it is whole is needed here. */
CT_COLD void ct_p_end_turn(void)
{
	uint64_t by = ct_p_.init;
	int whole = ct_forks_ ? ct_forks_ == 2 : ct_p_whole();

	ct_forks_ = 0;
	/* nobody's: of an edition whose calls are all another's, as is the flag */
	if (!by || (by != CT_DONE && (uint32_t)by == (uint32_t)ct_p_asker()))
		return;
	if (!whole) {
		if (ct_p_box_fd_ours())
			close(ct_p_.box_fd);
		if (ct_p_sock_ours())
			close(ct_p_.sock);
		ct_p_.box_fd = ct_p_.sock = -1;
		ct_p_unset();
		ct_p_.starting.hdr = NULL;
		ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
	}
	/* without a flag nobody can ask: the next ct_init() is the first */
	if (whole || ct_p_.flag_shared)
		ct_p_.init = CT_DONE;
	else if (by == CT_DONE)
		ct_p_.init = 0;
}

CT_COLD void ct_p_forking(void) { ct_forks_ = 1 + (uint32_t)ct_p_whole(); }
CT_COLD void ct_p_has_forked(void) { ct_forks_ = 0; }

CT_COLD void ct_p_dump_forked(void);

/* In a child the ring, the stations and ids in store and the socket are its parent's. */
CT_COLD void ct_p_forked(void)
{
	struct ct_aside was = ct_p_aside();
	struct ct_writer *me = ct_me_;
	int inherited;
	uint32_t i;

	ct_p_.process = getpid();
	if (ct_p_.original)
		*ct_p_.original = 1;
	ct_p_flag_forked();
	ct_p_end_turn();
	ct_p_dump_forked();
	if (ct_p_.box && ct_p_.hdr)
		ct_p_box_forked();
	if (!ctp_load(&ct_flag_.on) || !ct_p_.hdr) {
		ct_p_back(was);
		return;
	}
	/* a call of this thread's that a signal handler interrupted, and which ends here */
	if (me && me != &ct_p_.starting)
		me->ours = 0;
	/* what a signal handler writes is counted: nobody has a number here yet */
	ct_me_ = &ct_p_.starting;
	pthread_setspecific(ct_p_.key, NULL);
	for (i = 0; ct_p_.store && i < ct_p_.ring_count; i++)	/* threads that are not here */
		if (&ct_p_.store[i] != me)
			ctp_store(&ct_p_.store[i].taken, 0u);
	inherited = !ct_p_.box && ct_p_sock_ours() ? ct_p_.sock : -1;
	ct_p_.sock = -1;
	ct_p_.forked = ct_p_.v1 ? 0 : ctp_load(&ct_p_.hdr->next_probe_id) - 1;
	ctp_store(&ct_p_.old, ct_p_.forked);
	ct_p_set_floor();
	ct_p_register();
	if (ct_p_.box)
		ct_p_box_number_child();
	else
		ct_p_connect_child();
	/* not before: a recorder that follows children must at no time see nobody */
	if (inherited >= 0)
		close(inherited);
	ct_me_ = NULL;
	ct_p_back(was);
}

CT_COLD int ct_p_map_file(const char *path, int fd, uint64_t size, const char *stations)
{
	struct ctp_header *h;
	uint64_t max;

	ct_p_.base = (char *)ct_p_map_part(fd, 0, 1024, PROT_READ | PROT_WRITE);
	if (!ct_p_.base)
		return ct_p_fail(path, strerror(errno));
	ct_p_.hdr = h = (struct ctp_header *)(void *)ct_p_.base;
	if (h->magic != CTP_MAGIC || h->version != CTP_VERSION)
		return ct_p_fail(path, "not a recorder's memory");
	ct_p_.v1 = ctp_load_acquire(&h->v2_magic) != CTP2_MAGIC ||
		(h->v2_minor != CTP2_MINOR && h->v2_minor != CTP2_MINOR_BOX);
	ct_p_.overwrites = !ct_p_.v1 && h->v2_minor == CTP2_MINOR_BOX;
	if (!ct_p_.v1 && !ct_p_check_v2(h, size))
		return ct_p_fail(path, "its tables do not lie within it");
	if (!ct_p_.v1)
		return ct_p_use_v2(fd, h) ? ct_p_fail("no memory", strerror(errno)) : 1;
	max = stations ? strtoull(stations, NULL, 10) : h->max_stations;
	if (max > h->max_stations)
		max = h->max_stations;
	if (max > (size - 1024) / 1024)
		max = (size - 1024) / 1024;
	ct_p_.v1_max = (uint32_t)max;
	ct_p_.base = (char *)ct_p_map_part(fd, 0, 1024 + max * 1024, PROT_READ | PROT_WRITE);
	if (!ct_p_.base)
		return ct_p_fail(path, strerror(errno));
	munmap(h, 1024);
	ct_p_.hdr = (struct ctp_header *)(void *)ct_p_.base;
	return 1;
}

/* 1: mapped, and *sock is a connection if one was needed for it, else -1. What a path leads to that is
 * older than its recorder's end may be anything, as a terminal. */
CT_COLD int ct_p_map(const char *path, const char *stations, int *sock)
{
	struct stat st;
	int mapped, err, fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		err = errno;
		*sock = ct_p_dial();
		fd = *sock >= 0 ? ct_p_ask_memory(*sock) : -1;
		if (fd < 0)
			return ct_p_fail(path, strerror(err));
	}
	if (fstat(fd, &st) || st.st_size < 1024)
		mapped = ct_p_fail(path, "too small to be a recorder's memory");
	else
		mapped = ct_p_map_file(path, fd, (uint64_t)st.st_size, stations);
	close(fd);
	return mapped;
}

/* Threads that end call into this code, and so do children: a plugin that has it stays where it is
 * after dlclose(). Both calls take the linker's lock, which fork(2) gives back, and clone(2) does not;
 * and which a library's constructor has that waits for our turn in ct_init: so it is over by then. */
CT_COLD void ct_p_stay(void)
{
	Dl_info self;

	if (!ct_p_.hooked || ctp_load(&ct_p_.stays))
		return;
	ctp_store(&ct_p_.stays, 1u);
	if (!ct_p_.taken_over && dlopen && dladdr && dladdr((void *)&ct_p_, &self) &&
		self.dli_fname)
		dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/* So that a child by vfork(), which has our memory until it executes something, is told from one by
 * a raw clone(2), which has a copy. */
CT_COLD void ct_p_mark(void)
{
	void *at = mmap(NULL, CT_ALIGN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	if (madvise(at, CT_ALIGN, MADV_WIPEONFORK)) {
		munmap(at, CT_ALIGN);
		return;
	}
	ct_p_.original = (uint32_t *)at;
	*ct_p_.original = 1;
}

CT_COLD int ct_p_hook(void)
{
	if (!ct_p_.hooked) {
		if (pthread_key_create(&ct_p_.key, ct_p_thread_end) ||
			pthread_atfork(ct_p_forking, ct_p_has_forked, ct_p_forked)) {
			errno = ENOMEM;
			return 0;
		}
		ct_p_.hooked = 1;
	}
	if (!ct_p_.original)
		ct_p_mark();
	return 1;
}

/* The region is there. */
CT_COLD int ct_p_begin(uint32_t on)
{
	ct_p_register();
	ct_p_.starting.ours = 1;
	/* release: a thread that forks, and acquires it, has all of the region in its child */
	__atomic_store_n(&ct_p_.starting.hdr, ct_p_.hdr, __ATOMIC_RELEASE);
	__atomic_store_n(&ct_flag_.on, on, __ATOMIC_RELEASE);
	return 1;
}

/* To the recorder that is named, else make a box as is asked. Once: writers, coroutines and sites, which
 * lie in the program's memory, have their places in that region. */
CT_COLD int ct_p_attach(const char *box, int late)
{
	const char *shm = getenv(CTP_ENV_SHM), *path = getenv(CTP_ENV_SOCK);
	int sock = -1;

	if (late && ct_p_whole())
		return ct_p_fail_again();
	ct_p_.process = getpid();
	if (!shm && !path)
		return ct_p_make_box(box, late, CTP_FLAG_ON);
	if (getauxval(AT_SECURE))
		return ct_p_fail(CTP_ENV_SHM,
			"not followed by a program that runs with another user's rights");
	if (!shm || !path)
		return ct_p_fail(shm ? CTP_ENV_SOCK : CTP_ENV_SHM, "not set");
	if (strlen(path) >= sizeof(ct_p_.addr.sun_path))
		return ct_p_fail(path, "path too long for a socket");
	ct_p_.addr.sun_family = AF_UNIX;
	memcpy(ct_p_.addr.sun_path, path, strlen(path) + 1);
	/* first: a child that is forked meanwhile knows what was there */
	if (!ct_p_hook())
		return ct_p_fail("thread hooks", "no memory");
	if (!ct_p_map(shm, getenv(CTP_ENV_STATIONS), &sock)) {
		if (sock >= 0)
			close(sock);
		ct_p_unset();
		return 0;
	}
	if (sock < 0)
		sock = ct_p_dial();
	if (sock < 0 || ct_p_greet(sock)) {
		ct_p_unset();
		return ct_p_fail(path, strerror(errno));
	}
	return ct_p_begin(CTP_FLAG_ON);
}

/* Attached, and no system call is to be made any more. */
CT_COLD int ct_p_is_quiet(void)
{
	return ct_p_.store && ctp_load(&ct_flag_.on);
}

/* Who asks: each thread has its own place for its writer, in a child by fork(), too. */
CT_COLD uint64_t ct_p_asker(void)
{
	return CTP_OWNER(ct_p_is_quiet() ? ct_p_.process : getpid(),
		(uint32_t)((uintptr_t)&ct_me_ >> 4));
}

/* Whose turn is it to set up? One thread's at a time; the others wait, not for one of the process
 * that forked this one, and not in a signal handler that interrupted it. 0: it is done; 1: ours; 2:
 * ours, once more, which only `again` asks for. */
CT_COLD int ct_p_turn(int again)
{
	struct timespec wait = { 0, 1000000 };
	uint64_t me, by = __atomic_load_n(&ct_p_.init, __ATOMIC_ACQUIRE);

	if (by == CT_DONE && !again)
		return 0;
	me = ct_p_asker();
	while (by != me && (by != CT_DONE || again)) {
		if (by && by != CT_DONE && CTP_OWNER_PID(by) == CTP_OWNER_PID(me)) {
			if (!ct_p_is_quiet())
				nanosleep(&wait, NULL);
			by = __atomic_load_n(&ct_p_.init, __ATOMIC_ACQUIRE);
		} else if (__atomic_compare_exchange_n(
				   &ct_p_.init, &by, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			ct_p_.taken_over = by && by != CT_DONE;
			return by == CT_DONE ? 2 : 1;
		}
	}
	return 0;
}

/* box: what to do where the environment says nothing. */
CT_COLD int ct_p_init(const char *box, int again)
{
	const char *env = getauxval(AT_SECURE) ? NULL : getenv(CTP_ENV_BOX);
	struct ct_aside was = ct_p_aside();
	int turn = ct_p_is_quiet() ? 0 : ct_p_turn(again);

	if (turn && ct_p_.box && ct_p_whole()) {
		ct_p_keep();
	} else if (turn && ctp_load(&ct_flag_.on) != CTP_FLAG_ON) {
		box = env && *env ? env : box;
		if (!ct_p_attach(box, turn == 2) && !ct_p_.hdr && !(box && !strcmp(box, "0")))
			ct_p_share_flag();
	}
	if (turn) {
		__atomic_store_n(&ct_p_.init, CT_DONE, __ATOMIC_RELEASE);
		ct_p_stay();
	}
	ct_p_back(was);
	return ct_p_is_on();
}
