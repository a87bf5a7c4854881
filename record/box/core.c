/* core.c - a box in a core file: the mapping whose first page begins as a box does. What of it was
 * not dumped was never written to, and stays zero. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../complain.h"
#include "../region.h"
#include "box.h"

enum { SEGMENTS = 1 << 20 };

/* The program headers; with more than 65,534 of them their number stands in the first section
 * header. */
static Elf64_Phdr *headers(int fd, const char *path, size_t *count)
{
	Elf64_Ehdr eh;
	Elf64_Shdr sh = { 0 };
	Elf64_Phdr *ph;

	if (pread(fd, &eh, sizeof eh, 0) != (ssize_t)sizeof eh ||
		eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_type != ET_CORE ||
		eh.e_phentsize != sizeof *ph) {
		complain("%s: not a core of a 64-bit program", path);
		return NULL;
	}
	*count = eh.e_phnum;
	if (eh.e_phnum == PN_XNUM) {
		if (pread(fd, &sh, sizeof sh, (off_t)eh.e_shoff) != (ssize_t)sizeof sh)
			sh.sh_info = 0;
		*count = sh.sh_info;
	}
	ph = *count && *count <= SEGMENTS ? malloc(*count * sizeof *ph) : NULL;
	if (ph &&
		pread(fd, ph, *count * sizeof *ph, (off_t)eh.e_phoff) ==
			(ssize_t)(*count * sizeof *ph))
		return ph;
	complain("%s: cut: its program headers cannot be read", path);
	free(ph);
	return NULL;
}

/* The segment that a box begins in: NULL: none. */
static const Elf64_Phdr *find(int fd, const Elf64_Phdr *ph, size_t count, struct ctp_header *h)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_filesz >= sizeof *h &&
			pread(fd, h, sizeof *h, (off_t)ph[i].p_offset) == (ssize_t)sizeof *h &&
			h->magic == CTP_MAGIC && h->v2_magic == CTP2_MAGIC &&
			h->v2_minor == CTP2_MINOR_BOX)
			return &ph[i];
	return NULL;
}

/* A segment's part of the box, its holes left out: a hole of a sparse core may be larger than the
 * memory. false: the core is cut. */
static bool take(int fd, const Elf64_Phdr *ph, uint64_t start, char *base, uint64_t size)
{
	uint64_t to = ph->p_vaddr - start,
		 len = ph->p_filesz < size - to ? ph->p_filesz : size - to;
	off_t at = (off_t)ph->p_offset, end = at + (off_t)len, hole;

	while (at < end && (at = lseek(fd, at, SEEK_DATA)) >= 0 && at < end) {
		hole = lseek(fd, at, SEEK_HOLE);
		if (hole < 0 || hole > end)
			hole = end;
		while (at < hole) {
			ssize_t n = pread(fd, base + to + (uint64_t)(at - (off_t)ph->p_offset),
				(size_t)(hole - at), at);

			if (n <= 0)
				return false;
			at += n;
		}
	}
	return at >= 0 || errno == ENXIO;
}

/* Segments that cover each other, in memory or in the file, are of no core that a kernel wrote: a
 * small file could go on for ever, and fill all the memory. */
static bool whole(
	int fd, const Elf64_Phdr *ph, size_t count, uint64_t start, char *base, uint64_t size)
{
	struct stat st;
	bool all = fstat(fd, &st) == 0;
	uint64_t end = 0, left = all ? (uint64_t)st.st_size : 0, to;
	size_t i;

	for (i = 0; i < count; i++) {
		to = ph[i].p_vaddr - start;
		if (ph[i].p_type != PT_LOAD || !ph[i].p_filesz || ph[i].p_vaddr < start ||
			to >= size)
			continue;
		all = all && to >= end && ph[i].p_filesz <= left &&
			ph[i].p_offset <= (uint64_t)st.st_size - ph[i].p_filesz &&
			take(fd, &ph[i], start, base, size);
		end = to + ph[i].p_filesz;
		left -= all ? ph[i].p_filesz : 0;
	}
	return all;
}

/* Then nobody knows what was in it. */
static bool is_cut(int fd, const Elf64_Phdr *ph, size_t count)
{
	struct stat st;
	bool all = fstat(fd, &st) == 0;
	size_t i;

	for (i = 0; i < count && all; i++)
		all = ph[i].p_type != PT_LOAD || !ph[i].p_filesz ||
			(ph[i].p_filesz <= (uint64_t)st.st_size &&
				ph[i].p_offset <= (uint64_t)st.st_size - ph[i].p_filesz);
	return !all;
}

static bool image_of_core(struct region *r, int fd, const char *path)
{
	const Elf64_Phdr *first;
	struct ctp_header h;
	Elf64_Phdr *ph;
	size_t count;
	bool ok = false;
	char *base;

	if (!(ph = headers(fd, path, &count)))
		return false;
	first = find(fd, ph, count, &h);
	if (!first) {
		complain(is_cut(fd, ph, count) ?
				"%s: the core is cut, and what is there has no box" :
				"%s: no box in this core: had the program one (CTP_BOX)?",
			path);
	} else if (h.file_size > 1ull << 40 || !image_check(&h, h.file_size, path)) {
		ok = false;
	} else if ((base = mmap(NULL, h.file_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) == MAP_FAILED) {
		complain("%s: no memory for %llu bytes", path, (unsigned long long)h.file_size);
	} else if (!whole(fd, ph, count, first->p_vaddr, base, h.file_size)) {
		complain("%s: the core is cut", path);
	} else {
		memcpy(base, &h, sizeof h);
		image_use(r, base, &h);
		ok = true;
	}
	free(ph);
	return ok;
}

bool image_of_file(struct region *r, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char magic[8] = { 0 };
	struct stat st;
	bool ok = false;

	r->fd = -1;
	r->still = true;
	if (fd < 0 || fstat(fd, &st) < 0) {
		complain("%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (!S_ISREG(st.st_mode))
		complain("%s: not a regular file: neither a box nor a core", path);
	else if (pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
		memcmp(magic, ELFMAG, SELFMAG) == 0)
		ok = image_of_core(r, fd, path);
	else if (memcmp(magic, &(uint64_t){ CTP_MAGIC }, sizeof magic) == 0)
		ok = image_of_process(r, fd, path);
	else
		complain("%s: neither a box nor a core", path);
	close(fd);
	return ok;
}
