// cc-lost-waker.cc - the sending half of a one-shot is destroyed without a word, and with it the waker of who waits.
// expect: lost-waker 1
#include "zoo.hpp"

class waker {
	uint64_t of;

public:
	explicit waker(uint64_t id) : of(id) { ct_waker_clone(of); }
	waker(waker &&other) noexcept : of(std::exchange(other.of, 0)) {}
	~waker()
	{
		if (of)
			ct_waker_drop(of);
	}
};
static std::optional<waker> sender;
struct one_shot {
	ct_on waits_on() const { return ct_user("one-shot"); }
	bool await_ready() const { return false; }
	template <class P> void await_suspend(std::coroutine_handle<P> h)
	{
		guard_z g(Z);
		sender.emplace(ct::id(h));
	}
	void await_resume() {}
};
static task<> receives() { co_await one_shot(); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(receives(), "receives");
	p.settle();
	elsewhere([] {
		guard_z g(Z);
		sender.reset();
	});
}
