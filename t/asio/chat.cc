// chat.cc - a chat server of asio and its clients, in one process, without a line about tracing. What one says is heard by
// all; a room's members are told of news by a timer that never expires.
//
//	chat ASIO-THREADS CLIENTS MESSAGES
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>
#include "flavour.hpp"

using asio::awaitable;
using asio::detached;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace std::chrono_literals;
using strand = asio::strand<asio::io_context::executor_type>;

// With an executor as that of the streams of Boost.Beast, whose operations start it, too.
using limit = asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
	asio::use_awaitable_t<>::executor_with_default<asio::any_io_executor>>;

struct member {
	tcp::socket socket;
	asio::steady_timer news;
	limit idle;
	std::deque<std::string> to_send;

	explicit member(tcp::socket s) : socket(std::move(s)), news(socket.get_executor()), idle(socket.get_executor())
	{
		news.expires_at(asio::steady_timer::time_point::max());
	}
};
struct room {
	std::set<std::shared_ptr<member>> members;

	void say(const std::string &line)
	{
		for (auto &m : members) {
			m->to_send.push_back(line);
			m->news.cancel_one();
		}
	}
};

static awaitable<void> writer(std::shared_ptr<member> m)
{
	try {
		while (m->socket.is_open()) {
			if (m->to_send.empty()) {
				asio_error e;

				co_await m->news.async_wait(asio::redirect_error(use_awaitable, e));
				continue;
			}
			co_await asio::async_write(m->socket, asio::buffer(m->to_send.front()), use_awaitable);
			m->to_send.pop_front();
		}
	} catch (const std::exception &) {
		m->socket.close();
	}
}
template <class Token> static auto async_readable(member &m, Token &&token)
{
	return asio::async_initiate<Token, void(asio_error)>([&m](auto handler) {
		m.idle.expires_after(10min);
		m.idle.async_wait([&m](asio_error e) {
			if (!e)
				m.socket.close();
		});
		m.socket.async_wait(tcp::socket::wait_read, std::move(handler));
	}, token);
}
static awaitable<void> reader(room &r, std::shared_ptr<member> m)
{
	r.members.insert(m);
	try {
		for (std::string line;;) {
			if (line.find('\n') == line.npos)
				co_await async_readable(*m, use_awaitable);

			size_t n = co_await asio::async_read_until(m->socket, asio::dynamic_buffer(line), '\n', use_awaitable);

			r.say(line.substr(0, n));
			line.erase(0, n);
		}
	} catch (const std::exception &) {
	}
	r.members.erase(m);
	m->socket.close();
	m->news.cancel();
	m->idle.cancel();
}
static awaitable<void> accept(room &r, tcp::acceptor &acceptor, strand on)
{
	try {
		for (;;) {
			auto m = std::make_shared<member>(co_await acceptor.async_accept(use_awaitable));

			asio::co_spawn(on, reader(r, m), detached);
			asio::co_spawn(on, writer(m), detached);
		}
	} catch (const std::exception &) {
	}
}

static awaitable<void> client(tcp::endpoint server, int messages)
{
	auto ex = co_await asio::this_coro::executor;
	tcp::socket s(ex);
	asio::steady_timer pause(ex);
	std::string heard;

	co_await s.async_connect(server, use_awaitable);
	for (int i = 0; i < messages; i++) {
		co_await asio::async_write(s, asio::buffer("hello\n", 6), use_awaitable);
		heard.erase(0, co_await asio::async_read_until(s, asio::dynamic_buffer(heard), '\n', use_awaitable));
		pause.expires_after(1ms);
		co_await pause.async_wait(use_awaitable);
	}
}
static awaitable<void> clients(tcp::acceptor &acceptor, int count, int messages)
{
	auto ex = co_await asio::this_coro::executor;
	asio::steady_timer done(ex, asio::steady_timer::time_point::max());
	int left = count;

	for (int i = 0; i < count; i++)
		asio::co_spawn(ex, client(acceptor.local_endpoint(), messages), [&](std::exception_ptr e) {
			if (e)
				std::abort();
			if (!--left)
				done.cancel();
		});
	asio_error e;
	co_await done.async_wait(asio::redirect_error(use_awaitable, e));
	acceptor.close();
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? std::atoi(argv[1]) : 2;
	int count = argc > 2 ? std::atoi(argv[2]) : 20, messages = argc > 3 ? std::atoi(argv[3]) : 50;
	asio::io_context io;
	room r;
	strand on = asio::make_strand(io);
	tcp::acceptor acceptor(on, { asio::ip::address_v4::loopback(), 0 });
	std::vector<std::thread> more;

	asio::co_spawn(on, accept(r, acceptor, on), detached);
	asio::co_spawn(on, clients(acceptor, count, messages), detached);
	for (int i = 1; i < threads; i++)
		more.emplace_back([&] { io.run(); });
	io.run();
	for (auto &t : more)
		t.join();
	std::printf("%d clients, %d messages each\n", count, messages);
}
