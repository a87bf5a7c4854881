// all.cc - the programs of this folder but the servers as one: asio's templates are the most that there is to compile of each.
//
//	all bugs|forks|crowd|unknown|channels|rooms|left|callbacks ARGUMENT...
#include "bugs.cc"
#include "forks.cc"
#include "crowd.cc"
#if ASIO_VERSION >= 102100 || BOOST_ASIO_VERSION >= 102100	// which has channels
#include "unknown.cc"
#include "channels.cc"
#include "rooms.cc"
#include "left.cc"
#include "callbacks.cc"
#endif

int main(int argc, char **argv)
{
	struct { const char *name; int (*main)(int argc, char **argv); } all[] = {
		{ "bugs", bugs::main }, { "forks", forks::main }, { "crowd", crowd::main },
#if ASIO_VERSION >= 102100 || BOOST_ASIO_VERSION >= 102100
		{ "unknown", unknown::main }, { "channels", channels::main }, { "rooms", rooms::main }, { "left", left::main }, { "callbacks", callbacks::main },
#endif
	};

	for (auto &each : all)
		if (argc >= 2 && !std::strcmp(argv[1], each.name))
			return each.main(argc - 1, argv + 1);
	return 2;
}
