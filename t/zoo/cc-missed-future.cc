// cc-missed-future.cc - a future keeps the waker of who polls it; it is called while that one still runs, and the pool lets it lie.
// expect: missed-wake 1
#include "zoo.hpp"

struct reply {
	ct_on waits_on() const { return ct_user("reply"); }
	bool await_ready() const { return false; }
	void await_suspend(std::coroutine_handle<>) const {}
	void await_resume() const {}
};
static task<> polls()
{
	uint64_t me = ct_current();

	ct_waker_clone(me);
	elsewhere([me] {
		ct::wake(me);		// it runs: so it is not queued
		ct_waker_drop(me);
	});
	pause_ms(1);
	co_await reply();
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(polls(), "polls");
	p.settle();
}
