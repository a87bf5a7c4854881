-- The questions, after tables.sql: the answers of ct-tosql's views of the same names, in every dialect.

-- Spark 4.3 fails to plan await_tree's recursion with it (an internal error).
SET spark.sql.optimizer.dynamicPartitionPruning.enabled = false;

-- stuck: every coroutine that has not ended, oldest first, but for the runtime's own. A list, not an accusation.
CREATE OR REPLACE TEMPORARY VIEW stuck AS
SELECT c.run, c.probe_id, c.name, c.state,
	r.last_ts - c.since AS age_ns, round((r.last_ts - c.since) / 1e9, 3) AS age_s,
	c.on_, c.reason, c.site, coalesce(c.where_, concat('site ', c.site), '?') AS where_,
	c.parent, c.tid, c.last_line
FROM coroutines c JOIN runs r ON r.run = c.run
WHERE c.state <> 'ended' AND c.of_runtime = 0
ORDER BY age_ns DESC, c.run, c.probe_id;

-- lost_wakeup: the verdicts of ct-lostwake(1), the certain ones first.
CREATE OR REPLACE TEMPORARY VIEW lost_wakeup AS
SELECT f.run, f.id, f.verdict, f.certainty, f.probe_id, f.name, f.on_, f.since, f.age_ns, coalesce(f.where_, '?') AS where_,
	f.cause_ts, f.cause_tid, f.cause_by, f.cause_line, f.cause, f.cause_where, f.because, f.unknown, f.story,
	f.evidence, f.cycle
FROM findings f JOIN runs r ON r.run = f.run
ORDER BY f.run, CASE f.certainty WHEN 'proven' THEN 0 WHEN 'suspected' THEN 1 ELSE 2 END, f.verdict, f.age_ns DESC, f.probe_id;

-- timeline: what each coroutine did from when to when; to_ is NULL for what it did last, as far as is known.
-- Where lines of it are missing in between, nobody knows: its numbers show that, or a state line that has a later one; or
-- it is gone, and its destroy is missing.
CREATE OR REPLACE TEMPORARY VIEW timeline AS
SELECT run, probe_id, ts AS from_, next_ts AS to_, next_ts - ts AS ns,
	CASE WHEN next_ev = 'state' THEN 'unknown' WHEN next_n <= n THEN 'unknown' WHEN next_n - n > 1 THEN 'unknown'
		WHEN next_ts IS NULL AND (run, probe_id) IN
			(SELECT run, probe_id FROM coroutines WHERE state = 'ended' AND ended IS NULL) THEN 'unknown'
		WHEN is_active = 1 THEN 'running' WHEN ev = 'create' OR (ev = 'state' AND n = 1) THEN 'created'
		ELSE 'suspended' END AS state,
	tid, site, on_, line
FROM (
	SELECT run, probe_id, ts, ev, n, is_active, tid, site, on_, line,
		lead(ts) OVER (PARTITION BY run, probe_id ORDER BY ts, line) AS next_ts,
		lead(n) OVER (PARTITION BY run, probe_id ORDER BY ts, line) AS next_n,
		lead(ev) OVER (PARTITION BY run, probe_id ORDER BY ts, line) AS next_ev
	FROM (
		SELECT run, probe_id, ts, ev, n, is_active, tid, site, on_, line,
			lag(n) OVER (PARTITION BY run, probe_id ORDER BY ts, line) AS last_n
		FROM events LEFT SEMI JOIN runs USING (run)
		WHERE ev IN ('create', 'resume', 'suspend', 'destroy', 'state')
	)
	WHERE ev <> 'state' OR last_n IS NULL OR last_n < n
)
WHERE ev <> 'destroy';

-- site_stats: what is waited for at each source location: how often, how long, how many wait there at the end.
CREATE OR REPLACE TEMPORARY VIEW site_stats AS
SELECT t.run, t.site, coalesce(s.where_, concat('site ', t.site), '?') AS where_,
	t.suspends, t.coroutines, t.left_again, coalesce(p.pending, 0) AS pending,
	t.total_ns, t.total_ns DIV t.left_again AS mean_ns, t.longest_ns
FROM (
	SELECT run, site, count(*) AS suspends, count(DISTINCT probe_id) AS coroutines, count(ns) AS left_again,
		sum(ns) AS total_ns, max(ns) AS longest_ns
	FROM timeline WHERE state = 'suspended'
	GROUP BY run, site
) t
LEFT JOIN (
	SELECT run, site, count(*) AS pending FROM coroutines WHERE state IN ('suspended', 'runnable') GROUP BY run, site
) p ON p.run = t.run AND p.site <=> t.site
LEFT JOIN sites s ON s.run = t.run AND s.site = t.site
ORDER BY t.run, pending DESC, t.suspends DESC, t.site;

-- await_tree: who waits behind whom. At depth 0 stand the coroutines that block on something other than a coroutine
-- which has not ended; below each, those that await it. depth NULL: awaits in a cycle, or behind one. Needs Spark 4.1.
CREATE OR REPLACE TEMPORARY VIEW await_tree AS
WITH RECURSIVE pending AS (
	SELECT c.run, c.probe_id, c.name, c.state, c.on_, coalesce(c.where_, concat('site ', c.site), '?') AS where_,
		CASE WHEN c.state = 'suspended' AND c.on_ RLIKE '^(coro|join):[0-9]+$' THEN CAST(substr(c.on_, 6) AS DECIMAL(20, 0)) END
			AS awaits
	FROM coroutines c JOIN runs r ON r.run = c.run
	WHERE c.state <> 'ended'
),
edges AS (
	SELECT p.run, p.probe_id, q.probe_id AS awaited FROM pending p
	LEFT JOIN pending q ON q.run = p.run AND q.probe_id = p.awaits
),
tree(run, root, probe_id, depth, path) MAX RECURSION LEVEL 10000 AS (
	SELECT run, probe_id, probe_id, 0, lpad(CAST(probe_id AS STRING), 20, '0') FROM edges WHERE awaited IS NULL
	UNION ALL
	SELECT e.run, t.root, e.probe_id, t.depth + 1, concat(t.path, '/', lpad(CAST(e.probe_id AS STRING), 20, '0'))
	FROM tree t JOIN edges e ON e.run = t.run AND e.awaited = t.probe_id
)
SELECT p.run, t.root, p.probe_id, t.depth,
	concat(space(2 * least(coalesce(t.depth, 0), 16)), coalesce(p.name, concat('coroutine ', p.probe_id))) AS tree,
	p.state, p.on_, p.where_
FROM pending p LEFT JOIN tree t ON t.run = p.run AND t.probe_id = p.probe_id
ORDER BY p.run, coalesce(t.path, 'cycle'), p.probe_id;
