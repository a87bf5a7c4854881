-- The tables that ct-tosql fills. Columns have the names of the trace's keys (ct-trace(5)); those that are words of SQL
-- carry an underscore: on_, by_, from_, to_. Times are CLOCK_MONOTONIC nanoseconds. NULL: the trace does not say.
-- In this template, runs in braces is the table runs with the prefix asked for; types in braces are those of the
-- dialect (words.sed).

CREATE TABLE {runs}(		-- one recording each; a file may hold several
	run {run} PRIMARY KEY,
	version {int},		-- of the trace's lines: 1 = no meta line, old writers only
	tool {text},
	first_ts {u64}, last_ts {u64},
	"lines" {u64}, bad {u64},	-- lines read, bad lines skipped between them
	events {u64},		-- rows of this run in events
	lost {u64},		-- events known to be lost
	ended {int},		-- 1 it has its end line, 0 it was cut off; NULL in version 1, which has none
	exit_status {u64}, exit_signal {u64},
	doubt {text}		-- what is missing that could change a verdict; NULL: nothing
){end};
CREATE TABLE {sites}(
	run {run}, site {id}, func {text}, file {text}, line {u64},
	where_ {text},		-- "serve serve.cc:42"
	PRIMARY KEY(run, site)
){end};
CREATE TABLE {threads}(
	run {run}, tid {u64}, pid {u64}, name {text}, role {text},
	parked {int},		-- 1 it sleeps at the end, 0 it does not; NULL: it never told
	parked_since {u64}, depth {u64}, last_ts {u64}
){end};
CREATE TABLE {lost}(		-- count events are missing, all between from_ and to_
	run {run}, line {nth}, ts {u64}, tid {u64}, probe_id {u64}, count {u64}, from_ {u64}, to_ {u64}
){end};
CREATE TABLE {coroutines}(	-- one row a coroutine; version 1 may use an id again: then one row a life
	run {run}, probe_id {id}, name {text}, parent {u64},
	state {word},		-- created, running, suspended, runnable, ended: at the end of the run
	since {u64},		-- since when it is in that state
	created {u64}, ended {u64}, done {int},
	first_ts {u64}, last_ts {u64},	-- of its first and its latest event
	last_line {nth},	-- and where in the file that stands
	tid {u64}, frame {word},
	site {u64}, spawn_site {u64},	-- where it suspended last; where it was created
	on_ {text}, reason {text},	-- what it waits on, of the last suspend: one thing, or "any of fd:5, timer:99"
	n {u64}, missing {u64},	-- number of its latest event; how many of its own are known to be missing
	wake_ts {u64}, wake_by {u64}, wake_tid {u64},	-- its last wake since it last ran
	of_runtime {int}		-- 1: of the runtime itself
){end};
CREATE TABLE {events}(		-- every line that tells of a coroutine, a resource or a worker
	run {run}, line {nth}, ts {u64}, ev {word}, probe_id {u64}, tid {u64}, addr {word}, seq {u64}, is_active {int},
	n {u64}, site {u64}, parent {u64}, by_ {u64}, on_ {text}, done {int},
	value {u64},		-- notify: woken; level: value; park, unpark: depth
	name {text},		-- name, open
	op {word},		-- waker: clone, drop
	stack {u64}, reason {text},
	any_of {u64}, all_of {u64}	-- suspend: for so many things, each a leg of the same probe_id and n
){end};

-- What takes a graph or judgement comes from ct-tosql: the same that ct-lostwake(1) says.

CREATE TABLE {awaits}(		-- each coroutine that has not ended, in the order of the tree of who awaits whom
	run {run}, position {int}, probe_id {id},
	awaits {u64},		-- the coroutine that it awaits
	root {u64}, depth {int}	-- NULL: awaits in a cycle, or behind one
){end};
CREATE TABLE {findings}(	-- what ct-lostwake says
	run {run}, id {word},
	verdict {word}, certainty {word},	-- closed-resource ...; proven, suspected, unknown
	probe_id {id}, name {text}, on_ {text}, site {u64}, since {u64}, age_ns {u64},
	cause_ts {u64}, cause_tid {u64}, cause_by {u64}, cause_line {nth}, cause_site {u64}, cause {text},
	because {text}, unknown {text}, story {text}
){end};
CREATE TABLE {evidence}(	-- the lines of the trace behind a finding, in order of time
	run {run}, id {word}, position {int}, line {nth}, ts {u64}, tid {u64}, by_ {u64}, site {u64}, what {text}
){end};
CREATE TABLE {cycles}(		-- the members of a deadlock; next: for whom it waits, NULL where they form no ring
	run {run}, id {word}, position {int}, probe_id {id}, next {u64}
){end};
