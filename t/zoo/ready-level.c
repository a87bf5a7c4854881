/* ready-level.c - a sender fills a channel from a plain thread and tells nobody.
 * expect: ready-resource 2 */
#include "zoo.h"

static struct chan c[2];
static void receiver(void *arg) { chan_recv((struct chan *)arg); }
static void *sender(void *arg)
{
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 3; k++)
			ct_level(ct_chan(&c[i]), ++c[i].items);
	return arg;
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(receiver, &c[0], "receiver");
	go(receiver, &c[1], "receiver");
	settle();
	elsewhere(sender, NULL);
	return zoo_end();
}
