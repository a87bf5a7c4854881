/* pub6-owed-each-other.c - two await the future that the other is to complete, and either completes its own afterwards.
 * expect: deadlock 1
 * After python/cpython#90309's family. Each says by ct_acquire() what it alone completes. Mended, one completes its own first. */
#include "pub.h"

static struct future { bool done; struct wl wl; } future[2];
static void complete(struct future *f)
{
	f->done = true;
	ct_level(ct_cond(f), 1);
	ct_release(ct_cond(f));
	wake_all(&f->wl);
}
static void party(void *arg)
{
	struct future *mine = arg, *other = &future[mine == future];

	enter();
	ct_acquire(ct_cond(mine));
	if (mended && mine == future)
		complete(mine);
	while (!other->done)
		wait_for(&other->wl, ct_cond(other));
	if (!mine->done)
		complete(mine);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(party, &future[0], "party");
	go(party, &future[1], "party");
	return pub_end(SOME);
}
