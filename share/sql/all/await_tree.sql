-- await_tree: who waits behind whom. At depth 0 stand the coroutines that block on something other than a coroutine
-- which has not ended; below each, those that await it. depth NULL: awaits in a cycle, or behind one.
CREATE VIEW {await_tree} AS
SELECT a.run, a.root, a.probe_id, a.depth,
	substr('                                ', 1, 2 * coalesce(a.depth, 0)) ||
		coalesce(c.name, 'coroutine ' || a.probe_id) AS tree,
	c.state, c.on_,
	coalesce(s.where_, 'site ' || c.site, '?') AS where_
FROM {awaits} a
JOIN {coroutines} c ON c.run = a.run AND c.probe_id = a.probe_id AND c.state <> 'ended'
LEFT JOIN {sites} s ON s.run = c.run AND s.site = c.site
ORDER BY a.run, a.position;
