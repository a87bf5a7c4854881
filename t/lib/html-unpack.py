"""html-unpack.py PAGE [RUN] - what a page of ct-html carries, as text: summary lines, then each coroutine with its items.

html-unpack.py --sites PAGE [RUN] - its sites, one JSON text a line.
html-unpack.py --sums PAGE - of all runs: run, coroutine, ns in each state and unknown, as ct-tocsv has them; a line
"curve" for one whose curves have other sums.
"""
import base64
import json
import re
import struct
import sys
import zlib

STATES = ['created', 'running', 'suspended', 'runnable', 'ended', 'parked', '', '', 'wake', 'open', 'close', 'notify', 'level',
          'acquire', 'release']


def numbers(data, signed):
    out, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            out.append(value if not signed else -(value >> 1) - 1 if value & 1 else value >> 1)
            value = shift = 0
    return out


def column(kind, data):
    if kind in ('var', 'signed'):
        return numbers(data, kind == 'signed')
    if kind == 'f32':
        return list(struct.unpack(f'<{len(data) // 4}f', data))
    return data.decode().split('\0') if kind == 'text' else list(data)


def unpack(page, number=1):
    script = re.search(rf'<script type="application/x-corotrace" class="run" data-run="{number}"[^>]*>([^<]*)</script>', page)
    data = zlib.decompress(base64.b64decode(script.group(1), validate=True))
    length = struct.unpack('<I', data[:4])[0]
    run, at, col = json.loads(data[4:4 + length]), 4 + length, {}
    for name, kind, size in run['columns']:
        col[name] = column(kind, data[at:at + size])
        at += size
    assert at == len(data)
    return run, col


def tell(run, col):
    print(f'live {run["live"]} dropped {run["dropped"]} hidden {run["hidden"]} items {run["items"]} end {run["end"]}')
    for g in run['groups']:
        print(f'{g["verdict"]} {g["certainty"]} x{g["count"]} site {g["site"]}')
    ident, k = 0, 0
    for r in range(len(col['id'])):
        ident += col['id'][r]
        total = ' '.join(str(col[f'in{s}'][r]) for s in range(4))
        if r:
            print(f'coroutine {ident} "{col["name"][r]}" runs {col["runs"][r]} wakes {col["wakes"][r]} older {col["older"][r]} in {total}'
                  f'{" unknown " + str(col["in4"][r]) if col["in4"][r] else ""}{" system" if col["flags"][r] & 64 else ""}')
        end = 0
        for i in range(k, k + col['items'][r]):
            start = end + col['gap'][i]
            end = start + col['span'][i]
            flags = col['kind'][i]
            on = run['texts'][col['on'][i]] if flags & 32 and not flags & 64 else col['on'][i] if flags & 32 else ''
            print(f'  {start} {end} {STATES[flags & 15]}{" open" if flags & 16 else ""}{" torn" if flags & 128 else ""}'
                  f'{" on " + str(on) if col["on_kind"][i] else ""} thread {col["tid"][i]}')
        k += col['items'][r]
        legs = run['living'].get(str(r), {}).get('legs')
        if legs:
            print(f'  {"all" if legs["all"] else "any"} of {legs["count"]}: {json.dumps(legs["of"])}')
        if 'stack' in run['living'].get(str(r), {}):
            print(f'  stack {json.dumps(run["living"][str(r)]["stack"])}')


def sums(page):
    for number in range(1, page.count('class="run"') + 1):
        run, col = unpack(page, number)
        ident, total = 0, [0] * 5
        for r in range(1, len(col['id'])):
            ident += col['id'][r]
            ns = [col[f'in{s}'][r] for s in range(5)]
            total = [a + b for a, b in zip(total, ns)]
            print(number, ident, *ns, sep=',')
        cell = run['series']['width']
        last = run['end'] - run['series']['base'] - (run['series']['n'] - 1) * cell
        for s, ns in zip(STATES[:4], total):
            level = col['s_' + s]
            if abs(sum(level[:-1]) * cell + level[-1] * last - ns) > 5000 + ns / 1e4:
                print('curve', number, s, ns)


if __name__ == '__main__':
    if sys.argv[1] == '--sums':
        sys.exit(sums(open(sys.argv[2], encoding='utf-8').read()))
    sites = sys.argv[1] == '--sites' and sys.argv.pop(1)
    run, col = unpack(open(sys.argv[1], encoding='utf-8').read(), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    if sites:
        print('\n'.join(json.dumps(p) for p in run['sites']))
    else:
        tell(run, col)
