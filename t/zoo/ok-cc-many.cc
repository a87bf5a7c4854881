// ok-cc-many.cc - short coroutines by the thousand, each awaiting others, joined; one of them waits for what comes at the end.
// expect: nothing proven
#include "zoo.hpp"

static event last;
static task<int> leaf(int n) { co_return n; }
static task<int> sum(int n)
{
	int all = 0;

	for (int i = 0; i < n; i++)
		all += co_await leaf(i);
	co_return all;
}
static task<> adds()
{
	for (int i = 0; i < 10; i++)
		if (co_await sum(20) != 190)
			abort();
}
static task<> parent()
{
	for (int i = 0; i < 10; i++)
		co_await join(spawn(adds(), "adds"));
}
static task<> patient() { co_await last.wait(); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(patient(), "patient");
	for (int i = 0; i < 4; i++)
		spawn(parent(), "parent");
	p.settle();
	pause_ms(250);
	last.set();
	p.settle();
}
