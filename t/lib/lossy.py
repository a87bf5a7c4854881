"""lossy.py SEED - random runs, one after another: whole, and with events lost, with and without states at their end.

Wakes come before a suspend, twice, with lines that stand too early or too late; workers have a role or none.
"""
import json
import random
import sys

THREADS, START = (11, 12, 13), 10**12


def show(**keys):
    print(json.dumps(keys, separators=(',', ':')))


def happen(rnd, steps):
    """Events of a run, and the last own one of each coroutine that lives."""
    now, out, last, runs = START, [], {}, {}

    def own(coro, ev, tid, **more):
        n = last[coro]['n'] + 1 if coro in last else 1
        out.append({'probe_id': coro, 'tid': tid, 'addr': '0x0', 'seq': 2 * n, 'is_active': ev == 'resume', 'ts': now,
                    'ev': ev, 'n': n, **more})
        last[coro] = out[-1]

    born = 0
    for _ in range(steps):
        now += rnd.randint(1, 2000000)
        what = rnd.random()
        if what < .12 or not last:
            born += 1
            own(born, 'create', rnd.choice(THREADS), site=rnd.randint(1, 4))
        elif what < .5:
            coro, tid = rnd.choice(list(last)), rnd.choice(THREADS)
            if tid not in runs and coro not in runs.values():
                own(coro, 'resume', tid)
                runs[tid] = coro
        elif what < .65 or what > .95:
            if runs:
                tid = rnd.choice(list(runs))
                coro = runs.pop(tid)
                if what > .95:
                    own(coro, 'destroy', tid, done=rnd.random() < .8)
                    del last[coro]
                else:
                    own(coro, 'suspend', tid, site=rnd.randint(1, 4), on=f'fd:{rnd.randint(3, 6)}')
        else:
            early, back = rnd.choice((0, 0, 0, 3000000)), rnd.choice((0, 0, 0, 2))
            out.insert(len(out) - min(back, len(out)), {
                'probe_id': rnd.choice(list(last)), 'tid': rnd.choice(THREADS), 'addr': '0x0', 'seq': 0,
                'is_active': False, 'ts': max(START, now - rnd.randint(0, early)), 'ev': 'wake'})
    return out, last, now + rnd.randint(0, 100000000)


def run(rnd, loss, states, workers):
    out, last, end = happen(rnd, rnd.choice((20, 60, 200)))
    show(ev='meta', ts=START, format='corotrace', version=2, tool='lossy')
    for tid in THREADS if workers else ():
        show(ev='thread', ts=START, tid=tid, pid=4, role='worker')
    for site in range(1, 5):
        show(ev='site', site=site, func=f'f{site}', file='f.c', line=site)
    hole = lost = 0
    for event in out:
        hole = hole - 1 if hole else rnd.randint(1, 6) if rnd.random() < loss else 0
        if hole:
            show(ev='lost', ts=event['ts'], tid=event['tid'], count=1, **{'from': event['ts'], 'to': event['ts']})
            lost += 1
        else:
            show(**event)
    for event in last.values() if lost else ():
        if rnd.random() < states:
            show(**{**event, 'ev': 'state'})
    show(ev='end', ts=end, events=len(out) - lost, lost=lost, **({'live': len(last)} if lost and states == 1 else {}))


random_ = random.Random(int(sys.argv[1]))
for how in ((0, 0, 1), (0, 0, 0), (.05, 0, 1), (.05, .5, 1), (.05, 1, 1), (.05, 1, 0)) * 4:
    run(random_, *how)
