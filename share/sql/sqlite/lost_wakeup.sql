-- lost_wakeup: the rules of ct-lostwake(1) that one query can express. Grace: 100 ms. shaky = 1: events were lost,
-- lines were bad or the trace was cut off, so that the wake which would overturn it may be among what is missing.
CREATE VIEW lost_wakeup AS
WITH pending AS (
	SELECT c.*, r.last_ts AS t_end,
		r.lost > 0 OR r.bad > 0 OR coalesce(r.ended, 0) = 0 OR c.missing > 0 AS shaky
	FROM coroutines c JOIN runs r USING (run)
	WHERE c.state IN ('created', 'suspended', 'runnable')
),
closes AS (	-- what a "KIND:" names is not known: two such are never the same object
	SELECT run, on_, ts, tid, by_, line, site FROM events WHERE ev = 'close' AND on_ NOT LIKE '%:'
),
found AS (
	SELECT p.run, p.probe_id, 'closed-resource' AS verdict, p.on_, p.since, p.site, p.name, p.t_end, p.shaky,
		min(k.ts) AS cause_ts, k.tid AS cause_tid, k.by_ AS cause_by, k.line AS cause_line, k.site AS cause_site
	FROM pending p JOIN closes k ON k.run = p.run AND k.on_ = p.on_ AND k.ts > p.since
	WHERE p.state = 'suspended'
	GROUP BY p.run, p.probe_id, p.since
	UNION ALL
	SELECT p.run, p.probe_id, 'woken-not-run', p.on_, p.since, p.site, p.name, p.t_end, p.shaky,
		p.wake_ts, p.wake_tid, p.wake_by, NULL, NULL
	FROM pending p WHERE p.state IN ('created', 'runnable') AND p.wake_ts IS NOT NULL
)
SELECT f.run, f.probe_id, f.name, f.verdict, f.on_, f.since,
	f.t_end - f.cause_ts AS age_ns,
	CASE WHEN s.file IS NULL THEN '?' ELSE s.func || ' ' || s.file || ':' || s.line END AS where_,
	f.cause_ts, f.cause_tid, f.cause_by, f.cause_line,
	CASE WHEN k.file IS NOT NULL THEN k.func || ' ' || k.file || ':' || k.line END AS cause_where,
	f.shaky
FROM found f
LEFT JOIN sites s ON s.run = f.run AND s.site = f.site
LEFT JOIN sites k ON k.run = f.run AND k.site = f.cause_site
WHERE f.t_end - f.cause_ts >= 100000000
ORDER BY f.run, f.verdict, age_ns DESC, f.probe_id;
