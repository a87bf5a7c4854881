/* files.c - only regular files are opened for reading: by this program, and by elfutils within it.
 *
 * What a process has mapped, and the debug information that its files name, lie where whoever owns
 * the process wants: to open a FIFO that stands there would wait for ever, to open a device may do
 * something. And elfutils believes how long a compressed section says that it becomes: of a file of
 * 14 MB it can be 14 GB. See opens.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sum.h"
#include "snap.h"

/* What debug information is in there becomes two to ten times as long. */
enum { SWELLS_MOST = 64 };
#define SWELLS_ANYHOW (UINT64_C(64) << 20)

/* How long it becomes: of one that is marked, or has a name as of old. */
static uint64_t unpacked(Elf *elf, Elf_Scn *scn, int fd)
{
	static const char old[] = ".zdebug_", magic[] = "ZLIB";
	unsigned char head[12];
	const char *name;
	uint64_t n = 0;
	GElf_Shdr s;
	GElf_Chdr c;
	size_t names;

	if (gelf_getchdr(scn, &c))
		return c.ch_size;
	if (elf_getshdrstrndx(elf, &names) || !gelf_getshdr(scn, &s) ||
		!(name = elf_strptr(elf, names, s.sh_name)) || strncmp(name, old, strlen(old)) ||
		pread(fd, head, sizeof(head), (off_t)s.sh_offset) != sizeof(head) ||
		memcmp(head, magic, strlen(magic)))
		return 0;
	for (size_t i = strlen(magic); i < sizeof(head); i++)
		n = n << 8 | head[i];
	return n;
}

static bool swells(int fd, uint64_t size)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	uint64_t all = 0;

	for (Elf_Scn *scn = NULL; elf && (scn = elf_nextscn(elf, scn));)
		all = sum(all, unpacked(elf, scn, fd));
	elf_end(elf);
	return all > SWELLS_ANYHOW && all / SWELLS_MOST > size;
}

/* Looked at by a descriptor that opens nothing, and then that very file opened: nobody can put
 * another in its place between. */
static int open_regular(const char *path)
{
	int fd = -1, error, seen = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);
	char link[32];
	struct stat st;

	if (seen < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", seen);
	if (fstat(seen, &st) || !S_ISREG(st.st_mode))
		errno = EINVAL;
	else
		fd = openat(AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && swells(fd, (uint64_t)st.st_size)) {
		static bool said;

		if (!said)
			note("a file is left out: its compressed sections become more than %d times its size\n",
				SWELLS_MOST);
		said = true;
		close(fd);
		fd = -1;
		errno = EFBIG;
	}
	error = errno;
	close(seen);
	errno = error;
	return fd;
}

static int guarded(const char *path, int flags, unsigned mode)
{
	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_DIRECTORY | O_PATH)))
		return open_regular(path);
	return openat(AT_FDCWD, path, flags, mode);
}

#include "opens.h"
