-- timeline: what each coroutine did from when to when; to_ is NULL for what it does to the end.
-- Where lines of it are missing in between, by its numbers, nobody knows.
CREATE VIEW {timeline} AS
SELECT run, probe_id, ts AS from_, next_ts AS to_, next_ts - ts AS ns,
	CASE WHEN next_n <= n THEN 'unknown' WHEN next_n - n > 1 THEN 'unknown'
		WHEN ev = 'create' THEN 'created' WHEN ev = 'resume' THEN 'running' ELSE 'suspended' END AS state,
	tid, site, on_, line
FROM (
	SELECT run, probe_id, ts, ev, n, tid, site, on_, line,
		lead(ts) OVER (PARTITION BY run, probe_id ORDER BY ts, line) AS next_ts,
		lead(n) OVER (PARTITION BY run, probe_id ORDER BY ts, line) AS next_n
	FROM {events} WHERE ev IN ('create', 'resume', 'suspend', 'destroy')
) e
WHERE ev <> 'destroy';
