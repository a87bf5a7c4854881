/* probe.c - what runs in the kernel at each probe: one record into the ring. Compiled for BPF.
 *
 * A frame's words are read before room in the ring is reserved, and the ring is in the order of the
 * reservations. Whoever resumes a frame reserves at its entry, before the frame's code can change a
 * word. So where a record at an exit holds what a later run of that frame has written, the record
 * of that run's entry stands ahead of it, and the reader knows that the exit's words are stale.
 */
#include "record.h"
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
	__uint(max_entries, LOSS_SLOTS);
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
static __u64 task_id(__u64 header)
{
	__u16 unread = 0;
	__u64 table = word_at(header + settings.vtable_at, &unread);
	__u64 offset = word_at(table + settings.id_at, &unread);
	__u64 id = word_at(header + (offset & 0xffff), &unread);

	return unread ? 0 : id;
}

static void look(struct record *r, __u64 cookie)
{
	if (!r->addr)
		return;
	r->word[0] = word_at(r->addr, &r->unread);
	if (r->kind >= P_POLL) {
		if (settings.has_ids)
			r->word[2] = task_id(r->addr);
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
	__u16 unread = 0;

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

static int ours(struct record *r)
{
	__u64 id = bpf_get_current_pid_tgid();

	r->tid = (__u32)id;
	r->ts = bpf_ktime_get_ns();
	return id >> 32 == settings.pid;
}

SEC("kprobe")
int on_entry(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);
	struct record r = { .kind = COOKIE_KIND(cookie), .point = COOKIE_NUMBER(cookie) };
	__u64 first = regs->di, second = regs->si;

	/* The verifier takes no choice between two places in the registers, only between two values. */
	asm volatile("" : "+r"(first), "+r"(second));
	if (!ours(&r))
		return 0;
	r.addr = r.kind == P_BIND ? second : r.kind == P_NOBODY ? 0 : first;
	r.sp = regs->sp;
	if (r.kind == P_RESUME || r.kind == P_POLL || r.kind == P_NOBODY)
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

char _license[] SEC("license") = "GPL";
