/* plugin.c - a plugin with a probe of its own: link with ct.c. rec-plugin loads it. */
#include "ct.h"

int plugin_live(unsigned pairs);

int plugin_live(unsigned pairs)
{
	struct ct_coro c = { 0 };

	if (!ct_init())
		return 0;
	ct_create(&c, 0, CT_HERE, &c, NULL);
	while (pairs--) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
	}
	ct_destroy(&c, 1);
	return 1;
}
