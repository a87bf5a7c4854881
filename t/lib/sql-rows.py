#!/usr/bin/env python3
"""What filters say, as rows of columns that the SQL views have: sql-rows.py WHAT reads ct-stuck --json (stuck), ct-lostwake
--json (lost_wakeup, evidence, cycles), ct-tocsv --per=interval (timeline, site_stats), ct-bt --json (awaits)."""
import csv
import json
import sys


def show(value):
    if value is None:
        return "~"
    return "".join("\\x%02x" % ord(c) if c in "|~\\" or ord(c) < 32 or ord(c) == 127 else c for c in str(value))


def where(site):
    if not site:
        return "?"
    place = site["func"] + (" " if site["func"] and site["file"] else "") + site["file"]
    return place + (":%d" % site["line"] if site["file"] and site["line"] else "")


def stuck():
    return [(f.get("run", 1) - 1, f["probe_id"], f.get("name"), f["state"], f["age"], f.get("on"), f.get("reason"),
             f.get("parent"), f["tid"], f["line"], where(f["site"])) for f in map(json.loads, sys.stdin)]


def lost_wakeup():
    rows = []
    for f in map(json.loads, sys.stdin):
        cause = f.get("cause", {})
        rows.append((f.get("run", 1) - 1, f["id"], f["verdict"], f["certainty"], f["probe_id"], f.get("name"), f.get("on"),
                     f["since"], f["age"], cause.get("ts"), cause.get("tid"), cause.get("by"), cause.get("line") or None,
                     cause.get("what"), f["because"], f["story"], where(f["site"])))
    return rows


def evidence():
    return [(f.get("run", 1) - 1, f["id"], i, e["line"], e["what"])
            for f in map(json.loads, sys.stdin) for i, e in enumerate(f["evidence"])]


def cycles():
    return [(f.get("run", 1) - 1, f["id"], i, c)
            for f in map(json.loads, sys.stdin) for i, c in enumerate(f.get("cycle", []))]


def stretches():
    """Being woken ends no stretch of the view's: it ends when something is done."""
    last = {}
    rows = []
    for r in csv.DictReader(sys.stdin):
        key = r["run"], r["probe_id"]
        to = None if r["open"] == "1" else int(r["to"])
        before = last[key][2] if key in last else "created"
        if r["state"] == "runnable" and before in ("created", "suspended") and key in last:
            last[key][4] = to
        else:  # woken before it had suspended, or in the moment that it was created
            state = r["state"] if r["state"] != "runnable" else "created" if before == "created" else "suspended"
            last[key] = [int(r["run"]) - 1, int(r["probe_id"]), state, int(r["from"]), to, r]
            rows.append(last[key])
    return rows


def timeline():
    return [(run, who, state, start, to, None if to is None else to - start) for run, who, state, start, to, _ in stretches()]


def site_stats():
    at = {}
    for run, who, state, start, to, r in stretches():
        if state == "suspended":
            at.setdefault((run, int(r["site"] or 0) or None), []).append((who, start, to))
    rows = []
    for (run, site), waits in at.items():
        ns = [to - start for _, start, to in waits if to is not None]
        rows.append((run, site, len(waits), len({who for who, _, _ in waits}), len(ns), sum(ns) if ns else None,
                     sum(ns) // len(ns) if ns else None, max(ns) if ns else None))
    return rows


def awaits():
    return [(f["probe_id"], f["awaits"]) for f in map(json.loads, sys.stdin) if "awaits" in f]


for row in sorted("|".join(map(show, row)) for row in
                  {"stuck": stuck, "lost_wakeup": lost_wakeup, "evidence": evidence, "cycles": cycles, "timeline": timeline,
                   "site_stats": site_stats, "awaits": awaits}[sys.argv[1]]()):
    print(row)
