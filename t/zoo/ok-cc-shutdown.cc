// ok-cc-shutdown.cc - a server shuts down in good order: its channel is closed, who reads is woken before its socket is closed, all end.
// expect: nothing proven
#include "zoo.hpp"

static channel<int> jobs(4);
static task<> serves(sockets &s)
{
	co_await readable(s.a);		// its end, too
	sockets::close(s.a);
}
static task<> works()
{
	while (co_await jobs.receive())
		;
}

int main(int argc, char **argv)
{
	sockets s[4];
	pool p(argc, argv);

	for (sockets &pair : s)
		spawn(serves(pair), "serves");
	for (int i = 0; i < 3; i++)
		spawn(works(), "works");
	p.settle();
	jobs.close();
	for (sockets &pair : s)
		sockets::close(pair.b);
	p.settle();
}
