// forks.cc - children that are forked while other threads begin and cancel operations of contexts of their own; each child does so, too, in
// contexts that it makes. It ends with 1 where one of them does not. And what a thread destroys last has nothing of who began meanwhile.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include "flavour.hpp"

namespace forks {
static asio::awaitable<void> waits(asio::steady_timer &t)
{
	asio_error e;

	co_await t.async_wait(asio::redirect_error(asio::use_awaitable, e));
}
static void lives(int many)
{
	asio::io_context io;
	std::vector<std::unique_ptr<asio::steady_timer>> all;

	for (int i = 0; i < many; i++) {
		all.emplace_back(new asio::steady_timer(io, asio::steady_timer::time_point::max()));
		asio::co_spawn(io, waits(*all.back()), asio::detached);
	}
	io.poll();
	for (auto &t : all)
		t->cancel();
	std::thread([&] { io.run(); }).join();
}

struct last {
	int *bad;

	~last()
	{
		std::atomic<const void *> others = nullptr;
		std::atomic<bool> seen = false;
		std::thread other([&] {
			others = &ct::aio::mine();
			others.notify_one();
			seen.wait(false);
		});

		others.wait(nullptr);
		*bad = &ct::aio::mine() == others;
		seen = true;
		seen.notify_one();
		other.join();
	}
};

static int main(int, char **)
{
	std::atomic<bool> over = false;
	int bad = 0, status;

	std::thread([&bad] {
		static thread_local last l;

		l.bad = &bad;
		ct::aio::mine();
	}).join();

	auto run = [&] { while (!over) lives(100); };
	lives(1);			// a worker; each child is one, too
	std::thread first(run), second(run);
	for (int i = 0; i < 150 && !bad; i++) {
		pid_t child = fork();

		if (child == 0) {
			alarm(10);
			lives(300);
			_exit(0);
		}
		bad += waitpid(child, &status, 0) != child || status;
	}
	over = true;
	first.join();
	second.join();
	return bad != 0;
}
}
