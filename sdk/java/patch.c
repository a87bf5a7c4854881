/* patch.c - a call at the entry or the end of methods of a class file. Contracts in patch.h.
 *
 * An entry needs little: new constants at the end of the pool, four or eight bytes ahead of the code
 * (switches keep their padding so), and as many more wherever something counts from the code's start:
 * exceptions, lines, variables and the first frame of the StackMapTable, to which all others are
 * relative. Branches are relative, too. What stands ahead of a return that is the last instruction
 * moves nothing else: who jumps to that return comes to the call, and finds there what it had there.
 */
#include <stdlib.h>
#include <string.h>

#include "patch.h"

enum { NATIVE = 0x0109, FINAL_SUPER_SYNTHETIC = 0x1031 };
enum { ALOAD_0 = 0x2a, ILOAD_0 = 0x1a, ILOAD_1 = 0x1b, DUP = 0x59, INVOKESTATIC = 0xb8, NOP = 0 };
enum { IRETURN = 0xac, RETURN = 0xb1, TABLESWITCH = 0xaa, LOOKUPSWITCH = 0xab, WIDE = 0xc4 };
enum { UTF8 = 1, CLASS = 7, METHODREF = 10, NAME_AND_TYPE = 12 };

/* ---- writing ---- */

static void put(struct bytes *b, const void *p, size_t n)
{
	if (b->len + n > b->room) {
		size_t room = 2 * (b->len + n) + 256;
		uint8_t *more = b->failed ? NULL : realloc(b->p, room);

		b->failed |= !more;
		if (!more)
			return;
		b->p = more;
		b->room = room;
	}
	if (n)			/* without any, neither need be there */
		memcpy(b->p + b->len, p, n);
	b->len += n;
}

static void put1(struct bytes *b, unsigned v)
{
	uint8_t x = (uint8_t)v;

	put(b, &x, 1);
}

static void put2(struct bytes *b, unsigned v)
{
	put1(b, v >> 8);
	put1(b, v);
}

static void put4(struct bytes *b, uint32_t v)
{
	put2(b, v >> 16);
	put2(b, v & 0xffff);
}

static void put_utf8(struct bytes *b, const char *s)
{
	put1(b, UTF8);
	put2(b, (unsigned)strlen(s));
	put(b, s, strlen(s));
}

static void put_ref(struct bytes *b, unsigned tag, unsigned x, unsigned y)
{
	put1(b, tag);
	put2(b, x);
	if (tag != CLASS)
		put2(b, y);
}

struct bytes patch_hook_class(const struct patch *p, unsigned count)
{
	struct bytes b = { .p = NULL };

	put4(&b, 0xcafebabe);
	put4(&b, 52);
	put2(&b, 5 + 2 * count);
	put_utf8(&b, HOOK_CLASS);
	put_ref(&b, CLASS, 1, 0);
	put_utf8(&b, "java/lang/Object");
	put_ref(&b, CLASS, 3, 0);
	for (unsigned i = 0; i < count; i++) {
		put_utf8(&b, p[i].native);
		put_utf8(&b, p[i].native_desc);
	}
	put2(&b, FINAL_SUPER_SYNTHETIC);
	put2(&b, 2);
	put2(&b, 4);
	put4(&b, 0);		/* no interfaces, no fields */
	put2(&b, count);
	for (unsigned i = 0; i < count; i++) {
		put2(&b, NATIVE);
		put2(&b, 5 + 2 * i);
		put2(&b, 6 + 2 * i);
		put2(&b, 0);
	}
	put2(&b, 0);
	return b;
}

/* ---- reading: past the end all is zero, and `bad` ---- */

struct in {
	const uint8_t *p, *end;
	int bad;
};

static const uint8_t *take(struct in *in, size_t n)
{
	const uint8_t *p = in->p;

	if ((size_t)(in->end - in->p) < n) {
		in->bad = 1;
		in->p = in->end;
		return NULL;
	}
	in->p += n;
	return p;
}

static unsigned get2(struct in *in)
{
	const uint8_t *p = take(in, 2);

	return p ? (unsigned)p[0] << 8 | p[1] : 0;
}

static uint32_t get4(struct in *in)
{
	uint32_t high = get2(in);

	return high << 16 | get2(in);
}

static struct in part(struct in *in, size_t n)
{
	const uint8_t *p = take(in, n);

	return p ? (struct in){ p, p + n, 0 } : (struct in){ .bad = 1 };
}

/* ---- the constants ---- */

struct class_file {
	struct in in;
	struct in *text;		/* the Utf8 constants by index */
	unsigned constants;
	struct patch *patch;
	unsigned patches;
	unsigned method;		/* the first one's Methodref; the others' each 4 on */
	unsigned by;			/* how far the code at hand moves */
};

static int is(const struct class_file *c, unsigned index, const char *s)
{
	const struct in *t = &c->text[index < c->constants ? index : 0];

	return (size_t)(t->end - t->p) == strlen(s) && t->p && !memcmp(t->p, s, strlen(s));
}

static void read_constants(struct class_file *c)
{
	struct in *in = &c->in;

	for (unsigned i = 1; i < c->constants && !in->bad; i++) {
		const uint8_t *tag = take(in, 1);

		switch (tag ? *tag : 0) {
		case UTF8: {
			unsigned n = get2(in);

			c->text[i] = part(in, n);
			break;
		}
		case 3: case 4: case 9: case 10: case 11: case 12: case 17: case 18:
			take(in, 4);
			break;
		case 5: case 6: take(in, 8); i++; break;
		case 7: case 8: case 16: case 19: case 20: take(in, 2); break;
		case 15: take(in, 3); break;
		default: in->bad = 1;
		}
	}
}

static void put_constants(struct bytes *out, struct class_file *c)
{
	unsigned at = c->constants;

	put_utf8(out, HOOK_CLASS);
	put_ref(out, CLASS, at, 0);
	c->method = at + 5;
	for (unsigned i = 0; i < c->patches; i++) {
		put_utf8(out, c->patch[i].native);
		put_utf8(out, c->patch[i].native_desc);
		put_ref(out, NAME_AND_TYPE, c->method + 4 * i - 3, c->method + 4 * i - 2);
		put_ref(out, METHODREF, at + 1, c->method + 4 * i - 1);
	}
}

/* ---- a method's code ---- */

static void copy_rest(struct bytes *out, struct in *in)
{
	put(out, in->p, (size_t)(in->end - in->p));
	in->p = in->end;
}

/* Counts of the StackMapTable's first frame; the kinds are in the JVM's specification, 4.7.4. */
static void shift_frames(struct bytes *out, struct in *in, unsigned by)
{
	unsigned count = get2(in), type, delta;
	const uint8_t *p;

	put2(out, count);
	if (!count || !(p = take(in, 1))) {
		copy_rest(out, in);
		return;
	}
	type = *p;
	if (type < 128) {
		delta = (type & 63) + by;
		if (delta < 64) {
			put1(out, (type & 64) + delta);
		} else {
			put1(out, type < 64 ? 251 : 247);
			put2(out, delta);
		}
	} else {
		put1(out, type);
		put2(out, get2(in) + by);
	}
	copy_rest(out, in);
}

/* Entries of `size` bytes that begin with a position in the code. */
static void shift_entries(struct bytes *out, struct in *in, size_t size, unsigned by)
{
	unsigned count = get2(in);

	put2(out, count);
	while (count-- && !in->bad) {
		const uint8_t *rest;

		put2(out, get2(in) + by);
		if ((rest = take(in, size - 2)))
			put(out, rest, size - 2);
	}
}

static void put_sized(struct bytes *out, struct bytes *b)
{
	put4(out, (uint32_t)b->len);
	put(out, b->p, b->len);
	out->failed |= b->failed;
	free(b->p);
}

static void change_attributes(struct bytes *out, struct class_file *c, struct in *in)
{
	unsigned count = get2(in);

	put2(out, count);
	while (count-- && !in->bad) {
		unsigned name = get2(in);
		struct in a = part(in, get4(in));
		struct bytes b = { .p = NULL };

		if (is(c, name, "StackMapTable"))
			shift_frames(&b, &a, c->by);
		else if (is(c, name, "LineNumberTable"))
			shift_entries(&b, &a, 4, c->by);
		else if (is(c, name, "LocalVariableTable") || is(c, name, "LocalVariableTypeTable"))
			shift_entries(&b, &a, 10, c->by);
		else
			copy_rest(&b, &a);
		in->bad |= a.bad;
		put2(out, name);
		put_sized(out, &b);
	}
}

/* The length of an instruction; 0: of no fixed one. */
static unsigned length_of(uint8_t op)
{
	static const struct { uint8_t last, length; } upto[] = { { 0x0f, 1 }, { 0x10, 2 },
		{ 0x11, 3 }, { 0x12, 2 }, { 0x14, 3 }, { 0x19, 2 }, { 0x35, 1 }, { 0x3a, 2 },
		{ 0x83, 1 }, { 0x84, 3 }, { 0x98, 1 }, { 0xa8, 3 }, { 0xa9, 2 }, { 0xab, 0 },
		{ 0xb1, 1 }, { 0xb8, 3 }, { 0xba, 5 }, { 0xbb, 3 }, { 0xbc, 2 }, { 0xbd, 3 },
		{ 0xbf, 1 }, { 0xc1, 3 }, { 0xc3, 1 }, { 0xc4, 0 }, { 0xc5, 4 }, { 0xc7, 3 },
		{ 0xc9, 5 }, { 0xff, 0 } };
	unsigned i = 0;

	while (op > upto[i].last)
		i++;
	return upto[i].length;
}

/* Its only return is its last instruction. */
static int returns_last(const struct in *code)
{
	const uint8_t *p = code->p;
	unsigned n = 0;

	while (p < code->end && (*p < IRETURN || *p > RETURN)) {
		if (!(n = length_of(*p)))
			return 0;
		p += n;
	}
	return p + 1 == code->end;
}

static void call(struct bytes *out, const struct class_file *c, unsigned which)
{
	const struct patch *p = &c->patch[which];
	const char *arg = p->native_desc + 1;

	for (int behind = 0; *arg != ')'; arg++, behind = 1) {
		put1(out, *arg == 'L' ? ALOAD_0 : behind ? ILOAD_1 : p->at_end ? DUP : ILOAD_0);
		if (*arg == 'L')
			arg = strchr(arg, ';');
	}
	put1(out, INVOKESTATIC);
	put2(out, c->method + 4 * which);
}

/* `first` and `last` are patches, or none: then they are c->patches. */
static void change_code(
	struct bytes *out, struct class_file *c, struct in *in, unsigned first, unsigned last)
{
	unsigned stack = get2(in), locals = get2(in), count;
	struct in code = part(in, get4(in));
	struct bytes b = { .p = NULL };

	if (first < c->patches) {
		call(&b, c, first);
		c->patch[first].found++;
		while (b.len % 4)
			put1(&b, NOP);
	}
	c->by = (unsigned)b.len;
	if (last < c->patches && returns_last(&code)) {
		put(&b, code.p, (size_t)(code.end - code.p) - 1);
		code.p = code.end - 1;
		call(&b, c, last);
		c->patch[last].found++;
	}
	copy_rest(&b, &code);
	put2(out, stack + 3);
	put2(out, locals);
	put_sized(out, &b);
	count = get2(in);
	put2(out, count);
	while (count-- && !in->bad) {
		for (int i = 0; i < 3; i++)
			put2(out, get2(in) + c->by);
		put2(out, get2(in));
	}
	change_attributes(out, c, in);
}

/* ---- the class ---- */

static unsigned patch_of(const struct class_file *c, unsigned name, unsigned desc, int at_end)
{
	unsigned i = 0;

	while (i < c->patches && !(c->patch[i].at_end == at_end &&
		is(c, name, c->patch[i].method) && is(c, desc, c->patch[i].desc)))
		i++;
	return i;
}

static void copy2(struct bytes *out, struct in *in, unsigned times)
{
	while (times--)
		put2(out, get2(in));
}

static void copy_member(struct bytes *out, struct class_file *c, int is_method)
{
	struct in *in = &c->in;
	unsigned flags = get2(in), name = get2(in), desc = get2(in), count = get2(in);
	unsigned first = is_method ? patch_of(c, name, desc, 0) : c->patches;
	unsigned last = is_method ? patch_of(c, name, desc, 1) : c->patches;

	put2(out, flags);
	put2(out, name);
	put2(out, desc);
	put2(out, count);
	while (count-- && !in->bad) {
		unsigned attribute = get2(in);
		struct in a = part(in, get4(in));
		struct bytes b = { .p = NULL };

		if ((first < c->patches || last < c->patches) && is(c, attribute, "Code"))
			change_code(&b, c, &a, first, last);
		copy_rest(&b, &a);
		in->bad |= a.bad;
		put2(out, attribute);
		put_sized(out, &b);
	}
}

static void copy_class(struct bytes *out, struct class_file *c)
{
	struct in *in = &c->in;
	const uint8_t *constants;
	unsigned n;

	put(out, take(in, 8), 8);
	c->constants = get2(in);
	constants = in->p;
	c->text = calloc(c->constants + 1u, sizeof(*c->text));
	if (!c->text || c->constants + 2 + 4 * c->patches > 0xffff) {
		in->bad = 1;
		return;
	}
	read_constants(c);
	put2(out, c->constants + 2 + 4 * c->patches);
	put(out, constants, (size_t)(in->p - constants));
	put_constants(out, c);
	copy2(out, in, 3);
	n = get2(in);
	put2(out, n);
	copy2(out, in, n);
	for (int is_method = 0; is_method < 2; is_method++) {
		n = get2(in);
		put2(out, n);
		while (n-- && !in->bad)
			copy_member(out, c, is_method);
	}
	copy_rest(out, in);
}

struct bytes patch_class(const uint8_t *file, size_t len, struct patch *patch, unsigned count)
{
	struct class_file c = { .in = { file, file + len, 0 }, .patch = patch, .patches = count };
	struct bytes out = { .p = NULL };
	unsigned found = 0;

	if (len > 10)
		copy_class(&out, &c);
	free(c.text);
	for (unsigned i = 0; i < count; i++)
		found += patch[i].found;
	if (!found || c.in.bad || out.failed) {
		free(out.p);
		return (struct bytes){ .p = NULL };
	}
	return out;
}
