"""tocsv-readers.py - what a reader makes of ct-tocsv's output, beside what the trace says: tocsv-readers.py READER TRACE

READER: pandas, polars, duckdb, sqlite. Runs ct-tocsv itself. Status 1, with the rows, where one is not the same.
"""
import json
import os
import subprocess
import sys

COLUMNS = ['run', 'line', 'ts', 'ev', 'probe_id', 'seq', 'name', 'on', 'reason']
NUMBERS = ['line', 'ts', 'probe_id', 'seq']
NULL = r'\N'


def expected(trace):
    rows = []
    with open(trace, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            o = json.loads(line)
            o.update(run='r 1', line=number)
            rows.append(tuple(o.get(c) if not isinstance(o.get(c), str) else o[c].replace('\0', '\u2400')
                              for c in COLUMNS))
    return rows


def csv(trace, *options):
    out = 'readers.csv'
    with open(out, 'wb') as f:
        subprocess.run(['ct-tocsv', '--quiet', *options, trace], stdout=f, check=True)
    return out


def plain(trace, *options):
    return csv(trace, '--columns=' + ','.join(COLUMNS), *options)


def clean(rows):
    return [tuple(None if v is None or v != v else v if isinstance(v, str) else int(v) for v in row) for row in rows]


def pandas(trace):
    import pandas as pd
    table = pd.read_csv(plain(trace, '--null=' + NULL), dtype={c: 'UInt64' if c in NUMBERS else 'string' for c in COLUMNS},
                        keep_default_na=False, na_values=[NULL])
    return [tuple(None if pd.isna(v) else v for v in row) for row in table.itertuples(index=False)]


def polars(trace):
    import polars as pl
    table = pl.read_csv(plain(trace), schema_overrides={c: pl.UInt64 if c in NUMBERS else pl.String for c in COLUMNS})
    return table.rows()


def duckdb(trace):
    import duckdb as dd
    types = ', '.join("'%s': '%s'" % (c, 'UBIGINT' if c in NUMBERS else 'VARCHAR') for c in COLUMNS)
    return dd.sql("select * from read_csv('%s', columns = {%s}, header = true, allow_quoted_nulls = false)"
                  % (plain(trace), types)).fetchall()


def sqlite(trace):
    import sqlite3
    path = plain(trace, '--null=' + NULL)
    if os.path.exists('readers.db'):
        os.unlink('readers.db')
    subprocess.run(['sqlite3', 'readers.db', '.import --csv %s t' % path], check=True)
    rows = sqlite3.connect('readers.db').execute('select * from t').fetchall()
    return [tuple(None if v == NULL else int(v) if c in NUMBERS else v for c, v in zip(COLUMNS, row)) for row in rows]


def partitions(trace):
    """A table in parts, as DuckDB and polars find them: the same rows, the run from the path, nothing hidden."""
    import duckdb as dd
    import polars as pl
    subprocess.run(['ct-tocsv', '--quiet', '--partition=parts', '--run=r1', '--per=event,interval', '--rows=3',
                    '--bucket=1us', trace], check=True)
    types = ', '.join("'%s': 'UBIGINT'" % c for c in NUMBERS)
    got = dd.sql("select run, line, ts, ev, probe_id, seq, name, on_ as on, reason from (select *, \"on\" as on_ from "
                 "read_csv('parts/table=events/**/*.csv', hive_partitioning = true, all_varchar = true, "
                 "header = true, allow_quoted_nulls = false)) order by line::ubigint").fetchall()
    got = [tuple(int(v) if v is not None and c in NUMBERS else v for c, v in zip(COLUMNS, row)) for row in got]
    want = [('r1',) + row[1:] for row in expected(trace)]
    assert got == want, (got, want)
    table = pl.read_csv('parts/table=events/run=r1/**/*.csv', infer_schema=False)
    assert table.height == len(want), table
    got = dd.sql("select count(*), min(run), min(bucket), max(bucket) from read_csv('parts/table=intervals/run=*/*/*.csv', "
                 "hive_partitioning = true, all_varchar = true, header = true)").fetchall()[0]
    assert got == (4, 'r1', 4, 9007199254740), got


def main():
    reader, trace = sys.argv[1:]
    if reader == 'partitions':
        return partitions(trace)
    got = clean(globals()[reader](trace))
    got = [('r 1',) + row[1:] for row in got]
    want = clean(expected(trace))
    for g, w in zip(got, want):
        if g != w:
            sys.exit('%s reads\n%r\nthe trace says\n%r' % (reader, g, w))
    if len(got) != len(want):
        sys.exit('%s reads %d rows of %d' % (reader, len(got), len(want)))


main()
