	SELECT '{runs}' AS name, 'exit_signal' AS has UNION ALL SELECT '{sites}', 'func' UNION ALL
	SELECT '{threads}', 'parked_since' UNION ALL SELECT '{lost}', 'from_' UNION ALL
	SELECT '{coroutines}', 'spawn_site' UNION ALL SELECT '{events}', 'any_of' UNION ALL
	SELECT '{awaits}', 'root' UNION ALL SELECT '{findings}', 'certainty' UNION ALL
	SELECT '{evidence}', 'what' UNION ALL SELECT '{cycles}', 'next' UNION ALL
	SELECT '{stuck}', 'age_ns' UNION ALL SELECT '{lost_wakeup}', 'verdict' UNION ALL
	SELECT '{site_stats}', 'suspends' UNION ALL SELECT '{await_tree}', 'depth' UNION ALL SELECT '{timeline}', 'from_'
