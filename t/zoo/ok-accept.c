/* ok-accept.c - listeners that nobody connects to.
 * expect: nothing proven */
#include "zoo.h"

static int fd[4][2];
static void listener(void *arg) { readable(*(int *)arg); }

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 4; i++) {
		pair(fd[i]);
		go(listener, &fd[i][0], "listener");
	}
	return zoo_end();
}
