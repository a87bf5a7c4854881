#!/usr/bin/env python3
"""litmus.py FILE... - can it happen? Every execution of small programs under C11's axioms, as TAP.

A file has shapes:

    shape MP                            its name; "code: FILE FUNCTION..." behind it names what it stands for
      W x 1; W.rel y 1                  each line a thread; W, R, CAS, ADD, F; .rel .acq .acqrel .sc; registers are local
      r = R.acq y; if r == 1; s = R x   if: else the thread ends here
      never r == 1 and s == 0           or: may
      mistake R.acq -> R                the shape with this in place of that: then the answer must be the other one
      needless R.acq -> R               then it must be the same

CAS LOC OLD NEW and ADD LOC N give the old value. F.sc is a full fence; F.light is a compiler's fence that stands opposite
membarrier: it orders as F.sc does, but only beside an F.sc. Registers not reached are None.

The axioms are RC11's (Lahav et al., PLDI 2017), repaired SC fences and C++20's release sequences included, but without the
one that forbids values out of thin air: what holds here holds for compilers and processors that put a store before an
earlier load, too. Stores of more than a word are words, each relaxed."""
import functools
import itertools
import operator
import re
import sys
import time


class Event:
    def __init__(self, thread, kind, loc=None, order="", reads=None, writes=None):
        self.thread, self.kind, self.loc, self.order, self.reads, self.writes = thread, kind, loc, order, reads, writes

    def releases(self):
        return self.order in ("rel", "acqrel", "sc")

    def acquires(self):
        return self.order in ("acq", "acqrel", "sc")


INSTRUCTION = re.compile(r"(?:(\w+) = )?(W|R|CAS|ADD|F)(?:\.(\w+))?((?: -?\w+)*)$")


def parse(text):
    m = INSTRUCTION.match(text)
    if text.startswith("if "):
        return ("if", text[3:])
    if not m:
        raise SystemExit(f"litmus.py: not an instruction: {text}")
    return (m[2], m[1], m[3] or "", m[4].split())


def domains(threads):
    """What each location may hold: its constants, and as far as its ADDs lead."""
    out = {}
    for t in threads:
        for i in t:
            if i[0] in ("W", "CAS", "R", "ADD"):
                values = out.setdefault(i[3][0], {0})
                if i[0] in ("W", "CAS"):
                    values.add(int(i[3][-1]))
    for t in threads:
        for i in t:
            if i[0] == "ADD":
                out[i[3][0]] |= {v + int(i[3][1]) for v in out[i[3][0]]}
    return out


def paths(number, thread, domain):
    """Each way through a thread, whatever its loads bring: (registers, events)."""
    todo = [(0, {}, [])]
    while todo:
        pc, regs, events = todo.pop()
        if pc == len(thread) or (thread[pc][0] == "if" and not eval(thread[pc][1], {}, regs)):
            yield regs, events
        elif thread[pc][0] == "if":
            todo.append((pc + 1, regs, events))
        else:
            kind, reg, order, args = thread[pc]
            if kind in ("F", "W"):
                loc, value = (args[0], int(args[1])) if kind == "W" else (None, None)
                todo.append((pc + 1, regs, events + [Event(number, kind, loc, order, None, value)]))
                continue
            for v in sorted(domain[args[0]]):
                new = v + int(args[1]) if kind == "ADD" else int(args[2]) if kind == "CAS" and v == int(args[1]) else None
                bound = {**regs, reg: v} if reg else regs
                todo.append((pc + 1, bound, events + [Event(number, kind, args[0], order, v, new)]))


def bits(mask):
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def compose(a, b):
    out = []
    for row in a:
        mask = 0
        for j in bits(row):
            mask |= b[j]
        out.append(mask)
    return out


def closure(rel):
    rel = rel[:]
    for k, bit in enumerate(1 << k for k in range(len(rel))):
        for i, row in enumerate(rel):
            if row & bit:
                rel[i] = row | rel[k]
    return rel


def join(*relations):
    return [functools.reduce(operator.or_, rows) for rows in zip(*relations)]


def irreflexive(rel):
    return not any(row >> i & 1 for i, row in enumerate(rel))


def synchronizes(events, sb, rf):
    """Release stores, or stores behind a release fence, with acquire loads, or loads before an acquire fence."""
    n = len(events)
    sw = [0] * n
    for read, source in rf.items():
        heads = {source}
        while events[source].reads is not None and source in rf:    # a release sequence: through read-modify-writes
            source = rf[source]
            heads.add(source)
        froms = [h for h in heads if events[h].releases()]
        froms += [f for h in heads for f in range(n) if events[f].kind == "F" and events[f].releases() and sb[f] >> h & 1]
        tos = [read] if events[read].acquires() else []
        tos += [f for f in bits(sb[read]) if events[f].kind == "F" and events[f].acquires()]
        for f in froms:
            for t in tos:
                sw[f] |= 1 << t
    return sw


def consistent(events, sb, rf, orders):
    n = len(events)
    mo, rb, reads = [0] * n, [0] * n, [0] * n
    for order in orders:
        for i, w in enumerate(order):
            for later in order[i + 1:]:
                mo[w] |= 1 << later
    for read, source in rf.items():
        reads[source] |= 1 << read
        rb[read] = mo[source] & ~(1 << read)
        if events[read].writes is not None:     # read-modify-write: nothing comes between
            if not mo[source] >> read & 1 or any(mo[w] >> read & 1 for w in bits(mo[source])):
                return False
    hb = closure(join(sb, synchronizes(events, sb, rf)))
    eco = closure(join(reads, mo, rb))
    if not irreflexive(hb) or not irreflexive(compose(hb, eco)):
        return False
    fences = [i for i, e in enumerate(events) if e.order in ("sc", "light") and e.kind == "F"]
    full = join(hb, compose(compose(hb, eco), hb))
    psc = [0] * n
    for a in fences:
        for b in fences:
            if a != b and full[a] >> b & 1 and "sc" in (events[a].order, events[b].order):
                psc[a] |= 1 << b
    return irreflexive(closure(psc))


def executions(chosen):
    """All that the values of one way through each thread allow: events, order within threads, reads-from, store orders."""
    locs = sorted({e.loc for _, t in chosen for e in t if e.loc})
    events = [Event(-1, "W", loc, "", None, 0) for loc in locs] + [e for _, t in chosen for e in t]
    n = len(events)
    sb = [0] * n
    for i, a in enumerate(events):
        for j in range(i + 1, n):
            if a.thread == events[j].thread >= 0 or a.thread < 0 <= events[j].thread:
                sb[i] |= 1 << j
    stores = {loc: [i for i, e in enumerate(events) if e.loc == loc and e.writes is not None] for loc in locs}
    loads = [i for i, e in enumerate(events) if e.reads is not None]
    sources = [[w for w in stores[events[r].loc] if events[w].writes == events[r].reads and w != r and not sb[r] >> w & 1]
               for r in loads]
    orders = [[(s[0],) + rest for rest in itertools.permutations(s[1:])
               if all(not sb[b] >> a & 1 for i, a in enumerate(rest) for b in rest[i + 1:])] for s in stores.values()]
    for choice in itertools.product(*sources):
        for order in itertools.product(*orders):
            yield events, sb, dict(zip(loads, choice)), order


def happens(lines, outcome):
    """Is there a consistent execution whose registers satisfy `outcome`? Gives them, or None."""
    threads = [[parse(i.strip()) for i in line.split(";")] for line in lines]
    names = {i[1]: None for t in threads for i in t if i[0] != "if" and i[1]}
    domain = domains(threads)
    code = compile(outcome, outcome, "eval")
    for chosen in itertools.product(*(list(paths(k, t, domain)) for k, t in enumerate(threads))):
        regs = dict(names)
        for r, _ in chosen:
            regs.update(r)
        if eval(code, {}, regs) and any(consistent(*x) for x in executions(chosen)):
            return regs
    return None


def shapes(path):
    shape = None
    for number, line in enumerate(open(path), 1):
        words = line.split("#")[0].rstrip()
        if not words:
            continue
        if words.startswith("shape "):
            shape = {"name": words.split("code:")[0][6:].strip(), "threads": [], "variants": []}
            yield shape
            continue
        word, _, rest = words.strip().partition(" ")
        if word in ("never", "may"):
            shape["may"], shape["outcome"] = word == "may", rest
        elif word in ("mistake", "needless"):
            shape["variants"].append((word, *rest.split(" -> ")))
        else:
            shape["threads"].append(words.strip())


def main(paths_):
    count = bad = 0
    for path in paths_:
        for shape in list(shapes(path)):
            for kind, old, new in [("", "", "")] + shape["variants"]:
                lines = [t.replace(old, new) if old else t for t in shape["threads"]]
                begin = time.time()
                regs = happens(lines, shape["outcome"])
                good = (regs is not None) == (shape["may"] != (kind == "mistake")) and (not old or lines != shape["threads"])
                count, bad = count + 1, bad + (not good)
                seen = "never" if regs is None else " ".join(f"{k}={v}" for k, v in regs.items() if v is not None)
                print(f"{'ok' if good else 'not ok'} {count} - {shape['name']}{f', {kind} {old} -> {new}' if kind else ''}: "
                      f"{seen} ({(time.time() - begin) * 1000:.0f} ms)", flush=True)
    print(f"1..{count}")
    return bad > 0


sys.exit(main(sys.argv[1:]))
