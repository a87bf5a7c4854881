// ok-cc-spare.cc - hands wait at one condition for jobs, told as its level; one is woken where none is at work, the last first.
// expect: nothing proven
#include "zoo.hpp"

static size_t jobs, at_work;
static line idle;
static task<> hand()
{
	for (bool again = false;;) {
		for (;; again = true) {
			co_await wait_in(idle, ct_cond(&jobs), [&] { at_work -= again && !jobs; return !jobs; });
			guard_z z(Z);
			if (!jobs)
				continue;
			ct_level(ct_cond(&jobs), --jobs);
			break;
		}
		co_await sleep_ms(6);
	}
}
static task<> source()
{
	for (;;) {
		{
			guard_z z(Z);
			ct_level(ct_cond(&jobs), ++jobs);
			if (!at_work && !idle.empty()) {
				at_work++;
				wake(idle.back());
			}
		}
		co_await sleep_ms(3);
	}
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	ct_level(ct_cond(&jobs), 0);
	for (int i = 0; i < 3; i++) {
		spawn(hand(), "hand");
		p.settle();
	}
	spawn(source(), "source");
	pause_ms(400);
}
