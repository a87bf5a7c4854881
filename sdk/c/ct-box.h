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

	return !fstat(ct_p_.box_fd, &st) && st.st_dev == ct_p_.box_dev &&
		st.st_ino == ct_p_.box_ino;
}

/* Not by posix_fallocate(3): where a file system has no such call it reads and writes a byte of each
 * block, among what another thread stores there, which asked first. There, as where memory is short, the
 * pages are asked for (ct_p_allow). */
CT_COLD int ct_p_box_allocate(off_t off, off_t len)
{
	int got, tries = 0;

	/* older kernels' tmpfs gives up for any signal, as of a profiler's timer, and so may FUSE */
	do
		got = !fallocate(ct_p_.box_fd, 0, off, len);
	while (!got && errno == EINTR && ++tries < 100);
	if (got)
		return 1;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return 0;
	ctp_store(&ct_p_.strict, 1);
	return 1;
}

/* To be refused costs as much as what room there is, which others lack meanwhile: once a second. */
CT_COLD int ct_p_box_blocks(char *at, uint64_t len)
{
	uint64_t full = ctp_load(&ct_p_.full_len);
	sigset_t was;
	int blocked, got;

	if (full && len >= full && ct_p_ns() - ctp_load(&ct_p_.full_at) < 1000000000)
		return 0;
	blocked = ct_p_no_xfsz(&was);
	got = ct_p_box_fd_ours() &&
		ct_p_box_allocate((off_t)(at - ct_p_.base), (off_t)len);
	ct_p_xfsz_again(&was, blocked);
	if (!got) {
		ctp_store(&ct_p_.full_at, ct_p_ns());
		ctp_store(&ct_p_.full_len, len);
	}
	return got;
}

/* Have this part of the box in a core, which holds no other, and in a file have blocks for it: on a
 * full disk a store would raise SIGBUS. 0: there is no room. It may be done twice at once. */
CT_COLD int ct_p_box_use(char *at, uint64_t len)
{
	if (ct_p_.box_file && !ct_p_box_blocks(at, len))
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
 * finds another at it does not wait. 0: it is not due. */
CT_COLD int ct_p_box_late(struct ctp_header *h, uint32_t flags)
{
	uint64_t now = ct_p_now(flags), last = ctp_load(&h->late_ticks), age;
	uint32_t lock = ctp_load(&h->late_lock);

	age = (last ? last : now) - h->birth_ticks;
	if (now - (last ? last : h->birth_ticks) < (age < 1u << 30 ? age : 1u << 30) || lock % 2 ||
		!__atomic_compare_exchange_n(
			&h->late_lock, &lock, lock + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return 0;
	/* whoever sees the times sees that the lock is odd */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ctp_store(&h->late_ticks, ct_p_now(flags));
	ctp_store(&h->late_ns, ct_p_ns());
	ctp_store_release(&h->late_lock, lock + 2);
	return 1;
}

CT_COLD void ct_p_switch_off(struct ctp_header *h);
CT_COLD int ct_p_recorder_gone(void);

/* Who asked for the box was killed before he could say that he leaves: it is said for him, under his
 * lock. So no other comes in between, who would have seen that nobody has left, and go unrecorded: by
 * the time that he has the lock, LEFT is there to be seen. Whoever came before we had it has begun
 * another session, or has the lock. */
CT_COLD void ct_p_leave_for(struct ctp_header *h, uint32_t session)
{
	uint32_t stay = CTP_STAY;
	struct flock lock;

	memset(&lock, 0, sizeof(lock));
	lock.l_type = F_WRLCK;
	lock.l_len = 1;
	if (!ct_p_box_fd_ours() || fcntl(ct_p_.box_fd, F_OFD_SETLK, &lock))
		return;
	if (ctp_load_acquire(&h->session) == session &&
		__atomic_compare_exchange_n(
			&h->leave, &stay, CTP_LEAVE, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		ct_p_switch_off(h);
	lock.l_type = F_UNLCK;
	fcntl(ct_p_.box_fd, F_OFD_SETLK, &lock);
}

/* A look found nobody: is the probe on for one who is gone? Where a recorder made the region nobody reads
 * as long as nothing happens to the program, and nothing else would show that he has died. */
CT_COLD void ct_p_nobody_reads(struct ctp_header *h, uint32_t session, uint32_t flags)
{
	struct ct_aside was = ct_p_aside();
	int due = ct_p_box_late(h, flags);

	if (ctp_load(&h->leave) == CTP_LEAVE)
		ct_p_switch_off(h);
	else if (session % 2 && ctp_load(&ct_flag_.on) == CTP_FLAG_LENT)
		ct_p_leave_for(h, session);
	else if (due && !ct_p_.box && ct_p_recorder_gone())
		ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
	ct_p_back(was);
}

/* How many events may be written until the next look at who reads. What may be written is declared
 * in ring->limit first, and fenced: against the session, so that a recorder which makes it odd,
 * fences and reads limit sees ours, or we its session; and against the slots, so that whoever
 * copies a slot that we write below that limit, fences and reads limit, sees it. */
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
	if (!ct_p_box_read(session))
		ct_p_nobody_reads(h, session, me->flags);
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

/* Another process may have used it. What is open stays so: no thread that begins asks again, of each
 * ring, what costs three system calls. */
CT_COLD int ct_p_may_read(uint32_t ring)
{
	uint32_t *word = &ct_p_.read[ring / 32 % 2048], bit = 1u << ring % 32;

	if (ctp_load_acquire(word) & bit)
		return 1;
	if (!ct_p_open_slots(ring))
		return 0;
	__atomic_fetch_or(word, bit, __ATOMIC_RELEASE);
	return 1;
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
		if (!(owner & CTP_RING_RETIRED) || !ct_p_may_read(i))
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

/* Threads of processes that were killed end without a word. In another pid namespace than the box was
 * made in their numbers are nobody's. */
CT_COLD void ct_p_reap_rings(struct ct_writer *me)
{
	uint32_t i, used = ctp_load_acquire(&me->hdr->rings_used);

	if (ct_p_.pid >= CTP_NUMBERS)
		return;
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
