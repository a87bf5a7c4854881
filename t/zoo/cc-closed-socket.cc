// cc-closed-socket.cc - connections are closed by a janitor on a thread of its own, which does not know who reads from them.
// expect: closed-resource 2
#include "zoo.hpp"

static task<> reads(int fd)
{
	char c;

	co_await readable(fd);
	if (read(fd, &c, 1) != 1)
		co_return;
}

int main(int argc, char **argv)
{
	sockets s[3];
	pool p(argc, argv);

	for (sockets &pair : s)
		spawn(reads(pair.a), "reads");
	p.settle();
	elsewhere([&s] {
		guard_z g(Z);
		for (int i = 0; i < 2; i++) {
			readers.front()->leave();
			sockets::close(s[i].a);
		}
	});
}
