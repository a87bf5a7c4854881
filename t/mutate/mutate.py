#!/usr/bin/env python3
"""mutate.py [-n COUNT] [-t SECONDS] [-m SECONDS] [-j 1|2] [-s SEED] [-k KIND] [-q] [-r OUTPUT] [FILE...] - plant small mistakes in the sources,
one at a time: does a test notice?

Copies of the tree are built, one for each of -j, and under build/mutate one that stays as it is. A mutant's file says which tests there are for it
(ROOMS), and gcov, once, which of their cases run its line (cover.py): these are run until a case fails that fails again and does not
fail in the tree without the mutant. First come the programs of t/unit that say at their top that they are about the file, then what is quick.
Only what these cases run is built, one program where their title says "(t/unit/NAME.c)"; what is byte for byte what it was is passed
over, and a mutant that changes no byte of what is compiled is none, but for memory orders, which only another machine shows. With -q
tests that take long (SLOW) are left out. A mutant has -m seconds (300), then
it counts as not noticed. One that does not compile does not count, nor one that t/mutate/equivalent says is none. Lines that no
test runs count. The choice follows the seed alone, by turns from rooms and kinds of mistakes; with -r it is what an
earlier output says was not noticed. FILE is a file, a folder/, or FILE:LINE.

The end prints the share that was noticed, by room and by kind, and what it makes of all that are possible."""
import argparse
import atexit
import concurrent.futures
import fcntl
import glob
import hashlib
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from cover import Cover, FLAGS, key_of

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOT = tempfile.mkdtemp(prefix="mut-")      # the sources as they are now, whoever changes them meanwhile
KEPT = f"{HERE}/build/mutate"               # what the next run need not build again
# File or folder, its tests, the quickest first. The first that fits counts.
JUDGES = "judge-gone judge-missed judge-woken judge-ready judge-deadlock judge-several judge-loss judge-end judge-near lostwake lostwake-untold"
READERS = "stuck sched model reader check bt memory"
PROBE = "layout probe model-litmus nothing record-v1 stacks dump record-load record-hurt record-kill record stop record-join box"
RECORDER = "harvest boxes record-v1 model-litmus record-load record-hostile record-kill record record-sleep record-join stacks record-own box"
ROOMS = [
    ("sdk/trace/base/", f"base groups {READERS} badinput fold {JUDGES} judge-made made tocsv report"),
    ("sdk/trace/read/progress.c", "progress"),
    ("sdk/trace/read/un", "compressed"), ("sdk/trace/read/gunzip.c", "compressed"),
    ("sdk/trace/read/", f"base {READERS} groups live fold tocsv {JUDGES} made where report progress badinput compressed fuzz hostile"),
    ("sdk/trace/model/", f"{READERS} groups lint legs fold tocsv {JUDGES} judge-made made report crowds zoo"),
    ("sdk/trace/judge/fetch.c", ""),    # only when something is read, and into which cache
    ("sdk/trace/judge/go-", "groups fromgo judge-near judge-made made go-waits"),
    ("sdk/trace/judge/", f"groups legs lint memory {JUDGES} judge-made made report many crowds zoo verdicts"),
    ("sdk/trace/fold/", f"{READERS} fold made tocsv report"),
    ("sdk/trace/tool/", f"{READERS} made groups output nothing {JUDGES} report"),
    ("sdk/trace/timeline/", "made tochrome toperfetto memory hostile"),
    ("sdk/c/ct-box.h", f"box dump stop box-life {PROBE}"), ("sdk/c/ct-makebox.h", f"dump box stop box-life {PROBE}"),
    ("sdk/c/ct-dump.h", "probe model-litmus dump box-life box"),
    ("sdk/c/ct-gate.h", f"probe stop {PROBE}"), ("sdk/c/ct-flag.h", f"probe stop box {PROBE}"), ("sdk/c/ct-stack.h", "probe stacks record-v1"), ("sdk/c/ct-cfi.h", "probe stacks"),
    ("sdk/c/", PROBE),
    ("record/box/", "model-litmus boxes harvest dump box-life box stop record-load stacks"),
    ("record/pack.c", "harvest compressed record"), ("record/print.c", f"{RECORDER} compressed"), ("record/extra/memory.c", "harvest record-memory record"),
    ("record/extra/clock.c", f"record-sleep {RECORDER}"), ("record/extra/stack.c", f"stacks {RECORDER}"),
    ("record/extra/v1.c", f"record-v1 {RECORDER}"), ("record/peer.c", f"record-join record-own {RECORDER}"),
    ("record/", RECORDER),
]
SLOW = {"box", "crowds", "dump", "fuzz", "go-waits", "hostile", "many", "record", "record-hostile", "record-hurt", "record-join", "record-kill",
        "record-load", "record-own", "record-sleep", "stacks", "stop", "verdicts", "zoo"}
FOLDERS = ("record/", "sdk/c/", "sdk/trace/")
# No columns: an object then differs only where its code does. -fPIC: sdk/trace is one shared library, so that a mutant of it
# is compiled and linked once, not into each program.
PLAIN = "CFLAGS='-O1 -g -gno-column-info -w -fPIC' CXXFLAGS='-O1 -g -w -fPIC'"
SHARED, ARCHIVES = "build/parts.so", ("build/parts.a", "build/libcttrace.a")
BUILD = "nice -n 10 make -s -j{} O=build {} {}"
SWAPS = [  # kind, pattern, replacement
    ("compare", r"(?<![<>=!\-+*/&|])<(?![<=])", "<="), ("compare", r"<=(?!=)", "<"),
    ("compare", r"(?<![<>\-=])>(?![>=])", ">="), ("compare", r">=(?!=)", ">"),
    ("compare", r"==", "!="), ("compare", r"!=", "=="),
    ("logic", r"&&", "||"), ("logic", r"\|\|", "&&"), ("logic", r"!(?=[a-z(])", ""),
    ("arithmetic", r"(?<=[\w\])]) \+ (?=[\w(])", " - "), ("arithmetic", r"(?<=[\w\])]) - (?=[\w(])", " + "),
    ("constant", r"\b0\b", "1"),
    # who gets -1, or 1 for true, asks for its sign or truth only: -2 or 2 would be no mistake
    ("constant", r"(?<=-)1\b|(?<=return )1\b", "0"), ("constant", r"(?<!-)(?<!return )\b1\b", "2"),
    ("constant", r"\btrue\b", "false"), ("constant", r"\bfalse\b", "true"),
    ("order", r"ctp_store_release\(", "ctp_store("), ("order", r"ctp_load_acquire\(", "ctp_load("),
    ("order", r"__ATOMIC_(ACQ_REL|RELEASE|ACQUIRE)\b", "__ATOMIC_RELAXED"),
    ("fence", r"__atomic_(thread|signal)_fence\([A-Z_]*\);", ";"),
]
# The recorder opens standard streams that are closed first of all: none of its descriptors is 0.
NEVER_0 = ("record/", re.compile(r"\b(?:fd|seen|listener) (= \S.*?\)\) )?(<|>=) 0\b"))
# What is the same at the border, in every program: the larger or the lesser of two, on one line or as an if of two lines; and who asks
# for more memory than is used.
WORD = r"(?:[\w.\[\]]|->)+(?:\(\w*\))?"
LARGER = re.compile(rf"(?P<a>{WORD}) (?P<op>[<>]=?) (?P<b>{WORD}) \? (?:(?P=a) : (?P=b)|(?P=b) : (?P=a))(?![\w.(\[-])")
LARGER_IF = re.compile(rf"^\s*if \((?:.* (?:&&|\|\|) )?(?P<a>{WORD}) (?P<op>[<>]=?) (?P<b>{WORD})\)\n\s*(?:(?P=a) = (?P=b)|(?P=b) = (?P=a));\n(?!\s*else)")
MORE = re.compile(r"calloc\((?P<op>1), |alloc\([^;]* \+ (?P<op2>1)(?:\)|, )")
STATEMENT = re.compile(r"^\t+(?!return|break|continue|goto|else|case|default|static|const|struct|enum|u?int|char|bool|size_t|unsigned)"
                       r"[\w*(][^;{}]*;\s*(/\*.*)?$")


def end(session):
    """All processes of it, for a case under timeout is a group of its own."""
    for p in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(p, encoding="utf-8", errors="replace") as f:
                pid, fields = int(p.split("/")[2]), f.read().rsplit(")", 1)[1].split()
            if int(fields[3]) == session:
                os.kill(pid, signal.SIGKILL)
        except (OSError, IndexError):
            pass


def run(command, tree, limit, until=None, at=None):
    """Status and output; 124 when it took too long. It ends, with all that it started, at the first line that begins with `until`. When
    which line came is appended to `at`, behind when it began."""
    p = subprocess.Popen(command, cwd=tree, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         stdin=subprocess.DEVNULL, start_new_session=True)
    late = threading.Timer(limit, end, [p.pid])
    late.start()
    begin, text = time.time(), []
    if at is not None:
        at.append((begin, ""))
    try:
        for line in p.stdout:
            text.append(line.decode(errors="replace"))
            if at is not None:
                at.append((time.time(), text[-1]))
            if until and text[-1].startswith(until):
                break
        status = 1 if until and text and text[-1].startswith(until) else p.wait()
    finally:
        late.cancel()
        end(p.pid)
        p.wait()
        end(p.pid)
        p.stdout.close()
    return 124 if time.time() - begin >= limit else status, "".join(text)


def tests_of(path):
    names = dict.fromkeys(next((tests for room, tests in ROOMS if path.startswith(room)), "").split())
    return [t for t in names if os.path.exists(os.path.join(ROOT, f"t/cases/{t}.t"))]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def text_of(name):
    """A test with the libraries that it reads."""
    text = read(f"t/cases/{name}.t")
    return text + "".join(read(f"t/lib/{lib}") for lib in re.findall(r"\.\./lib/(\w+\.sh)", text))


def reads_sources(name):
    return bool(re.search(r"SRC/?(sdk|record|\")|litmus", text_of(name)))


def is_run(text, folder, name):
    """Whether a test that has this word in it runs that program: by PATH, by its path, or by one into which a name is put."""
    return folder in ("targets", "zoo") or name == "record-count" or re.search(rf"t/{folder}/({re.escape(name)}(?![\w-])|\\?\$)", text) is not None


def programs_of(name):
    """What it runs, by the names in it, as goals of make."""
    filters = {os.path.basename(f)[:-2] for d in ("filters", "report") for f in glob.glob(f"{ROOT}/{d}/ct-*.c")}
    filters |= {f.split("/")[-2] for d in ("filters", "report") for f in glob.glob(f"{ROOT}/{d}/*/main.c")}
    built = {f"{d}/{re.sub('[.]cc?$', '', f)}" for d in ("unit", "targets", "fuzz", "bench", "zoo")
             for f in os.listdir(os.path.join(ROOT, "t", d)) if f.endswith((".c", ".cc"))}
    text = text_of(name)
    if name == "fuzz":
        text += read("t/fuzz/run.sh")
    words = set(re.findall(r"[\w-]+", text))
    goals = {f"build/{p}" for p in (filters | {"ct-record"}) & words}
    goals |= {f"build/t/{p}" for p in built if p.split("/")[1] in words and is_run(text, *p.split("/"))}
    if name in ("zoo", "verdicts"):
        goals |= {f"build/t/{p}" for p in built if p.startswith("zoo/")}
    goals |= {f"build/{p}" for p in ("demo-server", "demo-load") if "demo-server" in text}
    goals |= {f"build/{lib}" for lib in ("libct.a", "libcttrace.a") if lib in text}
    if "dropin" in words:
        goals.add("build/dropin/ct.c")
    return goals


class Tree:
    """A copy of the sources and its build; a kept one is built once."""

    def __init__(self, like=None, kept=None):
        self.dir = os.path.join(KEPT, kept) if kept else tempfile.mkdtemp(prefix="mut-")
        os.makedirs(self.dir, exist_ok=True)
        for old in os.listdir(self.dir):
            if old != "build":
                subprocess.run(["rm", "-rf", os.path.join(self.dir, old)], check=True)
        subprocess.run(["cp", "-a", f"{like.dir if like else ROOT}/.", self.dir], check=True)
        self.first = like.first if like else {}     # what each file was without a mutant

    def build(self, goals, jobs=1, limit=900, flags=PLAIN, known=""):
        return run(BUILD.format(jobs, flags, " ".join(sorted(goals)) + known), self.dir, limit)

    def rebuild(self, goals):
        """With the libraries that are known to be there: what is asked for each time takes as long as a file."""
        return self.build(goals, known=" -o build/absent.mk" + "".join(f" -o {a}" for a in ARCHIVES))[0]

    def link(self):
        """The library of sdk/trace."""
        objects = " ".join(o for o in sorted(self.first) if o.startswith("build/sdk/trace/"))
        return run(f"cc -shared -Wl,-Bsymbolic -o {SHARED} {objects} -lz -lzstd -lpthread", self.dir, 60)[0]

    def share(self, goals):
        """All programs link with that library, which stands where archives were, and are known as they are."""
        built = glob.glob(f"{self.dir}/build/**/*.o", recursive=True)
        self.first = dict.fromkeys(os.path.relpath(o, self.dir) for o in built)
        for goal in goals:
            if "." not in os.path.basename(goal):
                os.unlink(f"{self.dir}/{goal}")
        if self.link():
            sys.exit("mutate.py: no shared library")
        for archive in ARCHIVES:
            self.store(archive, f"INPUT({self.dir}/{SHARED})\n".encode())
        if self.rebuild(goals):
            sys.exit("mutate.py: it does not link with a shared library")
        self.first = self.bytes_of(goals | {SHARED} | set(self.first))

    def load(self, goal):
        with open(os.path.join(self.dir, goal), "rb") as f:
            return f.read()

    def store(self, goal, data):
        with open(os.path.join(self.dir, goal), "wb") as f:
            f.write(data)

    def bytes_of(self, goals):
        return {goal: hashlib.sha256(self.load(goal)).digest() for goal in goals}

    def objects_of(self, path):
        """Those that are compiled of it."""
        for dep in glob.glob(f"{self.dir}/build/**/*.d", recursive=True):
            with open(dep, encoding="utf-8") as f:
                if path in f.read().split():
                    yield os.path.relpath(dep, self.dir)[:-2] + ".o"

    def test(self, name, cases, took):
        """The first of these cases that fails; None: they pass; "": no case says what failed."""
        command = (f"MUTATE=1 CASES='{' '.join(cases)}' CASE_LIMIT={int(max(took.values()) * 5 + 30)} O={self.dir}/build "
                   f"TMPDIR={self.dir}/z nice -n 10 sh t/cases/{name}.t")
        os.makedirs(f"{self.dir}/z", exist_ok=True)
        status, text = run(command, self.dir, sum(took[c] for c in cases) * 5 + 60, "not ok")
        failed = re.search(r"^not ok (\d+)", text, re.M)
        if failed:
            return failed[1]
        return None if status == 0 and re.search(r"^1\.\.\d", text, re.M) else ""

    def plant(self, path, number, new):
        """The file as it was."""
        with open(os.path.join(self.dir, path), encoding="utf-8") as f:
            text = f.read()
        lines = text.split("\n")
        lines[number - 1] = new
        self.write(path, "\n".join(lines))
        return text

    def write(self, path, text):
        with open(os.path.join(self.dir, path), "w", encoding="utf-8") as f:
            f.write(text)


def equivalents():
    """Known to change nothing that a user could see: lines of file, line, mutated line and why. The code may have the separator in it."""
    return [line for line in read("t/mutate/equivalent").splitlines() if line.strip() and not line.startswith("#")]


def changes_nothing(known, mutant):
    begin = " || ".join((mutant[1], line_of(mutant), mutant[3].strip(), ""))
    return any(line.startswith(begin) for line in known)


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


def same_borders(line, after):
    """Where a character of the line is one that may be swapped for its like, and nothing is another."""
    found = [*LARGER.finditer(line), *LARGER_IF.finditer(f"{line}\n{after}"), *MORE.finditer(line)]
    return {m.start(op) for m in found for op in ("op", "op2") if op in m.groupdict() and m[op]}


def mutants(path):
    lines = open(os.path.join(ROOT, path)).read().split("\n")
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith(("*", "/*", "#")):
            continue
        same = same_borders(line, "\n".join(lines[number:number + 2]))
        mask, never = code(line), list(NEVER_0[1].finditer(line)) if path.startswith(NEVER_0[0]) else []
        for kind, pattern, new in SWAPS:
            for m in re.finditer(pattern, line):
                if mask[m.start()] and m.start() not in same and not any(n.start() <= m.start() < n.end() for n in never):
                    yield kind, path, number, line[:m.start()] + new + line[m.end():]
        if STATEMENT.match(line):
            yield "removed", path, number, "\t;"


def room_of(path):
    return next(folder for folder in sorted({os.path.dirname(room) + "/" for room, _ in ROOMS}, key=len, reverse=True)
                if path.startswith(folder))


def choose(files, count, seed, kind, lines):
    """Of these lines, where there are such, by turns from kinds and rooms, so that each has its share, the few order mutants too; and how many there are of each."""
    rng, piles, chosen, known, same = random.Random(seed), {}, [], equivalents(), 0
    for path in files:
        for m in mutants(path):
            if tests_of(path) and (not kind or m[0] == kind) and (not lines or (path, m[2]) in lines):
                piles.setdefault((room_of(path), m[0]), []).append(m)
    sizes = {key: len(pile) for key, pile in piles.items()}
    for pile in piles.values():
        rng.shuffle(pile)
    while len(chosen) < count and any(piles.values()):
        for key in sorted(piles, key=lambda _: rng.random()):
            if not piles[key] or len(chosen) >= count:
                continue
            m = piles[key].pop()
            if changes_nothing(known, m):
                same += 1
            else:
                chosen.append(m)
    return chosen, sizes, same


def again(files, output):
    """What the output of an earlier run says was not noticed, where it is still possible; a line may have moved."""
    with open(output, encoding="utf-8") as f:
        missed = re.findall(r"^NOT NOTICED(?:, no time)?: (\S+) (\S+):\d+: (.*) \|\| (.*)$", f.read(), re.M)
    found = {(m[0], m[1], line_of(m), m[3].strip()): m for path in files for m in mutants(path)}
    known = equivalents()
    return [found[key] for key in missed if key in found and not changes_nothing(known, found[key])]


def line_of(mutant):
    return read(mutant[1]).split("\n")[mutant[2] - 1].strip()


def fails_here(tree, like, name, cases, cover):
    """The case among these that fails in this tree, each time, and not in that without the mutant."""
    took, cases = cover.tests[name]["took"], list(cases)
    while cases:
        case = tree.test(name, cases, took)
        if case is None:
            return None
        only = [case] if case else cases
        if tree.test(name, only, took) is not None:
            if (name, case) in cover.fit or like.test(name, only, took) is None:
                cover.fit.add((name, case))
                return case
            cover.unfit.add((name, case))
        cases = [c for c in cases if c not in only]
    return None


LATE = ""           # not noticed within its time
by_test = {}        # how many each noticed, so far


def is_about(unit, path):
    """Whether this program of t/unit says so at its top."""
    about = read(f"t/unit/{unit}.c").split("*/", 1)[0] if unit else ""
    return re.search(rf"\b{re.escape(os.path.basename(path))}\b", about) is not None


def changes_no_object(tree, path):
    """Of all that are compiled of it, one after another until one differs."""
    objects = [o for o in tree.objects_of(path) if o in tree.first]
    return bool(objects) and all(not tree.rebuild([o]) and tree.bytes_of([o])[o] == tree.first[o] for o in objects)


def judge(tree, like, mutant, cover, limit):
    """By which test and case it was noticed; "compiler"; "same" where it changes no byte; None; LATE."""
    kind, path, number, new = mutant
    begin, text = time.time(), tree.plant(path, number, new)
    objects = [o for o in tree.objects_of(path) if o in tree.first] if path.endswith(".c") or path.startswith("sdk/trace/") else []
    before = {o: tree.load(o) for o in objects}
    alone = objects and all(o.startswith("build/sdk/trace/") for o in objects)   # else programs are made anew, too
    try:
        if tree.rebuild(objects):
            return "compiler"
        if objects and kind not in ("order", "fence") and all(tree.first[o] == h for o, h in tree.bytes_of(objects).items()):
            return "same"
        if any(o.startswith("build/sdk/trace/") for o in objects) and tree.link():
            return "compiler"
        line, todo = cover.lines_near(text, path, number), {}
        # a header without code of its own: what runs those that include it
        run_by = [path] if path.endswith(".c") or cover.knows(path) else [o[len("build/"):-1] + "c" for o in objects]
        for name in (n for n in tests_of(path) if n in cover.tests):
            cases = cover.all_cases(name) if reads_sources(name) else list(dict.fromkeys(c for p in run_by for c in cover.cases(name, p, line)))
            for c in cases:
                todo.setdefault((name, cover.unit(name, c)), []).append(c)
        # then who takes little, and who has noticed many
        for name, unit in sorted(todo, key=lambda t: (not is_about(t[1], path), cover.took(t[0], todo[t]) / (1 + 2 * by_test.get(t, 0)), t)):
            if time.time() - begin > limit:
                return LATE
            if not alone:
                goals = {f"build/t/unit/{unit}"} if unit else programs_of(name)
                if tree.rebuild(goals):
                    return "compiler"
                if (unit or not reads_sources(name)) and all(tree.first[g] == h for g, h in tree.bytes_of(goals | {SHARED}).items()):
                    continue
            case = fails_here(tree, like, name, todo[name, unit], cover)
            if case is not None:
                by_test[name, unit] = by_test.get((name, unit), 0) + 1
                return f"{name} {case}"
        return "same" if kind not in ("order", "fence") and changes_no_object(tree, path) else None
    finally:
        tree.write(path, text)
        for o, data in before.items():
            tree.store(o, data)
        if any(o.startswith("build/sdk/trace/") for o in before):
            tree.link()


def learn(names):
    """Which cases run which lines, by a build with gcov."""
    tree, cover = Tree(kept="gcov"), Cover(ROOT, f"{KEPT}/cover.json")

    def build(new):
        status, text = tree.build({g for n in new for g in programs_of(n)}, 2, 3600, FLAGS)
        if status:
            sys.exit(f"mutate.py: it does not build with gcov: {text[-600:]}")

    keys = {n: key_of(ROOT, text_of(n), programs_of(n)) for n in names}
    cover.learn(names, keys, tree.dir, build, run)
    return cover


def prepare(chosen, quick, jobs):
    names = sorted({t for m in chosen for t in tests_of(m[1])} - (SLOW if quick else set()))
    cover, goals, tree = learn(names), {g for n in names for g in programs_of(n)}, Tree(kept="shared")
    status, text = tree.build(goals, 2, 3600)
    if status:
        sys.exit(f"mutate.py: the copy does not build: {text[-600:]}")
    trees = [tree] + [Tree(tree) for _ in range(jobs)]
    for t in trees:     # each its own: debug information names the directory
        t.build(goals | {"always"}, 2, 3600)
        t.share(goals)
    return trees, cover


def share(results, key):
    for value in sorted({key(m) for m, _ in results}):
        of = [by for m, by in results if key(m) == value]
        print(f"  {value}: {sum(map(bool, of))} of {len(of)}")


def weighted(results, sizes):
    """The share of all that are possible, were those that were tried typical of their room and kind."""
    noticed = possible = 0
    for key, size in sizes.items():
        of = [bool(by) for m, by in results if (room_of(m[1]), m[0]) == key]
        if of:
            noticed += size * sum(of) / len(of)
            possible += size
    return 100 * noticed / max(possible, 1)


def main():
    a = argparse.ArgumentParser(usage=__doc__.split(" - ")[0])
    a.add_argument("files", nargs="*")
    a.add_argument("-n", type=int, default=60)
    a.add_argument("-t", type=float, default=3600)
    a.add_argument("-m", type=float, default=300)
    a.add_argument("-j", type=int, choices=(1, 2), default=1)
    a.add_argument("-s", type=int, default=1)
    a.add_argument("-k", default="")
    a.add_argument("-q", action="store_true")
    a.add_argument("-r", default="")
    o = a.parse_args()
    begin = time.time()
    atexit.register(shutil.rmtree, ROOT)
    os.makedirs(KEPT, exist_ok=True)
    lock = open(f"{KEPT}/lock", "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("mutate.py: another runs here")
    subprocess.run(f"git ls-files -z | xargs -0 cp -a --parents -t {ROOT}", cwd=HERE, shell=True, check=True)
    listed = subprocess.run(["git", "ls-files", *FOLDERS], cwd=HERE, capture_output=True, text=True, check=True).stdout.split()
    only = [re.sub(r":\d+$", "", f) for f in o.files]
    lines = {(f.split(":")[0], int(f.split(":")[1])) for f in o.files if ":" in f}
    files = [f for f in listed if f.endswith((".c", ".h")) and (not only or f.startswith(tuple(only)))]
    chosen, sizes, same = choose(files, o.n, o.s, o.k, lines)
    chosen = again(files, o.r) if o.r else chosen
    print(f"{sum(sizes.values())} mutants possible, {len(chosen)} chosen", flush=True)
    trees, cover = prepare(chosen, o.q, o.j)
    results, todo, late = [], queue.Queue(), []
    for m in chosen:
        todo.put(m)

    def work(tree):
        nonlocal same
        while True:
            try:
                mutant = todo.get_nowait()
            except queue.Empty:
                return
            if time.time() - begin > o.t:
                late.append(mutant)
                continue
            by, (kind, path, number, new) = judge(tree, trees[0], mutant, cover, o.m), mutant
            if by == "same":
                same += 1
            elif by != "compiler":
                results.append((mutant, by))
                what = "noticed by " + by if by else "NOT NOTICED, no time" if by == LATE else "NOT NOTICED"
                print(f"{what}: {kind} {path}:{number}: {line_of(mutant)} || {new.strip()}", flush=True)

    try:
        with concurrent.futures.ThreadPoolExecutor(o.j) as pool:
            list(pool.map(work, trees[1:]))
    finally:
        for tree in trees[1:]:
            shutil.rmtree(tree.dir)
    if late:
        print(f"out of time: {len(late)} were not tried")
    print(f"noticed: {sum(bool(by) for _, by in results)} of {len(results)}, beside {same} that change nothing, in "
          f"{time.time() - begin:.0f} s; of all that are possible, by room and kind, {weighted(results, sizes):.0f} %")
    share(results, lambda m: room_of(m[1]))
    share(results, lambda m: m[0])


main()
