/* ring.pml - one ring, its writers one after the other, and the recorder: are all losses counted, where they happened?
 *
 * A slot is two words, written and copied one at a time. A writer may die before each step; with -DHANDLER a drop may come
 * from a signal handler in the middle of a call. Sequentially consistent: the orders are litmus.py's business.
 *
 * Claims, and the code each stands for:
 *  - No torn event is printed.
 *    code: sdk/c/ct-ring.h ct_p_fill ct_p_publish ct_p_free  record/harvest.c head_of look run
 *  - Events and losses are printed in the order in which they were, and their sum is what was emitted (with -DHANDLER the
 *    sum only: a handler's drop may be told one event late).
 *    code: sdk/c/ct-ring.h ct_p_room ct_p_drop  sdk/c/ct-thread.h ct_p_thread_end  record/harvest.c event report_drops recycle harvest_end
 *  - Nothing is taken for impossible that is not. code: record/harvest.c look event
 *
 * BUG 1 head before the slot; 2 tail before the copy; 3 a slot too many; 4 the recorder forgets what it told of; 5 it does
 * not tell of what was dropped last; 6 the event that follows a drop does not tell it; 7 a ring's next writer tells its
 * predecessor's drops again; 8 the recorder frees a ring that is not read to its end.
 *
 * quick: pass
 * quick: fail -DBUG=6: x==next
 * check: pass -DHANDLER -DEVENTS=3
 * check: pass -DEVENTS=6 -DN=4 -DWRITERS=1
 * check: fail -DBUG=1: x==next
 * check: fail -DBUG=2: x==y
 * check: fail -DBUG=3: x==y
 * check: fail -DBUG=4: shown)==emitted
 * check: fail -DBUG=5: shown)==emitted
 * check: fail -DBUG=7: <=(dropped-told)
 * check: fail -DBUG=8: head==tail
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef N
#define N 2
#endif
#ifndef EVENTS
#define EVENTS 5
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#define LOST 100			/* a slot's word: event number from 1, or LOST + how many */
#define RETIRED 2

byte a[N], b[N];			/* the slots */
byte head, tail, dropped, owner;	/* 0 free, 1 owned, RETIRED */
byte emitted;				/* ghost: calls that published or counted a drop */

#if BUG == 3
#define ROOM(need) (head - tail + need <= N + 1)
#else
#define ROOM(need) (head - tail + need <= N)
#endif
#ifdef HANDLER
#define SIGNAL if :: handler > 0 -> d_step { handler--; dropped++; emitted++ } :: skip fi
#else
#define SIGNAL skip
#endif
#define STEP if :: goto dead :: skip fi; SIGNAL

inline put(w)				/* ghosts count with the store that publishes */
{
#if BUG == 1
	head++; STEP;
	a[(head - 1) % N] = w; STEP; b[(head - 1) % N] = w;
#else
	a[head % N] = w; STEP;
	b[head % N] = w; STEP;
	d_step { head++; if :: w < LOST -> emitted++ :: else fi }
#endif
}

active proctype writers()
{
	byte i, told, seen, need, w;
#ifdef HANDLER
	byte handler;
#endif
next:
	owner == 0;
	w++;
	owner = 1;
	told = (BUG == 7 -> 0 : dropped);
	i = 0;
#ifdef HANDLER
	handler = 2;
#endif
	do
	:: i < EVENTS ->
		i++;
		STEP;
		seen = dropped;
		need = (seen == told -> 1 : 2);
		if
		:: !ROOM(need) -> d_step { dropped++; emitted++ }	/* one instruction */
		:: ROOM(need) ->
			if
			:: seen != told && BUG != 6 ->
				put(LOST + seen - told);
				STEP;
				told = seen;
			:: else
			fi;
			STEP;
#ifdef HANDLER
			put(1);
#else
			put(emitted + 1);
#endif
		fi
	:: else -> break
	od;
dead:	owner = RETIRED;		/* by itself, or by the recorder that finds no such thread */
	if :: w < WRITERS -> goto next :: else fi
}

byte printed, shown, told, next = 1, retired;	/* shown: how many losses the trace tells of */

active proctype recorder()
{
	byte end, x, y, t;
	bool last;

	do
	::
		end = head;
		assert(end - tail <= N);	/* else resynchronise() */
		t = tail;
		do
		:: t != end ->
#if BUG == 2
			tail = t + 1;
#endif
			x = a[t % N];
			y = b[t % N];
			assert(x == y);		/* not torn */
			if
			:: x >= LOST ->
				assert(x > LOST && x - LOST <= dropped - told);	/* else counted as impossible */
				d_step {
					next = next + x - LOST; shown = shown + x - LOST;
					told = (BUG == 4 -> 0 : told + x - LOST)
				}
			:: else ->
#ifndef HANDLER
				assert(x == next);	/* in order, and losses stand where they were */
#endif
				d_step { printed++; next++ }
			fi;
			t++;
#if BUG != 2
			if :: tail = t :: t != end -> skip fi	/* now, or in one go with the next */
#endif
		:: else -> break
		od;
		last = (owner == RETIRED);
		if
		:: last && (head == tail || BUG == 8) ->	/* recycle(), harvest_end() */
			if
			:: BUG != 5 -> d_step { next = next + dropped - told; shown = shown + dropped - told; told = dropped }
			:: else
			fi;
			assert(head == tail);
			retired++;
			if :: retired == WRITERS -> break :: else -> owner = 0 fi
		:: else
		fi
	od;
	assert(printed + shown == emitted)
}
