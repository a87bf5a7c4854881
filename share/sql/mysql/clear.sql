-- Of a load that was interrupted.
DROP TABLE IF EXISTS {new_runs}, {new_sites}, {new_threads}, {new_lost}, {new_coroutines}, {new_events}, {new_awaits},
	{new_findings}, {new_evidence}, {new_cycles}, {old_runs}, {old_sites}, {old_threads}, {old_lost}, {old_coroutines},
	{old_events}, {old_awaits}, {old_findings}, {old_evidence}, {old_cycles};
