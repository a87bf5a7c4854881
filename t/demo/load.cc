// load.cc - the demo's clients: open CLIENTS connections, talk on each, then reset RESETS of them and end the others.
//
//	demo-load PORT [CLIENTS [RESETS]]		50 and 47 where not given
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

static long must(long result, const char *what)
{
	if (result >= 0)
		return result;
	perror(what);
	exit(1);
}

static int dial(int port)
{
	sockaddr_in addr = {};
	int fd = int(must(socket(AF_INET, SOCK_STREAM, 0), "demo-load: socket"));

	addr.sin_family = AF_INET;
	addr.sin_port = htons(uint16_t(port));
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(connect(fd, reinterpret_cast<sockaddr *>(&addr), sizeof addr), "demo-load: connect");
	return fd;
}

// The server echoes: once the answer is here, its coroutine is waiting for the next line, or about to.
static void ask(int fd, const std::string &line)
{
	char answer[256];

	must(send(fd, line.data(), line.size(), MSG_NOSIGNAL), "demo-load: send");
	for (size_t got = 0; got < line.size();) {
		long n = must(recv(fd, answer, sizeof answer, 0), "demo-load: recv");
		if (n == 0) {
			fprintf(stderr, "demo-load: the server closed the connection\n");
			exit(1);
		}
		got += size_t(n);
	}
}

int main(int argc, char *argv[])
{
	int port = argc > 1 ? atoi(argv[1]) : 0;
	int clients = argc > 2 ? atoi(argv[2]) : 50;
	int resets = argc > 3 ? atoi(argv[3]) : 47;
	const linger at_once = { 1, 0 };	// close(2) then sends RST
	std::vector<int> fds;

	if (port <= 0 || argc > 4 || clients < 1 || resets < 0 || resets > clients) {
		fprintf(stderr, "usage: demo-load PORT [CLIENTS [RESETS]]\n");
		return 2;
	}
	alarm(30); // no answer
	for (int i = 0; i < clients; i++)
		fds.push_back(dial(port));
	for (int fd : fds)
		ask(fd, "hello\n");
	for (int i = 0; i < clients; i++) {
		if (i < resets)
			must(setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), "demo-load: setsockopt");
		else
			ask(fds[i], "QUIT\n");
		close(fds[i]);
	}
	printf("%d connections: %d reset, %d ended by QUIT\n", clients, resets, clients - resets);
	return fflush(stdout) == 0 ? 0 : 1;
}
