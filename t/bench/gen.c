/* gen.c - write a canonical trace, fast: gen EVENTS [COROUTINES]. COROUTINES live at any time, each for 100 events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIFE = 100, OUT = 256 << 10 };
static char out[OUT + 4096];
static size_t len;

static void flush(void)
{
	for (size_t done = 0; done < len; ) {
		ssize_t n = write(STDOUT_FILENO, out + done, len - done);

		if (n <= 0)
			exit(1);
		done += (size_t)n;
	}
	len = 0;
}

static void text(const char *s)
{
	size_t n = strlen(s);

	memcpy(out + len, s, n);
	len += n;
}

static void number(uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		out[len++] = digits[--n];
}

static void line(uint64_t id, uint64_t n, uint64_t ts, const char *ev, const char *rest)
{
	text("{\"probe_id\":"); number(id);
	text(",\"tid\":"); number(4711 + id % 4);
	text(ev[0] == 'r' ? ",\"addr\":\"0x0000000000000000\",\"seq\":" : ",\"addr\":\"0x00007f3a10000b70\",\"seq\":");
	number(2 * n);
	text(ev[0] == 'r' ? ",\"is_active\":true,\"ts\":" : ",\"is_active\":false,\"ts\":"); number(ts);
	text(",\"ev\":\""); text(ev); text("\",\"n\":"); number(n);
	text(rest);
}

int main(int argc, char *argv[])
{
	uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	uint64_t live = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	uint64_t ts = 1000000000, done = 0, first = 1;

	text("{\"ev\":\"meta\",\"ts\":1000000000,\"format\":\"corotrace\",\"version\":2,\"tool\":\"gen\"}\n"
	     "{\"ev\":\"site\",\"site\":3,\"func\":\"serve\",\"file\":\"serve.cc\",\"line\":42}\n");
	for (; done < events; first += live)
		for (uint64_t n = 1; n <= LIFE && done < events; n++)
			for (uint64_t i = 0; i < live && done < events; i++, done++) {
				ts += 100;
				if (n == 1)
					line(first + i, n, ts, "create", ",\"site\":3}\n");
				else if (n == LIFE)
					line(first + i, n, ts, "destroy", ",\"done\":true}\n");
				else if (n % 2)
					line(first + i, n, ts, "suspend", ",\"site\":3,\"on\":\"fd:42\"}\n");
				else
					line(first + i, n, ts, "resume", "}\n");
				if (len > OUT)
					flush();
			}
	text("{\"ev\":\"end\",\"ts\":"); number(ts);
	text(",\"events\":"); number(done); text(",\"lost\":0}\n");
	flush();
	return 0;
}
