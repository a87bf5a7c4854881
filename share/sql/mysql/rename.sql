-- All at once: whoever looks sees what was there before, or all of this.
RENAME TABLE {new_runs} TO {runs}, {new_sites} TO {sites}, {new_threads} TO {threads}, {new_lost} TO {lost},
	{new_coroutines} TO {coroutines}, {new_events} TO {events}, {new_awaits} TO {awaits}, {new_findings} TO {findings},
	{new_evidence} TO {evidence}, {new_cycles} TO {cycles};
