// ok-cc-echo.cc - connections that echo, then say nothing more: keep-alive, with a timer for each that is far away.
// expect: nothing proven
#include "zoo.hpp"

static task<> echoes(int fd)
{
	char c;

	for (;;) {
		co_await readable(fd);
		if (read(fd, &c, 1) != 1 || write(fd, &c, 1) != 1)
			co_return;
	}
}
static task<> idle() { co_await sleep_ms(60000); }
static task<> asks(int fd)
{
	char c = 'x';

	for (int i = 0; i < 5; i++) {
		spawn(idle(), "timeout");
		co_await sleep_ms(2);
		if (write(fd, &c, 1) != 1)
			abort();
		co_await readable(fd);
		if (read(fd, &c, 1) != 1)
			abort();
	}
}

int main(int argc, char **argv)
{
	sockets s[4];
	pool p(argc, argv);

	for (sockets &pair : s) {
		spawn(echoes(pair.a), "echoes");
		spawn(asks(pair.b), "asks");
	}
	pause_ms(100);
}
