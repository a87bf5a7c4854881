/* torn.c - stations that are written while they are copied (record/stations.c, box/image.c): the writer comes between the copy and the second
 * look at it, once or each time. What was copied from two events is not taken for one.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static void between(void);
#define __atomic_thread_fence(order) (between(), __atomic_thread_fence(order))
#include "../../record/stations.c"
#include "../../record/box/image.c"
#undef __atomic_thread_fence
#include "tap.h"

static struct ctp_event station, copy;
static unsigned times;		/* so often it is written */
static void (*written)(void);

static void between(void)
{
	if (times && written) {
		times--;
		written();
	}
}

static void goes_on(void) { station.seq += 2, station.n++, station.arg++; }
static void is_at_it(void) { station.seq++; }
static void is_anothers(void) { station.probe_id++; }
static void ends(void) { station.probe_id = 0, station.seq += 2; }

static void fresh(unsigned how_often, void (*by)(void))
{
	station = (struct ctp_event){ .probe_id = 7, .seq = 4, .n = 2, .arg = 20, .kind = CTP_SUSPEND };
	memset(&copy, 0, sizeof copy);
	times = how_often;
	written = by;
}

static bool copied(void) { return station_copy(&station, &copy); }

/* Copied into an image, which is read as often as one likes. */
static bool kept(void)
{
	struct ctp_event again;

	times = times ? times : 0;
	copy_station(&station, &copy);
	written = NULL;
	return station_copy(&copy, &again) && !memcmp(&again, &copy, sizeof copy);
}

int main(void)
{
	fresh(0, NULL);
	ok(copied() && !memcmp(&copy, &station, sizeof copy), "one that nobody writes");
	station.seq = 5;
	ok(!copied() && copy.probe_id == 7, "one whose writer is at it");
	station.probe_id = 0, station.seq = 4;
	ok(!copied() && !copy.probe_id, "nobody's");
	fresh(1, goes_on);
	ok(!copied() && copy.seq == 4 && copy.probe_id == 7, "one that goes on meanwhile");
	fresh(1, is_at_it);
	ok(!copied(), "or begins to");
	fresh(1, is_anothers);
	ok(!copied() && copy.probe_id == 7, "or becomes another's, whose count is the same");

	fresh(0, NULL);
	ok(kept() && copy.arg == 20 && copy.n == 2, "an image of one that nobody writes");
	fresh(1, goes_on);
	ok(kept() && copy.arg == 21 && copy.n == 3 && copy.seq == 6, "of one that goes on: copied again");
	fresh(999, goes_on);
	ok(kept() && copy.n == 1001, "and again");
	fresh(1000, goes_on);
	ok(!kept() && copy.probe_id == 7 && copy.seq % 2, "without end: it never looks whole");
	fresh(0, NULL);
	station.seq = 5;
	ok(!kept() && copy.seq == 5, "nor does one whose writer died at it");
	fresh(1, ends);
	ok(!kept(), "nor one that ends");
	return done_testing();
}
