/* out.c - lines into a buffer, and out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stdout.h"
#include "out.h"

enum { OUT_SIZE = 1 << 16 };

static char buf[OUT_SIZE + OUT_ROOM + 2 * OUT_PAD];
static FILE *file;
static int error;
char *out_at = buf, *out_limit = buf + OUT_SIZE;
char out_digits[10001][4];
bool out_gone;
struct out_time out_time;

void out_open(FILE *to)
{
	file = to;
	fflush(file);
	out_at = buf;
	out_gone = false;
	out_time.base = UINT64_MAX - 9999;	/* which no time is near: times have 63 bits */
	for (int i = 0; i < 10000; i++) {
		out_digits[i][0] = (char)('0' + i / 1000);
		out_digits[i][1] = (char)('0' + i / 100 % 10);
		out_digits[i][2] = (char)('0' + i / 10 % 10);
		out_digits[i][3] = (char)('0' + i % 10);
	}
}

static void put(size_t len)
{
	for (size_t done = 0; done < len && !out_gone;) {
		/* stdio would write twice each time */
		ssize_t n = write(fileno(file), buf + done, len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR) {
			error = errno;
			out_gone = true;
		}
	}
}

char *out_full(char *p)
{
	size_t rest = (size_t)(p - buf) - OUT_SIZE;

	put(OUT_SIZE);
	memcpy(buf, buf + OUT_SIZE, rest);
	return buf + rest;
}

char *out_flush(char *p)
{
	put((size_t)(p - buf));
	return buf;
}

char *out_word(char *p, const char *s)
{
	while (*s)
		*p++ = *s++;
	return p;
}

char *out_long(char *p, uint64_t v)
{
	p = out_number(p, v / 10000);
	memcpy(p, out_digits[v % 10000], 4);
	return p + 4;
}

bool out_new_time(uint64_t ts)
{
	static const char *const before[] = { ",\"is_active\":false,\"ts\":",
		",\"is_active\":true,\"ts\":" };
	enum { SPAN = 100000000 };
	/* of the SPAN whose high digits the texts have; at first none is near */
	static uint64_t start = UINT64_MAX - SPAN;
	uint64_t high = ts / SPAN;
	char digits[24 + OUT_PAD];

	if (ts < 10000)
		return false;
	if (ts - start >= SPAN || !high) {
		size_t len = (size_t)(out_number(digits, ts / 10000) - digits);

		for (int i = 0; i < 2; i++) {
			size_t at =
				(size_t)(out_word(out_time.text[i], before[i]) - out_time.text[i]);

			memcpy(out_time.text[i] + at, digits, len);
			out_time.len[i] = at + len;
		}
		start = high ? high * SPAN : UINT64_MAX - SPAN;
	} else {
		for (int i = 0; i < 2; i++)
			memcpy(out_time.text[i] + out_time.len[i] - 4,
				out_digits[(ts - start) / 10000], 4);
	}
	out_time.base = ts / 10000 * 10000;
	return true;
}

char *out_short_time(char *p, const char *key, uint64_t ts)
{
	return out_number(OUT(out_word(p, key), ",\"ts\":"), ts);
}

/* Its last digit is too large. */
void out_carry(struct go_count *c)
{
	for (int i = c->len - 1; c->text[i] > '9'; i--) {
		c->text[i] = (char)(c->text[i] - 10);
		if (!i) {
			memmove(c->text + 1, c->text, c->len++);
			c->text[0] = '1';
			return;
		}
		c->text[i - 1]++;
	}
}

char *out_string(char *p, struct ctt_text t)
{
	size_t i = 0;

	p = out_room(p);
	while (i < t.len && t.p[i] >= ' ' && t.p[i] < 0x7f && t.p[i] != '"' && t.p[i] != '\\')
		i++;
	if (i == t.len && i < OUT_ROOM / 2) {
		*p++ = '"';
		memcpy(p, t.p, i);
		p += i;
		*p++ = '"';
		return out_room(p);
	}
	p = out_flush(p);
	if (!out_gone) {
		ctt_out_json(file, t.p, t.len);
		fflush(file);
	}
	return p;
}

bool out_close(const char *program)
{
	out_flush(out_at);
	errno = 0;
	if (fclose(file) && !out_gone)
		error = errno;
	if (!error || error == EPIPE)	/* who reads no more has what he wanted */
		return true;
	return stdout_failed(program, strerror(error));
}
