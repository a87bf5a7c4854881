"""html-shot.py PAGE PICTURE [FRAGMENT] - a picture (PNG) of a page of ct-html; without a fragment, of its first finding."""
import collections
import struct
import sys
import zlib

sys.dont_write_bytecode = True
from html_browser import Browser, find  # noqa: E402


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def squeeze(png):
    """The same picture in 256 colours, without filters and deflated well: a third of the size, as a page is flat."""
    at, data = 8, b''
    while at < len(png):
        n, kind = struct.unpack('>I4s', png[at:at + 8])
        if kind == b'IHDR':
            width, height, depth, color = struct.unpack('>IIBB', png[at + 8:at + 18])
        elif kind == b'IDAT':
            data += png[at + 8:at + 8 + n]
        at += 12 + n
    bytes_ = {2: 3, 6: 4}[color]
    raw, row, out = zlib.decompress(data), bytearray(width * bytes_), bytearray()
    for y in range(height):
        from_ = y * (width * bytes_ + 1)
        kind, line = raw[from_], bytearray(raw[from_ + 1:from_ + 1 + width * bytes_])
        for i in range(len(line) if kind else 0):
            a, b, c = (line[i - bytes_], row[i], row[i - bytes_]) if i >= bytes_ else (0, row[i], 0)
            if kind == 4:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = line[i] + (a if kind == 1 else b if kind == 2 else (a + b) // 2 if kind == 3 else near) & 255
        row = line
        out += line
    pixels = [bytes(out[i:i + 3]) for i in range(0, len(out), bytes_)]
    index = palette(pixels)
    table = b''.join(index[1])
    rows = bytes(index[0][p] for p in pixels)
    image = b''.join(b'\0' + rows[y * width:(y + 1) * width] for y in range(height))
    return (png[:8] + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 3, 0, 0, 0)) + chunk(b'PLTE', table) +
            chunk(b'IDAT', zlib.compress(image, 9)) + chunk(b'IEND', b''))


def palette(pixels):
    """The 256 most frequent colours, and which of them each colour is nearest to."""
    most = [c for c, _ in collections.Counter(pixels).most_common()]
    kept = most[:256]
    near = {c: i for i, c in enumerate(kept)}
    for c in most[256:]:
        near[c] = min(range(256), key=lambda i: sum((a - b) ** 2 for a, b in zip(c, kept[i])))
    return near, kept


def main():
    if not find():
        sys.exit('html-shot: no Chromium')
    page, picture, *fragment = sys.argv[1:]
    with Browser(1440, 860) as b:
        b.open(page, fragment[0] if fragment else '#lanes=coroutine&tab=places')
        if not fragment:
            b.js('''(run => {
                const f = run.findings[0], t = f.cause ? f.cause[1] : run.since(f.rec);
                showCoroutine(run, f.rec);
                send(run, t - 5.5e6, t + 3.5e6, true);
            })(line.run)''')
        b.settle()
        b.shot(picture)
    with open(picture, 'rb') as f:
        png = squeeze(f.read())
    with open(picture, 'wb') as f:
        f.write(png)


if __name__ == '__main__':
    main()
