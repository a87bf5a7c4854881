-- stuck: every coroutine that has not ended, oldest first, but for the runtime's own. A list, not an accusation.
CREATE VIEW {stuck} AS
SELECT c.run, c.probe_id, c.name, c.state,
	r.last_ts - c.since AS age_ns,
	round((r.last_ts - c.since) / 1e9, 3) AS age_s,
	c.on_, c.reason, c.site,
	coalesce(s.where_, 'site ' || c.site, '?') AS where_,
	c.parent, c.tid, c.last_line
FROM {coroutines} c JOIN {runs} r ON r.run = c.run
LEFT JOIN {sites} s ON s.run = c.run AND s.site = c.site
WHERE c.state <> 'ended' AND c.of_runtime = 0
ORDER BY age_ns DESC, c.run, c.probe_id;
