/* ct-stack.h - a part of ct.c: the call stack where a probe was called, as return addresses.
 *
 * Read from the stack by the tables that the compiler wrote for it (ct-cfi.h); no frame pointers are
 * needed. What they say of an address is kept, so that a frame costs some nanoseconds; libgcc's
 * unwinder takes hundreds. It also trusts what it reads: this one looks only at memory that is there,
 * since a coroutine's stack made by hand may end in anything. Where it does not understand, the stack
 * ends, and is cut.
 *
 * Nothing here locks, allocates or is unsafe in a signal handler, but for ct_p_add_object, which is
 * called at attaching.
 */
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#if defined __x86_64__
#define CT_P_HERE(pc, sp, fp, ra)                                                \
	__asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2" \
			 : "=&r"(pc), "=&r"(sp), "=&r"(fp));                     \
	ra = 0
#elif defined __aarch64__
#define CT_P_HERE(pc, sp, fp, ra)                                                \
	__asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30" \
			 : "=&r"(pc), "=&r"(sp), "=&r"(fp), "=&r"(ra))
#else
#define CT_P_HERE(pc, sp, fp, ra) pc = sp = fp = ra = 0		/* no code lies there: no stack */
#endif
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 35)
#define CT_P_FIND_OBJECT
#pragma weak _dl_find_object		/* so that a program built here also runs where it is not yet there */
#endif
#endif

/* ---- objects: where the tables are ---- */

/* What was there when the process attached is taken to stay. */
CT_OWN struct ct_object { uint64_t start, end; const unsigned char *hdr; } ct_objects_[128];
CT_OWN unsigned ct_object_count_ = 0;

CT_COLD int ct_p_add_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	const unsigned char *hdr = NULL;
	unsigned i;

	(void)size;
	(void)arg;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			hdr = (const unsigned char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (i = 0; hdr && i < info->dlpi_phnum && ct_object_count_ < 128; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			struct ct_object *o = &ct_objects_[ct_object_count_++];

			o->start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			o->end = o->start + info->dlpi_phdr[i].p_memsz;
			o->hdr = hdr;
		}
	return 0;
}

enum { CT_P_WAYS = 4 };

/* May this page be read? The kernel copies from there before it finds fault with the rest. */
CT_COLD int ct_p_is_there(uint64_t page)
{
	return syscall(SYS_rt_sigprocmask, -1, page, NULL, 8) < 0 && errno != EFAULT;
}

/* Is it where the kernel lets a signal handler return to? Linux has no tables for that on aarch64:
 * it is known by its two instructions, mov x8, #rt_sigreturn; svc #0. */
#if defined __aarch64__
CT_COLD int ct_p_is_sigreturn(uint64_t pc)
{
	uint32_t code[2];

	if (pc & 3 || (pc & 4095) > 4088 || !ct_p_is_there(pc & ~(uint64_t)4095))
		return 0;
	memcpy(code, (const void *)(uintptr_t)pc, 8);
	return code[0] == 0xd2801168 && code[1] == 0xd4000001;
}
#else
#define ct_p_is_sigreturn(pc) 0
#endif

/* The rule at pc, in its set of those kept, but only where its object stays: another library may
 * come to lie where one was. */
CT_COLD const struct ct_rule *ct_p_learn(struct ct_rule *set, struct ct_rule *once, uint64_t pc)
{
	const unsigned char *hdr = NULL, *fde;
	unsigned i;

	for (i = 0; i < ct_object_count_ &&
		pc - ct_objects_[i].start >= ct_objects_[i].end - ct_objects_[i].start;
		i++)
		;
	if (i < ct_object_count_) {
		hdr = ct_objects_[i].hdr;
		for (once = set; once->pc && once < set + CT_P_WAYS - 1; once++)
			;
		if (once->pc)
			once = set + (pc >> 2) % CT_P_WAYS;
	}
#ifdef CT_P_FIND_OBJECT
	else {
		struct dl_find_object found;

		if (_dl_find_object && _dl_find_object((void *)(uintptr_t)pc, &found) == 0)
			hdr = (const unsigned char *)found.dlfo_eh_frame;
	}
#endif
	fde = hdr ? ct_p_find_fde(hdr, pc) : NULL;
	if (!fde || !ct_p_fde(fde, pc, once)) {
		memset(once, 0, sizeof(*once));
		once->base = !fde && ct_p_is_sigreturn(pc + 1) ? CT_P_SIGNAL : CT_P_END;
	}
	once->pc = pc;
	return once;
}

/* ---- the walk ---- */

enum { CT_P_FRAMES = 64, CT_P_SETS = 256, CT_P_KNOWN = 1024 };
struct ct_stacks {		/* a thread's */
	uint64_t lo, hi;	/* its own stack, always there; 0: not known */
	uint64_t frame[CT_P_FRAMES];
	struct ct_rule rule[CT_P_SETS][CT_P_WAYS];
	struct ct_known { uint64_t hash; uint32_t number; } known[CT_P_KNOWN];
};

/* Where the thread's own stack lies: below what the C library, or the kernel for the first thread,
 * keeps at its upper end. */
CT_COLD void ct_p_own_stack(struct ct_stacks *s, int first_thread)
{
	uint64_t at = first_thread ? getauxval(AT_RANDOM) : (uint64_t)(uintptr_t)pthread_self(),
		 v[2] = { 0, 0 };
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), field = 0;
	char *text = (char *)s->frame;
	ssize_t i, n;

	while (!s->hi && (n = read(fd, text, sizeof(s->frame))) > 0)
		for (i = 0; i < n && !s->hi; i++) {
			int c = text[i],
			    digit = c >= '0' && c <= '9' ? c - '0' :
				c >= 'a' && c <= 'f'     ? c - 'a' + 10 :
							   -1;

			if (c == '\n')
				v[0] = v[1] = 0, field = 0;
			else if (field < 2 && digit >= 0)
				v[field] = v[field] << 4 | (unsigned)digit;
			else if (++field == 2 && v[0] <= at && at < v[1]) {
				s->lo = v[0];
				s->hi = at & ~(uint64_t)7;
			}
		}
	if (fd >= 0)
		close(fd);
}

#if defined __aarch64__
/* of the signature that a return address may have: xpaclri */
CT_HOT uint64_t ct_p_strip(uint64_t ra)
{
	register uint64_t x30 __asm__("x30") = ra;

	__asm__("hint 7" : "+r"(x30));
	return x30;
}
/* in the kernel's rt_sigframe, from sp */
enum { CT_P_SIG_FP = 544, CT_P_SIG_RA = 552, CT_P_SIG_SP = 560, CT_P_SIG_PC = 568 };
#else
#define ct_p_strip(ra) (ra)
enum { CT_P_SIG_FP = 120, CT_P_SIG_RA = 168, CT_P_SIG_SP = 160, CT_P_SIG_PC = 168 };
#endif

#define CT_P_RAW __attribute__((no_sanitize("address"), no_sanitize("thread")))	/* reads what belongs to others */
struct ct_walk { uint64_t pc, sp, fp, ra, lo, hi; };	/* lo to hi: memory that is there */

CT_P_RAW CT_HOT int ct_p_peek(struct ct_walk *w, uint64_t at, uint64_t *v)
{
	if (CT_UNLIKELY(at & 7))
		return 0;
	if (CT_UNLIKELY(at - w->lo >= w->hi - w->lo)) {
		w->lo = at & ~(uint64_t)4095;
		w->hi = w->lo + 4096;
		if (!ct_p_is_there(w->lo)) {
			w->hi = w->lo;
			return 0;
		}
	}
	*v = *(volatile ct_word *)(uintptr_t)at;
	return 1;
}

/* Into the function that a signal interrupted, by what the kernel kept. What it ran on is there,
 * whichever stack it is. */
CT_P_RAW CT_COLD int ct_p_interrupted(struct ct_walk *w)
{
	uint64_t sp;

	if (!ct_p_peek(w, w->sp + CT_P_SIG_FP, &w->fp) ||
		!ct_p_peek(w, w->sp + CT_P_SIG_RA, &w->ra) ||
		!ct_p_peek(w, w->sp + CT_P_SIG_PC, &w->pc) ||
		!ct_p_peek(w, w->sp + CT_P_SIG_SP, &sp))
		return 0;
	w->pc++;
	w->sp = sp;
	return 1;
}

/* To the caller. in_ra: ra is where this one returns to, for it was interrupted before it saved
 * that. */
CT_P_RAW CT_HOT int ct_p_up(struct ct_walk *w, const struct ct_rule *r, int in_ra)
{
	uint64_t cfa = (r->base == CT_P_FROM_SP ? w->sp : w->fp) + (uint64_t)(int64_t)r->cfa,
		 beside;

	if (CT_UNLIKELY(r->base != CT_P_FROM_SP && r->base != CT_P_FROM_FP))
		if (r->base != CT_P_AT_FP || !ct_p_peek(w, cfa, &cfa))
			return 0;
	if (CT_UNLIKELY(r->ra_in != CT_P_AT_CFA)) {
		if (r->ra_in != CT_P_KEPT || !in_ra || cfa < w->sp)
			return 0;
	} else if (cfa <= w->sp || !ct_p_peek(w, cfa + (uint64_t)(int64_t)r->ra, &w->ra)) {
		return 0;
	}
	if (r->fp_in != CT_P_KEPT) {
		beside = (r->fp_in == CT_P_AT_CFA ? cfa : w->fp) + (uint64_t)(int64_t)r->fp;
		if (r->fp_in == CT_P_LOST || !ct_p_peek(w, beside, &w->fp))
			w->fp = 0;
	}
	w->sp = cfa;
	w->pc = ct_p_strip(w->ra);
	return w->pc != 0;
}

CT_HOT const struct ct_rule *ct_p_rule(struct ct_stacks *s, uint64_t pc, struct ct_rule *once)
{
	struct ct_rule *set = s->rule[pc * 0x9e3779b97f4a7c15ull >> 56];
	unsigned i;

	for (i = 0; i < CT_P_WAYS; i++)
		if (CT_LIKELY(set[i].pc == pc))
			return &set[i];
	return ct_p_learn(set, once, pc);
}

/* The return addresses from that of the probe which the program called, into s->frame. Returns how
 * many; 0: not known. Changes errno. */
__attribute__((noinline)) CT_P_RAW CT_FN unsigned ct_p_walk(struct ct_stacks *s, const void *probe)
{
	uint64_t from = ct_p_strip((uint64_t)(uintptr_t)probe);
	unsigned n = 0, steps;
	struct ct_rule once;
	struct ct_walk w;
	int in_ra = 0, own;

	CT_P_HERE(w.pc, w.sp, w.fp, w.ra);
	w.pc++;
	own = s->lo <= w.sp && w.sp < s->hi;
	w.lo = own ? w.sp : w.sp & ~(uint64_t)4095;
	w.hi = own ? s->hi : w.lo + 4096;
	for (steps = 0; n < CT_P_FRAMES && (n || steps < 8); steps++) {
		const struct ct_rule *r = ct_p_rule(s, w.pc - 1, &once);

		if (!(r->base == CT_P_SIGNAL ? ct_p_interrupted(&w) : ct_p_up(&w, r, in_ra)))
			break;
		in_ra = r->base == CT_P_SIGNAL;
		if (n || w.pc == from)
			s->frame[n++] = w.pc;
	}
	return n;
}
