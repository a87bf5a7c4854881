-- stuck: every coroutine that has not ended, oldest first. A list, not an accusation.
CREATE VIEW stuck AS
SELECT c.run, c.probe_id, c.name, c.state,
	r.last_ts - c.since AS age_ns,
	printf('%.3f', (r.last_ts - c.since) / 1e9) AS age_s,
	c.on_, c.reason, c.site,
	CASE WHEN s.file IS NULL THEN '?' ELSE s.func || ' ' || s.file || ':' || s.line END AS where_,
	c.parent, c.tid, c.last_line
FROM coroutines c JOIN runs r USING (run)
LEFT JOIN sites s ON s.run = c.run AND s.site = c.site
WHERE c.state <> 'ended'
ORDER BY age_ns DESC, c.run, c.probe_id;
