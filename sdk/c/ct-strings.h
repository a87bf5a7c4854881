/* ct-strings.h - a part of ct.c: strings, sites and call stacks in the region: append-only, each
 * process remembers what it wrote. */

CT_COLD uint64_t ct_p_hash(const void *data, size_t len, uint64_t h)
{
	const unsigned char *p = (const unsigned char *)data;

	while (len--)
		h = (h ^ *p++) * 0x100000001b3ull;
	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9ull;
	return h ^ (h >> 32);
}

CT_COLD char *ct_p_page(char *at)
{
	return at - (uintptr_t)at % (uintptr_t)sysconf(_SC_PAGESIZE);
}

/* These bytes may be used. Where the kernel gives no more memory than it has, a store that it has no
 * page for raises SIGBUS: there it has to find them now (an older one cannot be asked). */
CT_COLD int ct_p_allow(char *at, uint64_t len)
{
	enum { POPULATE_WRITE = 23 };
	char *from = ct_p_page(at);
	size_t size = (size_t)(at + len - from);

	if (mprotect(from, size, PROT_READ | PROT_WRITE))
		return 0;
	if (!ctp_load(&ct_p_.strict) || !madvise(from, size, POPULATE_WRITE) || errno == EINVAL)
		return 1;
	errno = ENOMEM;
	return 0;
}

CT_COLD int ct_p_box_use(char *at, uint64_t len);

/* May the part's first `end` bytes be used? Each call allows what lies below its own end as well,
 * so that two at once do no harm, and none is taken back. */
CT_COLD int ct_p_open(struct ct_part *part, uint64_t end, uint64_t step)
{
	uint64_t open = ctp_load_acquire(&part->open);
	struct ct_aside was;
	int may;

	if (CT_LIKELY(end <= open))
		return 1;
	end = (end + step - 1) / step * step;
	if (end > part->size)
		end = part->size;
	was = ct_p_aside();
	may = (!ct_p_.box || ct_p_box_use(part->at + open, end - open)) &&
		ct_p_allow(part->at, end);
	ct_p_back(was);
	while (may && open < end &&
		!__atomic_compare_exchange_n(
			&part->open, &open, end, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return may;
}

/* Take `want` of a bounded table whose fill stands at *used; 0 when it has no room. Never
 * overshoots. */
CT_COLD uint64_t ct_p_take64(uint64_t *used, uint64_t want, uint64_t size)
{
	uint64_t at = ctp_load(used);

	do {
		if (at > size || want > size - at)
			return 0;
	} while (!__atomic_compare_exchange_n(
		used, &at, at + want, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return at;
}

CT_COLD int ct_p_take32(uint32_t *used, uint32_t want, uint32_t size, uint32_t *got)
{
	*got = ctp_load(used);
	do {
		if (*got > size || want > size - *got)
			return 0;
	} while (!__atomic_compare_exchange_n(
		used, got, *got + want, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return 1;
}

/* Within the first `size` bytes of the arena. */
CT_COLD uint32_t ct_p_write_text(const void *text, size_t len, uint64_t size)
{
	uint64_t at = ct_p_take64(&ct_p_.hdr->strings_used, (len + 4 + 7) & ~(uint64_t)7, size);
	struct ctp_string *s = (struct ctp_string *)(void *)(ct_p_.strings + at);

	if (!at || at / 8 > UINT32_MAX || !ct_p_open(&ct_p_.string_part, at + len + 4, CT_STEP))
		return 0;
	memcpy((char *)s + offsetof(struct ctp_string, text), text, len);
	/* pairs with the recorder's acquire: the text is whole */
	ctp_store_release(&s->len, (uint32_t)len + 1);
	return (uint32_t)(at / 8);
}

CT_COLD int ct_p_same_text(uint32_t number, const void *text, size_t len)
{
	struct ctp_string *s = (struct ctp_string *)(void *)(ct_p_.strings + (uint64_t)number * 8);

	return ctp_load_acquire(&s->len) == len + 1 &&
		!memcmp((char *)s + offsetof(struct ctp_string, text), text, len);
}

/* The number of what this process has written already, or writes now, within the first `size` bytes
 * of the arena; 0: no room. Where the table is full, a text costs a copy, and a stack counts as
 * without room. */
CT_COLD uint32_t ct_p_intern(
	const void *text, size_t len, uint64_t h, uint64_t *table, uint64_t entries, uint64_t size)
{
	uint64_t entry, none = 0;
	uint32_t number;
	unsigned i;

	for (i = 0; i < CT_PROBES; i++) {
		uint64_t *at = &table[(h + i) % entries];

		entry = ctp_load_acquire(at);
		if (!entry) {
			number = ct_p_write_text(text, len, size);
			/* lost to another thread: its entry may be ours or not; ours is a second
			 * copy, as good */
			if (number)
				__atomic_compare_exchange_n(at, &none, (h >> 32 << 32) | number, 0,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED);
			return number;
		}
		if (entry >> 32 == h >> 32 && ct_p_same_text((uint32_t)entry, text, len))
			return (uint32_t)entry;
	}
	return table == ct_p_.text_table ? ct_p_write_text(text, len, size) : 0;
}

/* The number of a text, 0 for none: version 1 has none. */
CT_COLD uint32_t ct_p_text(const char *text)
{
	uint32_t number;
	size_t len;

	if (!text || ct_p_.v1)
		return 0;
	len = strnlen(text, CT_TEXT_MAX);
	number = ct_p_intern(text, len, ct_p_hash(text, len, 0xcbf29ce484222325ull),
		ct_p_.text_table, CT_TABLE, ct_p_.strings_size);
	if (!number)
		ctp_add(&ct_p_.hdr->lost_no_string, 1);
	return number;
}

/* The number of the call stack from where the program called the probe that returns to `probe`; 0:
 * not to be had. */
CT_COLD uint32_t ct_p_stack(struct ct_writer *me, const void *probe)
{
	int err = errno;
	unsigned i, n = ct_p_walk(&me->stacks, probe);
	uint64_t *frame = me->stacks.frame, h = n;
	uint32_t number, *known;

	errno = err;
	if (!n)
		return 0;
	for (i = 0; i < n; i++)
		h = (h ^ frame[i]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
	i = (unsigned)(h % CT_P_KNOWN);
	known = &me->stacks.known[i].number;
	if (CT_LIKELY(me->stacks.known[i].hash == h && *known &&
		    ct_p_same_text(*known, frame, n * sizeof(*frame))))
		return *known;
	number = ct_p_intern(frame, n * sizeof(*frame), h, ct_p_.stack_table, CT_STACK_TABLE,
		CTP_STACKS_END(ct_p_.strings_size));
	if (!number)
		ctp_add(&me->hdr->lost_no_stack, 1);
	me->stacks.known[i].hash = h;
	*known = number;
	return number;
}

CT_COLD uint32_t ct_p_write_site(uint32_t func, uint32_t file, uint32_t line)
{
	uint32_t i;

	if (!ct_p_take32(&ct_p_.hdr->sites_used, 1, ct_p_.site_count, &i) || !i ||
	    !ct_p_open(&ct_p_.site_part, (i + (uint64_t)1) * sizeof(struct ctp_site), CT_STEP)) {
		ctp_add(&ct_p_.hdr->lost_no_string, 1);
		return 0;
	}
	ct_p_.sites[i].line = line;
	ct_p_.sites[i].func = func;
	ct_p_.sites[i].file = file;
	ctp_store_release(&ct_p_.sites[i].ready, 1);
	return i;
}

CT_COLD uint32_t ct_p_site(const char *func, const char *file, uint32_t line)
{
	uint32_t key[3], number;
	uint64_t h, entry, none = 0;
	unsigned i;

	if (ct_p_.v1)
		return 0;
	key[0] = ct_p_text(func);
	key[1] = ct_p_text(file);
	key[2] = line;
	h = ct_p_hash(key, sizeof(key), 0xcbf29ce484222325ull);
	for (i = 0; i < CT_PROBES; i++) {
		uint64_t *at = &ct_p_.site_table[(h + i) % CT_TABLE];
		struct ctp_site *s;

		entry = ctp_load_acquire(at);
		if (!entry) {
			number = ct_p_write_site(key[0], key[1], line);
			if (number)
				__atomic_compare_exchange_n(at, &none, (h >> 32 << 32) | number, 0,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED);
			return number;
		}
		s = &ct_p_.sites[(uint32_t)entry];
		if (entry >> 32 == h >> 32 && s->func == key[0] && s->file == key[1] &&
			s->line == line)
			return (uint32_t)entry;
	}
	return ct_p_write_site(key[0], key[1], line);
}
