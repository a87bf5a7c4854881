#!/usr/bin/env python3
"""mutate.py [-n COUNT] [-t SECONDS] [-s SEED] [FILE...] - plant small mistakes in the sources, one at a time: does a test notice?

Two copies of the tree are built, one with gcov, which tells which lines each test runs, and one for the mutants. The tests run
there unmutated first: what fails then is left out. A mutant stands on a line that some test runs; the tests that run it are
tried, the quickest first, until one fails. A mutant that does not compile does not count. The choice follows the seed alone.

The end prints the share that was noticed, by kind and by folder, and each that was not."""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("record/", "sdk/c/", "sdk/trace/")
TESTS = ("layout probe reader model check stuck bt groups lostwake findings lint progress record record-v1 record-load "
         "model-litmus").split()
SWAPS = [  # kind, pattern, replacement
    ("compare", r"(?<![<>=!\-+*/&|])<(?![<=])", "<="), ("compare", r"<=(?!=)", "<"),
    ("compare", r"(?<![<>\-=])>(?![>=])", ">="), ("compare", r">=(?!=)", ">"),
    ("compare", r"==", "!="), ("compare", r"!=", "=="),
    ("logic", r"&&", "||"), ("logic", r"\|\|", "&&"), ("logic", r"!(?=[a-z(])", ""),
    ("arithmetic", r"(?<=[\w\])]) \+ (?=[\w(])", " - "), ("arithmetic", r"(?<=[\w\])]) - (?=[\w(])", " + "),
    ("constant", r"\b0\b", "1"), ("constant", r"\b1\b", "2"), ("constant", r"\btrue\b", "false"), ("constant", r"\bfalse\b", "true"),
    ("order", r"ctp_store_release\(", "ctp_store("), ("order", r"ctp_load_acquire\(", "ctp_load("),
    ("order", r"__ATOMIC_(ACQ_REL|RELEASE|ACQUIRE)\b", "__ATOMIC_RELAXED"),
    ("fence", r"__atomic_(thread|signal)_fence\([A-Z_]*\);", ";"),
]
STATEMENT = re.compile(r"^\t+(?!return|break|continue|goto|else|case|default|static|const|struct|enum|u?int|char|bool|size_t|unsigned)"
                       r"[\w*(][^;{}]*;\s*(/\*.*)?$")


def run(command, tree, limit):
    """Status and output; 124 when it took too long, with all that it started ended."""
    p = subprocess.Popen(command, cwd=tree, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        out = p.communicate(timeout=limit)[0]
        return p.returncode, out.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return 124, ""


def copy_built(flags):
    tree = tempfile.mkdtemp(prefix="corotrace-mutate-")
    subprocess.run(f"git ls-files -z | xargs -0 cp --parents -t {tree}", cwd=ROOT, shell=True, check=True)
    status, out = run(f"nice -n 10 make -s -j2 {flags} all unit-programs", tree, 3600)
    if status:
        sys.exit(f"mutate.py: the copy does not build: {out[-400:]}")
    return tree


def test(tree, name, limit):
    return run(f"O={tree}/build nice -n 10 prove t/cases/{name}.t", tree, limit)[0]


def lines_run(tree, names):
    """For each line, FILE:N, the tests that run it. Writes nothing where a process was killed."""
    tests = {}
    for name in names:
        run("find build -name '*.gcda' -delete", tree, 60)
        test(tree, name, 600)
        out = run("for f in $(cd build && find record sdk -name '*.gcda'); do gcov -t -o build/${f%/*} build/$f 2>/dev/null; done",
                  tree, 600)[1]
        source = None
        for line in out.split("\n"):
            m = re.match(r" *(-|#+|=+|\d+\*?): *(\d+):(?:Source:(.*))?", line)
            if m and m[2] == "0":
                source = m[3] or source
            elif m and m[1][0].isdigit():
                tests.setdefault((source, int(m[2])), set()).add(name)
    return tests


def code(line):
    """Which of its characters are code: not in a comment or a string."""
    mask, i = [True] * len(line), 0
    while i < len(line):
        if line.startswith("/*", i):
            end = line.find("*/", i)
            end = len(line) if end < 0 else end + 2
        elif line[i] in "\"'":
            end = i + 1
            while end < len(line) and line[end] != line[i]:
                end += 2 if line[end] == "\\" else 1
            end += 1
        else:
            i += 1
            continue
        mask[i:end] = [False] * (min(end, len(line)) - i)
        i = end
    return mask


def mutants(path, ran):
    for number, line in enumerate(open(os.path.join(ROOT, path)).read().split("\n"), 1):
        if (path, number) not in ran or line.lstrip().startswith(("*", "/*", "#")):
            continue
        mask = code(line)
        for kind, pattern, new in SWAPS:
            for m in re.finditer(pattern, line):
                if mask[m.start()]:
                    yield kind, path, number, line[:m.start()] + new + line[m.end():]
        if STATEMENT.match(line):
            yield "removed", path, number, "\t;"


def choose(files, ran, count, seed):
    """By turns from kinds and files, so that each has its share, the few order mutants too."""
    rng, piles, chosen = random.Random(seed), {}, []
    for path in files:
        for m in mutants(path, ran):
            piles.setdefault((m[0], path.split("/")[0] + path.split("/")[1][:5]), []).append(m)
    for pile in piles.values():
        rng.shuffle(pile)
    while len(chosen) < count and any(piles.values()):
        for key in sorted(piles):
            if piles[key] and len(chosen) < count:
                chosen.append(piles[key].pop())
    return chosen, sum(map(len, piles.values())) + len(chosen)


def noticed(tree, mutant, ran, took):
    """By which test, or "compiler", or None."""
    kind, path, number, new = mutant
    file = os.path.join(tree, path)
    text = open(file).read()
    lines = text.split("\n")
    lines[number - 1] = new
    open(file, "w").write("\n".join(lines))
    try:
        if run("nice -n 10 make -s -j2 CFLAGS='-O1 -w' all unit-programs", tree, 900)[0]:
            return "compiler"
        # the litmus shapes pin the code's orders, whether a line runs there or not
        names = sorted(ran[path, number] & set(took), key=took.get) + [n for n in ("model-litmus",) if n in took]
        return next((n for n in names if test(tree, n, took[n] * 5 + 30)), None)
    finally:
        open(file, "w").write(text)


def share(results, key):
    for value in sorted({key(m) for m, _ in results}):
        of = [by for m, by in results if key(m) == value]
        print(f"  {value}: {sum(map(bool, of))} of {len(of)}")


def main():
    a = argparse.ArgumentParser(usage=__doc__.split(" - ")[0])
    a.add_argument("files", nargs="*")
    a.add_argument("-n", type=int, default=60)
    a.add_argument("-t", type=float, default=3600)
    a.add_argument("-s", type=int, default=1)
    o = a.parse_args()
    begin = time.time()
    listed = subprocess.run(["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    files = o.files or [f for f in listed if f.endswith((".c", ".h"))]
    names = [t for t in TESTS if os.path.exists(os.path.join(ROOT, f"t/cases/{t}.t"))]
    tree = copy_built("CFLAGS='-O1 -w'")
    took = {}
    for name in names:
        start = time.time()
        if test(tree, name, 600) == 0:
            took[name] = time.time() - start
        else:
            print(f"left out, for it fails without a mutant: {name}", flush=True)
    counted = copy_built("CFLAGS='-O0 -w --coverage' LDFLAGS=--coverage")
    ran = lines_run(counted, took)
    shutil.rmtree(counted)
    chosen, possible = choose(files, ran, o.n, o.s)
    print(f"{possible} mutants possible, {len(chosen)} chosen; {len(took)} tests", flush=True)
    results = []
    for mutant in chosen:
        if time.time() - begin > o.t:
            break
        by = noticed(tree, mutant, ran, took)
        if by == "compiler":
            continue
        results.append((mutant, by))
        kind, path, number, new = mutant
        print(f"{'noticed by ' + by if by else 'NOT NOTICED'}: {kind} {path}:{number}: {new.strip()}", flush=True)
    shutil.rmtree(tree)
    print(f"noticed: {sum(bool(by) for _, by in results)} of {len(results)}, in {time.time() - begin:.0f} s")
    share(results, lambda m: m[0])
    share(results, lambda m: next(f for f in FOLDERS if m[1].startswith(f)))


main()
