/* ok-shutdown-slow.c - a server stops its workers, closes what its connections wait for, and takes its time to exit.
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
	pause_ms(300);		/* the database is written out */
	return 0;
}
