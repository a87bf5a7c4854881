"""Run Spark SQL files, ask views: spark.py MASTER TRACES LAKE OUT FILE... -- VIEW[:COLUMNS[ WHERE CONDITION]]...

In the files, ${traces} and ${lake} stand for the directories. Each view's rows go to OUT/VIEW, separated by tabs, sorted, NULL
as \\N. With TIMES=1 in the environment, prints how long each file and view took.
"""
import os
import re
import sys
import time

from pyspark.sql import SparkSession

master, traces, lake, out = sys.argv[1:5]
rest = sys.argv[5:]
files, views = rest[:rest.index("--")], rest[rest.index("--") + 1:]


def session():
    build = SparkSession.builder.master(master).appName("corotrace")
    for key, value in {
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
        "spark.sql.catalogImplementation": "in-memory", "spark.sql.warehouse.dir": lake + "/warehouse",
        "spark.sql.shuffle.partitions": os.environ.get("PARTITIONS", "2"), "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": os.environ.get("DRIVER_MEMORY", "1g"),
        "spark.local.dir": lake + "/tmp",
        "spark.driver.extraJavaOptions": os.environ.get("JVM_OPTIONS", ""),
        "spark.executor.extraJavaOptions": os.environ.get("JVM_OPTIONS", ""),
    }.items():
        build = build.config(key, value)
    return build.getOrCreate()


def statements(path):
    text = re.sub(r"--.*", "", open(path).read())
    return [s.replace("${traces}", traces).replace("${lake}", lake) for s in text.split(";") if s.strip()]


def cell(value):
    return "\\N" if value is None else str(value)


def timed(name, work):
    begun = time.time()
    result = work()
    if os.environ.get("TIMES"):
        print(f"{name}\t{time.time() - begun:.2f}", flush=True)
    return result


def print_view(spark, view):
    name, _, columns = view.partition(":")
    columns, _, where = columns.partition(" WHERE ")
    query = f"SELECT {columns or '*'} FROM {name}" + (f" WHERE {where}" if where else "")
    rows = timed(name, lambda: spark.sql(query).collect())
    with open(f"{out}/{name}", "w") as file:
        file.writelines(sorted("\t".join(map(cell, row)) + "\n" for row in rows))


spark = timed("start", session)
for path in files:
    timed(os.path.basename(path), lambda: [spark.sql(s).count() for s in statements(path)])
for view in views:
    print_view(spark, view)
spark.stop()
