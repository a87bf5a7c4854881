-- timeline: what each coroutine did from when to when; to_ is NULL for what it does to the end.
CREATE VIEW {timeline} AS
SELECT run, probe_id, ts AS from_, next_ts AS to_, next_ts - ts AS ns,
	CASE ev WHEN 'create' THEN 'created' WHEN 'resume' THEN 'running' ELSE 'suspended' END AS state,
	tid, site, on_, line
FROM (
	SELECT run, probe_id, ts, ev, tid, site, on_, line,
		lead(ts) OVER (PARTITION BY run, probe_id ORDER BY ts, line) AS next_ts
	FROM {events} WHERE ev IN ('create', 'resume', 'suspend', 'destroy')
) e
WHERE ev <> 'destroy';
