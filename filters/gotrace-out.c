/* gotrace-out.c - lines into a buffer, and out. */
#include <errno.h>
#include <stdlib.h>

#include "gotrace-out.h"

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
	out_at = buf;
	out_gone = false;
	for (int i = 0; i < 10000; i++) {
		out_digits[i][0] = (char)('0' + i / 1000);
		out_digits[i][1] = (char)('0' + i / 100 % 10);
		out_digits[i][2] = (char)('0' + i / 10 % 10);
		out_digits[i][3] = (char)('0' + i % 10);
	}
}

char *out_full(char *p)
{
	size_t len = (size_t)(p - buf);

	if (!out_gone && fwrite(buf, 1, len, file) != len) {
		error = errno;
		out_gone = true;
	}
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

void out_new_time(uint64_t high)
{
	out_time.high = high;
	out_time.len = (size_t)(out_number(out_time.text, high) - out_time.text);
}

char *out_string(char *p, struct text t)
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
	p = out_full(p);
	if (!out_gone)
		out_json(file, t.p, t.len);
	return p;
}

bool out_close(const char *program)
{
	out_full(out_at);
	errno = 0;
	if (fclose(file) && !out_gone)
		error = errno;
	if (!error || error == EPIPE)	/* who reads no more has what he wanted */
		return true;
	fprintf(stderr, "%s: <stdout>: %s\n", program, strerror(error));
	return false;
}
