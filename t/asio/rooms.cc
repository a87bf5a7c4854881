// rooms.cc - locks made of channels or timers, and mailboxes, that are full when it ends, after 600 ms:
//
//	rooms again|at_once|abba|abba_used|kept|mailboxes|answered [server]	they hang
//	rooms slow|moves|moves_late|pipeline|holder|holder_used [server]	they do not
//	rooms unlocked|permits [server]		locks made of a timer that never expires: they hang
//	rooms timed|idle [server]		they do not
//
// "server": somebody accepts connections meanwhile, and may do anything.
#include "ways.hpp"

namespace rooms {
// As asio's example mutual_exclusion_1 has it.
struct mutex {
	channel c;

	explicit mutex(asio::io_context &io) : c(io, 1) {}
	auto lock() { return c.async_send(asio_error(), 0, use_awaitable); }
	void unlock() { c.try_receive([](auto...) {}); }
};

static awaitable<void> uses(mutex &m, int times)
{
	for (int i = 0; i < times; i++) {
		co_await m.lock();
		co_await sleep_for(1ms);
		m.unlock();
	}
}

// The lock's only holder takes it again.
static awaitable<void> locks_again(mutex &m, int before)
{
	co_await uses(m, before);
	co_await m.lock();
	co_await m.lock();
	m.unlock();
	m.unlock();
}
static void again(asio::io_context &io)
{
	asio::co_spawn(io, locks_again(*new mutex(io), 2), detached);
	io.run();
}
static void at_once(asio::io_context &io)
{
	asio::co_spawn(io, locks_again(*new mutex(io), 0), detached);
	io.run();
}

// Two locks in two orders.
static awaitable<void> both(mutex &a, mutex &b, int before)
{
	co_await uses(a, before);
	co_await a.lock();
	co_await sleep_for(10ms);
	co_await b.lock();
	b.unlock();
	a.unlock();
}
template <int before> static void abba(asio::io_context &io)
{
	auto &a = *new mutex(io), &b = *new mutex(io);

	asio::co_spawn(io, both(a, b, before), detached);
	asio::co_spawn(io, both(b, a, before), detached);
	io.run();
}

// Who has it returns early, and another waits.
static awaitable<void> keeps(mutex &m, bool &returned)
{
	co_await uses(m, 2);
	co_await m.lock();
	returned = true;
}
static awaitable<void> wants(mutex &m, bool &returned)
{
	while (!returned)
		co_await sleep_for(1ms);
	co_await m.lock();
	m.unlock();
}
static void kept(asio::io_context &io)
{
	auto &m = *new mutex(io);
	auto &returned = *new bool(false);

	asio::co_spawn(io, keeps(m, returned), detached);
	asio::co_spawn(io, wants(m, returned), detached);
	io.run();
}

// Two actors fill each other's mailbox, before or after they have received something.
static awaitable<void> actor(channel &in, channel &out, bool answered)
{
	if (answered) {
		co_await out.async_send(asio_error(), 0, use_awaitable);
		co_await in.async_receive(use_awaitable);
	}
	for (int i = 0; i < 5; i++)
		co_await out.async_send(asio_error(), i, use_awaitable);
	for (int i = 0; i < 5; i++)
		co_await in.async_receive(use_awaitable);
}
template <bool answered> static void mailboxes(asio::io_context &io)
{
	auto &a = *new channel(io, 2), &b = *new channel(io, 2);

	asio::co_spawn(io, actor(a, b, answered), detached);
	asio::co_spawn(io, actor(b, a, answered), detached);
	io.run();
}

// Healthy. A consumer that is slow: it has taken, and does something long with that.
static awaitable<void> sends(channel &c)
{
	for (int i = 0; i < 100; i++)
		co_await c.async_send(asio_error(), i, use_awaitable);
}
static awaitable<void> takes(channel &c, std::chrono::milliseconds first, std::chrono::milliseconds each)
{
	co_await sleep_for(first);
	for (;;) {
		co_await c.async_receive(use_awaitable);
		co_await sleep_for(each);
	}
}
static void slow(asio::io_context &io)
{
	auto &c = *new channel(io, 2);

	asio::co_spawn(io, sends(c), detached);
	asio::co_spawn(io, takes(c, 0ms, 5s), detached);
	io.run();
}
// One coroutine takes a few and ends; the next goes on.
static awaitable<void> takes_some(channel &c, int left)
{
	for (int i = 0; i < 3; i++)
		co_await c.async_receive(use_awaitable);
	if (left)
		asio::co_spawn(co_await asio::this_coro::executor, takes_some(c, left - 1), detached);
	else
		asio::co_spawn(co_await asio::this_coro::executor, takes(c, 0ms, 5s), detached);
}
static void moves(asio::io_context &io)
{
	auto &c = *new channel(io, 2);

	asio::co_spawn(io, sends(c), detached);
	asio::co_spawn(io, takes_some(c, 3), detached);
	io.run();
}
// The last that was given the channel has not taken yet.
static awaitable<void> takes_some_then_late(channel &c)
{
	for (int i = 0; i < 3; i++)
		co_await c.async_receive(use_awaitable);
	asio::co_spawn(co_await asio::this_coro::executor, takes(c, 5s, 5s), detached);
}
static void moves_late(asio::io_context &io)
{
	auto &c = *new channel(io, 2);

	asio::co_spawn(io, sends(c), detached);
	asio::co_spawn(io, takes_some_then_late(c), detached);
	io.run();
}
static awaitable<void> passes_on(channel &in, channel &out)
{
	for (;;) {
		int i = co_await in.async_receive(use_awaitable);

		co_await out.async_send(asio_error(), i, use_awaitable);
	}
}
static void pipeline(asio::io_context &io)
{
	auto &a = *new channel(io, 2), &b = *new channel(io, 2), &c = *new channel(io, 1);

	asio::co_spawn(io, sends(a), detached);
	asio::co_spawn(io, passes_on(a, b), detached);
	asio::co_spawn(io, passes_on(b, c), detached);
	asio::co_spawn(io, takes(c, 20ms, 5s), detached);
	io.run();
}
// A lock that is had for long.
static awaitable<void> holds(mutex &m, bool before)
{
	if (before)
		co_await uses(m, 3);
	co_await m.lock();
	co_await sleep_for(5s);
	m.unlock();
}
template <bool before> static void holder(asio::io_context &io)
{
	auto &m = *new mutex(io);

	asio::co_spawn(io, holds(m, before), detached);
	for (int i = 0; i < 3; i++)
		asio::co_spawn(io, uses(m, 5), detached);
	io.run();
}


// A timer that never expires as a condition variable, and a lock and permits made of it.
struct timed {
	asio::steady_timer changed;
	int free;

	timed(asio::io_context &io, int n) : changed(io, asio::steady_timer::time_point::max()), free(n) {}
	awaitable<void> take()
	{
		asio_error ignored;

		while (!free)
			co_await changed.async_wait(asio::redirect_error(use_awaitable, ignored));
		free--;
	}
	void give(int n, bool to_all)
	{
		free += n;
		do
			changed.cancel_one();
		while (to_all && --n);
	}
};
static awaitable<void> takes(timed &m, bool gives_back, std::chrono::milliseconds after)
{
	co_await m.take();
	co_await sleep_for(after);
	if (gives_back)
		m.give(1, true);
}
// One of six forgets the lock, or has it for long.
template <bool forgets> static void unlocked(asio::io_context &io)
{
	auto &m = *new timed(io, 1);

	for (int i = 0; i < 6; i++)
		asio::co_spawn(io, takes(m, i != 2 || !forgets, i == 2 && !forgets ? 5000ms : 1ms), detached);
	io.run();
}
static awaitable<void> gives(timed &m, int times, bool to_all, std::chrono::milliseconds after)
{
	for (int i = 0; i < times; i++) {
		co_await sleep_for(2ms);
		m.give(2, to_all);
	}
	co_await sleep_for(after);
}
static void permits(asio::io_context &io)
{
	auto &m = *new timed(io, 0);

	for (int i = 0; i < 2; i++)
		asio::co_spawn(io, takes(m, false, 0ms), detached);
	asio::co_spawn(io, gives(m, 1, false, 0ms), detached);
	io.run();
}
// A pool of three that rest, one more than there were jobs at a time, until there are more jobs.
static awaitable<void> works(timed &m)
{
	for (;;) {
		co_await m.take();
		co_await sleep_for(1ms);
	}
}
static void idle(asio::io_context &io)
{
	auto &m = *new timed(io, 0);

	for (int i = 0; i < 3; i++)
		asio::co_spawn(io, works(m), detached);
	asio::co_spawn(io, gives(m, 8, true, 5s), detached);
	io.run();
}

static int main(int argc, char **argv)
{
	static const way ways[] = {
		{ "again", again }, { "at_once", at_once }, { "abba", abba<0> }, { "abba_used", abba<2> }, { "kept", kept },
		{ "mailboxes", mailboxes<false> }, { "answered", mailboxes<true> }, { "slow", slow }, { "moves", moves },
		{ "moves_late", moves_late }, { "pipeline", pipeline }, { "holder", holder<false> },
		{ "holder_used", holder<true> }, { "unlocked", unlocked<true> }, { "timed", unlocked<false> },
		{ "permits", permits }, { "idle", idle } };

	return go(ways, argc, argv);
}
}
