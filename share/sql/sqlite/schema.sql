-- The tables that ct-tosql fills. Columns have the names of the trace's keys (ct-trace(5)); those that are words of SQL
-- carry an underscore: on_, by_, from_, to_. Columns without a type hold unsigned 64-bit numbers: an INTEGER up to
-- 2^63-1, the decimal as TEXT above. Times are CLOCK_MONOTONIC nanoseconds. NULL: the trace does not say.

CREATE TABLE runs(		-- one recording each; a file may hold several
	run INTEGER PRIMARY KEY,
	version INTEGER,	-- of the trace's lines: 1 = no meta line, old writers only
	tool TEXT,
	first_ts, last_ts,
	lines, bad,		-- lines read, bad lines skipped between them
	events,			-- rows of this run in events
	lost,			-- events known to be lost
	ended INTEGER,		-- 1 it has its end line, 0 it was cut off; NULL in version 1, which has none
	exit_status, exit_signal
);
CREATE TABLE sites(
	run INTEGER, site, func TEXT, file TEXT, line,
	PRIMARY KEY(run, site)
);
CREATE TABLE threads(
	run INTEGER, tid, pid, name TEXT, role TEXT,
	parked INTEGER,		-- 1 it sleeps at the end, 0 it does not; NULL: it never told
	parked_since, depth, last_ts
);
CREATE TABLE lost(		-- count events are missing, all between from_ and to_
	run INTEGER, line, ts, tid, probe_id, count, from_, to_
);
CREATE TABLE coroutines(	-- one row a coroutine; version 1 may use an id again: then one row a life
	run INTEGER, probe_id, name TEXT, parent,
	state TEXT,		-- created, running, suspended, runnable, ended: at the end of the run
	since,			-- since when it is in that state
	created, ended, done INTEGER,
	first_ts, last_ts,	-- of its first and its latest event
	last_line,		-- and where in the file that stands
	tid, frame TEXT,
	site, spawn_site,	-- where it suspended last; where it was created
	on_ TEXT, reason TEXT,	-- what it waits on, of the last suspend
	n, missing,		-- number of its latest event; how many of its own are known to be missing
	wake_ts, wake_by, wake_tid	-- its last wake since it last ran
);
CREATE TABLE events(		-- every line that tells of a coroutine, a resource or a worker
	run INTEGER, line, ts, ev TEXT, probe_id, tid, addr TEXT, seq, is_active INTEGER,
	n, site, parent, by_, on_ TEXT, done INTEGER,
	value,			-- notify: woken; level: value; park, unpark: depth
	name TEXT,		-- name, open
	op TEXT,		-- waker: clone, drop
	stack, reason TEXT
);
