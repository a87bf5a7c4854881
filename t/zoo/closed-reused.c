/* closed-reused.c - a closed descriptor whose number is at once another connection: the old reader is none of its.
 * expect: closed-resource 1 */
#include "zoo.h"

static int fd[2], other[2];
static void reader(void *arg) { readable(*(int *)arg); }

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	pair(fd);
	go(reader, &fd[0], "old");
	settle();
	enter();
	readers.first = NULL;
	ct_close(ct_fd(fd[0]));
	close(fd[0]);
	pair(other);			/* the same number */
	leave();
	go(reader, &other[0], "new");
	return zoo_end();
}
