/* ok-shutdown-fds.c - a server shuts down: it closes its idle connections long before it exits, and cancels who waited.
 * expect: nothing proven */
#include "zoo.h"

static int fd[4][2];
static struct task *t[4];
static void conn(void *arg) { readable(*(int *)arg); }

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 4; i++) {
		pair(fd[i]);
		t[i] = go(conn, &fd[i][0], "conn");
	}
	settle();
	for (int i = 0; i < 4; i++) {
		enter();
		take_this(&readers, t[i]);
		ct_close(ct_fd(fd[i][0]));
		close(fd[i][0]);
		leave();
	}
	pause_ms(30);			/* their frames go later */
	for (int i = 0; i < 4; i++)
		ct_destroy(&t[i]->ct, 0);
	return zoo_end();
}
