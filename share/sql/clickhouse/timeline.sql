-- timeline: what each coroutine did from when to when; to_ is NULL for what it does to the end. By arrays, as 18.16 has
-- no window functions.
CREATE VIEW {timeline} AS
SELECT run, probe_id, e.1 AS from_, to_, to_ - from_ AS ns,
	CASE e.3 WHEN 'create' THEN 'created' WHEN 'resume' THEN 'running' ELSE 'suspended' END AS state,
	e.4 AS tid, e.5 AS site, e.6 AS on_, e.2 AS line
FROM (
	SELECT run, probe_id, arraySort(groupArray((ts, line, toString(ev), tid, site, on_))) AS all_,
		arrayPushBack(arrayPopFront(arrayMap(e -> toNullable(e.1), all_)), NULL) AS next_
	FROM {events}
	WHERE ev IN ('create', 'resume', 'suspend', 'destroy') AND run IN (SELECT run FROM {runs})
	GROUP BY run, probe_id
)
ARRAY JOIN all_ AS e, next_ AS to_
WHERE e.3 <> 'destroy';
