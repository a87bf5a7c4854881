-- The Parquet tables of a fleet's traces, below the directory ${lake}. A partition is a run; in it, rows lie by coroutine and
-- time, so that a question about one coroutine reads one row group of one file. ct-fleet(7) argues for both. Numbers that
-- may have 64 bits are DECIMAL(20, 0): Spark's own end at 2^63-1.

-- The partitions are those that are there, whoever loaded them: no catalogue keeps a list of its own.
SET spark.sql.hive.manageFilesourcePartitions = false;

CREATE TABLE IF NOT EXISTS events(		-- ct-tocsv --per=event
	line BIGINT, ts BIGINT, ev STRING, probe_id DECIMAL(20, 0), tid BIGINT, is_active INT, addr STRING, seq DECIMAL(20, 0),
	n BIGINT, site DECIMAL(20, 0), parent DECIMAL(20, 0), by_ DECIMAL(20, 0), on_ STRING, done INT, value DECIMAL(20, 0),
	from_ DECIMAL(20, 0), to_ DECIMAL(20, 0), stack DECIMAL(20, 0), name STRING, reason STRING, role STRING,
	func STRING, file STRING, src_line BIGINT, path STRING, any_of BIGINT, all_of BIGINT, run STRING
) USING parquet PARTITIONED BY (run) LOCATION '${lake}/events';

CREATE TABLE IF NOT EXISTS coroutines(		-- ct-tocsv --per=coroutine
	probe_id DECIMAL(20, 0), name STRING, parent DECIMAL(20, 0), state STRING, since BIGINT, created BIGINT, ended BIGINT,
	done INT, first_ts BIGINT, last_ts BIGINT, last_line BIGINT, tid BIGINT, frame STRING, site DECIMAL(20, 0),
	where_ STRING, on_ STRING, reason STRING, n BIGINT, missing BIGINT, wake_ts BIGINT, wake_by DECIMAL(20, 0),
	wake_tid BIGINT, of_runtime INT, run STRING
) USING parquet PARTITIONED BY (run) LOCATION '${lake}/coroutines';

CREATE TABLE IF NOT EXISTS sites(
	site DECIMAL(20, 0), func STRING, file STRING, line BIGINT, where_ STRING, run STRING
) USING parquet PARTITIONED BY (run) LOCATION '${lake}/sites';

CREATE TABLE IF NOT EXISTS findings(		-- ct-lostwake --json
	id STRING, verdict STRING, certainty STRING, probe_id DECIMAL(20, 0), name STRING, on_ STRING, where_ STRING,
	since BIGINT, age_ns BIGINT, cause_ts BIGINT, cause_tid BIGINT, cause_by DECIMAL(20, 0), cause_line BIGINT,
	cause STRING, cause_where STRING, because STRING, unknown STRING, story STRING,
	evidence ARRAY<STRUCT<line: BIGINT, what: STRING>>, cycle ARRAY<DECIMAL(20, 0)>, run STRING
) USING parquet PARTITIONED BY (run) LOCATION '${lake}/findings';

-- Written last: a run counts once it stands here, and the views show no other.
CREATE TABLE IF NOT EXISTS runs(
	first_ts BIGINT, last_ts BIGINT, lines BIGINT, lost DECIMAL(20, 0), ended INT, run STRING
) USING parquet PARTITIONED BY (run) LOCATION '${lake}/runs';
