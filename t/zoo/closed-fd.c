/* closed-fd.c - connections whose descriptor another thread closes without waking who waits for it.
 * expect: closed-resource 3 */
#include "zoo.h"

static int fd[3][2];
static void conn(void *arg) { readable(*(int *)arg); }
static void *closer(void *arg)
{
	for (int i = 0; i < 3; i++) {
		ct_close(ct_fd(fd[i][0]));
		close(fd[i][0]);
	}
	return arg;
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 3; i++) {
		pair(fd[i]);
		go(conn, &fd[i][0], "conn");
	}
	settle();
	elsewhere(closer, NULL);
	return zoo_end();
}
