-- timeline: what each coroutine did from when to when; to_ is NULL for what it does to the end. Where lines of it are
-- missing in between, by its numbers, nobody knows. By arrays, as 18.16 has no window functions.
CREATE VIEW {timeline} AS
SELECT run, probe_id, e.1 AS from_, to_, to_ - from_ AS ns,
	multiIf(next_n <= e.7, 'unknown', next_n - e.7 > 1, 'unknown',
		e.3 = 'create', 'created', e.3 = 'resume', 'running', 'suspended') AS state,
	e.4 AS tid, e.5 AS site, e.6 AS on_, e.2 AS line
FROM (
	SELECT run, probe_id, arraySort(groupArray((ts, line, toString(ev), tid, site, on_, n))) AS all_,
		arrayPushBack(arrayPopFront(arrayMap(e -> toNullable(e.1), all_)), NULL) AS next_,
		arrayPushBack(arrayPopFront(arrayMap(e -> e.7, all_)), NULL) AS numbers
	FROM {events}
	WHERE ev IN ('create', 'resume', 'suspend', 'destroy') AND run IN (SELECT run FROM {runs})
	GROUP BY run, probe_id
)
ARRAY JOIN all_ AS e, next_ AS to_, numbers AS next_n
WHERE e.3 <> 'destroy';
