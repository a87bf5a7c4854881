/* ct-dump.h - a part of ct.c: the box written into a file, as ct-record --box reads it. Safe in a
 * signal handler: system calls, and a buffer that one caller has at a time. ctp(7), "Snapshot", says
 * what of a copy is whole; the header is written last, so that a file that was cut is no box. */

enum { CT_DUMP = 1 << 14 };
struct ct_dump {
	uint32_t busy;		/* atomic: by whom, 0: nobody */
	/* of stations and births */
	__attribute__((aligned(64))) char copy[3][CT_DUMP];
};
CT_OWN struct ct_dump ct_dump_;

CT_COLD int ct_p_dump_write(int fd, const char *from, uint64_t len, uint64_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, from, (size_t)len, (off_t)at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -ENOSPC;
		if (n > 0) {
			from += n;
			at += (uint64_t)n;
			len -= (uint64_t)n;
		}
	}
	return 0;
}

CT_COLD int ct_p_dump_read(char *to, uint64_t len, uint64_t at)
{
	ssize_t n = pread(ct_p_.box_fd, to, (size_t)len, (off_t)at);

	if (n == (ssize_t)len)
		return 0;
	return n < 0 ? -errno : -EIO;
}

/* Of a station: its writer stores seq, the rest and seq; what was read between two looks that show
 * the same even seq is whole. Else it is marked as one that is being written. */
CT_COLD void ct_p_dump_stations(void)
{
	struct ctp_event *first = (struct ctp_event *)(void *)ct_dump_.copy[0],
			 *e = (struct ctp_event *)(void *)ct_dump_.copy[1],
			 *last = (struct ctp_event *)(void *)ct_dump_.copy[2];
	size_t i;

	for (i = 0; i < CT_DUMP / sizeof(*e); i++)
		if (first[i].seq != e[i].seq || last[i].seq != e[i].seq ||
			first[i].probe_id != e[i].probe_id || last[i].probe_id != e[i].probe_id)
			e[i].seq |= 1;
}

/* Its writer stores 0, the rest and the id. */
CT_COLD void ct_p_dump_births(void)
{
	struct ctp_birth *first = (struct ctp_birth *)(void *)ct_dump_.copy[0],
			 *b = (struct ctp_birth *)(void *)ct_dump_.copy[1],
			 *last = (struct ctp_birth *)(void *)ct_dump_.copy[2];
	size_t i;

	for (i = 0; i < CT_DUMP / sizeof(*b); i++)
		if (first[i].id != b[i].id || last[i].id != b[i].id)
			b[i].id = 0;
}

/* Copy what was ever written of the box from `at` on. settle: what to do where it may change while
 * it is copied, by three looks at it; NULL: nothing. */
CT_COLD int ct_p_dump_part(int fd, uint64_t at, uint64_t size, void (*settle)(void))
{
	uint64_t end = at + size, len;
	int i, err = 0;
	off_t data;

	for (; at < end && !err; at += len) {
		data = lseek(ct_p_.box_fd, (off_t)at, SEEK_DATA);
		if (data < 0 || (uint64_t)data >= end)
			return data < 0 && errno != ENXIO ? -errno : 0;
		at = (uint64_t)data > at ? (uint64_t)data / 4096 * 4096 : at;
		len = end - at < (uint64_t)CT_DUMP ? end - at : (uint64_t)CT_DUMP;
		for (i = 0; i < 3 && !err; i++) {
			if (settle || i == 1)
				err = ct_p_dump_read(ct_dump_.copy[i], len, at);
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
		}
		if (!err && settle)
			settle();
		if (!err)
			err = ct_p_dump_write(fd, ct_dump_.copy[1], len, at);
	}
	return err;
}

/* Behind the copy of the slots: how far their writers may have come meanwhile. */
CT_COLD int ct_p_dump_limits(int fd, const struct ctp_header *h)
{
	uint32_t i, used = ctp_load_acquire(&ct_p_.hdr->rings_used);
	uint64_t limit;
	int err = 0;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (i = 0; i < used && i < h->ring_count && !err; i++) {
		limit = ctp_load(&ct_p_.rings[i].limit);
		err = ct_p_dump_write(fd, (const char *)&limit, sizeof(limit),
			h->rings_off + i * sizeof(struct ctp_ring) +
				offsetof(struct ctp_ring, limit));
	}
	return err;
}

/* Heads are loaded one after another while others write, and before them how many rings there are: until
 * then all is there, once those have published what they were about to. */
CT_COLD uint64_t ct_p_dump_settle(void)
{
	struct timespec pause = { 0, 100000 };
	uint64_t until = ct_p_now(ct_p_.flags);

	while (nanosleep(&pause, &pause) && errno == EINTR)
		;
	return until;
}

CT_COLD int ct_p_dump_all(int fd)
{
	struct ctp_header h;
	uint64_t until;
	int err;

	/* so that the copy shows which processes have ended */
	ct_p_reap_rings(&ct_p_.starting);
	until = ct_p_dump_settle();
	err = ct_p_dump_read((char *)&h, sizeof(h), 0);
	if (err)
		return err;
	h.dump_ticks = until;
	if (ftruncate(fd, (off_t)h.file_size))
		return -errno;
	/* heads, then slots, then limits; what they name behind them */
	(void)((err = ct_p_dump_part(fd, h.rings_off, h.ring_count * sizeof(struct ctp_ring),
			NULL)) ||
		(err = ct_p_dump_part(fd, h.slots_off,
			 (uint64_t)h.ring_count * h.ring_slots * sizeof(struct ctp_event), NULL)) ||
		(err = ct_p_dump_limits(fd, &h)) ||
		(err = ct_p_dump_part(fd, h.stations_off,
			 (uint64_t)h.station_count * sizeof(struct ctp_event),
			 ct_p_dump_stations)) ||
		(err = ct_p_dump_part(fd, h.births_off,
			 (uint64_t)h.station_count * sizeof(struct ctp_birth), ct_p_dump_births)) ||
		(err = ct_p_dump_part(fd, h.sites_off,
			 (uint64_t)h.site_count * sizeof(struct ctp_site), NULL)) ||
		(err = ct_p_dump_part(fd, h.strings_off, h.strings_size, NULL)) ||
		(err = ct_p_dump_write(fd, (const char *)&h, sizeof(h), 0)));
	return err;
}

/* A FIFO would be waited for, and what is no file is not to be removed where it cannot be written. The box
 * itself, by whatever name, would be cut under who writes into it. */
CT_COLD int ct_p_dump_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode) ||
		(st.st_dev == ct_p_.box_dev && st.st_ino == ct_p_.box_ino))
		err = -EINVAL;
	else
		return fd;
	close(fd);
	return err;
}

CT_COLD int ct_p_dump(const char *path)
{
	uint32_t idle = 0, me = (uint32_t)ct_p_asker() | 1;
	sigset_t was;
	int fd, err, limited;

	if (!ct_p_.box || !ct_p_.hdr || !ct_p_box_fd_ours())
		return -ENOENT;
	if (!__atomic_compare_exchange_n(
		    &ct_dump_.busy, &idle, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return -EBUSY;
	err = fd = ct_p_dump_open(path);
	if (fd >= 0) {
		limited = ct_p_no_xfsz(&was);
		err = ftruncate(fd, 0) ? -errno : ct_p_dump_all(fd);
		ct_p_xfsz_again(&was, limited);
		if (close(fd) && !err)
			err = -errno;
		if (err)
			unlink(path);
	}
	__atomic_store_n(&ct_dump_.busy, 0, __ATOMIC_RELEASE);
	return err;
}

/* In a child: no other thread is at it, whoever was; but where a signal handler forked, this one is. */
CT_COLD void ct_p_dump_forked(void)
{
	if (ct_dump_.busy != ((uint32_t)ct_p_asker() | 1))
		ct_dump_.busy = 0;
}
