/* hands.pml - who owns a ring. Threads of two processes claim it, write, and retire it or are killed at any instruction; the
 * recorder reaps (the owner is gone) and recycles (all is read). One word says it all: `owner`, 0 free, pid << 32 | tid owned,
 * the same with the top bit set retired. -DBOX: where nobody reads, a thread may take a retired ring as it is; whether anybody
 * reads it has looked at some time before.
 *
 * Claims, and the code each stands for:
 *  - A ring has one owner at most.
 *    code: sdk/c/ct-thread.h ct_p_claim ct_p_thread_end  record/harvest.c harvest_reap recycle
 *  - When all owners are dead and the recorder has looked once more, the ring is free, and all that was written is read, or, in a
 *    box, below its head.
 *    code: record/harvest.c harvest_reap recycle
 *    code: sdk/c/ct-box.h ct_p_claim_retired
 *
 * BUG 1 a claim stores instead of swapping; 2 recycle() does not look whether all is read; 3 a dead owner's ring is freed at
 * once, whatever it holds; 4 pid and tid stand apart, and the state beside them, as in protocols before owner;
 * 5 as 4, and recycle() clears both: still, a thread killed between its claim and its name keeps the ring for ever;
 * 6 (BOX) recycle() stores 0 instead of swapping; 7 (BOX) it stores head, which it found to be read, before it swaps.
 *
 * quick: pass
 * quick: fail -DBUG=1: head==written
 * check: pass -DTHREADS=4
 * check: pass -DBOX
 * check: fail -DBUG=2: head==tail
 * check: fail -DBUG=3: head==tail
 * check: fail -DBUG=4: owners==1
 * check: fail -DBUG=5: stuck<4
 * check: fail -DBOX -DBUG=6: owners==1
 * check: fail -DBOX -DBUG=7: head==written
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 3
#endif
#define APART (BUG == 4 || BUG == 5)
#define PID(t) ((t) == 0 -> 1 : 2)	/* thread 0 is of another process than the others */
#define RETIRED 128
byte owner;				/* thread t: t + 1, RETIRED | t + 1 */
byte r_tid, r_pid, state;		/* BUG 4: tid t + 1 and its process, 0 none; 0 free, 1 owned, 2 retired */
bool alive[THREADS], mine[THREADS];	/* ghost: mine while it believes to own the ring */
byte owners, head, tail, gone;
byte written;				/* ghost: events */
#define LIVES(p, t) (t >= 1 && t <= THREADS && alive[t - 1] && PID(t - 1) == p)
#define DIE atomic { alive[me] = false; if :: mine[me] -> mine[me] = false; owners-- :: else fi }
#define STEP if :: goto dead :: skip fi

active [THREADS] proctype thread()
{
	byte me = _pid, w;
	bool got;

	alive[me] = true;
	STEP;
#if APART
	d_step { if :: state == 0 -> state = 1; mine[me] = true; owners++; got = true :: else fi }
	if :: !got -> goto dead :: else fi;
	STEP; r_tid = me + 1;
	STEP; r_pid = PID(me);		/* getpid() before it */
#elif BUG == 1
	if :: owner == 0 -> STEP; d_step { owner = me + 1; mine[me] = true; owners++ } :: else -> goto dead fi;
#elif defined(BOX)
	w = owner;
	STEP;
	if
	:: w == 0 || (w & RETIRED) -> d_step { if :: owner == w -> owner = me + 1; mine[me] = true; owners++; got = true :: else fi }
	:: else
	fi;
	if :: !got -> goto dead :: else fi;
#else
	d_step { if :: owner == 0 -> owner = me + 1; mine[me] = true; owners++; got = true :: else fi }
	if :: !got -> goto dead :: else fi;
#endif
	STEP;
	assert(owners == 1);
	d_step { head++; written++ }	/* an event */
	assert(owners == 1);
	STEP;
	d_step { mine[me] = false; owners-- }
#if APART
	state = 2;
#else
	owner = RETIRED | (me + 1);
#endif
dead:	DIE; gone++
}

inline recycle()
{
#if APART
	if
	:: state == 2 && head == tail ->
		r_tid = 0;
		if :: BUG == 5 -> r_pid = 0 :: else fi;
		state = 0
	:: else
	fi
#else
	w = owner;
	if
	:: (w & RETIRED) && (BUG == 2 || head == tail) ->
#ifdef BOX
		if :: BUG == 7 -> head = tail :: else fi;
		if :: BUG == 6 -> owner = 0 :: else -> d_step { if :: owner == w -> owner = 0 :: else fi } fi
#else
		assert(head == tail);
		head = tail;
		owner = 0
#endif
	:: else
	fi
#endif
}

inline reap()
{
#if APART
	t = r_tid;
	p = r_pid;
	if
	:: state == 1 && p && t && !LIVES(p, t) -> d_step { if :: state == 1 -> state = 2 :: else fi }
	:: else
	fi
#elif BUG == 3
	w = owner;
	if
	:: w != 0 && !(w & RETIRED) && !LIVES(PID(w - 1), w) -> assert(head == tail); owner = 0
	:: else
	fi
#else
	w = owner;
	if
	:: w != 0 && !(w & RETIRED) && !LIVES(PID(w - 1), w) ->
		d_step { if :: owner == w -> owner = w | RETIRED :: else fi }
	:: else
	fi
#endif
}

active proctype recorder()
{
	byte t, p, w, stuck;
	bool last;

	do
	::
		last = (gone == THREADS);
		if :: tail = head :: !last -> skip fi;	/* harvest(): all, or not yet */
		recycle();
		reap();
		if
		:: last -> stuck++; assert(stuck < 4 || BUG == 4)	/* nobody will ever have it again */
		:: else
		fi;
		if
		:: last && ((APART -> state : owner) == 0 || stuck == 4) ->
#ifndef BOX
			assert(head == tail);
#endif
			assert(head == written);
			break
		:: else
		fi
	od
}
