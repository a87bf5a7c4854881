/* fail.c - preloaded: the Nth call of a program to any of the functions below fails, and no other.
 *
 *	FAIL_N=N FAIL_PROG=ct-stuck LD_PRELOAD=./fail.so ct-stuck <trace
 *
 * FAIL_PROG: in the program of that name only, and in what it forks until that becomes another program. FAIL_CALL: only
 * calls of that function count. FAIL_COUNT: how many calls there were is written to that file at exit. FAIL_WHICH: the name
 * of the function that failed is written to that file.
 *
 * FAIL_BUT: not calls by libraries whose file's name begins so: "libdw libelf".
 * FAIL_STDOUT: if it is "fd", standard output stays what it is, for a program that writes to its descriptor.
 *
 * Else standard output is made a stream of ours, so that what a failing write does to it (ferror, what stays in the buffer) is
 * libc's own doing. Calls that libc makes within itself are not seen, but its allocations are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long count;
static long fail_n;
static const char *only, *which;
static bool on;
static __thread bool finding __attribute__((tls_model("initial-exec")));	/* others may be at it in other threads */

static struct range { uintptr_t start, end; } spared[8];
static size_t spared_count;

static int spare(struct dl_phdr_info *info, size_t size, void *names)
{
	const char *slash = strrchr(info->dlpi_name, '/'), *file = slash ? slash + 1 : info->dlpi_name;
	size_t len = strcspn(file, ".-");
	char name[64];

	(void)size;
	snprintf(name, sizeof(name), "%.*s", (int)len, file);
	for (int i = 0; *name && strstr(names, name) && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X && spared_count < 8)
			spared[spared_count++] = (struct range){ info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
				info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz };
	return 0;
}

static bool is_spared(uintptr_t caller)
{
	for (size_t i = 0; i < spared_count; i++)
		if (caller - spared[i].start < spared[i].end - spared[i].start)
			return true;
	return false;
}

#define fails(name, error) fails_for((uintptr_t)__builtin_return_address(0), name, error)
static bool fails_for(uintptr_t caller, const char *name, int error)
{
	int fd;

	if (!on || finding || is_spared(caller) || (only && strcmp(only, name)) || atomic_fetch_add(&count, 1) + 1 != fail_n)
		return false;
	if (which) {
		fd = openat(AT_FDCWD, which, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dprintf(fd, "%s\n", name);
		close(fd);
	}
	errno = error;
	return true;
}

static void *find(void **function, const char *name)
{
	finding = true;
	if (!*function)
		*function = dlsym(RTLD_NEXT, name);
	finding = false;
	return *function;
}

/* The real function, of the same type. What finding it allocates does not count. */
#define REAL(name) ({ static void *real_##name; (__typeof__(&name))find(&real_##name, #name); })
#define WRAP(type, name, bad, error, params, args) \
	type name params { return fails(#name, error) ? bad : REAL(name) args; }

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
void *malloc(size_t n) { return fails("malloc", ENOMEM) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t s) { return fails("calloc", ENOMEM) ? NULL : __libc_calloc(n, s); }
void *realloc(void *p, size_t n) { return fails("realloc", ENOMEM) ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n) { return fails("aligned_alloc", ENOMEM) ? NULL : __libc_memalign(a, n); }

WRAP(void *, mmap, MAP_FAILED, ENOMEM, (void *a, size_t n, int p, int f, int d, off_t o), (a, n, p, f, d, o))
/* Not to standard error: that it is closed cannot be said there. */
ssize_t write(int d, const void *b, size_t n) { return d != 2 && fails("write", ENOSPC) ? -1 : REAL(write)(d, b, n); }
WRAP(ssize_t, read, -1, EIO, (int d, void *b, size_t n), (d, b, n))
WRAP(ssize_t, pread, -1, EIO, (int d, void *b, size_t n, off_t o), (d, b, n, o))
WRAP(off_t, lseek, -1, EINVAL, (int d, off_t o, int w), (d, o, w))
WRAP(ssize_t, readlink, -1, EACCES, (const char *p, char *b, size_t n), (p, b, n))
WRAP(int, socket, -1, EMFILE, (int d, int t, int p), (d, t, p))
WRAP(int, socketpair, -1, EMFILE, (int d, int t, int p, int e[2]), (d, t, p, e))
WRAP(int, bind, -1, EADDRINUSE, (int d, const struct sockaddr *a, socklen_t n), (d, a, n))
WRAP(int, listen, -1, EADDRINUSE, (int d, int n), (d, n))
WRAP(int, accept4, -1, EMFILE, (int d, struct sockaddr *a, socklen_t *n, int f), (d, a, n, f))
WRAP(int, getsockopt, -1, EINVAL, (int d, int l, int o, void *v, socklen_t *n), (d, l, o, v, n))
WRAP(int, ftruncate, -1, ENOSPC, (int d, off_t n), (d, n))
WRAP(int, memfd_create, -1, EMFILE, (const char *n, unsigned f), (n, f))
WRAP(int, pipe, -1, EMFILE, (int d[2]), (d))
WRAP(int, pipe2, -1, EMFILE, (int d[2], int f), (d, f))
WRAP(pid_t, fork, -1, EAGAIN, (void), ())
WRAP(int, setenv, -1, ENOMEM, (const char *n, const char *v, int o), (n, v, o))
WRAP(char *, mkdtemp, NULL, EACCES, (char *t), (t))
WRAP(int, dup, -1, EMFILE, (int a), (a))
WRAP(int, dup2, -1, EMFILE, (int a, int b), (a, b))
WRAP(int, poll, -1, EINTR, (struct pollfd *f, nfds_t n, int t), (f, n, t))
WRAP(int, ppoll, -1, EINTR, (struct pollfd *f, nfds_t n, const struct timespec *t, const sigset_t *s), (f, n, t, s))
WRAP(int, fstat, -1, EIO, (int d, struct stat *s), (d, s))
WRAP(int, execvp, -1, EACCES, (const char *f, char *const *a), (f, a))
WRAP(FILE *, fopen, NULL, EMFILE, (const char *n, const char *m), (n, m))
WRAP(FILE *, fdopen, NULL, ENOMEM, (int d, const char *m), (d, m))
WRAP(FILE *, tmpfile, NULL, ENOSPC, (void), ())
WRAP(FILE *, popen, NULL, EMFILE, (const char *c, const char *m), (c, m))
WRAP(ssize_t, getline, -1, EIO, (char **l, size_t *n, FILE *f), (l, n, f))
WRAP(int, pthread_create, EAGAIN, EAGAIN, (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x), (t, a, f, x))

int open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	return fails("open", EMFILE) ? -1 : REAL(open)(path, flags, mode);
}

static ssize_t write_stdout(void *cookie, const char *text, size_t n)
{
	(void)cookie;
	return fails("stdout", ENOSPC) ? 0 : REAL(write)(1, text, n);
}

__attribute__((constructor)) static void begin(void)
{
	const char *n = getenv("FAIL_N"), *prog = getenv("FAIL_PROG"), *out = getenv("FAIL_STDOUT");

	only = getenv("FAIL_CALL");
	which = getenv("FAIL_WHICH");
	fail_n = n ? atol(n) : 0;
	if (prog && strcmp(prog, program_invocation_short_name))
		return;
	if (!out || strcmp(out, "fd"))
		stdout = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_stdout });
	if (getenv("FAIL_BUT"))
		dl_iterate_phdr(spare, getenv("FAIL_BUT"));
	on = true;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	int fd;

	fflush(stdout);
	if (!on || !path)
		return;
	on = false;
	fd = openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dprintf(fd, "%ld\n", atomic_load(&count));
	close(fd);
}
