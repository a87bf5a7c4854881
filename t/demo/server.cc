// server.cc - the demo: a line-based TCP server on sched.hpp, with a bug that no sanitizer sees.
//
//	demo-server [--mended] [--clients=N] --port-file=FILE
//
// Listens on a free port of 127.0.0.1, writes its number into FILE, serves N connections (default 50), and ends half a
// second after the last of them is closed. Each line sent is echoed; QUIT ends a connection. When a peer resets its
// connection, a worker closes the descriptor and forgets the coroutine that awaits it; --mended resumes it instead.
#include "sched.hpp"

#include <arpa/inet.h>
#include <getopt.h>
#include <string_view>
#include <sys/socket.h>

static job serve(scheduler &s, int fd)
{
	char line[256];

	while (co_await s.readable(fd)) {
		ssize_t got = recv(fd, line, sizeof line, 0);
		if (got <= 0 || send(fd, line, size_t(got), MSG_NOSIGNAL) != got)
			break;
		if (std::string_view(line, size_t(got)) == "QUIT\n")
			break;
	}
	s.close(fd);
}

static job accept_all(scheduler &s, int listener, int clients)
{
	for (int n = 1; n <= clients; n++) {
		co_await s.readable(listener);
		int fd = scheduler::must(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), "accept4");
		s.open(fd, "client " + std::to_string(n));
		job j = serve(s, fd);
		ct::name(j.handle, "conn " + std::to_string(n));
		s.spawn(j);
	}
	ct_close(ct_fd(listener));
	close(listener);
}

static int listen_on_loopback(const char *port_file)
{
	sockaddr_in addr = {};
	socklen_t len = sizeof addr;
	int fd = scheduler::must(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
	std::string part = std::string(port_file) + ".part";

	addr.sin_family = AF_INET;
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	scheduler::must(bind(fd, reinterpret_cast<sockaddr *>(&addr), len), "bind");
	scheduler::must(listen(fd, 128), "listen");
	scheduler::must(getsockname(fd, reinterpret_cast<sockaddr *>(&addr), &len), "getsockname");

	// Renamed into place: whoever sees the file sees all of it.
	FILE *f = fopen(part.c_str(), "w");
	if (!f || fprintf(f, "%d\n", ntohs(addr.sin_port)) < 0 || fclose(f) != 0 || rename(part.c_str(), port_file) != 0)
		scheduler::must(-1, port_file);
	return fd;
}

int main(int argc, char *argv[])
{
	static const option table[] = {
		{ "mended", no_argument, nullptr, 'm' },
		{ "clients", required_argument, nullptr, 'c' },
		{ "port-file", required_argument, nullptr, 'p' },
		{ nullptr, 0, nullptr, 0 },
	};
	bool mended = false;
	int c, clients = 50;
	const char *port_file = nullptr;

	while ((c = getopt_long(argc, argv, "mc:p:", table, nullptr)) != -1) {
		if (c == 'm')
			mended = true;
		else if (c == 'c')
			clients = atoi(optarg);
		else if (c == 'p')
			port_file = optarg;
		else
			return 2;
	}
	if (!port_file || optind != argc || clients < 1) {
		fprintf(stderr, "usage: demo-server [--mended] [--clients=N] --port-file=FILE\n");
		return 2;
	}
	alarm(30); // nobody came

	static scheduler s(4, mended); // static: what it holds is not leaked
	s.spawn(accept_all(s, listen_on_loopback(port_file), clients));
	while (s.closed < clients)
		usleep(10 * 1000);
	usleep(500 * 1000);
	s.stop();
	return 0;
}
