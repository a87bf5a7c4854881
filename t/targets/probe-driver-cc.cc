// probe-driver-cc.cc - the C++ probe's driver for ct-check --probe: each coroutine of its is one of the language's, and takes the
// commands while it runs.
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "corotrace.hpp"

struct task {
	struct promise_type : ct::promise_mixin {
		explicit promise_type(ct::here h = ct::here::current()) : ct::promise_mixin(h) {}
		task get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		void return_void() {}
		void unhandled_exception() { std::abort(); }
	};
	std::coroutine_handle<promise_type> handle;
	uint64_t id() const { return ct::id(handle); }
};

struct waiting : std::suspend_always {
	ct::on on;
	ct::on waits_on() const { return on; }
};

static task tasks[16];
static bool at_once;		// what is resumed suspends without a command
static std::string words;	// of the user's that an event refers to

static ct::on thing(const std::string &text)
{
	auto colon = text.find(':');
	if (colon == text.npos)
		return ct_nothing();
	std::string kind = text.substr(0, colon), value = text.substr(colon + 1);
	auto number = std::strtoull(value.c_str(), nullptr, 0);
	auto address = reinterpret_cast<const void *>(number);
	words = value;
	return kind == "fd"    ? ct_fd(static_cast<int>(number)) :
	       kind == "chan"  ? ct_chan(address) :
	       kind == "room"  ? ct_room(address) :
	       kind == "mutex" ? ct_mutex(address) :
	       kind == "coro"  ? ct_await(number) :
				 ct_user(words.c_str());
}

// Takes commands until one is for the coroutine `mine`: true, it suspends on `on`; false, it ends.
static bool serve(int mine, ct::on &on);

static int suspend_line;

static task body(int mine)
{
	ct::on on = ct_nothing();
	for (bool goes_on = at_once;; goes_on = at_once) {
		if (!goes_on) {
			std::cout << "ok" << std::endl;
			if (!serve(mine, on))
				co_return;
		}
		suspend_line = __LINE__ + 1;
		co_await waiting{ {}, at_once ? ct_nothing() : on };
	}
}

static void quickly(int who, long times)
{
	at_once = true;
	while (times--)
		tasks[who].handle.resume();
	at_once = false;
}

static void in_thread(const std::string &name, int who)
{
	std::thread([&] {
		ct_thread(CT_WORKER, name.c_str());
		quickly(who, 1);
	}).join();
}

static void answer(const char *file, int line)
{
	std::cout << "ok " << file << ":" << line << std::endl;
}

static void forks()
{
	pid_t child = fork();
	if (child)
		waitpid(child, nullptr, 0);
	std::cout << "ok";
	if (!child)
		std::cout << " " << getpid();
	std::cout << std::endl;
}

static bool obey(const std::string &word, std::istream &rest, int mine)
{
	int who = 0;
	std::string last;
	if (word == "thread")
		rest >> last;
	rest >> who >> std::ws;
	if (word != "thread")
		std::getline(rest, last);
	if (word == "create") {
		tasks[who] = body(who);
		if (!last.empty())
			ct::name(tasks[who].handle, last);
		std::cout << "ok " << tasks[who].id() << std::endl;
	} else if (word == "resume") {
		tasks[who].handle.resume();	// it answers, for it takes the commands from here on
		if (tasks[who].handle.done())
			std::cout << "ok" << std::endl;
		else
			answer(__FILE__, suspend_line);
	} else if (word == "wake") {
		ct::wake(tasks[who].id(), thing(last)), answer(__FILE__, __LINE__);
	} else if (word == "dequeue") {
		ct::dequeue(tasks[who].id()), answer(__FILE__, __LINE__);
	} else if (word == "destroy" && who != mine) {
		tasks[who].handle.destroy();
		std::cout << "ok" << std::endl;
	} else if (word == "flood") {
		quickly(who, std::stol(last));
		std::cout << "ok" << std::endl;
	} else if (word == "thread") {
		in_thread(last, who);
		std::cout << "ok" << std::endl;
	} else if (word == "fork") {
		forks();
	} else {
		return false;
	}
	return true;
}

static bool serve(int mine, ct::on &on)
{
	std::string line, word, rest;
	int who = 0;
	while (std::getline(std::cin, line)) {
		std::istringstream text(line);
		text >> word;
		if (word == "exit")
			std::exit(0);
		if (word == "suspend") {
			text >> who >> std::ws;
			rest.clear();
			std::getline(text, rest);
			on = thing(rest);
			return true;
		}
		if (word == "destroy" && line == "destroy " + std::to_string(mine) + " 1")
			return false;
		if (!obey(word, text, mine))
			std::cout << "unknown" << std::endl;
	}
	std::exit(0);
}

int main()
{
	ct::on on = ct_nothing();
	serve(0, on);
}
