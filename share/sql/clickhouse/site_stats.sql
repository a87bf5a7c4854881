-- site_stats: what is waited for at each source location: how often, how long, how many wait there at the end.
CREATE VIEW {site_stats} AS
SELECT run, nullIf(key, 0) AS site,
	coalesce(where_, concat('site ', toString(site)), '?') AS where_,
	suspends, coroutines, left_again, coalesce(pending_, 0) AS pending,
	if(left_again = 0, NULL, total) AS total_ns,
	if(left_again = 0, NULL, intDiv(total, greatest(left_again, 1))) AS mean_ns,
	if(left_again = 0, NULL, longest) AS longest_ns
FROM (
	SELECT run, key, suspends, coroutines, left_again, total, longest, pending_
	FROM (
		SELECT run, coalesce(site, 0) AS key, count() AS suspends, uniqExact(probe_id) AS coroutines,
			count(ns) AS left_again, sum(coalesce(ns, 0)) AS total, max(coalesce(ns, 0)) AS longest
		FROM {timeline} WHERE state = 'suspended'
		GROUP BY run, key
	) AS f
	ANY LEFT JOIN (
		SELECT run, coalesce(site, 0) AS key, toNullable(count()) AS pending_
		FROM {coroutines} WHERE state IN ('suspended', 'runnable')
		GROUP BY run, key
	) AS p USING (run, key)
) AS f
ANY LEFT JOIN (SELECT run, site AS key, where_ FROM {sites}) AS s USING (run, key)
ORDER BY run, pending DESC, suspends DESC, site;
