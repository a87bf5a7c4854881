-- After tables.sql: what ct-tocsv --partition and ct-lostwake --json left below ${traces}, into the tables. A run that is
-- there already is written anew, others are not touched: so a load that broke off is simply made once more.
SET spark.sql.sources.partitionOverwriteMode = dynamic;
SET spark.sql.parquet.compression.codec = zstd;

CREATE OR REPLACE TEMPORARY VIEW csv_events(
	line BIGINT, ts BIGINT, ev STRING, probe_id DECIMAL(20, 0), tid BIGINT, is_active INT, addr STRING, seq DECIMAL(20, 0),
	n BIGINT, site DECIMAL(20, 0), parent DECIMAL(20, 0), `by` DECIMAL(20, 0), `on` STRING, done INT, value DECIMAL(20, 0),
	`from` DECIMAL(20, 0), `to` DECIMAL(20, 0), stack DECIMAL(20, 0), name STRING, reason STRING, role STRING,
	func STRING, file STRING, src_line BIGINT, path STRING, any_of BIGINT, all_of BIGINT, run STRING
) USING csv OPTIONS (path '${traces}/table=events', header 'true', enforceSchema 'false', multiLine 'true', escape '"', lineSep '\r\n', mode 'FAILFAST');

CREATE OR REPLACE TEMPORARY VIEW csv_coroutines(
	probe_id DECIMAL(20, 0), name STRING, parent DECIMAL(20, 0), state STRING, since BIGINT, created BIGINT, ended BIGINT,
	done INT, first_ts BIGINT, last_ts BIGINT, last_line BIGINT, tid BIGINT, frame STRING, site DECIMAL(20, 0), func STRING,
	file STRING, src_line BIGINT, spawn_site DECIMAL(20, 0), `on` STRING, reason STRING, n BIGINT, missing BIGINT,
	wake_ts BIGINT, wake_by DECIMAL(20, 0), wake_tid BIGINT, system INT,
	created_count BIGINT, created_ns BIGINT, created_max_ns BIGINT, running_count BIGINT, running_ns BIGINT,
	running_max_ns BIGINT, suspended_count BIGINT, suspended_ns BIGINT, suspended_max_ns BIGINT, runnable_count BIGINT,
	runnable_ns BIGINT, runnable_max_ns BIGINT, unknown_count BIGINT, unknown_ns BIGINT, unknown_max_ns BIGINT, run STRING
) USING csv OPTIONS (path '${traces}/table=coroutines', header 'true', enforceSchema 'false', multiLine 'true', escape '"', lineSep '\r\n', mode 'FAILFAST');

CREATE OR REPLACE TEMPORARY VIEW json_findings(
	id STRING, verdict STRING, certainty STRING, probe_id DECIMAL(20, 0), name STRING, `on` STRING,
	site STRUCT<func: STRING, file: STRING, line: BIGINT>, since BIGINT, age BIGINT,
	cause STRUCT<line: BIGINT, ts: BIGINT, tid: BIGINT, `by`: DECIMAL(20, 0), what: STRING,
		site: STRUCT<func: STRING, file: STRING, line: BIGINT>>,
	because STRING, unknown STRING, story STRING, evidence ARRAY<STRUCT<line: BIGINT, what: STRING>>,
	cycle ARRAY<DECIMAL(20, 0)>, run STRING
) USING json OPTIONS (path '${traces}/table=findings', mode 'FAILFAST');

INSERT OVERWRITE TABLE events
SELECT line, ts, ev, probe_id, tid, is_active, addr, seq, n, site, parent, `by`, `on`, done, value, `from`, `to`, stack, name,
	reason, role, func, file, src_line, path, any_of, all_of, run
FROM csv_events DISTRIBUTE BY run, pmod(hash(probe_id), 8) SORT BY run, probe_id, ts, line;

INSERT OVERWRITE TABLE coroutines
SELECT probe_id, name, parent, state, since, created, ended, done, first_ts, last_ts, last_line, tid, frame, site,
	concat(func, ' ', file, ':', src_line), `on`, reason, n, missing, wake_ts, wake_by, wake_tid, system, run
FROM csv_coroutines DISTRIBUTE BY run SORT BY run, probe_id;

INSERT OVERWRITE TABLE sites
SELECT site, any_value(func), any_value(file), any_value(src_line),
	any_value(concat(func, ' ', file, ':', src_line)), run
FROM events WHERE ev = 'site' AND run IN (SELECT run FROM csv_coroutines) GROUP BY run, site;

INSERT OVERWRITE TABLE findings
SELECT id, verdict, certainty, probe_id, name, `on`, concat(site.func, ' ', site.file, ':', site.line), since, age,
	cause.ts, cause.tid, cause.`by`, cause.line, cause.what,
	concat(cause.site.func, ' ', cause.site.file, ':', cause.site.line), because, unknown, story, evidence, cycle, run
FROM json_findings DISTRIBUTE BY run;

INSERT OVERWRITE TABLE runs
SELECT min(ts), max(ts), count(*), coalesce(sum(CASE WHEN ev = 'lost' THEN value END), 0),
	max(CASE WHEN ev = 'end' THEN 1 ELSE 0 END), run
FROM events WHERE run IN (SELECT run FROM csv_coroutines) GROUP BY run;
