// cc-missed-event.cc - a flag is looked at without the lock; it is set, and nobody found waiting, before its waiter has suspended.
// expect: missed-wake 1
#include "zoo.hpp"

static event done;

struct unguarded : wait_in<bool (*)()> {
	unguarded() : wait_in(done.waiting, ct_cond(&done), always) {}	// the second look is missing
	bool await_ready() const
	{
		if (done.is_set)
			return true;
		elsewhere([] {
			done.set();
			ct_notify(ct_cond(&done), 0);
		});
		pause_ms(1);
		return false;
	}
};
static task<> waits() { co_await unguarded(); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(waits(), "waits");
	p.settle();
}
