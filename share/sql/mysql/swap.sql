-- All at once: whoever looks sees what was there before, or all of this. What is not there yet cannot be renamed.
CREATE TABLE IF NOT EXISTS {runs}(run INT);
CREATE TABLE IF NOT EXISTS {sites}(run INT);
CREATE TABLE IF NOT EXISTS {threads}(run INT);
CREATE TABLE IF NOT EXISTS {lost}(run INT);
CREATE TABLE IF NOT EXISTS {coroutines}(run INT);
CREATE TABLE IF NOT EXISTS {events}(run INT);
CREATE TABLE IF NOT EXISTS {awaits}(run INT);
CREATE TABLE IF NOT EXISTS {findings}(run INT);
CREATE TABLE IF NOT EXISTS {evidence}(run INT);
CREATE TABLE IF NOT EXISTS {cycles}(run INT);
RENAME TABLE {runs} TO {old_runs}, {new_runs} TO {runs}, {sites} TO {old_sites}, {new_sites} TO {sites},
	{threads} TO {old_threads}, {new_threads} TO {threads}, {lost} TO {old_lost}, {new_lost} TO {lost},
	{coroutines} TO {old_coroutines}, {new_coroutines} TO {coroutines}, {events} TO {old_events}, {new_events} TO {events},
	{awaits} TO {old_awaits}, {new_awaits} TO {awaits}, {findings} TO {old_findings}, {new_findings} TO {findings},
	{evidence} TO {old_evidence}, {new_evidence} TO {evidence}, {cycles} TO {old_cycles}, {new_cycles} TO {cycles};
