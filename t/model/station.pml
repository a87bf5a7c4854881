/* station.pml - a station's seqlock, recycled from coroutine to coroutine, whose counts begin at 1 again. The payload's
 * words are written in any order. One writer: from one coroutine to the next it is handed over by the stack (stack.pml).
 *
 * Claims, and the code each stands for:
 *  - What the reader takes is one whole record of one coroutine.
 *    code: sdk/c/ct-coro.h ct_p_station ct_p_own  sdk/rust/src/station.rs write  record/stations.c station_copy
 *
 * BUG 1 probe_id is looked at within the looks at seq; 2 not at all; 3 seq is not made odd; 4 seq is looked at once only;
 * 5 probe_id is not looked at again. (That a destroy clears the station is not needed for this: the check KEEP passes. The 0
 * says that nobody is there.)
 *
 * quick: pass -DCOROS=2
 * quick: fail -DBUG=1: cx==cy
 * check: pass
 * check: pass -DKEEP
 * check: fail -DBUG=2: cx==cy
 * check: fail -DBUG=3: cx==cy
 * check: fail -DBUG=4: cx==cy
 * check: fail -DBUG=5: cx==cy
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef COROS
#define COROS 3
#endif
#ifndef EVENTS
#define EVENTS 2			/* beside destroy */
#endif
byte seq, id, x, y;			/* x and y: id * 16 + n, as written */

inline store(i, v, n)			/* i = id to write, v = record */
{
	if :: BUG != 3 -> seq = 2 * n - 1 :: else fi;
	left = 7;
	do
	:: left & 1 -> id = i; left = left & 6
	:: left & 2 -> x = v; left = left & 5
	:: left & 4 -> y = v; left = left & 3
	:: left == 0 -> break
	od;
	seq = 2 * n
}

active proctype writer()
{
	byte c = 1, n, left;
	do
	:: c <= COROS ->
		n = 1;
		do
		:: n <= EVENTS -> store(c, c * 16 + n, n); n++
		:: else -> break
		od;
#ifndef KEEP
		store(0, c * 16 + n, n);
#endif
		c++
	:: else -> break
	od
}

active proctype reader()
{
	byte i, s, cx, cy, cn, i2, s2;
#if BUG == 1
	s = seq; i = id;
#else
	i = id; s = seq;
#endif
	if :: cx = x; cy = y :: cy = y; cx = x fi;
#if BUG == 1
	i2 = id; s2 = seq;
#else
	s2 = seq; i2 = id;
#endif
	if :: BUG == 2 -> i2 = i; :: BUG == 5 -> i2 = i :: BUG == 4 -> s2 = s :: else fi;
	if
	:: s % 2 == 0 && s == s2 && i == i2 && (i != 0 || BUG == 2) && s > 0 ->
		assert(cx == cy);
		assert(cx / 16 == i || BUG == 2);
		assert(2 * (cx % 16) == s)
	:: else
	fi
}
