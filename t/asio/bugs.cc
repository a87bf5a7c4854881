// bugs.cc - what asio really lets hang, or each of these mended; it ends after 900 ms:
//
//	bugs closed|context|erased|spawned|event|blocked|stopped [mended]
//
// "stopped" is no bug: coroutines that wait when their io_context is taken apart.
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <future>
#include <optional>
#include <thread>
#include <unistd.h>
#include "flavour.hpp"

using asio::awaitable;
using asio::detached;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace bugs {
using descriptor = asio::posix::stream_descriptor;
static bool bug = true;

static awaitable<void> sleep_for(std::chrono::milliseconds d)
{
	asio::steady_timer t(co_await asio::this_coro::executor, d);

	co_await t.async_wait(use_awaitable);
}

// A library is given the number of a descriptor, and closes it: asio's other object never hears of that.
static awaitable<void> reads(descriptor &d)
{
	char c;

	try {
		co_await d.async_read_some(asio::buffer(&c, 1), use_awaitable);	// @closed
	} catch (const std::exception &) {
	}
}
static awaitable<void> closes(int fd, descriptor &reader, asio::io_context &other)
{
	co_await sleep_for(20ms);
	if (bug)
		descriptor(other, fd).close();
	else
		reader.close();
}
static void closed(asio::io_context &io)
{
	auto &other = *new asio::io_context;
	int ends[2];

	if (pipe(ends) != 0)
		return;
	auto &reader = *new descriptor(io, ends[0]);
	asio::co_spawn(io, reads(reader), detached);
	asio::co_spawn(io, closes(ends[0], reader, other), detached);
	io.run();
}

// Work is handed to another io_context, whose run() has returned for want of work.
#if ASIO_VERSION < 101900 && BOOST_ASIO_VERSION < 101900	// which knows no other token here
template <class There> static auto &going_on(There &) { return use_awaitable; }
#else
template <class There> static auto going_on(There &there) { return asio::bind_executor(there, use_awaitable); }
#endif
static awaitable<void> switches(asio::io_context &other)
{
	co_await sleep_for(50ms);
	co_await asio::post(other, going_on(other));	// @context
}
static awaitable<void> works()
{
	for (int i = 0; i < 50; i++)
		co_await asio::post(co_await asio::this_coro::executor, use_awaitable);
}
// The same by an executor of no particular type, as a coroutine's own is.
static awaitable<void> switches_erased(asio::io_context &other)
{
	asio::any_io_executor there = other.get_executor();

	co_await sleep_for(50ms);
	co_await asio::post(there, going_on(there));	// @erased
}
// A coroutine is to begin there.
static awaitable<void> stores() { co_return; }		// @spawned
static awaitable<void> spawns(asio::io_context &other)
{
	co_await sleep_for(50ms);
	co_await asio::co_spawn(other, stores(), use_awaitable);
}
template <awaitable<void> (*switches)(asio::io_context &)> static void context(asio::io_context &io)
{
	auto &other = *new asio::io_context;
	auto keep = asio::make_work_guard(other);

	if (bug)
		keep.reset();
	std::thread([&] { other.run(); }).detach();
	asio::co_spawn(io, works(), detached);
	asio::co_spawn(io, switches(other), detached);
	io.run();
}

// Timers that never expire, used as events: of ten, one is not cancelled.
static awaitable<void> waits(asio::steady_timer &t)
{
	asio_error e;

	co_await t.async_wait(asio::redirect_error(use_awaitable, e));	// @event
}
static void event(asio::io_context &io)
{
	auto &t = *new std::array<std::optional<asio::steady_timer>, 10>;

	for (auto &each : t) {
		each.emplace(io, asio::steady_timer::time_point::max());
		asio::co_spawn(io, waits(*each), detached);
	}
	asio::co_spawn(io, [&]() -> awaitable<void> {
		co_await sleep_for(20ms);
		for (auto &each : t)
			if (!bug || &each != &t[7])
				each->cancel();
	}, detached);
	io.run();
}

// One thread runs all, and a coroutine blocks it until what it has posted there has run.
static awaitable<void> asks(asio::io_context &io)
{
	co_await sleep_for(20ms);		// @blocked
	if (bug)
		asio::post(io, asio::use_future).get();
	else
		co_await asio::post(io, use_awaitable);
}
static void blocked(asio::io_context &io)
{
	asio::co_spawn(io, works(), detached);
	asio::co_spawn(io, asks(io), detached);
	io.run();
}

static void stopped(asio::io_context &)
{
	asio::io_context its_own;
	auto &t = *new asio::steady_timer(its_own, asio::steady_timer::time_point::max());

	asio::co_spawn(its_own, waits(t), detached);
	its_own.run_for(20ms);
}

static int main(int argc, char **argv)
{
	auto &io = *new asio::io_context;
	void (*run)(asio::io_context &) = nullptr;
	struct { const char *name; void (*run)(asio::io_context &); } all[] =
		{ { "closed", closed }, { "context", context<switches> }, { "erased", context<switches_erased> },
			{ "spawned", context<spawns> }, { "event", event }, { "blocked", blocked }, { "stopped", stopped } };

	for (auto &each : all)
		if (argc >= 2 && !std::strcmp(argv[1], each.name))
			run = each.run;
	if (!run)
		return 2;
	bug = argc == 2;
	// run() does not return while somebody hangs; nothing is taken apart
	std::thread late([] { std::this_thread::sleep_for(900ms); std::quick_exit(0); });
	run(io);
	late.join();
	return 0;
}
}
