/* probe.c - what runs in the kernel at each probe: one record into the ring. Compiled for BPF.
 *
 * A frame's words are read before room in the ring is reserved, and the ring is in the order of the
 * reservations. Whoever resumes a frame reserves at its entry, before the frame's code can change a
 * word. So where a record at an exit holds what a later run of that frame has written, the record
 * of that run's entry stands ahead of it, and the reader knows that the exit's words are stale.
 */
#include "record.h"
#include <asm/unistd.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct pt_regs {	/* x86-64 */
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs,
		flags, sp, ss;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);		/* set before it is loaded */
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} losses SEC(".maps");

struct place { __u64 tid, sp; };
struct entered { __u64 addr, cookie; };
/* What was entered there: an exit knows no argument any more. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1 << 16);
	__type(key, struct place);
	__type(value, struct entered);
} entries SEC(".maps");

/* Threads that have run a coroutine: since when each sleeps; 0: it does not. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1 << 14);
	__type(key, __u32);
	__type(value, __u64);
} threads SEC(".maps");

const volatile struct settings settings;

static void lose(__u64 ts)
{
	__u32 slot = ts >> LOSS_SHIFT & (LOSS_SLOTS - 1);
	__u64 *count = bpf_map_lookup_elem(&losses, &slot);

	if (count)
		__sync_fetch_and_add(count, 1);
}

static __u64 word_at(__u64 addr, __u16 *unread)
{
	__u64 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (void *)addr))
		*unread = 1;
	return word;
}

/* The id that tokio gave to a task, by its table of functions. */
static __u64 task_id(__u64 header, __u32 offset)
{
	__u16 unread = 0;
	__u64 table = word_at(header + ID_VTABLE_AT(offset), &unread);
	__u64 id_at = word_at(table + ID_AT(offset), &unread);
	__u64 id = word_at(header + (id_at & 0xffff), &unread);

	return unread ? 0 : id;
}

static void look(struct record *r, __u64 cookie)
{
	if (!r->addr)
		return;
	r->word[0] = word_at(r->addr, &r->unread);
	if (r->kind >= P_OWN_RESUME)
		return;
	if (r->kind >= P_POLL) {
		if (COOKIE_OFFSET(cookie))
			r->word[2] = task_id(r->addr, COOKIE_OFFSET(cookie));
		return;
	}
	r->word[1] = word_at(r->addr + 8, &r->unread);
	r->word[2] = word_at(r->addr + COOKIE_OFFSET(cookie), &r->unread);
}

static void submit(const struct record *r)
{
	struct record *to = bpf_ringbuf_reserve(&ring, sizeof(*to), 0);

	if (!to) {
		lose(r->ts);
		return;
	}
	*to = *r;
	bpf_ringbuf_submit(to, 0);
}

/* A jump out of one function into the next leaves its frame at this stack pointer. */
static void enter(struct record *r, __u64 cookie)
{
	struct place at = { r->tid, r->sp };
	struct entered now = { r->addr, cookie };
	struct entered *left = bpf_map_lookup_elem(&entries, &at);
	__u64 awake = 0;
	__u16 unread = 0;

	if (!bpf_map_lookup_elem(&threads, &r->tid))
		bpf_map_update_elem(&threads, &r->tid, &awake, 0);
	if (left) {
		r->left = left->addr;
		r->left_point = COOKIE_NUMBER(left->cookie);
		r->left_word[0] = word_at(left->addr, &unread);
		r->left_word[1] = word_at(left->addr + COOKIE_OFFSET(left->cookie), &unread);
	}
	if (r->kind == P_NOBODY)
		bpf_map_delete_elem(&entries, &at);
	else
		bpf_map_update_elem(&entries, &at, &now, 0);
}

static int mine(void)
{
	return bpf_get_current_pid_tgid() >> 32 == settings.pid;
}

static int ours(struct record *r)
{
	if (!mine())
		return 0;
	r->tid = (__u32)bpf_get_current_pid_tgid();
	r->ts = bpf_ktime_get_ns();
	return 1;
}

/* The number of the argument that is reported; 0: none. */
static __u32 argument(__u32 kind, __u64 cookie)
{
	return kind >= P_OWN_RESUME ? COOKIE_OFFSET(cookie) :
		kind == P_BIND ? 2 :
		kind == P_NOBODY ? 0 : 1;
}

/* Closures of tokio's blocking threads look like tasks, but no runtime owns them. One is each
 * worker's loop. A Header is `repr(C)`: state, queue_next, vtable, owner_id. */
static int is_owned(__u64 header)
{
	enum { OWNER_AT = 24 };
	__u16 unread = 0;

	return word_at(header + OWNER_AT, &unread) || unread;
}

SEC("kprobe")
int on_entry(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);
	struct record r = { .kind = COOKIE_KIND(cookie), .point = COOKIE_NUMBER(cookie) };
	__u64 a = regs->di, b = regs->si, c = regs->dx, d = regs->cx, e = regs->r8, f = regs->r9;
	__u32 number = argument(r.kind, cookie);

	/* The verifier takes no choice between places in the registers, only between values. */
	asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	if (!ours(&r) || (r.kind == P_POLL && !is_owned(a)))
		return 0;
	r.addr = number == 1 ? a :
		number == 2  ? b :
		number == 3  ? c :
		number == 4  ? d :
		number == 5  ? e :
		number == 6  ? f :
			       0;
	r.sp = regs->sp;
	if (r.kind == P_RESUME || r.kind == P_POLL || r.kind == P_NOBODY || r.kind == P_OWN_RESUME)
		enter(&r, cookie);
	look(&r, cookie);
	submit(&r);
	return 0;
}

/* strangers: what was entered before there were probes is of interest, too. */
static int leave(struct pt_regs *regs, __u64 sp, int strangers)
{
	__u64 cookie = bpf_get_attach_cookie(regs);
	struct record r = { .kind = COOKIE_KIND(cookie), .point = COOKIE_NUMBER(cookie), .sp = sp };
	__u64 given = regs->di;
	struct place at = { 0, sp };
	struct entered *e;

	if (!ours(&r))
		return 0;
	at.tid = r.tid;
	e = bpf_map_lookup_elem(&entries, &at);
	if (e) {
		r.addr = e->addr;
		bpf_map_delete_elem(&entries, &at);
	} else if (!strangers) {
		return 0;	/* left by a jump: whoever was jumped to is reported */
	}
	if (r.kind == P_FREED && (!r.addr || given != r.addr))	/* something else is given back */
		r.kind = P_EXIT;
	look(&r, cookie);
	submit(&r);
	return 0;
}

/* At a return instruction: the stack pointer is as it was when the function was entered. */
SEC("kprobe")
int on_exit(struct pt_regs *regs)
{
	return leave(regs, regs->sp, 1);
}

/* Behind it, by a return probe. */
SEC("kprobe")
int on_return(struct pt_regs *regs)
{
	return leave(regs, regs->sp - 8, 0);
}

/* Since Linux 6.13 in its stead (uprobe session): it is also called at the entry, and says whether
 * that return is not to be probed: that of a worker's loop. Nobody's probes can be taken out as long
 * as a thread is in a call whose return is probed, and begins another within each 100 ms. */
SEC("kprobe")
int on_session(struct pt_regs *regs)
{
	if (bpf_get_func_ip(regs) == regs->ip)
		return COOKIE_KIND(bpf_get_attach_cookie(regs)) == P_POLLED && !is_owned(regs->di);
	return leave(regs, regs->sp - 8, 0);
}

/* ---- of the process itself: its system calls ---- */

static __u64 kernel_word(__u64 *at)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), at);
	return word;
}

static void report(enum point_kind kind, __u64 what, __u64 word)
{
	struct record r = { .kind = kind, .addr = what, .word = { word } };

	if (ours(&r))
		submit(&r);
}

static void descriptor(enum point_kind kind, __u32 fd)
{
	report(kind, fd, fd);
}

static int may_sleep(__u64 number)
{
	switch (number) {
	case __NR_epoll_wait: case __NR_epoll_pwait: case __NR_epoll_pwait2: case __NR_poll:
	case __NR_ppoll: case __NR_select: case __NR_pselect6: case __NR_io_uring_enter:
	case __NR_futex:
		return 1;
	}
	return 0;
}

/* Mutexes of glibc and of Rust's std wait for a futex that is 2: not for work. */
static int is_rest(struct pt_regs *regs)
{
	enum { WAIT = 0, WAIT_BITSET = 9, COMMAND = 0x7f, LOCKED = 2 };
	__u32 command = kernel_word(&regs->si) & COMMAND;

	return (command == WAIT || command == WAIT_BITSET) &&
		(__u32)kernel_word(&regs->dx) != LOCKED;
}

static void sleeps(void)
{
	__u32 tid = bpf_get_current_pid_tgid();
	__u64 *since = bpf_map_lookup_elem(&threads, &tid);

	if (since)
		*since = bpf_ktime_get_ns();
}

static void slept(void)
{
	struct record r = { .kind = P_UNPARK };
	__u64 *since;

	if (!ours(&r))
		return;
	since = bpf_map_lookup_elem(&threads, &r.tid);
	if (!since || !*since)
		return;
	r.addr = *since;
	*since = 0;
	if (r.ts - r.addr >= SLEEP_NS)
		submit(&r);
}

/* All of them; not those of the calling thread alone (CLOSE_RANGE_UNSHARE), nor later ones
 * (CLOSE_RANGE_CLOEXEC). */
static void close_many(struct pt_regs *regs)
{
	__u32 first = kernel_word(&regs->di), last = kernel_word(&regs->si);

	if (first <= last && !(__u32)kernel_word(&regs->dx))
		report(P_CLOSE, first, last);
}

/* Whatever is resumed by it is so after this call has begun. */
static void watch(struct pt_regs *regs)
{
	enum { DEL = 2, DATA_AT = 4, ONCE = 1 << 30 };
	__u64 event = kernel_word(&regs->r10);
	struct record r = { .kind = P_WATCH, .addr = (__u32)kernel_word(&regs->dx) };

	if ((__u32)kernel_word(&regs->si) == DEL)
		return;
	r.word[0] = word_at(event + DATA_AT, &r.unread);
	r.word[1] = word_at(event, &r.unread) & ONCE;
	if (!r.unread && ours(&r))
		submit(&r);
}

/* Every system call of every process comes here: whose and which it is comes first. */
SEC("raw_tracepoint/sys_enter")
int on_call(struct bpf_raw_tracepoint_args *args)
{
	struct pt_regs *regs = (struct pt_regs *)args->args[0];
	__u64 number = args->args[1];

	if (!mine())
		return 0;
	if (number == __NR_close)
		descriptor(P_CLOSE, kernel_word(&regs->di));
	else if (number == __NR_close_range)
		close_many(regs);
	else if (number == __NR_epoll_ctl)
		watch(regs);
	else if (may_sleep(number) && (number != __NR_futex || is_rest(regs)))
		sleeps();
	return 0;
}

/* A descriptor that is watched is open, whoever made it. */
static void watched(struct pt_regs *regs)
{
	enum { ADD = 1 };

	if ((__u32)kernel_word(&regs->si) == ADD)
		descriptor(P_OPEN, kernel_word(&regs->dx));
}

/* The second argument becomes the first one, and what it was is closed. */
static void replaced(struct pt_regs *regs)
{
	__u32 fd = kernel_word(&regs->si);

	if (fd == (__u32)kernel_word(&regs->di))
		return;
	descriptor(P_CLOSE, fd);
	descriptor(P_OPEN, fd);
}

static void pair(__u64 at)
{
	__u16 unread = 0;
	__u64 both = word_at(at, &unread);

	if (unread)
		return;
	descriptor(P_OPEN, both);
	descriptor(P_OPEN, both >> 32);
}

/* Neither threads nor those that share all memory until they execute something (vfork). */
static void forked(__u64 flags, __u64 child)
{
	enum { VM = 0x100 };

	if (child && !(flags & VM))
		report(P_FORKED, child, 0);
}

static void mapped(struct pt_regs *regs)
{
	enum { EXEC = 4 };

	if (kernel_word(&regs->dx) & EXEC && (__s32)kernel_word(&regs->r8) >= 0)
		report(P_MAPPED, 0, 0);
}

static void called(__u64 number, struct pt_regs *regs, __u64 result)
{
	__u16 unread = 0;
	enum { DUP = 0, DUP_CLOEXEC = 1030 };
	__u32 command;

	switch (number) {
	case __NR_open: case __NR_openat: case __NR_openat2: case __NR_creat: case __NR_socket:
	case __NR_accept: case __NR_accept4: case __NR_dup: case __NR_epoll_create:
	case __NR_epoll_create1: case __NR_eventfd: case __NR_eventfd2: case __NR_timerfd_create:
	case __NR_signalfd: case __NR_signalfd4: case __NR_inotify_init: case __NR_inotify_init1:
	case __NR_memfd_create: case __NR_pidfd_open: case __NR_io_uring_setup:
		descriptor(P_OPEN, result);
		break;
	case __NR_fcntl:
		command = kernel_word(&regs->si);
		if (command == DUP || command == DUP_CLOEXEC)
			descriptor(P_OPEN, result);
		break;
	case __NR_dup2: case __NR_dup3:
		replaced(regs);
		break;
	case __NR_epoll_ctl:
		watched(regs);
		break;
	case __NR_pipe: case __NR_pipe2:
		pair(kernel_word(&regs->di));
		break;
	case __NR_socketpair:
		pair(kernel_word(&regs->r10));
		break;
	case __NR_mmap:
		mapped(regs);
		break;
	case __NR_fork:
		forked(0, result);
		break;
	case __NR_clone:
		forked(kernel_word(&regs->di), result);
		break;
	case __NR_clone3:
		forked(word_at(kernel_word(&regs->di), &unread), result);
		break;
	}
}

SEC("raw_tracepoint/sys_exit")
int on_called(struct bpf_raw_tracepoint_args *args)
{
	struct pt_regs *regs = (struct pt_regs *)args->args[0];
	__u64 number;

	if (!mine())
		return 0;
	number = kernel_word(&regs->orig_ax);
	if (may_sleep(number))
		slept();
	else if ((__s64)args->args[1] >= 0)
		called(number, regs, args->args[1]);
	return 0;
}

SEC("raw_tracepoint/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *args)
{
	__u32 slot = AT_EXEC;
	__u64 *when = bpf_map_lookup_elem(&losses, &slot);

	(void)args;
	if (mine() && when && !*when)
		*when = bpf_ktime_get_ns();
	return 0;
}

/* ---- of io_uring, where the kernel describes its own types (BTF): libbpf finds the offsets ---- */

struct io_kiocb { __u8 opcode; } __attribute__((preserve_access_index));
struct io_close { int fd; __u32 file_slot; } __attribute__((preserve_access_index));

SEC("raw_tracepoint/io_uring_submit_req")
int on_request(struct bpf_raw_tracepoint_args *args)
{
	enum { CLOSE = 19 };
	struct io_kiocb *request = (struct io_kiocb *)args->args[0];
	/* What the operation needs stands at the request's beginning. */
	struct io_close *close = (struct io_close *)args->args[0];
	__u32 slot = 0;
	__u8 opcode = 0;
	int fd = 0;

	if (!mine())
		return 0;
	bpf_probe_read_kernel(&opcode, sizeof(opcode), &request->opcode);
	bpf_probe_read_kernel(&slot, sizeof(slot), &close->file_slot);
	bpf_probe_read_kernel(&fd, sizeof(fd), &close->fd);
	if (opcode == CLOSE && !slot)
		descriptor(P_CLOSE, fd);
	return 0;
}

char _license[] SEC("license") = "GPL";
