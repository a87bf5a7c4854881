-- timeline: what each coroutine did from when to when; to_ is NULL for what it did last, as far as is known.
-- Where lines of it are missing in between, nobody knows: its numbers show that, or a state line that has a later one; or
-- it is gone, and its destroy is missing.
CREATE VIEW {timeline} AS
SELECT run, probe_id, ts AS from_, next_ts AS to_, next_ts - ts AS ns,
	CASE WHEN next_ev = 'state' THEN 'unknown' WHEN next_n <= n THEN 'unknown' WHEN next_n - n > 1 THEN 'unknown'
		WHEN next_ts IS NULL AND (run, probe_id) IN
			(SELECT run, probe_id FROM {coroutines} WHERE state = 'ended' AND ended IS NULL) THEN 'unknown'
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
		FROM {events} WHERE ev IN ('create', 'resume', 'suspend', 'destroy', 'state')
	) s
	WHERE ev <> 'state' OR last_n IS NULL OR last_n < n
) e
WHERE ev <> 'destroy';
