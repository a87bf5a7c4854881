-- site_stats: what is waited for at each source location: how often, how long, how many wait there at the end.
CREATE VIEW {site_stats} AS
SELECT t.run, t.site,
	coalesce(s.where_, 'site ' || t.site, '?') AS where_,
	t.suspends, t.coroutines, t.left_again,
	coalesce(p.pending, 0) AS pending,
	t.total_ns,
	CAST((t.total_ns - t.total_ns % t.left_again) / t.left_again AS DECIMAL(20, 0)) AS mean_ns,
	t.longest_ns
FROM (
	SELECT run, site, count(*) AS suspends, count(DISTINCT probe_id) AS coroutines, count(ns) AS left_again,
		sum(ns) AS total_ns, max(ns) AS longest_ns
	FROM {timeline} WHERE state = 'suspended'
	GROUP BY run, site
) t
LEFT JOIN (
	SELECT run, coalesce(site, 0) AS site, count(*) AS pending
	FROM {coroutines} WHERE state IN ('suspended', 'runnable')
	GROUP BY run, coalesce(site, 0)
) p ON p.run = t.run AND p.site = coalesce(t.site, 0)
LEFT JOIN {sites} s ON s.run = t.run AND s.site = t.site
ORDER BY t.run, pending DESC, t.suspends DESC, t.site;
