/* moment.pml - a copy of a box, or a cut, is of one moment: a coroutine changes between two threads, each of which takes a ring
 * as it begins; rings are copied one after another while both write. Time is a counter; an event is published LATE at most after its
 * clock was read, and a ring is taken before its thread reads the clock.
 *
 * Claims, and the code each stands for:
 *  - What is shown, no later than the clock that was read at first, is closed: before each event of the coroutine stands the one
 *    before it.
 *    code: record/box/image.c settle image_of_process image_adopt  record/box/dump.c whole_until  sdk/c/ct-dump.h ct_p_dump_settle ct_p_dump_all
 *    code: record/harvest.c harvest is_due
 *
 * BUG 1 nothing is waited for; 2 the clock is read behind the first head; 3 what is later than the clock is shown, too; 4 how many
 * rings there are is loaded before the clock.
 *
 * quick: pass -DEVENTS=2
 * quick: fail -DEVENTS=3 -DBUG=4: shown==
 * check: pass
 * check: pass -DEVENTS=3 -DLATE=2
 * check: fail -DBUG=1: shown==
 * check: fail -DBUG=2: shown==
 * check: fail -DBUG=3: shown==
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef EVENTS
#define EVENTS 4
#endif
#ifndef LATE
#define LATE 1
#endif
#define END (LATE + 4)		/* of time */
byte now = 1, used;
byte turn, n;			/* which thread runs the coroutine; its events so far */
byte ts[EVENTS + 1];		/* of event n, in which ring it is, and where there */
byte in[EVENTS + 1], at[EVENTS + 1];
byte head[2];
byte begun[2];			/* when the event that is under way read the clock; 0: none is */
bool copied;

/* Time stands still where an event has to be published. */
active proctype clock()
{
	do
	:: atomic { now < END && (!begun[0] || now < begun[0] + LATE) && (!begun[1] || now < begun[1] + LATE) -> now++ }
	:: copied -> break
	od
}

proctype thread(byte me)
{
	byte ring = 2, i;

	do
	:: n == EVENTS -> break
	:: n < EVENTS && turn == me ->
		if :: ring == 2 -> atomic { ring = used; used++ } :: else fi;
		atomic { begun[me] = now; i = n + 1; ts[i] = now };
		atomic { head[ring]++; at[i] = head[ring]; in[i] = ring; n = i; begun[me] = 0 };
		if :: turn = 1 - me :: skip fi
	od
}

active proctype copy()
{
	byte t, count, i, h[2], shown, last;

	if :: BUG == 4 -> count = used :: else fi;
	if :: BUG != 2 -> t = now :: else fi;
	if
	:: t + LATE >= END -> goto done		/* too late */
	:: else
	fi;
	if :: BUG != 1 && BUG != 2 -> now > t + LATE :: else fi;
	if :: BUG != 4 -> count = used :: else fi;
	do
	:: i < count ->
		h[i] = head[i];
		if :: BUG == 2 && i == 0 -> t = now; t + LATE >= END || now > t + LATE :: else fi;
		i++
	:: else -> break
	od;
	i = 1;
	d_step {
		do
		:: i <= n ->
			if :: in[i] < count && at[i] <= h[in[i]] && (BUG == 3 || ts[i] <= t) -> shown++; last = i :: else fi;
			i++
		:: else -> break
		od
	}
	assert(shown == last);
done:	copied = true
}

init { atomic { run thread(0); run thread(1) } }
