/* stack.pml - the stack of free stations, linked through arg, which an owner overwrites.
 *
 * Claims, and the code each stands for:
 *  - No station has two owners, none is lost.
 *    code: sdk/c/ct-thread.h ct_p_push_station ct_p_next_free ct_p_pop_station  sdk/rust/src/station.rs push pop next_tag
 *
 * BUG 1 no tag (a top that went and came back is taken for the old one); 2 push and pop store instead of swapping; 3 a push
 * stores the link behind the swap. (That a pop raises the tag, too, is not needed: the check NOTAG passes.)
 *
 * quick: pass -DTHREADS=2
 * quick: fail -DBUG=1: i==2
 * check: pass
 * check: pass -DNOTAG
 * check: fail -DBUG=2: i==2
 * check: fail -DBUG=3: i==2
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 3
#endif
#ifndef STATIONS
#define STATIONS 2
#endif
#define NONE 0
byte tag, top = 1;			/* one word: read and swapped together */
byte arg[STATIONS + 1];
byte owner[STATIONS + 1];
byte finished;

init {
	byte i;
	atomic {
		i = 1;
		do :: i < STATIONS -> arg[i] = i + 1; i++ :: else -> break od;
		i = 0;
		do :: i < THREADS -> run thread(i + 1); i++ :: else -> break od
	}
	finished == THREADS;
	i = 0;
	d_step { do :: top != NONE -> i++; top = arg[top] :: else -> break od }
	assert(i == STATIONS)
}

proctype thread(byte me)
{
	byte t, g, n, turn, got;
	do
	:: turn < 2 ->
		turn++; got = 0;
		do
		::
			d_step { t = top; g = tag }
			if :: t == NONE -> break :: else fi;
			n = arg[t];
			d_step {
				if
				:: (top == t && (BUG == 1 || tag == g)) || BUG == 2 ->
					top = n; got = t;
#ifndef NOTAG
					tag++
#endif
				:: else
				fi
			}
			if :: got -> break :: else fi
		od;
		if
		:: got ->
			assert(owner[got] == 0);
			owner[got] = me;
			arg[got] = NONE;		/* its own use of the field: here something that ends a list */
			assert(owner[got] == me);
			owner[got] = 0;
			n = 0;
			do
			::
				d_step { t = top; g = tag }
				if :: BUG != 3 -> arg[got] = t :: else fi;
				d_step {
					if
					:: (top == t && (BUG == 1 || tag == g)) || BUG == 2 -> top = got; tag++; n = 1
					:: else
					fi
				}
				if :: n -> break :: else fi
			od;
			if :: BUG == 3 -> arg[got] = t :: else fi
		:: else
		fi
	:: else -> break
	od;
	finished++
}
