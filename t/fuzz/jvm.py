#!/usr/bin/env python3
"""jvm.py BUILD SEED COUNT - dumps of a JVM's threads for ct-fromjvm, made up and broken where JSON has structure: values of other
types, sizes and signs, members gone, twice and elsewhere, lists and objects in one another, bytes changed. Each is refused with one
line, or becomes a trace in which ct-check finds every line whole; in bounded memory and time, without a word of a sanitizer."""
import copy
import json
import random
import resource
import subprocess
import sys

build, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
LIMIT = None if "san" in build else 1 << 30
STATES = ["RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING", "NEW", ""] * 4 + ["x" * 300]
FRAMES = ["java.base/java.lang.Object.wait(Object.java:1)", "app//com.acme.Main.go(Main.java:7)", "x", "", "a.b(c", "(:)", "a(b:-1)", "a/b/c//d(e.java:99999999999)",
          "java.base/java.lang.VirtualThread.park(VirtualThread.java:582)", "Main$$Lambda/0x00007f00.run(Unknown Source)", "\u202e\u0001.m(\ud83d\ude00.java:3)"]
ODD = [None, True, -1, 0, 1 << 63, 1 << 64, 1e300, "", "7", "x" * 5000, "\u0000", [], {}, [[]], {"tid": "3"}, ["java.lang.Object@1f", None], "java.lang.Object@", "@1f"]


def thread(r):
    t = {"tid": str(r.choice([1, 5, 6, 7, r.randrange(1 << 64)])), "virtual": r.random() < .5, "name": r.choice(["main", "", "n\u00e9"]),
         "state": r.choice(STATES), "stack": [r.choice(FRAMES) for _ in range(r.choice([0, 1, 3, 80]))]}
    for key in r.sample(["blockedOn", "waitingOn", "parkBlocker", "monitorsOwned", "carrier"], r.randrange(4)):
        lock = "java.lang.Object@" + r.choice(["1f", "2e", "0", "f" * 20])
        t[key] = [{"depth": r.randrange(-1, 3), "locks": [None, lock]}] if key == "monitorsOwned" else \
            {"object": lock, "exclusiveOwnerThread": "5"} if key == "parkBlocker" else lock
    return t


def make(r):
    containers = [{"container": r.choice(["<root>", "pool"]), "parent": None, "threads": [thread(r) for _ in range(r.randrange(5))], "threadCount": "0"} for _ in range(r.randrange(4))]
    for c in containers:
        c["threadCount"] = r.choice([len(c["threads"]), str(len(c["threads"])), "9"])
    return {"threadDump": {"processId": "7", "time": "2026-11-22T16:27:15.314072499Z", "runtimeVersion": "25", "threadContainers": containers}}


def places(value, found):
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        found.append((value, key))
        places(value[key], found)
    return found


def change(dump, r):
    all_places = places(dump, [])
    if not all_places:
        return
    where, key = r.choice(all_places)
    what = r.randrange(5)
    if what == 0:
        where[key] = copy.deepcopy(r.choice(ODD))
    elif what == 1:
        del where[key]
    elif what == 2:
        other, at = r.choice(all_places)
        try:
            where[key] = copy.deepcopy(other[at])
        except (KeyError, IndexError):
            pass
    elif what == 3 and isinstance(where, list):
        where.extend(copy.deepcopy(where[:1]) * r.choice([1, 100]))
    elif isinstance(where, dict):
        where[r.choice(["tid", "threads", "stack", "time", "processId"])] = where.pop(key)


def text_of(r):
    dump = make(r)
    for _ in range(r.choice([0, 1, 1, 2, 5])):
        change(dump, r)
    text = json.dumps(dump, ensure_ascii=r.random() < .5).encode("utf-8", "surrogatepass")
    if r.random() < .2 and isinstance(dump, dict) and b'"tid"' in text:		# a member twice
        text = text.replace(b'"tid"', b'"tid": "9", "tid"', 1)
    if r.random() < .25:
        at = r.randrange(len(text))
        text = text[:at] + bytes(r.randrange(256) for _ in range(r.choice([0, 1, 4]))) + text[at + r.choice([0, 1, 1000]):]
    return text


def limit():
    if LIMIT:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def run(name, text, args=()):
    return subprocess.run([f"{build}/{name}", *args], input=text, capture_output=True, timeout=120, preexec_fn=limit)


for i in range(seed, seed + count):
    r = random.Random(i)
    text = text_of(r)
    p = run("ct-fromjvm", text)
    said = p.stderr.decode(errors="replace")
    wrong = p.returncode not in (0, 2, 3) or "Sanitizer" in said or "runtime error" in said or (said.count("\n") != 1 if p.returncode else said != "")
    if not wrong and p.stdout:
        check = run("ct-check", p.stdout, ["--json"])
        wrong = check.returncode not in (0, 1, 3) or b'"check":"bad"' in check.stdout
    if wrong:
        with open(f"failed-{i}.json", "wb") as f:
            f.write(text)
        sys.exit(f"seed {i}: status {p.returncode}: {said[:600]}")
print(f"{count} dumps from seed {seed} on: nothing found")
