/* sleep.pml - does a recorder sleep while something is published? Under total store order: a writer's stores wait in its
 * store buffer, loads go ahead of them. membarrier empties the buffers of all writers, one after the other, somewhere between
 * its call and its return. The time-out of the recorder's sleep is left out: with it a lost wakeup would be a second late,
 * not lost. A sleep that nothing ends is an invalid end state. -DFENCE: no membarrier, writers fence (CTP_F_FENCE).
 *
 * Claims, and the code each stands for:
 *  - The recorder does not sleep on while an event is published.
 *    code: sdk/c/ct-ring.h ct_p_publish  sdk/c/ct-thread.h ct_p_leave  sdk/c/ct-link.h ct_p_bell  sdk/c/ct-attach.h ct_p_register  record/main.c sleep_until  record/peer.c peer_wait
 *    code: record/harvest.c harvest_pending  sdk/rust/src/bell.rs sleeps take
 *
 * BUG 1 neither membarrier nor fence; 2 membarrier before the store of tracer_sleeping; 3 heads are not looked at again; 4 the
 * compiler moves the load before the store; 5 the recorder's store is not fenced (FENCE); 6 the bell is rung before
 * tracer_sleeping is swapped.
 *
 * quick: pass -DEVENTS=1
 * quick: fail -DBUG=1: invalid end state
 * check: pass
 * check: pass -DFENCE
 * check: fail -DBUG=2: invalid end state
 * check: fail -DBUG=3: invalid end state
 * check: fail -DBUG=4: invalid end state
 * check: fail -DBUG=6: invalid end state
 * check: fail -DFENCE -DBUG=1: invalid end state
 * check: fail -DFENCE -DBUG=5: invalid end state
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef EVENTS
#define EVENTS 2
#endif
byte head[WRITERS];			/* memory */
byte buffered[WRITERS];			/* how many stores of head (each one more) have not reached memory */
bool sleeping;				/* memory; the recorder's store may wait as well: */
bool rec_buffered, rec_value;
chan bell = [4] of { bit };

#define DRAIN_W(w) atomic { head[w] = head[w] + buffered[w]; buffered[w] = 0 }
#define DRAIN_R atomic { if :: rec_buffered -> sleeping = rec_value; rec_buffered = false :: else fi }

active [WRITERS] proctype writer()
{
	byte i, me = _pid;
	bool saw;

	do
	:: i < EVENTS ->
		i++;
#if BUG == 4
		saw = sleeping;
		buffered[me]++;
#else
		buffered[me]++;			/* ctp_store_release(&ring->head) */
#if defined(FENCE) && BUG != 1
		DRAIN_W(me);
#endif
		saw = sleeping;
#endif
		if
		:: saw ->			/* ct_p_bell: a locked instruction empties the buffer and swaps */
#if BUG == 6
			if :: sleeping && len(bell) < 4 -> bell!1; :: else fi;
			DRAIN_W(me); d_step { if :: sleeping -> sleeping = false :: else fi }
#else
			atomic {
				head[me] = head[me] + buffered[me]; buffered[me] = 0;
				if
				:: sleeping -> sleeping = false; saw = true
				:: else -> saw = false
				fi
			}
			if :: saw && len(bell) < 4 -> bell!1 :: else fi	/* MSG_DONTWAIT: full means awake anyway */
#endif
		:: else
		fi
	:: else -> break
	od
}

/* Buffers empty themselves, at any time. */
active [WRITERS] proctype buffer()
{
	byte me = _pid - WRITERS;
end:	do
	:: atomic { buffered[me] -> head[me]++; buffered[me]-- }
	od
}
active proctype rbuffer()
{
end:	do
	:: atomic { rec_buffered -> sleeping = rec_value; rec_buffered = false }
	od
}

active proctype recorder()
{
	byte seen[WRITERS], w, total;
	bool pending;

	do
	::
		w = 0;				/* harvest() */
		do
		:: w < WRITERS -> d_step { total = total + head[w] - seen[w]; seen[w] = head[w]; w++ }
		:: else -> break
		od;
		if :: total == WRITERS * EVENTS -> break :: else fi;
#if BUG == 2
		w = 0; do :: w < WRITERS -> DRAIN_W(w); w++ :: else -> break od;
#endif
		atomic { rec_buffered = true; rec_value = true };
#if BUG != 5
		DRAIN_R;			/* thread fence */
#endif
#if !defined(FENCE) && BUG != 1 && BUG != 2
		w = 0; do :: w < WRITERS -> DRAIN_W(w); w++ :: else -> break od;	/* membarrier */
#endif
		pending = false;
#if BUG != 3
		w = 0; do :: w < WRITERS -> pending = pending || head[w] != seen[w]; w++ :: else -> break od;
#endif
		if
		:: pending
		:: else ->
			bell?_;			/* ppoll; then all bytes are read and forgotten */
			do :: len(bell) > 0 -> bell?_ :: len(bell) == 0 -> break od
		fi;
		atomic { rec_buffered = true; rec_value = false };
		DRAIN_R
	od
}
