-- lost_wakeup: the verdicts of ct-lostwake(1), the certain ones first. Their lines are in evidence, the members of a
-- deadlock in cycles, by run and id.
CREATE VIEW {lost_wakeup} AS
SELECT run, id, verdict, certainty, probe_id, name, on_, since, age_ns,
	coalesce(where_, concat('site ', toString(site)), '?') AS where_,
	cause_ts, cause_tid, cause_by, cause_line, cause,
	coalesce(cause_where_, concat('site ', toString(cause_site))) AS cause_where,
	because, unknown, story
FROM (
	SELECT run, id, verdict, certainty, probe_id, name, on_, since, age_ns, site, where_,
		cause_ts, cause_tid, cause_by, cause_line, cause, cause_site, because, unknown, story
	FROM (
		SELECT run, id, verdict, certainty, probe_id, name, on_, since, age_ns, site,
			cause_ts, cause_tid, cause_by, cause_line, cause, cause_site, because, unknown, story
		FROM {findings} WHERE run IN (SELECT run FROM {runs})
	) AS f
	ANY LEFT JOIN (SELECT run, site, where_ FROM {sites}) AS s USING (run, site)
) AS f
ANY LEFT JOIN (SELECT run, site AS cause_site, where_ AS cause_where_ FROM {sites}) AS k USING (run, cause_site)
ORDER BY run, CASE certainty WHEN 'proven' THEN 0 WHEN 'suspected' THEN 1 ELSE 2 END, verdict, age_ns DESC, probe_id;
