/* closed-eof.c - the reader of a socketpair waits for its end; its own side is closed by the task that cleans up.
 * expect: closed-resource 1 */
#include "zoo.h"

static int fd[2];
static void reader(void *arg) { (void)arg; readable(fd[0]); }
static void janitor(void *arg)
{
	(void)arg;
	enter();
	readers.first = NULL;		/* the reactor is told to forget it, the task is not told */
	ct_close(ct_fd(fd[0]));
	close(fd[0]);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	pair(fd);
	go(reader, NULL, "reader");
	settle();
	go(janitor, NULL, "janitor");
	return zoo_end();
}
