/* leave.pml - a recorder asks a process for its box, goes, and asks again: between, nothing is looked at, and what is known of
 * coroutines from before must not be taken for what they are now.
 *
 * Each writer moves one coroutine. `missed`: since it was given its id, one of its moves was not recorded. Flag: 0 off, 1 on, 2
 * asked, 3 on because somebody asked. Leave: 0 stay, 1 the recorder leaves, 2 left, 3 kept.
 *
 * Claims, and the code each stands for:
 *  - Of a coroutine that the recorder believes (its id is above forget) every move was recorded.
 *    code: sdk/c/ct-gate.h ct_p_switch_off ct_p_switch_on ct_p_asked_again  sdk/c/ct-coro.h ct_p_gate ct_p_adopt
 *    code: record/harvest.c harvest_forgotten  record/box/attach.c was_left session_end
 *  - So it is where a recorder is killed (-DKILL), and the process leaves the box for him.
 *    code: sdk/c/ct-box.h ct_p_leave_for  record/box/attach.c lock
 *  - Whoever wants the box itself keeps it (-DKEEP).
 *    code: sdk/c/ct-flag.h ct_p_keep
 *
 * BUG 1 the recorder believes all ids; 2 the flag is off before the gate is closed; 3 a recorder that comes again stores stay
 * whatever it finds; 4 coroutines keep their ids when all is on again; 5 who wants the box sets the flag without a swap; 6 whoever
 * is given an id does not look at the gate again; 7 nothing is forgotten where the box was wanted while it was being left; 8 the
 * gate is opened before the flag is on; 9 who wants the box says so though it is just being left; 10 a box is left for who was
 * killed, but without his lock.
 *
 * quick: pass -DMOVES=2
 * quick: fail -DBUG=4: missed
 * check: pass
 * check: pass -DKEEP
 * check: pass -DKILL -DMOVES=2
 * check: fail -DKILL -DMOVES=2 -DBUG=10: missed
 * check: fail -DBUG=1: missed
 * check: fail -DBUG=2: missed
 * check: fail -DBUG=3: missed
 * check: fail -DKEEP -DBUG=5: missed
 * check: fail -DBUG=6: missed
 * check: fail -DKEEP -DBUG=7: missed
 * check: fail -DKEEP -DBUG=8: missed
 * check: fail -DKEEP -DBUG=9: missed
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef MOVES
#define MOVES 3
#endif
byte station[2];			/* the id in each writer's station */
bool missed[2];
byte flag = 3, leave, next = 1, forget, old, kept, over;
bool closed, odd, busy, locked, dead;

inline move_unseen() { if :: id -> missed[_pid] = true :: else fi }

inline switch_on(value)
{
	if :: BUG != 4 -> old = next - 1; forget = old :: else fi;
	if :: BUG == 8 -> closed = false :: else fi;
	flag = value;
	closed = false;
	leave = (value == 3 -> 0 : 3)
}

inline switch_off()
{
	atomic { off = leave == 1; if :: off -> leave = 2 :: else fi };
	if
	:: off ->
		if :: BUG != 2 -> closed = true :: else fi;
		atomic { off = flag == 3; if :: off -> flag = 0 :: else fi };
		if
		:: off -> if :: BUG == 2 -> closed = true :: else fi
		:: !off && BUG == 7 -> closed = false; leave = 3
		:: else -> switch_on(1)
		fi
	:: else
	fi
}

/* dead: the session is still his who was killed. */
inline leave_for()
{
	atomic { got = !locked || BUG == 10; if :: got && BUG != 10 -> locked = true :: else fi };
	if
	:: got ->
		if
		:: dead ->
			atomic { off = leave == 0; if :: off -> leave = 1 :: else fi };
			if :: off -> switch_off() :: else fi
		:: else
		fi;
		if :: BUG != 10 -> locked = false :: else fi
	:: else
	fi
}

active [2] proctype writer()
{
	byte i, id;
	bool off, got;

	do
	:: i < MOVES ->
		i++;
		if
		:: flag == 0 -> move_unseen()
		:: else ->
			if
			:: closed ->
				if
				:: atomic { flag == 2 && !busy -> busy = true };
					if :: flag == 2 -> switch_on(3) :: else fi;
					busy = false
				:: else
				fi;
				move_unseen()
			:: else ->
				if
				:: id <= old ->
					atomic { id = next; next++; missed[_pid] = false };
					if :: closed && BUG != 6 -> id = 0 :: else fi
				:: else
				fi;
				/* it is in the ring */
				d_step { if :: id && id > forget -> assert(!missed[_pid]); station[_pid] = id :: else fi };
				if
				:: !odd && leave == 1 -> switch_off()
				:: dead && flag == 3 -> leave_for()
				:: else
				fi
			fi
		fi
	:: else -> break
	od;
	over++
}

#ifdef KEEP
active proctype owner()
{
	bool off;

	atomic { !busy -> busy = true };
	if
	:: BUG == 5 -> if :: flag == 3 -> flag = 1; leave = 3 :: else -> switch_on(1) fi
	:: else ->
		atomic { off = flag == 3; if :: off -> flag = 1 :: else fi };
		if :: off -> atomic { if :: leave != 2 || BUG == 9 -> leave = 3 :: else fi } :: flag != 1 && !off -> switch_on(1) :: else fi
	fi;
	busy = false;
	kept = true;
	over == 2;
	assert(flag == 1)
}
#endif

active proctype recorder()
{
	byte sessions;

	do
	:: sessions < 2 ->
		sessions++;
		atomic { !locked -> locked = true };
		if
		:: BUG == 3 -> leave = 0
		:: else ->
			atomic { if :: leave == 1 -> leave = 0 :: else fi };
			if
			:: leave == 2 ->
				do
				:: atomic { flag == 0 -> flag = 2 }
				:: leave != 2 || over == 2 -> break
				od;
				if :: leave == 2 -> break :: else fi	/* nobody is there any more */
			:: else
			fi
		fi;
		atomic { odd = true; dead = false };
		/* what it finds in the stations */
		d_step {
			assert(!station[0] || (station[0] <= forget && BUG != 1) || !missed[0]);
			assert(!station[1] || (station[1] <= forget && BUG != 1) || !missed[1])
		};
		if
#ifdef KILL
		:: atomic { dead = true; locked = false }
#endif
		:: atomic { if :: leave == 0 -> leave = 1 :: else fi };
			odd = false;
			locked = false
		fi
	:: else -> break
	od
}
