-- What --replace removes first: the tables and views of an earlier load.
DROP VIEW IF EXISTS {await_tree};
DROP VIEW IF EXISTS {site_stats};
DROP VIEW IF EXISTS {timeline};
DROP VIEW IF EXISTS {lost_wakeup};
DROP VIEW IF EXISTS {stuck};
DROP TABLE IF EXISTS {cycles};
DROP TABLE IF EXISTS {evidence};
DROP TABLE IF EXISTS {findings};
DROP TABLE IF EXISTS {awaits};
DROP TABLE IF EXISTS {events};
DROP TABLE IF EXISTS {coroutines};
DROP TABLE IF EXISTS {lost};
DROP TABLE IF EXISTS {threads};
DROP TABLE IF EXISTS {sites};
DROP TABLE IF EXISTS {runs};
