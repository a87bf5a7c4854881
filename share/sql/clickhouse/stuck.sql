-- stuck: every coroutine that has not ended, oldest first, but for the runtime's own. A list, not an accusation.
CREATE VIEW {stuck} AS
SELECT run, probe_id, name, state,
	toUInt64(end_ts - since) AS age_ns, round(age_ns / 1e9, 3) AS age_s,
	on_, reason, site,
	coalesce(where_, concat('site ', toString(site)), '?') AS where_,
	parent, tid, last_line
FROM (
	SELECT run, probe_id, name, state, since, on_, reason, site, parent, tid, last_line, end_ts
	FROM {coroutines}
	INNER JOIN (SELECT run, last_ts AS end_ts FROM {runs}) AS r USING (run)
	WHERE state <> 'ended' AND of_runtime = 0
) AS f
ANY LEFT JOIN (SELECT run, site, where_ FROM {sites}) AS s USING (run, site)
ORDER BY age_ns DESC, run, probe_id;
