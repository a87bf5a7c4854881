// yields.cc - what ct::fibers::traced costs: two fibers of Boost.Fiber that yield to each other, "bare" or "traced".
//
// Prints ns of this process's processor time for each switch.
#include <cstdio>
#include <cstring>
#include <sys/resource.h>
#include <boost/fiber/all.hpp>
#include "ct_fiber.hpp"

constexpr int switches = 1000000;

static double used_ns()
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return double(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 + double(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}
static void yields()
{
	for (int i = 0; i < switches / 2; i++)
		boost::this_fiber::yield();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !std::strcmp(argv[1], "traced"))
		boost::fibers::use_scheduling_algorithm<ct::fibers::traced<boost::fibers::algo::round_robin>>();

	double begin = used_ns();
	boost::fibers::fiber other(yields);

	yields();
	other.join();
	std::printf("%.1f\n", (used_ns() - begin) / switches);
}
