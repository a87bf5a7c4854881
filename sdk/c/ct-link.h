/* ct-link.h - a part of ct.c: the socket to the recorder: a bell for one that sleeps, and the sign
 * that it lives. */

/* A target may close any descriptor and get its number for something else, which must not be
 * written to. */
CT_COLD int ct_p_sock_ours(void)
{
	struct stat st;
	int sock = ctp_load(&ct_p_.sock);

	return sock >= 0 && !fstat(sock, &st) && st.st_dev == ct_p_.sock_dev &&
		st.st_ino == ct_p_.sock_ino;
}

/* The pid namespace that this process is in, 0: not known. */
CT_COLD uint64_t ct_p_pid_ns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}

/* Without a connection to ask: does the recorder live in another pid namespace? So /proc says; or its parent
 * did, or is not in ours, as the group that it comes from, and neither is the recorder. */
CT_COLD int ct_p_is_inner(uint32_t before)
{
	uint64_t here = ct_p_.pid_ns ? ct_p_pid_ns() : 0;

	if (here && here != ct_p_.pid_ns)
		return 1;
	return before >= CTP_NUMBERS || !getppid() ||
		(!getpgrp() && kill((pid_t)ct_p_.hdr->recorder_pid, 0) && errno == ESRCH);
}

/* Which number this process goes by: ctp(7), "Numbers of processes and threads". */
CT_COLD void ct_p_take_number(int sock)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	char bytes[5] = "N";
	uint32_t before = ct_p_.pid;

	ct_p_.pid = (uint32_t)getpid();
	if (ct_p_.v1 || !ct_p_.hdr->recorder_pid)
		return;
	if (sock >= 0 && !getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &size)) {
		if ((uint32_t)peer.pid == ct_p_.hdr->recorder_pid) {
			ct_p_.pid_ns = ct_p_pid_ns();
			return;
		}
	} else if (!ct_p_is_inner(before)) {
		return;
	}
	ct_p_.pid = ctp_add(&ct_p_.hdr->next_number, 1) & 0x7fffffffu;
	memcpy(bytes + 1, &ct_p_.pid, sizeof(ct_p_.pid));
	if (sock >= 0)
		send(sock, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* A connection to the recorder, -1 with errno: none. */
CT_COLD int ct_p_dial(void)
{
	struct timespec wait = { 0, 5000000 };
	int high, tries = 0, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	/* out of the way: programs expect low numbers to be theirs */
	high = fcntl(fd, F_DUPFD_CLOEXEC, 200);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	while (connect(fd, (struct sockaddr *)&ct_p_.addr, sizeof(ct_p_.addr))) {
		if ((errno != EAGAIN && errno != EINTR) || ++tries > 100) {
			int err = errno;

			close(fd);
			errno = err;
			return -1;
		}
		nanosleep(&wait, NULL);
	}
	return fd;
}

/* Has the recorder answered, within so many milliseconds? Signals, as of a profiler's timer, end
 * poll(2) before that. */
CT_COLD int ct_p_answered(int sock, int ms)
{
	struct pollfd p = { sock, POLLIN, 0 };
	uint64_t spent, began = ct_p_ns();
	int got, left = ms;

	while ((got = poll(&p, 1, left)) < 0 && errno == EINTR && left) {
		spent = (ct_p_ns() - began) / 1000000;
		left = spent < (uint64_t)ms ? ms - (int)spent : 0;
	}
	return got > 0;
}

/* Which program this is since its last exec, by what the kernel gave it then, and that it had begun
 * by now: ctp(7), "Connection". */
CT_COLD void ct_p_say_image(int sock)
{
	const char *random = (const char *)(uintptr_t)getauxval(AT_RANDOM);
	uint64_t word[2] = { 0, ct_p_now(ct_p_.flags) }, half[2];
	char bytes[1 + 2 * 16] = "B";
	int i;

	if (ct_p_.v1 || !random)
		return;
	memcpy(half, random, sizeof(half));
	word[0] = (half[0] ^ half[1]) * 0x9e3779b97f4a7c15u;
	for (i = 0; i < 32; i++)
		bytes[1 + i] = (char)('a' + (word[i / 16] >> i % 16 * 4 & 15));
	send(sock, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Make it this process's. */
CT_COLD int ct_p_greet(int fd)
{
	struct stat st;
	char hello[8];

	if (fstat(fd, &st)) {
		close(fd);
		return -1;
	}
	ct_p_take_number(fd);
	ct_p_say_image(fd);
	if (ct_p_.flags & CTP_F_STACKS) {	/* the recorder has seen where our code lies */
		ct_p_answered(fd, CTP_HELLO_MS);
		recv(fd, hello, sizeof(hello), MSG_DONTWAIT);
	}
	ct_p_.sock_dev = st.st_dev;
	ct_p_.sock_ino = st.st_ino;
	ctp_store(&ct_p_.sock, fd);
	return 0;
}

/* The recorder's memory, where its path leads nowhere from here (another pid namespace with a /proc
 * of its own): by the connection. */
CT_COLD int ct_p_ask_memory(int sock)
{
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control;
	struct msghdr m;
	struct iovec io;
	char byte = 'F';
	int fd;

	if (send(sock, &byte, 1, MSG_NOSIGNAL) != 1)
		return -1;
	memset(&m, 0, sizeof(m));
	io.iov_base = &byte;
	io.iov_len = 1;
	m.msg_iov = &io;
	m.msg_iovlen = 1;
	m.msg_control = control.room;
	do {	/* its hello may have come first; it says it again */
		m.msg_controllen = sizeof(control.room);
		if (!ct_p_answered(sock, CTP_MEMORY_MS) ||
			recvmsg(sock, &m, MSG_CMSG_CLOEXEC) != 1)
			return -1;
	} while (byte == '1');
	if (byte != 'F' || m.msg_controllen < CMSG_LEN(sizeof(int)) ||
		control.head.cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	return fd;
}

/* Whoever swaps tracer_sleeping from 1 to 0 rings; acq_rel only so that two of us do not. */
CT_COLD void ct_p_bell(struct ctp_header *hdr)
{
	struct ct_aside was;
	uint32_t one = 1;

	if (ct_p_.store)		/* it does not sleep */
		return;
	was = ct_p_aside();
	/* who has no bell leaves the word to those who have: else it would sleep on */
	if (!ct_p_.box && !ct_p_sock_ours())
		ctp_store(&ct_p_.sock, -1);
	else if (!__atomic_compare_exchange_n(
		    &hdr->tracer_sleeping, &one, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	/* nobody's socket: the word itself is the bell, across namespaces too */
	else if (ct_p_.box)
		syscall(SYS_futex, &hdr->tracer_sleeping, FUTEX_WAKE, 1);
	else if (send(ctp_load(&ct_p_.sock), "1", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
		(errno == EPIPE || errno == ECONNRESET))
		ctp_store(&ct_flag_.on, 0);		/* nobody reads any more */
	ct_p_back(was);
}

CT_COLD int ct_p_recorder_gone(void)
{
	struct pollfd p;

	if (ct_p_.store)
		return 0;
	if (!ct_p_sock_ours())		/* a number of our namespace may be asked about */
		return !ct_p_.v1 && ct_p_.pid < CTP_NUMBERS && ct_p_.hdr->recorder_pid &&
		       kill((pid_t)ct_p_.hdr->recorder_pid, 0) && errno == ESRCH;
	p.fd = ctp_load(&ct_p_.sock);
	p.events = 0;
	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR));
}
