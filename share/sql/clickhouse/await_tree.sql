-- await_tree: who waits behind whom. At depth 0 stand the coroutines that block on something other than a coroutine
-- which has not ended; below each, those that await it. depth NULL: awaits in a cycle, or behind one.
CREATE VIEW {await_tree} AS
SELECT run, root, probe_id, depth,
	concat(substring('                                ', 1, 2 * least(coalesce(depth, 0), 16)),
		coalesce(name, concat('coroutine ', toString(probe_id)))) AS tree,
	state, on_,
	coalesce(where_, concat('site ', toString(site)), '?') AS where_
FROM (
	SELECT run, root, probe_id, depth, position, name, state, on_, site
	FROM {awaits}
	INNER JOIN (
		SELECT run, probe_id, name, state, on_, site FROM {coroutines}
		WHERE state <> 'ended' AND run IN (SELECT run FROM {runs})
	) AS c USING (run, probe_id)
) AS f
ANY LEFT JOIN (SELECT run, site, where_ FROM {sites}) AS s USING (run, site)
ORDER BY run, position;
