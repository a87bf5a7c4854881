/* ok-keepalive.c - a keep-alive connection that says nothing while others come and go.
 * expect: nothing proven */
#include "zoo.h"

static int fd[13][2];
static void conn(void *arg) { readable(*(int *)arg); }

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 13; i++) {
		pair(fd[i]);
		go(conn, &fd[i][0], "conn");
		if (i && write(fd[i][1], "x", 1) != 1)
			return 1;
	}
	return zoo_end();
}
