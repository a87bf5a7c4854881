/* ct-stack.h - a part of ct.c: the call stack where a probe was called, as return addresses.
 *
 * Read from the stack by the tables that the compiler wrote for it (.eh_frame, DWARF's call frame
 * information); no frame pointers are needed. What they say of an address is kept, so that a frame
 * costs some nanoseconds; libgcc's unwinder takes hundreds. It also trusts what it reads: this one
 * looks only at memory that is there, since a coroutine's stack made by hand may end in anything.
 * Where it does not understand, the stack ends, and is cut.
 *
 * Nothing here locks, allocates or is unsafe in a signal handler, but for ct_p_objects, which is
 * called at attaching.
 */
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#if defined __x86_64__
enum { CT_P_SP = 7, CT_P_FP = 6, CT_P_RA = 16 };	/* DWARF's numbers of the registers */
#define CT_P_HERE(pc, sp, fp, ra)                                                \
	__asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2" \
			 : "=&r"(pc), "=&r"(sp), "=&r"(fp));                     \
	ra = 0
#elif defined __aarch64__
enum { CT_P_SP = 31, CT_P_FP = 29, CT_P_RA = 30 };
#define CT_P_HERE(pc, sp, fp, ra)                                                \
	__asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30" \
			 : "=&r"(pc), "=&r"(sp), "=&r"(fp), "=&r"(ra))
#else
enum { CT_P_SP = -1, CT_P_FP = -2, CT_P_RA = -3 };
#define CT_P_HERE(pc, sp, fp, ra) pc = sp = fp = ra = 0		/* no code lies there: no stack */
#endif
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 35)
#define CT_P_FIND_OBJECT
#pragma weak _dl_find_object		/* so that a program built here also runs where it is not yet there */
#endif
#endif

/* ---- tables: a reader of .eh_frame ---- */

struct ct_in { const unsigned char *p, *end; };

CT_COLD uint64_t ct_p_fixed(struct ct_in *in, unsigned size)
{
	uint64_t v = 0;

	if ((size_t)(in->end - in->p) < size) {
		in->p = in->end;
		return 0;
	}
	memcpy(&v, in->p, size);
	in->p += size;
	return v;
}

CT_COLD uint64_t ct_p_leb(struct ct_in *in, int is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0, byte = 0x80;

	while (byte & 0x80 && in->p < in->end && shift < 64) {
		byte = *in->p++;
		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	}
	return is_signed && byte & 0x40 && shift < 64 ? v | ~(uint64_t)0 << shift : v;
}

CT_FN int64_t ct_p_sleb(struct ct_in *in) { return (int64_t)ct_p_leb(in, 1); }

/* A pointer as DW_EH_PE_* encodes it, 4 or 8 bytes, absolute or relative to itself: what compilers
 * write. Else all is read, and nothing found. */
CT_COLD uint64_t ct_p_pointer(struct ct_in *in, unsigned enc)
{
	uint64_t base = (enc & 0x70) == 0x10 ? (uint64_t)(uintptr_t)in->p : 0;

	switch ((enc & 0x70) > 0x10 ? 0x0f : enc & 0x0f) {
	case 0x00: case 0x04: case 0x0c: return base + ct_p_fixed(in, 8);
	case 0x03: return base + ct_p_fixed(in, 4);
	case 0x0b: return base + (uint64_t)(int64_t)(int32_t)ct_p_fixed(in, 4);
	default: in->p = in->end; return 0;
	}
}

/* Where the caller of the function at `pc` stood: its frame's address (CFA), and where two
 * registers were saved. */
/* AT_FP: stands in memory at fp + cfa */
enum ct_base { CT_P_END, CT_P_FROM_SP, CT_P_FROM_FP, CT_P_AT_FP, CT_P_OTHER, CT_P_SIGNAL };
enum ct_saved { CT_P_KEPT, CT_P_AT_CFA, CT_P_BESIDE_FP, CT_P_LOST };
struct ct_rule {
	uint64_t pc;
	int32_t cfa, fp, ra;
	uint8_t base, fp_in, ra_in;
};

struct ct_cfi {
	struct ct_rule row, initial, kept[4];	/* kept: of remember_state */
	unsigned depth, enc, is_signal;
	uint64_t at, code_align;
	int64_t data_align;
};

CT_COLD void ct_p_save(struct ct_rule *r, uint64_t reg, unsigned in, int64_t off)
{
	if (off != (int32_t)off)
		in = CT_P_LOST;
	if (reg == (uint64_t)CT_P_FP) {
		r->fp_in = (uint8_t)in;
		r->fp = (int32_t)off;
	} else if (reg == (uint64_t)CT_P_RA) {
		r->ra_in = (uint8_t)in;
		r->ra = (int32_t)off;
	}
}

CT_COLD void ct_p_restore(struct ct_cfi *c, uint64_t reg)
{
	int fp = reg == (uint64_t)CT_P_FP;

	ct_p_save(&c->row, reg, fp ? c->initial.fp_in : c->initial.ra_in,
		fp ? c->initial.fp : c->initial.ra);
}

CT_COLD void ct_p_cfa(struct ct_rule *r, uint64_t reg, int64_t off)
{
	r->base = reg == (uint64_t)CT_P_SP ? CT_P_FROM_SP :
		reg == (uint64_t)CT_P_FP   ? CT_P_FROM_FP :
					     CT_P_OTHER;
	r->cfa = (int32_t)off;
	if (off != (int32_t)off)
		r->base = CT_P_OTHER;
}

/* The two expressions that realigned stacks need: fp + off, and what stands there. */
CT_COLD int ct_p_expression(struct ct_in *in, int deref, int64_t *off)
{
	uint64_t len = ct_p_leb(in, 0);
	struct ct_in e = { in->p, in->p + len };

	if (len > (size_t)(in->end - in->p)) {
		in->p = in->end;
		return 0;
	}
	in->p += len;
	if (ct_p_fixed(&e, 1) != 0x70u + (unsigned)CT_P_FP)	/* DW_OP_breg of fp */
		return 0;
	*off = ct_p_sleb(&e);
	return (!deref || ct_p_fixed(&e, 1) == 0x06) && e.p == e.end;
}

/* One instruction; 0: one that we do not know. */
CT_COLD int ct_p_instruction(struct ct_in *in, struct ct_cfi *c)
{
	unsigned op = (unsigned)ct_p_fixed(in, 1), low = op & 0x3f;
	int64_t off = 0;
	uint64_t reg;
	int known;

	switch (op >> 6) {
	case 1: c->at += low * c->code_align; return 1;				/* advance_loc */
	case 2:
		ct_p_save(&c->row, low, CT_P_AT_CFA, (int64_t)ct_p_leb(in, 0) * c->data_align);
		return 1;
	case 3: ct_p_restore(c, low); return 1;
	}
	switch (op) {
	case 0x00: return 1;							/* nop */
	case 0x01: c->at = ct_p_pointer(in, c->enc); return 1;			/* set_loc */
	/* advance_loc1 ... */
	case 0x02: c->at += ct_p_fixed(in, 1) * c->code_align; return 1;
	case 0x03: c->at += ct_p_fixed(in, 2) * c->code_align; return 1;
	case 0x04: c->at += ct_p_fixed(in, 4) * c->code_align; return 1;
	/* remember_state, restore_state */
	case 0x0a:
		if (c->depth == 4)
			return 0;
		c->kept[c->depth++] = c->row;
		return 1;
	case 0x0b:
		if (!c->depth)
			return 0;
		c->row = c->kept[--c->depth];
		return 1;
	/* def_cfa_offset, _sf */
	case 0x0e: c->row.cfa = (int32_t)ct_p_leb(in, 0); return 1;
	case 0x13: c->row.cfa = (int32_t)(ct_p_sleb(in) * c->data_align); return 1;
	/* def_cfa_expression */
	case 0x0f:
		known = ct_p_expression(in, 1, &off);
		c->row.base = known && off == (int32_t)off ? CT_P_AT_FP : CT_P_OTHER;
		c->row.cfa = (int32_t)off;
		return 1;
	/* negate_ra_state, of aarch64 */
	case 0x2d: return 1;
	case 0x2e: ct_p_leb(in, 0); return 1;					/* GNU_args_size */
	}
	reg = ct_p_leb(in, 0);
	switch (op) {
	case 0x05:
		ct_p_save(&c->row, reg, CT_P_AT_CFA, (int64_t)ct_p_leb(in, 0) * c->data_align);
		return 1;
	case 0x11: ct_p_save(&c->row, reg, CT_P_AT_CFA, ct_p_sleb(in) * c->data_align); return 1;
	case 0x2f:
		ct_p_save(&c->row, reg, CT_P_AT_CFA, -(int64_t)ct_p_leb(in, 0) * c->data_align);
		return 1;
	case 0x06: ct_p_restore(c, reg); return 1;
	case 0x07: ct_p_save(&c->row, reg, CT_P_LOST, 0); return 1;		/* undefined */
	case 0x08: ct_p_save(&c->row, reg, CT_P_KEPT, 0); return 1;		/* same_value */
	/* register, val_offset */
	case 0x09: case 0x14: ct_p_leb(in, 0); ct_p_save(&c->row, reg, CT_P_LOST, 0); return 1;
	case 0x15: ct_p_sleb(in); ct_p_save(&c->row, reg, CT_P_LOST, 0); return 1;
	case 0x0c: ct_p_cfa(&c->row, reg, (int64_t)ct_p_leb(in, 0)); return 1;
	case 0x12: ct_p_cfa(&c->row, reg, ct_p_sleb(in) * c->data_align); return 1;
	/* def_cfa_register */
	case 0x0d: ct_p_cfa(&c->row, reg, c->row.cfa); return 1;
	/* expression, val_expression */
	case 0x10: case 0x16:
		known = ct_p_expression(in, 0, &off) && op == 0x10;
		ct_p_save(&c->row, reg, known ? CT_P_BESIDE_FP : CT_P_LOST, off);
		return 1;
	}
	return 0;
}

/* Run a table's instructions up to those for code behind pc. */
CT_COLD int ct_p_run(struct ct_in in, struct ct_cfi *c, uint64_t pc)
{
	while (in.p < in.end && c->at <= pc)	/* what moves `at` changes nothing else */
		if (!ct_p_instruction(&in, c))
			return 0;
	return 1;
}

/* The length of the entry that begins there; *in becomes what follows it, to the entry's end. */
CT_COLD int ct_p_entry(const unsigned char *p, struct ct_in *in)
{
	uint32_t len;

	memcpy(&len, p, 4);
	in->p = p + 4;
	in->end = in->p + len;
	/* 0: the end; all ones: 64 bits follow, which nobody writes */
	return len >= 4 && len < 1u << 24;
}

/* What all functions of a compilation unit have in common. */
CT_COLD int ct_p_cie(const unsigned char *p, struct ct_cfi *c, struct ct_in *code)
{
	const char *aug, *a;
	uint64_t version;

	if (!ct_p_entry(p, code) || ct_p_fixed(code, 4) != 0)
		return 0;
	version = ct_p_fixed(code, 1);
	aug = (const char *)code->p;
	if ((version != 1 && version != 3) || *aug != 'z')
		return 0;
	code->p += strlen(aug) + 1;
	c->code_align = ct_p_leb(code, 0);
	c->data_align = ct_p_sleb(code);
	if ((version == 1 ? ct_p_fixed(code, 1) : ct_p_leb(code, 0)) != (uint64_t)CT_P_RA)
		return 0;
	ct_p_leb(code, 0);		/* length of what the letters stand for */
	for (a = aug + 1; *a; a++)
		switch (*a) {
		case 'R': c->enc = (unsigned)ct_p_fixed(code, 1); break;
		/* personality */
		case 'P': ct_p_pointer(code, (unsigned)ct_p_fixed(code, 1)); break;
		case 'L': ct_p_fixed(code, 1); break;
		case 'S': c->is_signal = 1; break;
		case 'B': break;
		default: return 0;
		}
	return 1;
}

/* The rule at pc, by the entry of its function. */
CT_COLD int ct_p_fde(const unsigned char *p, uint64_t pc, struct ct_rule *rule)
{
	struct ct_cfi c;
	struct ct_in in, cie;
	const unsigned char *id;
	uint64_t start, size;

	memset(&c, 0, sizeof(c));
	if (!ct_p_entry(p, &in))
		return 0;
	id = in.p;
	if (!ct_p_cie(id - ct_p_fixed(&in, 4), &c, &cie))
		return 0;
	start = ct_p_pointer(&in, c.enc);
	size = ct_p_pointer(&in, c.enc & 0x0f);
	if (pc - start >= size)
		return 0;
	size = ct_p_leb(&in, 0);
	in.p = size < (size_t)(in.end - in.p) ? in.p + size : in.end;
	if (!ct_p_run(cie, &c, ~(uint64_t)0))
		return 0;
	c.initial = c.row;
	c.at = start;
	if (!ct_p_run(in, &c, pc))
		return 0;
	if (c.is_signal)
		c.row.base = CT_P_SIGNAL;
	c.row.pc = pc;
	*rule = c.row;
	return 1;
}

/* ---- objects: where the tables are ---- */

/* By the sorted index that linkers put beside the tables (.eh_frame_hdr): pairs of 4 bytes relative
 * to it. */
CT_COLD const unsigned char *ct_p_find_fde(const unsigned char *hdr, uint64_t pc)
{
	struct ct_in in = { hdr + 4, hdr + 4 + 64 };
	uint64_t low = 0, high;
	int32_t pair[2];

	if (hdr[0] != 1 || hdr[3] != 0x3b)
		return NULL;
	ct_p_pointer(&in, hdr[1]);
	high = hdr[2] == 0x03 ? ct_p_fixed(&in, 4) : 0;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		memcpy(pair, in.p + mid * 8, 8);
		if ((uint64_t)(uintptr_t)hdr + (uint64_t)(int64_t)pair[0] <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	memcpy(pair, in.p + (low - 1) * 8, 8);
	return hdr + pair[1];
}

/* What was there when the process attached is taken to stay. */
CT_VAR struct ct_object { uint64_t start, end; const unsigned char *hdr; } ct_objects_[128];
CT_VAR unsigned ct_object_count_ = 0;

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
CT_COLD int ct_p_is_sigreturn(uint64_t pc)
{
#if defined __aarch64__
	uint32_t code[2];

	if (pc & 3 || (pc & 4095) > 4088 || !ct_p_is_there(pc & ~(uint64_t)4095))
		return 0;
	memcpy(code, (const void *)(uintptr_t)pc, 8);
	return code[0] == 0xd2801168 && code[1] == 0xd4000001;
#else
	(void)pc;
	return 0;
#endif
}

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

	while (fd >= 0 && !s->hi && (n = read(fd, text, sizeof(s->frame))) > 0)
		for (i = 0; i < n && !s->hi; i++) {
			int c = text[i],
			    digit = c >= '0' && c <= '9' ? c - '0' :
				c >= 'a' && c <= 'f'     ? c - 'a' + 10 :
							   -1;

			if (c == '\n')
				v[0] = v[1] = 0, field = 0;
			else if (field < 2 && digit >= 0)
				v[field] = v[field] << 4 | (unsigned)digit;
			else if (field < 2 && ++field == 2 && v[0] <= at && at < v[1]) {
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
