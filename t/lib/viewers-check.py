"""viewers-check.py - what Perfetto's own trace processor makes of ct-toperfetto's or ct-tochrome's output, beside what
ct-tocsv --per=interval says: viewers-check.py PROGRAM TRACE [SLICES]

Every interval must be a slice of its coroutine, with the same times to the nanosecond; every stretch of running one of its
thread; every wake that let something run a flow; and the trace processor must have nothing to complain about. SLICES, from
a file, is compared with a listing of all slices and flows, too.
"""
import csv
import io
import subprocess
import sys

from perfetto_engine import Perfetto

STATES = ('created', 'running', 'suspended', 'runnable', 'unknown')
LATE = 1 << 62


def intervals(trace):
    text = subprocess.run(['ct-tocsv', '--quiet', '--per=interval', trace], stdout=subprocess.PIPE, check=True).stdout
    rows = csv.DictReader(io.StringIO(text.decode(), newline=''))
    return [row for row in rows if int(row['to']) < LATE]


def same(what, got, want):
    got, want = sorted(got), sorted(want)
    if got != want:
        sys.exit('%s: %d, not %d; the viewer alone: %s; ct-tocsv alone: %s' % (
            what, len(got), len(want), [x for x in got if x not in want][:5], [x for x in want if x not in got][:5]))


def main():
    program, trace = sys.argv[1:3]
    out = 'viewers-check.' + program
    with open(out, 'wb') as f:
        subprocess.run([program, '--quiet', trace], stdout=f, check=True)
    rows = intervals(trace)
    tp = Perfetto(out)
    bad = tp.rows("select name, value from stats where value > 0 and severity in ('error', 'data_loss')")
    if bad:
        sys.exit('the trace processor complains: %s' % bad)
    chrome = program == 'ct-tochrome'
    slices = tp.rows("select s.ts as ts, s.dur as dur, s.name as name, s.category as category, t.name as track, "
                     "t.type as type, tt.utid as utid, th.tid as tid from slice s join track t on s.track_id = t.id "
                     "left join thread_track tt on tt.id = t.id left join thread th on th.utid = tt.utid")
    if chrome:
        ours = [(x[4].split()[0], x[2].split()[0], x[0], x[0] + x[1]) for x in slices
                if x[3] == 'coroutine' and x[2].split()[0] in STATES]
    else:
        ours = [(x[4].split()[0], x[3], x[0], x[0] + x[1]) for x in slices
                if x[3] in STATES and x[6] is None and not x[4].startswith('beside')]
    same('intervals', ours, [(r['probe_id'], r['state'], int(r['from']), int(r['to'])) for r in rows])
    runs = [r for r in rows if r['state'] == 'running']
    same('runs', [(x[2].split()[0], x[0], x[0] + x[1]) for x in slices if x[3] in ('running', 'runs beside') and
                  (x[6] is not None or x[3] == 'runs beside' or x[4].startswith('beside'))],
         [(r['probe_id'], int(r['from']), int(r['to'])) for r in runs])
    begun = {(r['probe_id'], r['from']) for r in runs}
    woken = sum(r['state'] == 'runnable' and (r['probe_id'], r['to']) in begun for r in rows)
    flows = tp.rows('select a.ts as x, b.ts as y from flow f join slice a on f.slice_out = a.id '
                    'join slice b on f.slice_in = b.id')
    beside = sum(x[3] == 'runs beside' for x in slices)
    if not len(flows) <= woken <= len(flows) + beside:
        sys.exit('flows: %d of %d wakes' % (len(flows), woken))
    if len(sys.argv) > 3:
        order = sorted((x[0], x[1], '%s | %s' % (x[4] if x[6] is None else 'thread %d' % x[7], x[2])) for x in slices)
        text = ''.join('%d+%d %s\n' % x for x in order) + ''.join('flow %d -> %d\n' % x for x in sorted(flows))
        with open(sys.argv[3], 'w') as f:
            f.write(text)
    tp.close()
    print(len(rows), 'intervals', len(runs), 'runs', len(flows), 'flows')


main()
