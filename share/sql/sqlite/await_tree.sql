-- await_tree: who waits behind whom. At depth 0 stand the coroutines that block on something other than a coroutine
-- which has not ended; below each, those that await it. depth NULL: awaits in a circle, or behind one.
CREATE VIEW await_tree AS
WITH RECURSIVE pending AS MATERIALIZED (
	SELECT run, probe_id, name, state, site, on_,
		CASE WHEN state = 'suspended' AND (on_ GLOB 'coro:[0-9]*' OR on_ GLOB 'join:[0-9]*') THEN
			CASE WHEN length(on_) < 24 OR (length(on_) = 24 AND substr(on_, 6) <= '9223372036854775807')
			THEN CAST(substr(on_, 6) AS INTEGER) ELSE substr(on_, 6) END
		END AS awaits
	FROM coroutines WHERE state <> 'ended'
),
edges AS MATERIALIZED (
	SELECT p.*, q.probe_id AS awaited FROM pending p LEFT JOIN pending q ON q.run = p.run AND q.probe_id = p.awaits
),
tree(run, root, probe_id, depth, path, name, state, site, on_) AS (
	SELECT run, probe_id, probe_id, 0, printf('%020s', probe_id), name, state, site, on_ FROM edges WHERE awaited IS NULL
	UNION ALL
	SELECT e.run, t.root, e.probe_id, t.depth + 1, t.path || '/' || printf('%020s', e.probe_id),
		e.name, e.state, e.site, e.on_
	FROM tree t JOIN edges e ON e.run = t.run AND e.awaited = t.probe_id
),
everyone AS (
	SELECT run, root, probe_id, depth, path, name, state, site, on_ FROM tree
	UNION ALL
	SELECT run, NULL, probe_id, NULL, 'circle', name, state, site, on_ FROM edges e
	WHERE NOT EXISTS (SELECT 1 FROM tree t WHERE t.run = e.run AND t.probe_id = e.probe_id)
)
SELECT e.run, e.root, e.probe_id, e.depth,
	substr('                                ', 1, 2 * coalesce(e.depth, 0)) || coalesce(e.name, 'coroutine ' || e.probe_id)
		AS tree,
	e.state, e.on_,
	CASE WHEN s.file IS NULL THEN '?' ELSE s.func || ' ' || s.file || ':' || s.line END AS where_
FROM everyone e LEFT JOIN sites s ON s.run = e.run AND s.site = e.site
ORDER BY e.run, e.path, e.probe_id;
