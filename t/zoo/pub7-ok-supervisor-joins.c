/* pub7-ok-supervisor-joins.c - a supervisor sends an actor its first job and joins it; the actor rests at its empty channel.
 * nothing proven
 * Healthy: another, who has not sent yet, sleeps and will send the next, or close the channel. Who may send is in no line. */
#include "pub.h"

static struct chan jobs = { .room = 4 };
static void actor(void *arg)
{
	(void)arg;
	while (chan_get(&jobs))
		sleep_ms(5);
}
static void sends_later(void *arg)
{
	(void)arg;
	sleep_ms(60000);
	chan_close(&jobs);
}
static void supervisor(void *arg)
{
	struct task *t = go(actor, NULL, "actor");

	(void)arg;
	chan_put(&jobs);
	join(t);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(sends_later, NULL, "sends later");
	go(supervisor, NULL, "supervisor");
	return pub_end(SOME);
}
