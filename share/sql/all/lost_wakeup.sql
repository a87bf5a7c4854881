-- lost_wakeup: the verdicts of ct-lostwake(1), the certain ones first. Their lines are in evidence, the members of a
-- deadlock in cycles, by run and id.
CREATE VIEW {lost_wakeup} AS
SELECT f.run, f.id, f.verdict, f.certainty, f.probe_id, f.name, f.on_, f.since, f.age_ns,
	coalesce(s.where_, 'site ' || f.site, '?') AS where_,
	f.cause_ts, f.cause_tid, f.cause_by, f.cause_line, f.cause,
	coalesce(k.where_, 'site ' || f.cause_site) AS cause_where,
	f.because, f.unknown, f.story
FROM {findings} f
LEFT JOIN {sites} s ON s.run = f.run AND s.site = f.site
LEFT JOIN {sites} k ON k.run = f.run AND k.site = f.cause_site
ORDER BY f.run, CASE f.certainty WHEN 'proven' THEN 0 WHEN 'suspected' THEN 1 ELSE 2 END, f.verdict, f.age_ns DESC,
	f.probe_id;
