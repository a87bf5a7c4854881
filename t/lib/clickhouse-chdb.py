"""Run ct-tosql's text in the ClickHouse engine of today (chdb), then print views: clickhouse-chdb.py OUT TEXT... -- QUERY...

Query number N goes to OUT/N, as TabSeparated.
"""
import sys
import tempfile

from chdb.session import Session

out, rest = sys.argv[1], sys.argv[2:]
texts, queries = rest[:rest.index("--")], rest[rest.index("--") + 1:]
with tempfile.TemporaryDirectory() as directory:
    session = Session(directory)
    session.query("CREATE DATABASE fleet")
    session.query("USE fleet")
    for path in texts:
        session.query(open(path).read())
    for number, query in enumerate(queries):
        with open(f"{out}/{number}", "w") as file:
            file.write(session.query(query, "TabSeparated").data())
    session.close()
