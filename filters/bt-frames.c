/* bt-frames.c - a call stack, by the names that ct-sym gave it, without the frames that say nothing. Contracts in bt.h. */
#include <inttypes.h>
#include <string.h>

#include "bt.h"

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool ends(const char *s, const char *tail)
{
	size_t len = strlen(s), n = strlen(tail);

	return len >= n && !strcmp(s + len - n, tail);
}

/* Of tokio, what can be awaited says something: futures, by their implementation of poll, and async functions. */
static bool is_tokio_inside(const char *func, const char *whole)
{
	static const char *const parts[] = { "tokio::runtime::", "tokio::task::", "tokio::util::", "tokio::loom::" };

	if (!begins(func, "tokio::") || begins(func, "tokio::runtime::task::join::JoinHandle"))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (begins(func, parts[i]))
			return true;
	return !strstr(whole, " as ") && !strstr(whole, "{async_");
}

/* The scaffold around what somebody wrote: how a thread or a program begins, the standard libraries of C++ and Rust, the
 * probe, the inside of tokio. And what has no name. */
static bool is_scaffold(const struct site *at)
{
	static const char *const whole[] = {
		"_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main", "start_thread", "clone", "clone3",
		"__clone", "__clone3", "__start_context", "execute_native_thread_routine"
	};
	static const char *const first[] = {
		"ct::", "std::", "core::", "alloc::", "__gnu_cxx::", "corotrace::", "__rust_", "_rust_"
	};
	static const char *const within[] = { "/library/std/", "/library/core/", "/library/alloc/", "/include/c++/" };
	static const char *const root[] = { "/rustc/", "library/std/", "library/core/", "library/alloc/" };
	const char *func = at->func + strspn(at->func, "<&");		/* <tokio::runtime::Runtime>::block_on */

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
	return !*at->func || is_tokio_inside(func, at->func) || ends(at->file, "corotrace.hpp") ||
		(begins(func, "runtime.") && begins(at->file, "runtime/"));		/* Go's */
}

typedef void frame_fn(const struct site *, uint64_t addr);	/* site NULL: only the address is known */

/* One frame: the function, and those that it was inlined into. */
static void each_inlined(const struct view *v, uint64_t addr, bool outermost_first, frame_fn *fn)
{
	size_t count;
	const struct site *at = model_symbol(v->model, addr, &count);

	if (!at)
		fn(NULL, addr);
	for (size_t i = 0; i < count; i++)
		fn(&at[outermost_first ? count - 1 - i : i], addr);
}

static void each_frame(const struct view *v, const struct stack *s, bool outermost_first, frame_fn *fn)
{
	for (size_t i = 0; i < s->count; i++) {
		uint64_t at = s->at[outermost_first ? s->count - 1 - i : i];

		if (s->addresses)
			each_inlined(v, at, outermost_first, fn);
		else
			fn(model_site(v->model, at), 0);
	}
}

static size_t frame_indent, own;
static bool every;

static void count_own(const struct site *at, uint64_t addr)
{
	(void)addr;
	own += !at || !is_scaffold(at);
}

/* Within cargo's registry, from the crate and its version on. */
static const char *short_path(const char *file)
{
	const char *registry = strstr(file, "/registry/src/"), *crate = registry ? strchr(registry + 14, '/') : NULL;

	return crate ? crate + 1 : file;
}

static void frame_text(const struct site *at, uint64_t addr)
{
	char text[2048];

	if (at && !every && is_scaffold(at))
		return;
	printf("%*s", (int)frame_indent, "");
	if (at)
		puts(site_text(text, sizeof(text), &(struct site){ 0, at->func, short_path(at->file), at->line }));
	else
		printf("0x%016" PRIx64 "\n", addr);
}

void stack_text(const struct view *v, const struct stack *s, size_t indent)
{
	frame_indent = indent;
	own = 0;
	each_frame(v, s, true, count_own);
	every = v->frames || !own;
	each_frame(v, s, true, frame_text);
}

static const char *frame_comma;

static void frame_json(const struct site *at, uint64_t addr)
{
	fputs(frame_comma, stdout);
	frame_comma = ",";
	if (at)
		site_json(stdout, at);
	else
		printf("\"0x%016" PRIx64 "\"", addr);
}

void stack_json(const struct view *v, const char *key, const struct stack *s)
{
	if (!s)
		return;
	printf(",\"%s\":[", key);
	frame_comma = "";
	each_frame(v, s, false, frame_json);
	fputs("]", stdout);
}
