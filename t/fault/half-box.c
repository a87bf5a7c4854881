/* half-box.c - preloaded: a program that makes a box stops on the way, where its memory has no size yet and where nothing is in
 * it yet. There it creates a file, `empty` and `blank`, and goes on when that is gone, or after half a minute. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static void stop_at(const char *name)
{
	int tries = 3000;

	close(open(name, O_CREAT | O_WRONLY, 0600));
	while (access(name, F_OK) == 0 && tries-- > 0)
		usleep(10000);
}

static int cut(const char *function, int fd, off_t size)
{
	int (*real)(int, off_t) = (int (*)(int, off_t))dlsym(RTLD_NEXT, function);

	if (size > 1 << 20)		/* the flag's page is smaller */
		stop_at("empty");
	return real(fd, size);
}

int ftruncate(int fd, off_t size) { return cut("ftruncate", fd, size); }
int ftruncate64(int fd, off_t size) { return cut("ftruncate64", fd, size); }

int madvise(void *at, size_t size, int how)
{
	static int once;
	int (*real)(void *, size_t, int) = (int (*)(void *, size_t, int))dlsym(RTLD_NEXT, "madvise");

	if (how == MADV_DODUMP && !__atomic_exchange_n(&once, 1, __ATOMIC_RELAXED))
		stop_at("blank");
	return real(at, size, how);
}
