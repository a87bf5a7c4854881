/* fork.pml - a process of two threads forks while both record. What the child finds in its copy of the parent's memory is
 * the parent's: the ring and the ids in store of the thread that forked, the coroutines that lived.
 *
 * Claims, and the code each stands for:
 *  - A ring is written by one thread.
 *    code: sdk/c/ct-attach.h ct_p_forked  sdk/c/ct-thread.h ct_p_claim
 *  - An id names one coroutine, and no process reports of another's. A call for an id up to `floor` does nothing.
 *    code: sdk/c/ct-coro.h ct_p_new_ids  sdk/c/ct-attach.h ct_p_forked  sdk/c/ct-gate.h CT_FOREIGN
 *  - While a process lives the recorder has a connection: what followed children would end too early otherwise.
 *    code: sdk/c/ct-attach.h ct_p_forked ct_p_connect_child  record/peer.c peer_accept
 *
 * BUG 1 the child keeps the writer; 2 floor is read before the fork; 3 the child closes the inherited connection first; 4 it
 * leaves floor as it was; 5 it forgets the ring, but not the ids in store.
 *
 * quick: pass
 * quick: fail -DBUG=1: ring_writer
 * check: pass -DBLOCK=1
 * check: fail -DBUG=2: born[
 * check: fail -DBUG=3: lives==0
 * check: fail -DBUG=4: born[
 * check: fail -DBUG=5: born[
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef BLOCK
#define BLOCK 2			/* ids are taken so many at a time */
#endif
#ifndef CALLS
#define CALLS 2			/* of the probe, by each thread */
#endif
#define IDS 16
#define RINGS 4
#define PARENT 1
#define CHILD 2
byte next_id = 1, rings_taken;
byte ring_writer[RINGS + 1];	/* ghost: the thread that claimed it, by _pid + 1 */
byte born[IDS];			/* ghost: the process where it was created */
byte known[3];			/* what a process knows of: the newest id; it calls for that one */
byte floor[3];
byte lives, holders[3];		/* processes; of each connection, the processes that have it open */
byte threads[3];

inline write_event()		/* claims a ring first, by one swap */
{
	d_step {
		if
		:: ring == 0 -> rings_taken++; ring = rings_taken; ring_writer[ring] = _pid + 1
		:: else
		fi;
		assert(ring_writer[ring] == _pid + 1)
	}
}

inline create()
{
	d_step {		/* one add; the rest is this thread's own */
		if
		:: id_next == id_end -> id_next = next_id; next_id = next_id + BLOCK; id_end = next_id
		:: else
		fi;
		assert(born[id_next] == 0);
		born[id_next] = who; id = id_next; id_next++
	}
	write_event();
	known[who] = id;
	id = 0
}

inline suspend()
{
	id = known[who];
	if
	:: id > floor[who] -> assert(born[id] == who); write_event()
	:: else
	fi;
	id = 0
}

proctype thread(byte who; byte ring; byte id_next; byte id_end; bool forks)
{
	byte id, calls, early_floor;

	if
	:: who == CHILD ->	/* ct_p_forked; what it has is a copy */
#if BUG != 1
		ring = 0;
#if BUG != 5
		id_next = 0; id_end = 0;
#endif
#endif
#if BUG == 3
		holders[PARENT]--;
#endif
#if BUG != 2 && BUG != 4
		floor[CHILD] = next_id - 1;
#endif
		holders[CHILD]++;
#if BUG != 3
		holders[PARENT]--
#endif
	:: else
	fi;
	do
	:: calls < CALLS ->
		calls++;
		if :: create() :: known[who] -> suspend() fi
	:: forks ->
		forks = false;
#if BUG == 2
		early_floor = next_id - 1;
#endif
		atomic {
			lives++; threads[CHILD] = 1; holders[PARENT]++;
			known[CHILD] = known[PARENT];
			floor[CHILD] = (BUG == 2 -> early_floor : floor[PARENT]);
			run thread(CHILD, ring, id_next, id_end, false)
		}
	:: calls == CALLS && !forks -> break
	od;
	atomic {
		threads[who]--;
		if
		:: threads[who] == 0 -> lives--; holders[who]--
		:: else
		fi
	}
}

init {
	atomic {
		lives = 1; holders[PARENT] = 1; threads[PARENT] = 2;
		run thread(PARENT, 0, 0, 0, true);
		run thread(PARENT, 0, 0, 0, false)
	}
	/* the recorder: nobody is connected any more */
	atomic { holders[PARENT] == 0 && holders[CHILD] == 0 -> assert(lives == 0) }
}
