// pingpong.cc - what tracing costs a program of asio: two coroutines of one thread pass a byte to and fro over a socket pair, and
// one awaits another each time. Prints nanoseconds of CPU time a round trip. Built twice: with ct_asio.hpp and without.
#include <sys/socket.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <asio.hpp>

using asio::awaitable;
using asio::use_awaitable;
using local = asio::local::stream_protocol::socket;

static awaitable<void> pass(local &s)
{
	char c = 0;

	co_await s.async_write_some(asio::buffer(&c, 1), use_awaitable);
	co_await s.async_read_some(asio::buffer(&c, 1), use_awaitable);
}
static awaitable<void> answers(local &s, int rounds)
{
	char c;

	while (rounds--) {
		co_await s.async_read_some(asio::buffer(&c, 1), use_awaitable);
		co_await s.async_write_some(asio::buffer(&c, 1), use_awaitable);
	}
}
static awaitable<void> asks(local &s, int rounds)
{
	while (rounds--)
		co_await pass(s);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::atoi(argv[1]) : 100000;
	asio::io_context io(1);
	local a(io), b(io);
	struct timespec t;

	asio::local::connect_pair(a, b);
	asio::co_spawn(io, answers(a, rounds), asio::detached);
	asio::co_spawn(io, asks(b, rounds), asio::detached);
	io.run();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	std::printf("%.0f\n", (double(t.tv_sec) * 1e9 + double(t.tv_nsec)) / rounds);
}
