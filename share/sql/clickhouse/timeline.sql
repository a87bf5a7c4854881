-- timeline: what each coroutine did from when to when; to_ is NULL for what it did last, as far as is known.
-- Where lines of it are missing in between, nobody knows: its numbers show that, or a state line that has a later one; or
-- it is gone, and its destroy is missing.
-- By arrays, as 18.16 has no window functions.
CREATE VIEW {timeline} AS
SELECT run, probe_id, e.1 AS from_, to_, to_ - from_ AS ns,
	multiIf(next_ev = 'state', 'unknown', next_n <= e.7, 'unknown', next_n - e.7 > 1, 'unknown',
		isNull(to_) AND (run, probe_id) IN
			(SELECT run, probe_id FROM {coroutines} WHERE state = 'ended' AND isNull(ended)), 'unknown',
		e.8 = 1, 'running', e.3 = 'create' OR (e.3 = 'state' AND e.7 = 1), 'created', 'suspended') AS state,
	e.4 AS tid, e.5 AS site, e.6 AS on_, e.2 AS line
FROM (
	SELECT run, probe_id,
		arraySort(groupArray((ts, line, toString(ev), tid, site, on_, n, is_active))) AS each_,
		arrayPushFront(arrayPopBack(arrayMap(e -> e.7, each_)), NULL) AS last_n,
		arrayFilter((e, last) -> e.3 <> 'state' OR isNull(last) OR last < e.7, each_, last_n) AS all_,
		arrayPushBack(arrayPopFront(arrayMap(e -> toNullable(e.1), all_)), NULL) AS next_,
		arrayPushBack(arrayPopFront(arrayMap(e -> e.7, all_)), NULL) AS numbers,
		arrayPushBack(arrayPopFront(arrayMap(e -> e.3, all_)), '') AS evs
	FROM {events}
	WHERE ev IN ('create', 'resume', 'suspend', 'destroy', 'state') AND run IN (SELECT run FROM {runs})
	GROUP BY run, probe_id
)
ARRAY JOIN all_ AS e, next_ AS to_, numbers AS next_n, evs AS next_ev
WHERE e.3 <> 'destroy';
