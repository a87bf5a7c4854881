# snap-gdb.py - what a walking script in gdb does of ct-snap's work, for the bench: the frames of C++20 coroutines in the
# writable memory of the process that gdb is attached to, with their functions. Prints how many; NM is nm's output.
import array
import gdb
import os
import re

pid = gdb.selected_inferior().pid
exe = os.readlink('/proc/%d/exe' % pid)
ranges, base = [], None
for line in open('/proc/%d/maps' % pid):
    m = re.match(r'([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)', line)
    start, end, mode, path = int(m[1], 16), int(m[2], 16), m[3], m[4]
    if base is None and path == exe:
        base = start
    if mode.startswith('rw') and not path.startswith('[v'):
        ranges.append((start, end))
halves = {}
for line in open(os.environ['NM']):
    f = line.split()
    m = re.match(r'(.*)\.(actor|resume|destroy)$', f[-1])
    if m and len(f) == 3:
        halves.setdefault(m[1].split('.')[0], {})[m[2]] = int(f[0], 16) + base
pairs = {}
for name, h in halves.items():
    if 'destroy' in h and ('actor' in h or 'resume' in h):
        pairs[h['destroy']] = (h.get('actor') or h.get('resume'), name)
found = 0
for start, end in ranges:
    words = array.array('Q', bytes(gdb.selected_inferior().read_memory(start, end - start)))
    for i in range(1, len(words)):
        p = pairs.get(words[i])
        if p and words[i - 1] == p[0]:
            gdb.execute('info symbol %d' % words[i - 1], to_string=True)
            found += 1
print('frames', found)
