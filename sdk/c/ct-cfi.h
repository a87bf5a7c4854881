/* ct-cfi.h - a part of ct.c: a reader of DWARF's call frame information, as compilers write it into
 * .eh_frame: for an address in code, where its caller's frame lies and what was saved in it. It
 * trusts these tables, but never reads past an entry.
 */

#if defined __x86_64__
enum { CT_P_SP = 7, CT_P_FP = 6, CT_P_RA = 16 };	/* DWARF's numbers of the registers */
#elif defined __aarch64__
enum { CT_P_SP = 31, CT_P_FP = 29, CT_P_RA = 30 };
#else
enum { CT_P_SP = -1, CT_P_FP = -2, CT_P_RA = -3 };	/* no code has these: no stack */
#endif

struct ct_in { const unsigned char *p, *end; };

CT_COLD uint64_t ct_p_fixed(struct ct_in *in, unsigned size)
{
	uint64_t word = 0;

	if ((size_t)(in->end - in->p) < size) {
		in->p = in->end;
		return 0;
	}
	memcpy(&word, in->p, size);
	in->p += size;
	return word;
}

/* A number in 7 bits a byte, the first byte its lowest; of 10 bytes at most. */
CT_COLD uint64_t ct_p_uleb(struct ct_in *in)
{
	uint64_t v = 0;
	unsigned shift = 0, byte = 0x80;

	for (; byte & 0x80 && in->p < in->end && shift < 70; shift += 7) {
		byte = *in->p++;
		v |= (uint64_t)(byte & 0x7f) << shift;
	}
	return v;
}

/* The same, with the sign in the last byte's bit 6. */
CT_COLD int64_t ct_p_sleb(struct ct_in *in)
{
	const unsigned char *begin = in->p;
	uint64_t v = ct_p_uleb(in);
	unsigned shift = 7 * (unsigned)(in->p - begin);

	return (int64_t)(shift && shift < 64 && in->p[-1] & 0x40 ? v | ~(uint64_t)0 << shift : v);
}

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
	uint64_t len = ct_p_uleb(in);
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
		ct_p_save(&c->row, low, CT_P_AT_CFA, (int64_t)ct_p_uleb(in) * c->data_align);
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
	case 0x0e: c->row.cfa = (int32_t)ct_p_uleb(in); return 1;
	case 0x13: c->row.cfa = (int32_t)(ct_p_sleb(in) * c->data_align); return 1;
	/* def_cfa_expression */
	case 0x0f:
		known = ct_p_expression(in, 1, &off);
		c->row.base = known && off == (int32_t)off ? CT_P_AT_FP : CT_P_OTHER;
		c->row.cfa = (int32_t)off;
		return 1;
	/* negate_ra_state, of aarch64 */
	case 0x2d: return 1;
	case 0x2e: ct_p_uleb(in); return 1;					/* GNU_args_size */
	}
	reg = ct_p_uleb(in);
	switch (op) {
	case 0x05:
		ct_p_save(&c->row, reg, CT_P_AT_CFA, (int64_t)ct_p_uleb(in) * c->data_align);
		return 1;
	case 0x11: ct_p_save(&c->row, reg, CT_P_AT_CFA, ct_p_sleb(in) * c->data_align); return 1;
	case 0x2f:
		ct_p_save(&c->row, reg, CT_P_AT_CFA, -(int64_t)ct_p_uleb(in) * c->data_align);
		return 1;
	case 0x06: ct_p_restore(c, reg); return 1;
	case 0x07: ct_p_save(&c->row, reg, CT_P_LOST, 0); return 1;		/* undefined */
	case 0x08: ct_p_save(&c->row, reg, CT_P_KEPT, 0); return 1;		/* same_value */
	/* register, val_offset */
	case 0x09: case 0x14: ct_p_uleb(in); ct_p_save(&c->row, reg, CT_P_LOST, 0); return 1;
	case 0x15: ct_p_sleb(in); ct_p_save(&c->row, reg, CT_P_LOST, 0); return 1;
	case 0x0c: ct_p_cfa(&c->row, reg, (int64_t)ct_p_uleb(in)); return 1;
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
	c->code_align = ct_p_uleb(code);
	c->data_align = ct_p_sleb(code);
	if ((version == 1 ? ct_p_fixed(code, 1) : ct_p_uleb(code)) != (uint64_t)CT_P_RA)
		return 0;
	ct_p_uleb(code);		/* length of what the letters stand for */
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
	size = ct_p_uleb(&in);
	if (size > (size_t)(in.end - in.p))
		return 0;
	in.p += size;
	if (!ct_p_run(cie, &c, UINT64_MAX))
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

/* By the sorted index that linkers put beside the tables (.eh_frame_hdr): the tables' address, a count
 * and pairs, 4 bytes each, relative to it. No linker writes another form. */
CT_COLD const unsigned char *ct_p_find_fde(const unsigned char *hdr, uint64_t pc)
{
	uint32_t low = 0, high;
	int32_t pair[2];

	if (memcmp(hdr, "\x01\x1b\x03\x3b", 4))
		return NULL;
	memcpy(&high, hdr + 8, 4);
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		memcpy(pair, hdr + 12 + mid * (size_t)8, 8);
		if ((uint64_t)(uintptr_t)hdr + (uint64_t)(int64_t)pair[0] <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	memcpy(pair, hdr + 12 + (low - 1) * (size_t)8, 8);
	return hdr + pair[1];
}
