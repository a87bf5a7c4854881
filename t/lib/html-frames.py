"""html-frames.py PAGE - how long a page of ct-html takes to open, and its frames while it is zoomed and moved.

Prints: open MS, frame_median MS, frame_p95 MS, paint_p95 MS (the page's own part of a frame).
"""
import sys
import time

sys.dont_write_bytecode = True
from html_browser import Browser, find  # noqa: E402

if not find():
    sys.exit('html-frames: no Chromium')
frames, paints, opened = [], [], []
with Browser(1440, 900) as b:
    for _ in range(3):
        b.open(sys.argv[1])
        opened.append(float(b.js('document.documentElement.dataset.ready')))
    for lanes in ('worker', 'coroutine'):
        b.open(sys.argv[1], '#lanes=' + lanes)
        b.settle()
        x, y = b.at('#canvas')
        b.js('''frames = [], cost = [], last = 0, on = true, paint = painters.slice();
            painters = [() => { const t = performance.now(); for (const f of paint) f(); cost.push(performance.now() - t); }];
            (function tick(t) { if (last) frames.push(t - last); last = t; if (on) requestAnimationFrame(tick); })(0); 1''')
        for i in range(60):
            b.mouse('mouseWheel', x + i % 7 * 20, y, deltaX=0, deltaY=-60 if i < 30 else 60 if i < 50 else -60, modifiers=8 if i >= 50 else 0)
            time.sleep(0.03)
        frames += b.js('on = false, frames')[3:]
        paints += b.js('cost')
frames.sort()
paints.sort()
for name, list_, share in (('open', sorted(opened), 0.5), ('frame_median', frames, 0.5), ('frame_p95', frames, 0.95), ('paint_p95', paints, 0.95)):
    print(name, round(list_[int(len(list_) * share)], 1))
