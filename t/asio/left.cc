// left.cc - waits that nobody is left to end, and their twins in which somebody is; it ends after 600 ms:
//
//	left sender|inner|pool|early|ended|raw|raw_stream|raw_dup2|raw_dup3|raw_range	they hang
//	left kept|crosswise|both|polls			they hang
//	left closes|returns|logger|periodic|living|checks|raw_cancels|raw_other|raw_child|raw_same	they do not
//	left called|in_order|either|leaves|query	they do not
//	left moved|moved_event|moved_system|moved_fd	they do not
//
// "server" as second argument: somebody accepts connections meanwhile.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include "ways.hpp"
#ifdef BOOST
#include <boost/asio/experimental/awaitable_operators.hpp>
#else
#include <asio/experimental/awaitable_operators.hpp>
#endif

using namespace asio::experimental::awaitable_operators;
namespace left {
using descriptor = asio::posix::stream_descriptor;

static awaitable<void> produces(channel &c, bool closes)
{
	for (int i = 0; i < 5; i++) {
		co_await c.async_send(asio_error(), i, use_awaitable);
		co_await sleep_for(1ms);
	}
	if (closes)
		c.close();
}
static awaitable<void> consumes(channel &c)
{
	asio_error e;

	while (!e)
		co_await c.async_receive(asio::redirect_error(use_awaitable, e));
}

// Who sends ends, and does not close the channel.
template <bool closes> static void sender(asio::io_context &io)
{
	auto &c = *new channel(io, 2);

	asio::co_spawn(io, produces(c, closes), detached);
	asio::co_spawn(io, consumes(c), detached);
	io.run();
}
// So within each session, of which whoever creates them knows.
static awaitable<void> session()
{
	channel c(co_await asio::this_coro::executor, 2);

	co_await (produces(c, false) && consumes(c));
}
static void inner(asio::io_context &io)
{
	asio::co_spawn(io, [&]() -> awaitable<void> {
		for (auto d = 5ms;; d = 10s) {
			co_await sleep_for(d);
			asio::co_spawn(io, session(), detached);
		}
	}, detached);
	io.run();
}

// A pool made of a channel, filled by main, to which one gives nothing back, or does at last.
static awaitable<void> borrows(channel &pool, int nth, bool forgets)
{
	for (int i = 0; i < 3; i++) {
		int what = co_await pool.async_receive(use_awaitable);

		co_await sleep_for(1ms);
		if (!forgets || i < 2)
			co_await pool.async_send(asio_error(), what, use_awaitable);
	}
	if (!forgets && nth == 0) {
		co_await pool.async_receive(use_awaitable);
		co_await sleep_for(10s);
	}
}
template <bool forgets> static void pool(asio::io_context &io)
{
	auto &p = *new channel(io, 1);

	p.try_send(asio_error(), 1);
	asio::co_spawn(io, [&]() -> awaitable<void> {
		for (int i = 0;; i++) {
			co_await sleep_for(i < 3 ? 2ms : 10000ms);
			asio::co_spawn(io, borrows(p, i, forgets), detached);
		}
	}, detached);
	io.run();
}

// Many end who have sent; who creates them goes on to do so.
static awaitable<void> logs(channel &log)
{
	co_await log.async_send(asio_error(), 1, use_awaitable);
}
static void logger(asio::io_context &io)
{
	auto &log = *new channel(io, 8);

	asio::co_spawn(io, consumes(log), detached);
	asio::co_spawn(io, [&]() -> awaitable<void> {
		asio::ip::tcp::acceptor a(io, { asio::ip::tcp::v4(), 0 });
		asio::ip::tcp::socket client(io), another(io);

		client.async_connect(a.local_endpoint(), detached);
		another.async_connect(a.local_endpoint(), detached);
		for (;;) {
			auto s = co_await a.async_accept(use_awaitable);

			asio::co_spawn(io, [&log]() -> awaitable<void> {
				co_await logs(log);
			}, detached);
		}
	}, detached);
	io.run();
}
static void periodic(asio::io_context &io)
{
	auto &log = *new channel(io, 8);

	asio::co_spawn(io, consumes(log), detached);
	asio::co_spawn(io, [&]() -> awaitable<void> {
		asio::steady_timer t(io);

		for (int i = 0;; i++) {
			t.expires_after(i < 2 ? 5ms : 10000ms);
			co_await t.async_wait(use_awaitable);
			asio::co_spawn(io, logs(log), detached);
		}
	}, detached);
	io.run();
}

// A timer that never expires as an event: it is cancelled before anybody waits, or for the last time.
static awaitable<void> waits(asio::steady_timer &t, bool &is_set, bool checks)
{
	asio_error ignored;

	co_await sleep_for(20ms);
	if (!checks || !is_set)
		co_await t.async_wait(asio::redirect_error(use_awaitable, ignored));
}
static awaitable<void> sets(asio::steady_timer &t, bool &is_set, bool lives)
{
	is_set = true;
	t.cancel();
	if (lives)
		co_await sleep_for(10s);
	co_return;
}
template <bool checks, bool lives> static void early(asio::io_context &io)
{
	auto &t = *new asio::steady_timer(io, asio::steady_timer::time_point::max());
	auto &is_set = *new bool(false);

	asio::co_spawn(io, waits(t, is_set, checks), detached);
	asio::co_spawn(io, sets(t, is_set, lives), detached);
	io.run();
}
static awaitable<void> listens(asio::steady_timer &t)
{
	asio_error ignored;

	for (;;)
		co_await t.async_wait(asio::redirect_error(use_awaitable, ignored));
}
static awaitable<void> tells(asio::steady_timer &t, bool lives)
{
	for (int i = 0; i < 3; i++) {
		co_await sleep_for(5ms);
		t.cancel();
	}
	if (lives)
		co_await sleep_for(10s);
}
template <bool lives> static void ended(asio::io_context &io)
{
	auto &t = *new asio::steady_timer(io, asio::steady_timer::time_point::max());

	asio::co_spawn(io, listens(t), detached);
	asio::co_spawn(io, tells(t, lives), detached);
	io.run();
}

// Closed by number, of which asio hears nothing.
static awaitable<void> reads(descriptor &d)
{
	asio_error ignored;
	char c;

	co_await d.async_read_some(asio::buffer(&c, 1), asio::redirect_error(use_awaitable, ignored));	// @raw
}
static void closes_in_child(int fd)
{
	pid_t pid = vfork();

	if (pid == 0) {
		::close(fd);
		_exit(0);
	}
	waitpid(pid, nullptr, 0);
}
// A stream of its own, another file at its number.
static void closes_stream(int fd)
{
	std::fclose(fdopen(fd, "r"));
}
static void closes_none(int fd)
{
	dup2(fd, fd);
	dup2(-1, fd);
	dup3(fd, fd, 0);
	close_range(fd, fd, CLOSE_RANGE_CLOEXEC);
	closes_stream(dup(fd));
}
enum class how { closes, cancels, another, child, stream, dup2, dup3, range, none };
static awaitable<void> closes(descriptor &d, how does)
{
	co_await sleep_for(20ms);
	if (does == how::another) {
		::close(dup(d.native_handle()));
	} else if (does == how::child) {
		closes_in_child(d.native_handle());
	} else if (does == how::stream) {
		closes_stream(d.native_handle());
	} else if (does == how::dup2) {
		::dup2(open("/dev/null", O_RDONLY), d.native_handle());
	} else if (does == how::dup3) {
		::dup3(open("/dev/null", O_RDONLY), d.native_handle(), O_CLOEXEC);
	} else if (does == how::range) {
		close_range(d.native_handle(), d.native_handle(), 0);
	} else if (does == how::none) {
		closes_none(d.native_handle());
	} else {
		::close(d.native_handle());
	}
	if (does == how::cancels)
		d.cancel();
}
template <how does> static void raw(asio::io_context &io)
{
	int ends[2];

	if (pipe(ends) != 0)
		return;
	auto &d = *new descriptor(io, ends[0]);
	asio::co_spawn(io, reads(d), detached);
	asio::co_spawn(io, closes(d, does), detached);
	io.run();
}

// Operations of the program's own, whose handlers it keeps: of one it forgets some, two are a lock each, taken crosswise.
struct callers {
	std::deque<std::function<void()>> kept;

	template <class Token> auto wait(Token &&token)
	{
		return asio::async_initiate<Token, void()>([this](auto handler) {
			auto h = std::make_shared<decltype(handler)>(std::move(handler));
			kept.push_back([h] {
				asio::post(asio::get_associated_executor(*h), std::move(*h));
			});
		}, token);
	}
	void call_one()
	{
		auto first = std::move(kept.front());

		kept.pop_front();
		first();
	}
};
template <bool all> static void kept(asio::io_context &io)
{
	auto &c = *new callers;

	for (int i = 0; i < 3; i++)
		asio::co_spawn(io, [&]() -> awaitable<void> { co_await c.wait(use_awaitable); }, detached);
	asio::co_spawn(io, [&]() -> awaitable<void> {
		co_await sleep_for(5ms);
		do
			c.call_one();
		while (all && !c.kept.empty());
	}, detached);
	io.run();
}
struct lock {
	bool taken = false;
	callers waiting;

	awaitable<void> take()
	{
		while (taken)
			co_await waiting.wait(use_awaitable);
		taken = true;
	}
	void give()
	{
		taken = false;
		if (!waiting.kept.empty())
			waiting.call_one();
	}
};
static awaitable<void> takes(lock &a, lock &b)
{
	co_await a.take();
	co_await sleep_for(5ms);
	co_await b.take();
	b.give();
	a.give();
}
template <bool in_order> static void locks(asio::io_context &io)
{
	auto &a = *new lock, &b = *new lock;

	asio::co_spawn(io, takes(a, b), detached);
	asio::co_spawn(io, in_order ? takes(a, b) : takes(b, a), detached);
	io.run();
}
// Both are waited for, where one is never over.
template <bool any> static void both(asio::io_context &io)
{
	auto &t = *new asio::steady_timer(io, asio::steady_timer::time_point::max());

	asio::co_spawn(io, [&]() -> awaitable<void> {
		if (any)
			co_await (sleep_for(5ms) || t.async_wait(use_awaitable));
		else
			co_await (sleep_for(5ms) && t.async_wait(use_awaitable));
	}, detached);
	io.run();
}
// The only thread waits for what is to run there.
template <bool leaves> static void polls(asio::io_context &io)
{
	asio::co_spawn(io, [&]() -> awaitable<void> {
		auto done = asio::co_spawn(io, sleep_for(1ms), asio::use_future);

		if (leaves)
			co_await sleep_for(10ms);
		done.get();
	}, detached);
	io.run();
}
// A strand is kept for long by one whose query blocks its thread; who was spawned there stands behind it.
static void query(asio::io_context &io)
{
	auto &s = *new asio::strand<asio::io_context::executor_type>(asio::make_strand(io));

	asio::co_spawn(io, []() -> awaitable<void> {
		for (;;)
			co_await sleep_for(2ms);
	}, detached);
	asio::co_spawn(s, [&]() -> awaitable<void> {
		co_await sleep_for(20ms);
		asio::co_spawn(s, sleep_for(1ms), detached);
		std::this_thread::sleep_for(5s);
	}, detached);
	std::thread([&] { io.run(); }).detach();
	io.run();
}
// Who waits for one that is moved meanwhile is not woken by who cancels another at its old address.
template <class T> static awaitable<void> of_its_own(T &t)
{
	asio_error e;

	co_await t.async_wait(asio::redirect_error(use_awaitable, e));
}
template <> awaitable<void> of_its_own(asio::posix::stream_descriptor &d)
{
	asio_error e;

	co_await d.async_wait(d.wait_read, asio::redirect_error(use_awaitable, e));
}
template <class T, auto make> static void moved(asio::io_context &io)
{
	asio::co_spawn(io, [&]() -> awaitable<void> {
		static std::optional<T> here;

		for (int i = 0; i < 2; i++) {
			here.emplace(make(io));
			asio::co_spawn(io, of_its_own(*here), detached);
			co_await sleep_for(5ms);
			if (i == 0)
				new T(std::move(*here));
		}
		here->cancel();
		for (;;)
			co_await sleep_for(5ms);
	}, detached);
	io.run();
}
template <class T> static T in_an_hour(asio::io_context &io) { return T(io, std::chrono::hours(1)); }
static asio::steady_timer never(asio::io_context &io) { return asio::steady_timer(io, asio::steady_timer::time_point::max()); }
static asio::posix::stream_descriptor silent(asio::io_context &io)
{
	int ends[2];

	return asio::posix::stream_descriptor(io, pipe(ends) == 0 ? ends[0] : -1);
}

static int main(int argc, char **argv)
{
	static const way ways[] = {
		{ "sender", sender<false> }, { "closes", sender<true> }, { "pool", pool<true> }, { "returns", pool<false> }, { "inner", inner }, { "logger", logger },
		{ "periodic", periodic }, { "early", early<false, false> }, { "checks", early<true, false> },
		{ "living", ended<true> }, { "ended", ended<false> }, { "raw", raw<how::closes> },
		{ "raw_cancels", raw<how::cancels> }, { "raw_other", raw<how::another> }, { "raw_child", raw<how::child> },
		{ "raw_stream", raw<how::stream> }, { "raw_dup2", raw<how::dup2> }, { "raw_dup3", raw<how::dup3> }, { "raw_range", raw<how::range> },
		{ "raw_same", raw<how::none> }, { "kept", kept<false> }, { "called", kept<true> }, { "crosswise", locks<false> },
		{ "in_order", locks<true> }, { "both", both<false> }, { "either", both<true> }, { "polls", polls<false> }, { "leaves", polls<true> }, { "query", query },
		{ "moved", moved<asio::steady_timer, in_an_hour<asio::steady_timer>> }, { "moved_event", moved<asio::steady_timer, never> },
		{ "moved_system", moved<asio::system_timer, in_an_hour<asio::system_timer>> },
		{ "moved_fd", moved<asio::posix::stream_descriptor, silent> } };

	return go(ways, argc, argv);
}
}
