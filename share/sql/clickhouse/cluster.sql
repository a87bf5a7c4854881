-- For --cluster: the tables and views of every shard as one. Each server has both these and, as {local_runs} and so on, its
-- own share, made by ct-tosql --tables --prefix=local_. A run is on one shard, whole: so who awaits whom, what a coroutine
-- did next, what stands at a site are asked where the answer is, and answers are only put together. Views lose their
-- order on the way: ask for it.
CREATE TABLE {runs} AS {local_runs}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_runs}', cityHash64(run));
CREATE TABLE {sites} AS {local_sites}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_sites}', cityHash64(run));
CREATE TABLE {threads} AS {local_threads}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_threads}', cityHash64(run));
CREATE TABLE {lost} AS {local_lost}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_lost}', cityHash64(run));
CREATE TABLE {coroutines} AS {local_coroutines}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_coroutines}', cityHash64(run));
CREATE TABLE {events} AS {local_events}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_events}', cityHash64(run));
CREATE TABLE {awaits} AS {local_awaits}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_awaits}', cityHash64(run));
CREATE TABLE {findings} AS {local_findings}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_findings}', cityHash64(run));
CREATE TABLE {evidence} AS {local_evidence}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_evidence}', cityHash64(run));
CREATE TABLE {cycles} AS {local_cycles}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_cycles}', cityHash64(run));
CREATE TABLE {timeline} AS {local_timeline}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_timeline}');
CREATE TABLE {stuck} AS {local_stuck}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_stuck}');
CREATE TABLE {lost_wakeup} AS {local_lost_wakeup}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_lost_wakeup}');
CREATE TABLE {site_stats} AS {local_site_stats}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_site_stats}');
CREATE TABLE {await_tree} AS {local_await_tree}
	ENGINE = Distributed('@cluster', currentDatabase(), '{local_await_tree}');
