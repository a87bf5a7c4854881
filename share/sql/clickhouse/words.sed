# ClickHouse, 18.16 or later. Sorted by run, then as the questions go; partitions are days of loading, so that old runs
# are dropped whole: ct-tosql(1) argues for both. What a table is sorted by is never NULL: in events, a probe_id of 0
# stands for a line that tells of no coroutine.
/CREATE TABLE .*{coroutines}/,/{end}/s/{end}/{by} (run, probe_id)/
/CREATE TABLE .*{awaits}/,/{end}/s/{end}/{by} (run, probe_id)/
/CREATE TABLE .*{events}/,/{end}/{
	s/ line {nth}, ts {u64}, ev {word}, probe_id {u64}/ line UInt64, ts UInt64,\
	ev Enum8('create' = 1, 'resume' = 2, 'suspend' = 3, 'wake' = 4, 'destroy' = 5, 'state' = 6, 'name' = 7,\
		'open' = 8, 'close' = 9, 'notify' = 10, 'level' = 11, 'acquire' = 12, 'release' = 13, 'waker' = 14,\
		'park' = 15, 'unpark' = 16),\
	probe_id UInt64/
	s/{end}/{by} (run, probe_id, ts, line)/
}
/^	PRIMARY KEY(run, site)$/{
	N
	s/.*{end}/	day Date DEFAULT today()\
) ENGINE = MergeTree PARTITION BY day ORDER BY (run, site)/
}
s/ PRIMARY KEY,/,/
s/{end}/{by} run/
s/^){by}/	, day Date DEFAULT today()	-- of loading\
) ENGINE = MergeTree PARTITION BY day ORDER BY/
s/{run}/UInt64/g
s/{id}/UInt64/g
s/{u64}/Nullable(UInt64)/g
s/{nth}/Nullable(UInt64)/g
s/\(is_active\|done\|parked\|of_runtime\) {int}/\1 Nullable(UInt8)/g
s/{int}/Nullable(Int32)/g
s/{word}/Nullable(String)/g
s/{text}/Nullable(String)/g
s/DROP VIEW/DROP TABLE/
s/CREATE OR REPLACE VIEW/CREATE VIEW IF NOT EXISTS/
