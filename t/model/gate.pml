/* gate.pml - recording stopped and started while a coroutine goes on: what it does is in the ring or counted, its station shows
 * the last of it, and the recorder reports that station where recording starts.
 *
 * Claims, and the code each stands for:
 *  - Each event is printed or counted as dropped.
 *    code: sdk/c/ct-gate.h ct_p_pause ct_p_skip ct_p_known  sdk/c/ct-coro.h ct_p_own
 *  - What is printed of a coroutine never goes back, states at a start among it; and the last state is its last event.
 *    code: record/box/states.c states_again see_stations see_ring print_missed  record/harvest.c harvest_tail
 *
 * BUG 1 the recorder loads heads before stations; 2 the writer stores the station before it publishes; 3 what is skipped is not
 * stored in the station; 4 a writer that found the gate closed looks again, and counts only if it still is; 5 the recorder
 * reports a station though events of it are still to be printed; 6 it does not look at the newest event of the ring, which may not
 * have reached the station yet.
 *
 * quick: pass
 * quick: fail -DBUG=4: printed+dropped
 * check: pass -DEVENTS=6 -DTURNS=2
 * check: fail -DBUG=1: n>last
 * check: fail -DBUG=2: n>last
 * check: fail -DBUG=3: station==
 * check: fail -DBUG=5: n>last
 * check: fail -DBUG=6: s>=last
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef EVENTS
#define EVENTS 5
#endif
#ifndef TURNS
#define TURNS 2
#endif
byte ring[EVENTS + 1], head, station, dropped, starts;
bool closed, ended, stopped;

active proctype writer()
{
	byte n;
	bool found;

	do
	:: n < EVENTS ->
		n++;
		found = closed;
		if
		:: !found ->
			if :: BUG == 2 -> station = n :: else fi;
			ring[head] = n;
			head++;
			if :: BUG != 2 -> station = n :: else fi
		:: else ->
			if
			:: BUG == 4 -> if :: closed -> dropped++ :: else fi
			:: else -> dropped++
			fi;
			if :: BUG != 3 -> station = n :: else fi
		fi
	:: else -> break
	od;
	ended = true
}

active proctype stopper()
{
	byte i;

	do
	:: i < TURNS -> i++; closed = true; starts++; closed = false
	:: else -> break
	od;
	stopped = true
}

active proctype recorder()
{
	byte tail, h, n, s, last, printed, seen;
	bool over;

	do
	:: !over ->
		over = ended && stopped;
		h = head;
		do
		:: tail < h -> n = ring[tail]; assert(n > last); last = n; tail++; printed++
		:: tail < h && seen < starts -> break		/* a start between them */
		:: tail == h -> break
		od;
		if
		:: seen < starts ->
			seen++;
			if :: BUG == 1 -> h = head :: else fi;
			s = station;
			if :: BUG != 1 -> h = head :: else fi;
			if
			:: (tail == h || BUG == 5) && (h == 0 || ring[h - 1] <= s || BUG == 6) -> assert(s >= last); last = s
			:: else
			fi
		:: else
		fi;
		if :: tail < head -> over = false :: else fi
	:: else -> break
	od;
	assert(printed + dropped == EVENTS);
	assert(station == EVENTS)
}
