/* ok-shutdown-late.c - a server closes what its connections wait for as the last thing it does.
 * expect: nothing proven */
#include "zoo.h"

static int fd[4][2];
static void conn(void *arg) { readable(*(int *)arg); }

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 4; i++) {
		pair(fd[i]);
		go(conn, &fd[i][0], "conn");
	}
	zoo_end();
	for (int i = 0; i < 4; i++) {
		ct_close(ct_fd(fd[i][0]));
		close(fd[i][0]);
	}
	return 0;
}
