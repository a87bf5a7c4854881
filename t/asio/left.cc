// left.cc - waits that nobody is left to end, and their twins in which somebody is; it ends after 300 ms:
//
//	left sender|inner|pool|early|ended|raw		they hang
//	left closes|returns|logger|periodic|living|checks|raw_cancels|raw_other|raw_child	they do not
//
// "server" as second argument: somebody accepts connections meanwhile.
#include <sys/wait.h>
#include <unistd.h>
#include "ways.hpp"
#ifdef BOOST
#include <boost/asio/experimental/awaitable_operators.hpp>
#else
#include <asio/experimental/awaitable_operators.hpp>
#endif

using namespace asio::experimental::awaitable_operators;
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
enum class how { closes, cancels, another, child };
static awaitable<void> closes(descriptor &d, how does)
{
	co_await sleep_for(20ms);
	if (does == how::another) {
		::close(dup(d.native_handle()));
	} else if (does == how::child) {
		closes_in_child(d.native_handle());
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

int main(int argc, char **argv)
{
	static const way ways[] = {
		{ "sender", sender<false> }, { "closes", sender<true> }, { "pool", pool<true> }, { "returns", pool<false> }, { "inner", inner }, { "logger", logger },
		{ "periodic", periodic }, { "early", early<false, false> }, { "checks", early<true, false> },
		{ "living", ended<true> }, { "ended", ended<false> }, { "raw", raw<how::closes> },
		{ "raw_cancels", raw<how::cancels> }, { "raw_other", raw<how::another> }, { "raw_child", raw<how::child> } };

	return go(ways, argc, argv);
}
