/* frames.c - call stacks for people: functions by name, and which of them say nothing. Contracts in
 * cttrace/model.h. */
#include <string.h>

#include "cttrace.h"

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool ends(const char *s, const char *tail)
{
	size_t len = strlen(s), n = strlen(tail);

	return len >= n && !strcmp(s + len - n, tail);
}

/* Of tokio, what can be awaited says something: futures, by their implementation of poll, and async
 * functions. */
static bool is_tokio_inside(const char *func, const char *whole)
{
	static const char *const parts[] = {
		"tokio::runtime::", "tokio::task::", "tokio::util::", "tokio::loom::"
	};

	if (!begins(func, "tokio::") || begins(func, "tokio::runtime::task::join::JoinHandle"))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (begins(func, parts[i]))
			return true;
	return !strstr(whole, " as ") && !strstr(whole, "{async_");
}

/* How a virtual thread of Java's begins, and how it parks. */
static bool is_java_inside(const struct ctt_site *at)
{
	static const char *const files[] = { "jdk/internal/", "java/lang/VirtualThread.java",
		"java/util/concurrent/locks/LockSupport.java",
		"java/util/concurrent/locks/AbstractQueuedSynchronizer.java" };

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (begins(at->file, files[i]))
			return true;
	return begins(at->file, "java/lang/") &&
		(ends(at->func, ".parkVirtualThread") || begins(at->func, "Thread.run"));
}

/* The scaffold around what somebody wrote: how a thread or a program begins, the standard libraries
 * of C++ and Rust, the probe and who calls it, asio, the inside of tokio and of Java's virtual
 * threads. And what has no name. */
static bool is_scaffold(const struct ctt_site *at)
{
	static const char *const whole[] = { "_start", "__libc_start_main",
		"__libc_start_main_impl", "__libc_start_call_main", "start_thread", "clone",
		"clone3", "__clone", "__clone3", "__start_context",
		"execute_native_thread_routine" };
	static const char *const first[] = { "ct::", "std::", "core::", "alloc::", "__gnu_cxx::",
		"corotrace::", "tracing::", "tracing_core::", "__rust_", "_rust_" };
	static const char *const within[] = { "/library/std/", "/library/core/", "/library/alloc/",
		"/include/c++/", "/include/asio/", "/boost/asio/", "/boost/fiber/", "/boost/context/",
		"/ct-asio/" };
	static const char *const root[] = { "/rustc/", "library/std/", "library/core/",
		"library/alloc/" };
	/* <tokio::runtime::Runtime>::block_on */
	const char *func = at->func + strspn(at->func, "<&");

	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		if (!strcmp(func, whole[i]))
			return true;
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		if (begins(func, first[i]))
			return true;
	for (size_t i = 0; i < sizeof(within) / sizeof(*within); i++)
		if (strstr(at->file, within[i]))
			return true;
	for (size_t i = 0; i < sizeof(root) / sizeof(*root); i++)
		if (begins(at->file, root[i]))
			return true;
	return !*at->func || is_tokio_inside(func, at->func) || is_java_inside(at) ||
		ends(at->file, "corotrace.hpp") || ends(at->file, "ct_asio.hpp") ||
		ends(at->file, "ct_fiber.hpp") ||
		(begins(func, "runtime.") && begins(at->file, "runtime/"));		/* Go's */
}

/* Within cargo's registry, from the crate and its version on. */
static const char *short_path(const char *file)
{
	const char *registry = strstr(file, "/registry/src/"),
		   *crate = registry ? strchr(registry + 14, '/') : NULL;

	return crate ? crate + 1 : file;
}

/* Of a stack. A page shows one for each of thousands of coroutines, and a line of some KB could make
 * it half a million functions: so many frames, each with so many at its address. */
enum { FUNCTIONS_MOST = 4096 };

static size_t functions(const struct ctt_model *m, const struct ctt_stack *s)
{
	size_t all = 0, count;

	for (size_t i = 0; i < s->count; i++)
		all += s->addresses && ctt_model_symbol(m, s->at[i], &count) ? count : 1;
	return all;
}

/* The innermost of them. */
static void each(const struct ctt_model *m, const struct ctt_stack *s, enum ctt_frames which,
	ctt_frame_fn *fn, void *arg)
{
	bool outermost_first = which & CTT_FRAMES_OUTERMOST_FIRST;
	size_t at_most = FUNCTIONS_MOST, n = 0, all = outermost_first ? functions(m, s) : 0;
	size_t from = all > at_most ? all - at_most : 0;

	for (size_t i = 0; i < s->count && n < from + at_most; i++) {
		uint64_t addr = s->at[outermost_first ? s->count - 1 - i : i];
		size_t count = 1;
		const struct ctt_site *at =
			s->addresses ? ctt_model_symbol(m, addr, &count) : ctt_model_site(m, addr);

		if (!at && n++ >= from)
			fn(arg, NULL, addr);
		for (size_t k = 0; at && k < count && n < from + at_most; k++) {
			struct ctt_site f = at[outermost_first ? count - 1 - k : k];

			if (n++ < from || ((which & CTT_FRAMES_OWN) && is_scaffold(&f)))
				continue;
			if (which & CTT_FRAMES_SHORT)
				f.file = short_path(f.file);
			fn(arg, &f, addr);
		}
	}
}

/* Is one of these no scaffold? Mostly one of the first is not. */
static bool has_own(const struct ctt_model *m, const struct ctt_stack *s)
{
	for (size_t i = 0, n = 0; i < s->count && n < FUNCTIONS_MOST; i++) {
		size_t count = 1;
		const struct ctt_site *at = s->addresses ?
			ctt_model_symbol(m, s->at[i], &count) :
			ctt_model_site(m, s->at[i]);

		if (!at)
			return true;
		for (size_t k = 0; k < count && n < FUNCTIONS_MOST; k++, n++)
			if (!is_scaffold(&at[k]))
				return true;
	}
	return false;
}

void ctt_model_frames(const struct ctt_model *m, const struct ctt_stack *s, enum ctt_frames which,
	ctt_frame_fn *fn, void *arg)
{
	each(m, s, which & CTT_FRAMES_OWN && has_own(m, s) ? which : which & ~CTT_FRAMES_OWN, fn,
		arg);
}
