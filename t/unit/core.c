/* core.c - a box in a core file (record/box/core.c): which file is taken for what, which headers and segments are read, and what of them lies in
 * memory then. A core of a kernel's is in boxes.c.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../record/complain.h"
#include "../../record/region.h"
#include "../../record/box/box.h"
#include "tap.h"
#include "told.h"

enum { PAGE = 4096, SIZE = 6 * PAGE, MOST = 1 << 20 };
static struct {
	bool no_memory, no_hole, no_data, strange;
	int left;			/* so many blocks are not freed */
	ssize_t reads;			/* so many bytes at a time; 0: all */
	size_t headers;
	int holes;
	struct ctp_header used;
} world;

static off_t world_lseek(int fd, off_t at, int whence)
{
	world.holes += whence == SEEK_HOLE;
	if (whence == SEEK_DATA && world.no_data)
		return errno = EINVAL, -1;
	return whence == SEEK_HOLE && world.no_hole ? -1 : lseek(fd, at, whence);
}

static ssize_t world_pread(int fd, void *to, size_t n, off_t at)
{
	if (n == world.headers * sizeof(Elf64_Phdr) && world.headers)
		return (ssize_t)n;		/* as many as that */
	if (world.reads < 0 && n > sizeof(struct ctp_header))
		return 0;
	return pread(fd, to, world.reads && n > sizeof(struct ctp_header) ? (size_t)world.reads : n, at);
}

/* Whoever reads behind the headers finds one more, of the box. */
static void *world_malloc(size_t n)
{
	char *p = calloc(1, n + sizeof(Elf64_Phdr));

	*(Elf64_Phdr *)(p + n) = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0x10000, .p_offset = PAGE, .p_filesz = PAGE };
	world.left++;
	return p;
}

static void *world_mmap(size_t size, int flags, int fd)
{
	if (fd != -1 || flags != (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE))
		tell("mmap? ");
	return world.no_memory ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define image_check(h, size, what) ((size) == (h)->file_size && !world.strange ? true : (tell("strange|"), false))
#define image_use(r, at, h) (world.used = *(h), (r)->base = (at))
#define image_of_process(r, fd, what) (tell("box %s|", what), true)
#define lseek(fd, at, whence) world_lseek(fd, at, whence)
#define pread(fd, to, n, at) world_pread(fd, to, n, at)
#define mmap(at, size, prot, flags, fd, off) world_mmap(size, flags, fd)
#define malloc(n) world_malloc(n)
#define free(p) (world.left -= (p) != NULL, free(p))
#include "../../record/box/core.c"
#undef lseek
#undef pread
#undef mmap
#undef malloc
#undef free

/* A page of headers, then the box's, of which each says which it is. */
static struct file {
	Elf64_Ehdr eh;
	Elf64_Shdr sh;
	Elf64_Phdr ph[8];
	char rest[PAGE - sizeof(Elf64_Ehdr) - sizeof(Elf64_Shdr) - 8 * sizeof(Elf64_Phdr)];
	struct ctp_header box;
	char to_its_page[PAGE - sizeof(struct ctp_header)], page[5][PAGE], behind[PAGE];
} core;
enum { AT = 0x10000 };

static Elf64_Phdr load(uint64_t at, uint64_t offset, uint64_t size)
{
	return (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = AT + at, .p_offset = offset, .p_filesz = size, .p_memsz = size };
}

static void fresh(void)
{
	memset(&world, 0, sizeof world);
	memset(&core, 0, sizeof core);
	told[0] = '\0';
	memcpy(core.eh.e_ident, ELFMAG, SELFMAG);
	core.eh.e_ident[EI_CLASS] = ELFCLASS64;
	core.eh.e_type = ET_CORE;
	core.eh.e_phentsize = sizeof *core.ph;
	core.eh.e_phoff = offsetof(struct file, ph);
	core.eh.e_shoff = offsetof(struct file, sh);
	core.eh.e_phnum = 4;
	core.ph[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = PAGE, .p_filesz = PAGE };
	core.ph[1] = load(0, PAGE, PAGE);
	core.ph[2] = load(PAGE, 2 * PAGE, 2 * PAGE);
	core.ph[3] = load(4 * PAGE, 5 * PAGE, 2 * PAGE);
	core.box = (struct ctp_header){ .magic = CTP_MAGIC, .version = CTP_VERSION, .v2_magic = CTP2_MAGIC, .v2_minor = CTP2_MINOR_BOX, .file_size = SIZE };
	for (int i = 0; i < 5; i++)
		memset(core.page[i], i < 3 ? 'a' + i : 'a' + i - 1, PAGE);
	memset(core.page[2], 0, PAGE);		/* is not in it */
	memset(core.behind, 'z', PAGE);
}

static bool reads(size_t size, struct region *r)
{
	int fd = memfd_create("core", 0), above = dup(2), lowest;
	char path[64];
	bool good;

	*r = (struct region){ .fd = 9 };
	if (write(fd, &core, size) != (ssize_t)size)
		exit(99);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	good = image_of_file(r, path);
	if ((lowest = dup(2)) != above + 1)
		tell("left open ");
	close(lowest);
	close(fd);
	if (r->fd != -1 || !r->still)
		tell("fd? ");
	if ((lowest = dup(2)) != fd)
		tell("open? ");
	close(lowest);
	close(above);
	if (world.left)
		tell("left %d ", world.left);
	for (char *at; (at = strstr(told, path)); )
		memmove(at, at + strlen(path), strlen(at + strlen(path)) + 1);
	return good;
}

/* As it is in memory: its header, a a b b d d, by the page; and nothing behind. */
static bool is_page(const struct region *r, int i, char c)
{
	for (int k = 0; k < PAGE; k++)
		if (r->base[i * PAGE + k] != c)
			return false;
	return true;
}
#define READS(size) (reads(size, &r) && is(""))
#define REFUSES(size, what) (!reads(size, &r) && is(what))
#define WHOLE (is_page(&r, 1, 'a') && is_page(&r, 2, 'b') && is_page(&r, 3, 0) && is_page(&r, 4, 'c') && is_page(&r, 5, 'd') && \
	!memcmp(r.base, &core.box, sizeof core.box))
#define NOT_64 ": not a core of a 64-bit program|"
#define CUT ": cut: its program headers cannot be read|"

static void files(void)
{
	struct region r = { 0 };

	fresh();
	core.eh.e_ident[0] = 'x';
	ok(REFUSES(sizeof core, ": neither a box nor a core|"), "a file");
	ok(REFUSES(7, ": neither a box nor a core|") && REFUSES(0, ": neither a box nor a core|"), "a short one");
	fresh();
	ok(REFUSES(7, ": neither a box nor a core|"), "not so much as a magic");
	memcpy(&core, &(uint64_t){ CTP_MAGIC }, 8);
	ok(reads(100, &r) && is("box |"), "a box");
	ok(!image_of_file(&r, "/nonexistent") && is("/nonexistent: No such file or directory|"), "none");
	ok(!image_of_file(&r, "/dev/null") && is("/dev/null: not a regular file: neither a box nor a core|"), "a device");
}

static void headers_(void)
{
	struct region r;

	fresh();
	ok(READS(sizeof core) && WHOLE && !memcmp(&world.used, &core.box, sizeof core.box), "a core");
	ok(REFUSES(sizeof core.eh - 1, NOT_64), "cut in its header");
	core.eh.e_ident[EI_CLASS]++;
	ok(REFUSES(sizeof core, NOT_64), "of another class");
	fresh(), core.eh.e_type++;
	ok(REFUSES(sizeof core, NOT_64), "no core");
	fresh(), core.eh.e_phentsize++;
	ok(REFUSES(sizeof core, NOT_64), "of other headers");
	fresh();
	ok(REFUSES(offsetof(struct file, ph) + 4 * sizeof *core.ph - 1, CUT), "cut in those");
	fresh(), core.eh.e_phnum = 0;
	ok(REFUSES(sizeof core, CUT), "without any");
	fresh(), core.eh.e_phnum = PN_XNUM, core.sh.sh_info = 4;
	ok(READS(sizeof core) && WHOLE, "with their number elsewhere");
	core.eh.e_shoff = sizeof core - sizeof core.sh;
	memcpy(core.behind + sizeof core.behind - sizeof core.sh, &core.sh, sizeof core.sh);
	ok(READS(sizeof core) && WHOLE, "at its end");
	ok(REFUSES(sizeof core - 1, CUT), "and not beyond it");
	for (uint32_t n = MOST; n <= MOST + 1; n++) {
		fresh(), core.eh.e_phnum = PN_XNUM, core.sh.sh_info = n;
		world.headers = n;
		ok(REFUSES(sizeof core, n > MOST ? CUT : ": no box in this core: had the program one (CTP_BOX)?|"), "%u of them", n);
	}
}

static void boxes(void)
{
	struct region r;

	fresh(), core.ph[1].p_type = PT_NOTE;
	ok(REFUSES(sizeof core, ": no box in this core: had the program one (CTP_BOX)?|"), "no segment");
	fresh(), core.box.magic++;
	ok(REFUSES(sizeof core, ": no box in this core: had the program one (CTP_BOX)?|"), "another's");
	fresh(), core.box.v2_magic++;
	ok(REFUSES(sizeof core, ": no box in this core: had the program one (CTP_BOX)?|"), "not ready");
	fresh(), core.box.v2_minor++;
	ok(REFUSES(sizeof core, ": no box in this core: had the program one (CTP_BOX)?|"), "a recorder's");
	fresh(), core.ph[1].p_filesz = sizeof core.box - 1;
	ok(REFUSES(sizeof core, ": no box in this core: had the program one (CTP_BOX)?|"), "less than its header");
	fresh(), core.ph[1].p_filesz = sizeof core.box;
	ok(READS(sizeof core) && WHOLE, "no more than its header");
	fresh();
	core.eh.e_phnum = 1;
	core.ph[0] = load(0, PAGE, 2 * PAGE);
	ok(READS(sizeof core) && is_page(&r, 1, 'a') && is_page(&r, 2, 0) && is_page(&r, 5, 0), "in the first segment; the others were never written to");
	ok(REFUSES(PAGE + sizeof core.box - 1, ": the core is cut, and what is there has no box|"), "cut in its header");
	fresh(), core.box.magic++;
	ok(REFUSES(7 * PAGE, ": no box in this core: had the program one (CTP_BOX)?|"), "none, and not cut");
	ok(REFUSES(7 * PAGE - 1, ": the core is cut, and what is there has no box|"), "cut by a byte");
	core.ph[3].p_offset = -PAGE;
	ok(REFUSES(sizeof core, ": the core is cut, and what is there has no box|"), "beyond any end");
	core.ph[3].p_filesz = 0;
	ok(REFUSES(sizeof core, ": no box in this core: had the program one (CTP_BOX)?|"), "nothing there");
	fresh(), world.strange = true;
	ok(REFUSES(sizeof core, "strange|"), "that makes no sense");
	fresh(), world.no_memory = true;
	ok(REFUSES(sizeof core, ": no memory for 24576 bytes|"), "too large");
	core.box.file_size = 1ull << 40;
	ok(REFUSES(sizeof core, ": no memory for 1099511627776 bytes|"), "as large as may be");
	core.box.file_size++;
	ok(REFUSES(sizeof core, ""), "larger");
}

#define IS_CUT ": the core is cut|"
static void segments(void)
{
	struct region r;

	fresh(), core.ph[3].p_filesz = 3 * PAGE;
	ok(READS(sizeof core) && WHOLE, "more than the box");
	core.ph[4] = load(SIZE, 7 * PAGE, PAGE), core.ph[5] = load(-PAGE, 7 * PAGE, PAGE), core.eh.e_phnum = 6;
	ok(READS(sizeof core) && WHOLE, "behind it, before it");
	fresh(), core.ph[2].p_filesz = 0, core.ph[2].p_offset = 1 << 30;
	ok(READS(sizeof core) && is_page(&r, 1, 0) && is_page(&r, 4, 'c'), "nothing of a segment");
	fresh(), core.ph[3].p_filesz = PAGE, core.ph[3].p_type = PT_NOTE;
	ok(READS(sizeof core) && is_page(&r, 4, 0), "no memory");
	fresh(), core.ph[3].p_offset = 7 * PAGE + 1, core.ph[3].p_filesz = PAGE;
	ok(REFUSES(sizeof core, IS_CUT), "cut by one byte");
	core.ph[3].p_offset--;
	ok(READS(sizeof core) && is_page(&r, 4, 'z'), "not cut");
	core.ph[3].p_filesz = sizeof core + 1, core.ph[3].p_offset = 0;
	ok(REFUSES(sizeof core, IS_CUT), "longer than the core");
	core.ph[2].p_filesz = 0, core.ph[3].p_filesz -= PAGE + 1;
	ok(READS(sizeof core), "as long as that, but for the box's first");
	core.ph[3].p_filesz++;
	ok(REFUSES(sizeof core, IS_CUT), "more than that together");
	fresh(), core.ph[3].p_filesz = 1, core.ph[4] = load(4 * PAGE + 1, 0, sizeof core - 3 * PAGE - 1), core.eh.e_phnum = 5;
	ok(READS(sizeof core), "some bytes twice, not more than there are");
	core.ph[4].p_filesz++;
	ok(REFUSES(sizeof core, IS_CUT), "more");
	fresh(), core.ph[3].p_vaddr = AT + 3 * PAGE, core.ph[3].p_filesz = 1;
	ok(READS(sizeof core) && r.base[3 * PAGE] == 'c' && !r.base[3 * PAGE + 1], "where the one before ends");
	core.ph[3].p_vaddr--;
	ok(REFUSES(sizeof core, IS_CUT), "before it ends");
	fresh(), core.ph[2] = core.ph[3];
	ok(REFUSES(sizeof core, IS_CUT), "twice");
	fresh(), world.reads = 1000;
	ok(READS(sizeof core) && WHOLE, "read in parts");
	fresh(), world.reads = -1;
	ok(REFUSES(sizeof core, IS_CUT), "cut while it is read");
	fresh(), world.no_hole = true;
	ok(READS(sizeof core) && WHOLE, "on what knows of no holes");
	fresh(), world.no_data = true;
	ok(REFUSES(sizeof core, IS_CUT), "on what fails");
}

/* A core of holes: what lies behind its last data is none. */
static void holes(void)
{
	int fd = memfd_create("core", 0);
	char path[64];
	struct region r;

	fresh();
	core.ph[3].p_filesz = PAGE;		/* a hole follows */
	core.ph[4] = load(5 * PAGE, 9 * PAGE, PAGE), core.eh.e_phnum = 5;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (pwrite(fd, &core, 4 * PAGE, 0) < 0 || ftruncate(fd, 20 * PAGE))
		exit(99);
	ok(image_of_file(&r, path) && is("") && is_page(&r, 1, 'a') && is_page(&r, 2, 'b') && is_page(&r, 4, 0) && is_page(&r, 5, 0), "holes");
	ok(world.holes == 2, "are not looked into");
	if (pwrite(fd, "q", 1, 12 * PAGE) < 0)
		exit(99);
	world.holes = 0;
	ok(image_of_file(&r, path) && is("") && is_page(&r, 4, 0) && is_page(&r, 5, 0) && world.holes == 2, "nor what lies behind the segments");
	close(fd);
}

int main(void)
{
	alarm(100);
	files();
	headers_();
	boxes();
	segments();
	holes();
	return done_testing();
}
