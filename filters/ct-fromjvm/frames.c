/* frames.c - a frame as StackTraceElement prints it. Contract in fromjvm.h.
 *
 *	java.base/java.lang.VirtualThread.park(VirtualThread.java:742)
 *	app//com.acme.Server.serve(Server.java:7)
 *	com.acme.Server$$Lambda/0x00007f1c4c000a00.run(Unknown Source)
 */
#include <stdio.h>
#include <string.h>

#include "fromjvm.h"

static const char *find(const char *from, const char *end, char c)
{
	const char *p = from < end ? memchr(from, c, (size_t)(end - from)) : NULL;

	return p ? p : end;
}

/* The last c before end; from - 1 where there is none. */
static const char *find_last(const char *from, const char *end, char c)
{
	while (end > from && end[-1] != c)
		end--;
	return end - 1;
}

/* Behind the class loader and the module. A hidden class's number is neither. */
static const char *class_begins(const char *p, const char *end)
{
	const char *slash = find(p, end, '/');

	while (slash != end && !(end - slash > 2 && slash[1] == '0' && slash[2] == 'x')) {
		p = slash + 1;
		slash = find(p, end, '/');
	}
	return p;
}

static bool begins(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - p) >= n && !memcmp(p, with, n);
}

static uint64_t decimal(const char *p, const char *end)
{
	uint64_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9' && v < UINT32_MAX; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	return v;
}

bool frame_read(struct frame *f, struct ctt_text t)
{
	const char *end = t.p + t.len, *open = find(t.p, end, '(');
	const char *close = find_last(open, end, ')');
	const char *cls = class_begins(t.p, open), *dot = find_last(cls, open, '.');
	const char *hidden = find(cls, dot, '/'), *package = find_last(cls, hidden, '.');
	const char *colon = find(open, close, ':');

	if (close <= open || dot <= cls)
		return false;
	*f = (struct frame){ .jdk = cls > t.p &&
		(begins(t.p, end, "java.") || begins(t.p, end, "jdk.")) };
	snprintf(f->func, sizeof(f->func), "%.*s%.*s", (int)(hidden - package - 1), package + 1,
		(int)(open - dot), dot);
	/* "Native Method" and "Unknown Source" are no files */
	if (find(open, colon, ' ') == colon) {
		snprintf(f->file, sizeof(f->file), "%.*s%.*s", (int)(package + 1 - cls), cls,
			(int)(colon - open - 1), open + 1);
		for (char *p = f->file; p < f->file + (package + 1 - cls) && *p; p++)
			if (*p == '.')
				*p = '/';
		f->line = decimal(colon + 1, close);
	}
	return true;
}
