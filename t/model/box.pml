/* box.pml - a ring that overwrites its oldest event while nobody reads, and a recorder that comes later, or takes a copy.
 *
 * session in the header: even, nobody reads; odd, a recorder does, and the ring respects its tail. A writer looks at it only
 * where its private limit is reached, having published how far it may write before it looks again: store limit, full fence,
 * look at session again. The recorder: store session odd, full fence, look at limit. Either side gives way (Dekker). The two
 * stores wait in store buffers here, which empty at any time, or at a fence. A recorder holds a lock while its session is
 * odd, and loses both lock and life at any step; a writer that drops asks whether anybody holds it.
 *
 * Claims, and the code each stands for:
 *  - What lies in [tail, head) of a session is whole and stays.
 *    code: sdk/c/ct-box.h ct_p_look ct_p_box_ask ct_p_box_read sdk/c/ct-ring.h ct_p_free  record/box/attach.c lock session_begin session_end
 *  - Of a copy taken without a session, what lies in [limit - N, head) is whole, limit read behind the copy (-DSNAP).
 *    code: record/box/image.c copy_ring
 *
 * BUG 1 the writer does not fence; 2 the recorder does not; 3 the writer does not look at session again; 4 the recorder reads
 * limit before it stores session; 5 the writer asks for the lock before it notes which session it asks about; 6 it takes any
 * later session for dead as well; 7 limit is published after the events; 8 the copy's limit is read before the copy; 9 the copy
 * keeps position limit - N - 1; 10 the
 * recorder sets tail above head, by a limit, and lowers it when a writer may have seen it.
 *
 * quick: pass -DEVENTS=6 -DSESSIONS=2
 * check: pass
 * quick: pass -DSNAP
 * quick: fail -DBUG=1: x==(p+1)
 * check: pass -DN=4 -DR=2 -DEVENTS=7
 * check: pass -DSNAP -DN=4 -DR=2 -DEVENTS=10
 * check: fail -DBUG=2: x==(p+1)
 * check: fail -DBUG=3: x==(p+1)
 * check: fail -DBUG=4: x==(p+1)
 * check: fail -DBUG=5: x==(p+1)
 * check: fail -DBUG=6: x==(p+1)
 * check: fail -DBUG=7: x==(p+1)
 * check: fail -DBUG=10: x==(p+1)
 * check: fail -DSNAP -DBUG=1: x[(p%
 * check: fail -DSNAP -DBUG=8: x[(p%
 * check: fail -DSNAP -DBUG=9: x[(p%
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef N
#define N 2
#endif
#ifndef R
#define R 1			/* how many events an overwriting ring's writer may write until it looks */
#endif
#ifndef EVENTS
#define EVENTS 7
#endif
#ifndef SESSIONS
#define SESSIONS 3
#endif
byte a[N], b[N], head, tail, dropped;	/* a slot is two words */
byte limit, new_limit, session, new_session;
bool limit_waits, session_waits;	/* in the store buffer of the writer, of the recorder */
bool lock, ended;

#define DRAIN_W atomic { if :: limit_waits -> limit = new_limit; limit_waits = false :: else fi }
#define DRAIN_R atomic { if :: session_waits -> session = new_session; session_waits = false :: else fi }
#define LIMIT (limit_waits -> new_limit : limit)

inline publish(value)
{
	atomic { new_limit = value; limit_waits = true };
	if :: BUG != 1 -> DRAIN_W :: else fi
}

inline look()
{
	do
	::
		s = session;
		if
		:: (s & 1) && (BUG == 6 -> !gone || s < gone : s != gone) ->
			room = (head - tail > N || head < tail -> 0 : N - (head - tail))
		:: else -> room = R
		fi;
		if
		:: BUG == 7 || head + room <= LIMIT -> break
		:: else
		fi;
		publish(head + room);
		if
		:: BUG == 3 || session == s -> break
		:: else
		fi
	od;
	may = head + room
}

active proctype writer()
{
	byte i, s, room, may, gone;

	do
	:: i < EVENTS ->
		i++;
		if :: head >= may -> look() :: else fi;
		if
		:: head < may ->
			a[head % N] = head + 1;
			b[head % N] = head + 1;
			head++;
			if :: BUG == 7 && head == may -> publish(may) :: else fi
		:: else ->
			dropped++;
			/* does anybody hold the lock? */
			if
			:: BUG == 5 -> if :: !lock -> gone = session :: else fi
			:: else -> s = session; if :: !lock && (s & 1) -> gone = s :: else fi
			fi
		fi
	:: else -> break
	od;
	ended = true
}

active proctype buffers()
{
end:	do
	:: atomic { limit_waits -> limit = new_limit; limit_waits = false }
	:: atomic { session_waits -> session = new_session; session_waits = false }
	od
}

#ifdef SNAP
active proctype snapshot()
{
	byte h, p, l, x[N], y[N];

	h = head;
	if :: BUG == 8 -> l = limit :: else fi;
	p = (h > N -> h - N : 0);
	do
	:: p < h -> x[p % N] = a[p % N]; y[p % N] = b[p % N]; p++
	:: else -> break
	od;
	if :: BUG != 8 -> l = limit :: else fi;
	d_step {
		p = (h > N -> h - N : 0);
		if
		:: l > N && l - N > p -> p = l - N - (BUG == 9 -> 1 : 0)
		:: else
		fi;
		do
		:: p < h -> assert(x[p % N] == p + 1 && y[p % N] == p + 1); p++
		:: else -> break
		od
	}
}
#else
#define MAY_DIE if :: goto dead :: skip fi

active proctype recorder()
{
	byte h, p, l, x, y, turn, sessions;

	do
	:: sessions < SESSIONS ->
		sessions++;
		lock = true;
		p = (limit > N - R -> limit - (N - R) : 0);		/* with some room for what is written meanwhile */
		if :: p > head && BUG != 10 -> p = head :: else fi;
		tail = p;
		if :: BUG == 4 -> l = limit :: else fi;
		atomic { new_session = (session & 1 -> session + 2 : session + 1); session_waits = true };
		if :: BUG != 2 -> DRAIN_R :: else fi;
		MAY_DIE;
		if :: BUG != 4 -> l = limit :: else fi;
		p = (l > N -> l - N : 0);
		if :: p < tail -> p = tail :: else fi;
		if :: p > head && BUG == 10 -> p = head :: else fi;
		tail = p;
		turn = 0;
		do
		:: turn < 2 ->
			turn++;
			h = head;
			p = tail;
			assert(p <= h);
			do
			:: p < h ->
				x = a[p % N];
				y = b[p % N];
				assert(x == p + 1 && y == p + 1);
				p++
			:: else -> break
			od;
			tail = p;
			MAY_DIE
		:: turn > 0 -> break
		od;
		atomic { new_session = session + 1; session_waits = true };
		DRAIN_R;
		lock = false;
		if :: false; dead: DRAIN_R; lock = false :: skip fi
	:: ended || sessions == SESSIONS -> break
	od
}
#endif
