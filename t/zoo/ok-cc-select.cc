// ok-cc-select.cc - many select between items, a flag and a lock with a limit, woken as they should be; they rest.
// expect: nothing proven
#include "zoo.hpp"

static channel<int> jobs(4), orders(4);
static event stop;
static mutex m;
static int stops;
static task<> serves()
{
	for (;;) {
		co_await wait_in_two(false, jobs.receivers, jobs.on(), orders.receivers, orders.on(),
			[](int i) { return (i ? orders : jobs).items.empty(); });
		guard_z z(Z);
		if (jobs.items.empty() && orders.items.empty())
			continue;
		channel<int> &c = jobs.items.empty() ? orders : jobs;
		c.items.pop_front();
		ct_level(c.on(), c.items.size());
		wake_one(c.senders);
		if (!c.items.empty())
			wake_one(c.receivers);
	}
}
static task<> sends(channel<int> &c)
{
	for (int i = 0; i < 50; i++) {
		co_await c.send(i);
		if (i % 8 == 0)
			co_await sleep_ms(1);
	}
}
// Until the flag is set, or an hour is over.
static task<> watches()
{
	uint64_t limit = now() + 3600000000000;

	co_await wait_in_two(false, stop.waiting, ct_cond(&stop), sleepers, ct_timer(limit), [](int i) { return i || !stop.is_set; });
	guard_z z(Z);
	stops++;
}
static task<> tries()
{
	uint64_t limit = now() + 3600000000000;

	while (!m.try_lock())
		co_await wait_in_two(false, m.waiting, ct_mutex(&m), sleepers, ct_timer(limit), [](int i) { return i || m.held; });
	co_await sleep_ms(1);
	m.unlock();
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	for (int i = 0; i < 3; i++)
		spawn(serves(), "serves");
	for (int i = 0; i < 4; i++) {
		spawn(sends(i % 2 ? jobs : orders), "sends");
		spawn(tries(), "tries");
		spawn(watches(), "watches");
	}
	pause_ms(30);
	stop.set();
}
