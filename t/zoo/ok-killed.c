/* ok-killed.c - killed at work: whatever was under way then proves nothing.
 * expect: nothing proven */
#include "zoo.h"

#include <signal.h>

static struct chan c[8];
static struct lock l;
static void pump(void *arg)
{
	int i = (int)(intptr_t)arg;

	for (;;) {
		chan_recv(&c[i]);
		pause_ms(1);
		lock_take(&l);
		chan_send(&c[(i + 3) % 8]);
		lock_give(&l);
	}
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 16; i++)
		go(pump, (void *)(intptr_t)(i % 8), "pump");
	chan_send(&c[0]);
	chan_send(&c[1]);
	pause_ms(200);
	return raise(SIGKILL) + zoo_stop(0);
}
