"""many.py FINDINGS POINTS - a trace of so many lost wakeups at so many suspension points with names of 600 characters, of 3 causes.

One third each wait on what shutdown() closes, on what reset() closes, and for coroutine 1, which ends.
"""
import sys

findings, points = int(sys.argv[1]), int(sys.argv[2])
now = 1000000000000


def line(ev, **more):
    text = {k: v if isinstance(v, int) else f'"{v}"' for k, v in more.items()}
    print('{' + ','.join([f'"ev":"{ev}"'] + [f'"{k}":{v}' for k, v in text.items()]) + '}')


def own(ev, who, n, more=''):
    global now
    now += 1000
    print(f'{{"probe_id":{who},"tid":11,"addr":"0x0000000000000000","seq":{2 * n},"is_active":{str(ev == "resume").lower()},'
          f'"ts":{now},"ev":"{ev}","n":{n}{more}}}')


line('meta', ts=now, format='corotrace', version=2, tool='t')
for tid in (11, 12):
    line('thread', ts=now, tid=tid, pid=1, name=f'w{tid}', role='worker')
template = 'net::session<' + ', '.join(['std::pair<int, std::map<std::string, std::vector<unsigned long>>>'] * 9) + '>'
for i in range(points):
    line('site', site=i + 1, func=f'{template}::serve_{i}(line&)', file=f'/usr/src/net/serve_{i}.hpp', line=10 + i)
line('site', site=9001, func='shutdown', file='/usr/src/net/close.hpp', line=410)
line('site', site=9002, func='reset<' + 'int, ' * 120 + 'int>', file='/usr/src/net/close.hpp', line=96)
own('create', 1, 1)
own('resume', 1, 2)
for i in range(findings):
    own('create', 100 + i, 1)
    own('resume', 100 + i, 2)
    own('suspend', 100 + i, 3, f',"site":{i % points + 1},"on":"{f"fd:{10 + i}" if i % 3 else "join:1"}"')
for i in range(findings):
    if i % 3:
        now += 1000
        line('close', ts=now, tid=12, on=f'fd:{10 + i}', site=9000 + i % 3)
own('destroy', 1, 3, ',"done":true')
line('end', ts=now + 1000000000, events=0, lost=0)
