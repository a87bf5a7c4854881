#!/usr/bin/env python3
"""mutate.py [-n COUNT] [-t SECONDS] [-s SEED] [-k KIND] [-q] [FILE...] - plant small mistakes in the sources, one at a time: does a test notice?

A copy of the tree is built. A mutant's file says by its folder (ROOMS) which tests there are for it; they run, the quickest first,
until one fails. Only the programs that these name are linked. They run unmutated first, at another length: what fails then is left
out, and with -q those that take long (SLOW): the share is then at least that. A mutant that does not compile does not count, nor one that t/mutate/equivalent says is none. Lines that no test runs count.
The choice follows the seed alone.

The end prints the share that was noticed, by room and by kind, and each that was not."""
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
# Folder, its tests, the quickest first.
READERS = "check stuck bt lint sched"
JUDGES = "judge-gone judge-missed judge-woken judge-ready judge-deadlock judge-several judge-loss judge-end lostwake"
ROOMS = [
    ("sdk/trace/base/", f"base groups reader {READERS} fold {JUDGES} tochrome tocsv report"),
    ("sdk/trace/read/", f"reader groups {READERS} model fold {JUDGES} live tocsv where report hostile"),
    ("sdk/trace/model/", f"model judge-made groups {READERS} fold {JUDGES} tocsv tochrome report crowds zoo"),
    ("sdk/trace/judge/", f"judge-made {JUDGES} groups lint progress crowds report zoo verdicts"),
    ("sdk/trace/fold/", f"{READERS} fold tocsv tochrome report"),
    ("sdk/trace/tool/", f"groups {READERS} {JUDGES} report"),
    ("sdk/trace/timeline/", "tochrome toperfetto hostile"),
    ("sdk/c/", "layout probe model-litmus stacks record-load record record-v1 record-kill record-join box nothing record-hurt"),
    ("record/box/", "harvest box record record-load"),
    ("record/", "harvest model-litmus record-load record record-own record-v1 record-kill record-hostile record-memory record-join record-sleep stacks box "
     "record-hurt"),
]
SLOW = {"crowds", "hostile", "report", "tochrome", "toperfetto", "verdicts", "where", "zoo", "record-hurt", "record-join", "progress"}
FOLDERS = ("record/", "sdk/c/", "sdk/trace/")
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


def copy_of_tree():
    tree = tempfile.mkdtemp(prefix="corotrace-mutate-")
    subprocess.run(f"git ls-files -z | xargs -0 cp --parents -t {tree}", cwd=ROOT, shell=True, check=True)
    return tree


def tests_of(path):
    names = next((tests for room, tests in ROOMS if path.startswith(room)), "")
    return [t for t in names.split() if os.path.exists(os.path.join(ROOT, f"t/cases/{t}.t"))]


def programs_of(tests):
    """What they run, by their names in them, as goals of make."""
    goals, filters = set(), {re.sub(r"\.c$|/main\.c$", "", f).split("/")[-1] for f in
                             subprocess.run("ls filters/ct-*.c filters/*/main.c report/ct-*.c report/*/main.c", cwd=ROOT, shell=True,
                                            capture_output=True, text=True).stdout.split()} | {"ct-record"}
    built = {f"{d}/{re.sub('[.]cc?$', '', f)}" for d in ("unit", "targets", "fuzz", "bench", "zoo")
             for f in os.listdir(os.path.join(ROOT, "t", d)) if f.endswith((".c", ".cc"))}
    for name in tests:
        text = open(os.path.join(ROOT, f"t/cases/{name}.t")).read()
        for lib in re.findall(r"\.\./lib/(\w+\.sh)", text):
            text += open(os.path.join(ROOT, "t/lib", lib)).read()
        words = set(re.findall(r"[\w-]+", text))
        goals |= {f"build/{p}" for p in filters & words}
        goals |= {f"build/t/{p}" for p in built if p.split("/")[1] in words}
        if name in ("zoo", "verdicts"):
            goals |= {f"build/t/{p}" for p in built if p.startswith("zoo/")}
        goals |= {f"build/{p}" for p in ("demo-server", "demo-load") if "demo-server" in text}
        if "dropin" in words:
            goals.add("build/dropin/ct.c")
    return " ".join(sorted(goals))


def test(tree, name, limit):
    return run(f"MUTATE=1 O={tree}/build nice -n 10 prove t/cases/{name}.t", tree, limit)[0]


def equivalents():
    """Pairs of a mutant and the line it replaces, with the file: known to change nothing that a user could see."""
    known = set()
    for line in open(os.path.join(ROOT, "t/mutate/equivalent")):
        if line.strip() and not line.startswith("#"):
            path, old, new = (part.strip() for part in line.split(" || ")[:3])
            known.add((path, old, new))
    return known


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


def mutants(path):
    for number, line in enumerate(open(os.path.join(ROOT, path)).read().split("\n"), 1):
        if line.lstrip().startswith(("*", "/*", "#")):
            continue
        mask = code(line)
        for kind, pattern, new in SWAPS:
            for m in re.finditer(pattern, line):
                if mask[m.start()]:
                    yield kind, path, number, line[:m.start()] + new + line[m.end():]
        if STATEMENT.match(line):
            yield "removed", path, number, "\t;"


def room_of(path):
    return next((room for room, _ in ROOMS if path.startswith(room)), path)


def choose(files, count, seed, kind):
    """By turns from kinds and rooms, so that each has its share, the few order mutants too."""
    rng, piles, chosen = random.Random(seed), {}, []
    for path in files:
        for m in mutants(path):
            if tests_of(path) and (not kind or m[0] == kind):
                piles.setdefault((room_of(path), m[0]), []).append(m)
    for pile in piles.values():
        rng.shuffle(pile)
    while len(chosen) < count and any(piles.values()):
        for key in sorted(piles, key=lambda _: rng.random()):
            if piles[key] and len(chosen) < count:
                chosen.append(piles[key].pop())
    return chosen, sum(map(len, piles.values())) + len(chosen)


def noticed(tree, mutant, took):
    """By which test, or "compiler", or None."""
    kind, path, number, new = mutant
    file = os.path.join(tree, path)
    text = open(file).read()
    lines = text.split("\n")
    lines[number - 1] = new
    open(file, "w").write("\n".join(lines))
    names = [n for n in tests_of(path) if n in took]
    try:
        if run(f"nice -n 10 make -s -j2 O=build CFLAGS='-O1 -g -w' CXXFLAGS='-O1 -g -w' {programs_of(names)}", tree, 900)[0]:
            return "compiler"
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
    a.add_argument("-k", default="")
    a.add_argument("-q", action="store_true")
    o = a.parse_args()
    begin = time.time()
    listed = subprocess.run(["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    files = [f for f in listed if f.endswith((".c", ".h")) and (not o.files or f.startswith(tuple(o.files)))]
    chosen, possible = choose(files, o.n, o.s, o.k)
    print(f"{possible} mutants possible, {len(chosen)} chosen", flush=True)
    tree, took, known, results, same, left = copy_of_tree(), {}, equivalents(), [], 0, set(SLOW if o.q else ())
    try:
        for i, mutant in enumerate(chosen):
            if time.time() - begin > o.t:
                print(f"out of time: {len(chosen) - i} were not tried")
                break
            kind, path, number, new = mutant
            old = open(os.path.join(ROOT, path)).read().split("\n")[number - 1].strip()
            if (path, old, new.strip()) in known:
                same += 1
                continue
            fresh = [n for n in tests_of(path) if n not in took and n not in left]
            if fresh:
                status, text = run(f"nice -n 10 make -s -j2 O=build CFLAGS='-O1 -g -w' CXXFLAGS='-O1 -g -w' {programs_of(fresh)}", tree, 3600)
                if status:
                    sys.exit(f"mutate.py: the copy does not build: {text[-600:]}")
            for name in fresh:
                start = time.time()
                if test(tree, name, 900) == 0:
                    took[name] = time.time() - start
                else:
                    left.add(name)
                    print(f"left out, for it fails without a mutant: {name}", flush=True)
            by = noticed(tree, mutant, took)
            if by == "compiler":
                continue
            results.append((mutant, by))
            print(f"{'noticed by ' + by if by else 'NOT NOTICED'}: {kind} {path}:{number}: {old} || {new.strip()}", flush=True)
    finally:
        shutil.rmtree(tree)
    print(f"noticed: {sum(bool(by) for _, by in results)} of {len(results)}, beside {same} known to change nothing, in "
          f"{time.time() - begin:.0f} s")
    share(results, lambda m: room_of(m[1]))
    share(results, lambda m: m[0])


main()
