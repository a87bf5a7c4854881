/* ct-flag.h - a part of ct.c: a box that nobody wanted as the program started: the flag's page is
 * shared, and a recorder that comes later asks for a box by it, or the program itself does.
 */

CT_COLD void ct_p_switch_on(uint32_t on);
CT_COLD int ct_p_is_ours(void);
CT_COLD uint64_t ct_p_asker(void);

/* Is there a region, and all of it? With ct_p_begin(). */
CT_COLD int ct_p_whole(void)
{
	return __atomic_load_n(&ct_p_.starting.hdr, __ATOMIC_ACQUIRE) != NULL;
}

CT_COLD int ct_p_fail_again(void)
{
	return ct_p_fail("a second time", "the recorder of this process is gone");
}

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

	if (ct_p_.flag_shared || ((uintptr_t)&ct_flag_ | sizeof(ct_flag_)) % page || !ct_p_hook())
		return;
	fd = ct_p_memfd(CTP_FLAG_NAME, sizeof(ct_flag_));
	if (fd < 0)
		return;
	if (fstat(fd, &st)) {
		close(fd);
		return;
	}
	ct_p_.flag_fd = fd;
	ct_p_.flag_dev = st.st_dev;
	ct_p_.flag_ino = st.st_ino;
	/* before it is: a child that another thread forks meanwhile must not take it for its own */
	ctp_store_release(&ct_p_.flag_shared, 1);
	if (mmap(&ct_flag_, sizeof(ct_flag_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		    0) == MAP_FAILED) {
		ct_p_.flag_shared = 0;
		close(fd);
	}
}

/* A recorder asks. One thread makes the box, here, in the middle of the program's life; others lose
 * their events until it is made, rather than wait. */
CT_COLD int ct_p_asked(void)
{
	struct ct_aside was;
	uint64_t done = CT_DONE;

	if (!ct_p_is_ours() ||
		!__atomic_compare_exchange_n(&ct_p_.init, &done, ct_p_asker(), 0,
			__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return CTP_FLAG_OFF;
	was = ct_p_aside();
	if (ctp_load(&ct_flag_.on) != CTP_FLAG_ASKED)
		;
	else if (ct_p_.box && ct_p_whole())
		ct_p_switch_on(CTP_FLAG_LENT);
	else if (!(ct_p_whole() ? ct_p_fail_again() : ct_p_make_box("1", 1, CTP_FLAG_LENT)))
		ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
	__atomic_store_n(&ct_p_.init, CT_DONE, __ATOMIC_RELEASE);
	ct_p_back(was);
	return ct_p_is_on();
}

/* In a forked child: the page is its parent's, too. Have one of our own, in the state that it is
 * in; but who asked has asked the parent, and a box that he does not know nobody would switch off. */
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
	if (!fstat(ct_p_.flag_fd, &st) && st.st_dev == ct_p_.flag_dev &&
		st.st_ino == ct_p_.flag_ino)
		close(ct_p_.flag_fd);
	ct_p_share_flag();
	ctp_store(&ct_flag_.on, on == CTP_FLAG_ASKED ? (uint32_t)CTP_FLAG_OFF : on);
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
