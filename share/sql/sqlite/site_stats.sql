-- site_stats: what is waited for at each source location: how often, how long, how many wait there at the end.
CREATE VIEW site_stats AS
SELECT t.run, t.site,
	CASE WHEN s.file IS NULL THEN '?' ELSE s.func || ' ' || s.file || ':' || s.line END AS where_,
	count(*) AS suspends,
	count(DISTINCT t.probe_id) AS coroutines,
	count(t.ns) AS left_again,
	(SELECT count(*) FROM coroutines c
	 WHERE c.run = t.run AND c.site IS t.site AND c.state IN ('suspended', 'runnable')) AS pending,
	sum(t.ns) AS total_ns, CAST(avg(t.ns) AS INTEGER) AS mean_ns, max(t.ns) AS longest_ns
FROM timeline t LEFT JOIN sites s ON s.run = t.run AND s.site = t.site
WHERE t.state = 'suspended'
GROUP BY t.run, t.site
ORDER BY t.run, pending DESC, suspends DESC, t.site;
