"""cover.py - which cases of which tests run a line, and how long each takes: the C code is built with gcov, and what a case counts lies
in a directory of its own (GCOV_CASES, t/lib/lib.sh). What a signal killed wrote no counts.

What is known of a test is kept for the next run, until its text changes. Where a file has changed since, which line of it is not
told: what runs any of it counts."""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess

# -std=gnu11: else exec*() is not known to gcov, which then forgets what a child did before
FLAGS = "CFLAGS='-std=gnu11 -O0 -w --coverage -DGCOV' CXXFLAGS='-O0 -w --coverage' LDFLAGS=--coverage"


def lines_of(tree, counts):
    """Path and line of what these counts are of, and whether it was run."""
    data = glob.glob(f"{counts}{tree}/build/**/*.gcda", recursive=True)
    for d in data:
        notes = d[len(counts):-5] + ".gcno"
        if not os.path.exists(d[:-5] + ".gcno"):
            os.symlink(notes, d[:-5] + ".gcno")
    for at in range(0, len(data), 100):
        out = subprocess.run(["gcov", "--json-format", "--stdout", *data[at:at + 100]], cwd=tree, capture_output=True, text=True, check=False).stdout
        for text in out.splitlines():
            for f in json.loads(text)["files"] if text.startswith("{") else ():
                path = os.path.relpath(os.path.join(tree, f["file"]), tree)
                if not path.startswith(".."):
                    yield from ((path, line["line_number"], line["count"] > 0) for line in f["lines"])


def of_test(tree, name, run):
    """What its cases took, which of them passed, and which program of t/unit each runs, where it runs nothing else; path to line to cases. What
    the test runs beside them belongs to all."""
    counts = os.path.join(tree, "counts")
    shutil.rmtree(counts, ignore_errors=True)
    for old in glob.glob(f"{tree}/build/**/*.gcda", recursive=True):
        os.unlink(old)
    os.makedirs(f"{tree}/z", exist_ok=True)
    times = []
    run(f"MUTATE=1 O={tree}/build TMPDIR={tree}/z GCOV_CASES={counts} sh t/cases/{name}.t", tree, 1800, at=times)
    took, passed, units, before = {}, [], {}, times[0][0] if times else 0
    for when, line in times[1:]:
        m = re.match(r"(not )?ok (\d+)(.*# SKIP)?", line)
        if m and not m[3]:
            took[m[2]] = round(when - before, 2)
            passed += [] if m[1] else [m[2]]
            unit = re.search(r"\(t/unit/([\w-]+)\.c\)", line)
            units.update({m[2]: unit[1]} if unit else {})
        before = when if m else before
    lines = {}
    for case in took:
        for path, line, was in lines_of(tree, f"{counts}/{case}"):
            lines.setdefault(path, {}).setdefault(line, set()).update([case] if was else [])
    for path, line, was in lines_of(tree, ""):
        lines.setdefault(path, {}).setdefault(line, set()).update(took if was else [])
    shutil.rmtree(counts, ignore_errors=True)
    return {"took": took, "passed": passed, "units": units, "lines": {p: {at: sorted(of) for at, of in ls.items()} for p, ls in lines.items()}}


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def key_of(root, text, programs):
    """Of a test and the sources of the programs that are there for tests."""
    files = sorted({f for p in programs for f in glob.glob(f"{root}/{p.replace('build/', '', 1)}.c*")})
    return hashlib.sha256("\0".join([text, *map(digest, files)]).encode()).hexdigest()


class Cover:
    """Test to what of_test() knows of it."""

    def __init__(self, root, kept):
        self.root, self.kept, self.tests, self.fit, self.unfit = root, kept, {}, set(), set()
        self.known = {}
        if os.path.exists(kept):
            with open(kept, encoding="utf-8") as f:
                self.known = json.load(f)

    def learn(self, names, keys, tree, build, run):
        """Of these tests, by trying those whose keys changed in a tree built for it."""
        new = [n for n in names if self.known.get(n, {}).get("key") != keys[n]]
        if new:
            build(new)
        for name in new:
            self.known[name] = dict(of_test(tree, name, run), key=keys[name])
            self.known[name]["files"] = {p: digest(f"{tree}/{p}") for p in self.known[name]["lines"] if os.path.exists(f"{tree}/{p}")}
            took = self.known[name]["took"]
            print(f"unmutated: {name}: {len(self.known[name]['passed'])} of {len(took)} cases, {sum(took.values()):.0f} s", flush=True)
            os.makedirs(os.path.dirname(self.kept), exist_ok=True)
            with open(self.kept + ".new", "w", encoding="utf-8") as f:
                json.dump(self.known, f)
            os.rename(self.kept + ".new", self.kept)
        # as it is read again: lines are texts
        self.tests = {n: json.loads(json.dumps(self.known[n])) for n in names}

    def lines_near(self, text, path, number):
        """The line and those before it that its statement has, or where that begins; none outside of functions. Where a test makes a macro
        of a call, all of that is counted at its first line, and the others only where they are not."""
        lines, now = text.split("\n"), digest(f"{self.root}/{path}")
        if any(t["files"].get(path, now) != now for t in self.tests.values()):
            return None
        for at in range(number, 0, -1):
            if any(str(at) in t["lines"].get(path, {}) for t in self.tests.values()):
                first = at
                while first > 1 and not re.search(r"([;{}:]|\*/)\s*$|^\s*$|^#", lines[first - 2]):
                    first -= 1
                return range(first, at + 1)
            if re.match(r"[^\s/*{}#]", lines[at - 1]):
                return None
        return None

    def knows(self, path):
        return any(t["lines"].get(path) for t in self.tests.values())

    def cases(self, name, path, line):
        """Those of a test that run one of these lines, or anything in its file, the quickest first. Those that failed when they were counted may
        run whatever there is."""
        t = self.tests[name]
        of = t["lines"].get(path, {})
        run = {c for at in line for c in of.get(str(at), ())} if line else {c for cases in of.values() for c in cases}
        run |= set(t["took"]) - set(t["passed"])
        return sorted((c for c in run if (name, c) not in self.unfit), key=lambda c: t["took"][c])

    def all_cases(self, name):
        return sorted((c for c in self.tests[name]["took"] if (name, c) not in self.unfit), key=int)

    def unit(self, name, case):
        return self.tests[name].get("units", {}).get(case, "")

    def took(self, name, cases):
        return sum(self.tests[name]["took"][c] for c in cases)
