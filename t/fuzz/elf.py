#!/usr/bin/env python3
"""elf.py SEED IN OUT - write OUT: the ELF file IN, broken where it has structure: its headers, the tables of sections, segments and symbols,
notes, and in debug information the units, abbreviations, entries that refer to others or to themselves, line programs, counts, offsets
and compressed sections. The same for the same seed. 64 bit, little-endian."""
import random
import struct
import sys
import zlib

HUGE = (0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff, 1 << 63, (1 << 64) - 1)
FORMS = (0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a,
         0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x25, 0x29, 0x2c, 0x1f01, 0x1f02, 0x1f20, 0x1f21, 0x7e)
TAGS = (0x11, 0x2e, 0x1d, 0x39, 0x13, 0x02, 0x0b, 0x32, 0x25, 0x3c, 0x41, 0x4a, 0x34)
ATTRS = (0x03, 0x11, 0x12, 0x10, 0x1b, 0x31, 0x47, 0x55, 0x58, 0x59, 0x57, 0x6e, 0x2007, 0x01, 0x72, 0x73, 0x74, 0x76, 0x2130, 0x2131, 0x8c)


def uleb(n):
    out = b""
    while n > 0x7f:
        out, n = out + bytes([n & 0x7f | 0x80]), n >> 7
    return out + bytes([n])


class Elf:
    def __init__(self, data, rng):
        self.b, self.rng = bytearray(data), rng
        self.shoff, = struct.unpack_from("<Q", data, 0x28)
        self.shentsize, self.shnum, self.shstr = struct.unpack_from("<HHH", data, 0x3a)
        names = self.header(self.shstr)
        self.sections = {}
        for i in range(self.shnum):
            h = self.header(i)
            end = data.index(b"\0", names[4] + h[0])
            self.sections[data[names[4] + h[0]:end].decode()] = (i, h[4], h[5])

    def header(self, i):
        return struct.unpack_from("<IIQQQQIIQQ", self.b, self.shoff + i * self.shentsize)

    def put(self, at, data):
        if 0 <= at and at + len(data) <= len(self.b):
            self.b[at:at + len(data)] = data

    def number(self, at, size):
        value = self.rng.choice(HUGE + (self.rng.randrange(len(self.b)), at)) & ((1 << 8 * size) - 1)
        self.put(at, value.to_bytes(size, "little"))

    def field(self, at, *layout):
        """One field of a structure of fields of these sizes."""
        k = self.rng.randrange(len(layout))
        self.number(at + sum(layout[:k]), layout[k])

    def place(self, name):
        _, at, size = self.sections.get(name, (0, 0, 0))
        return at, size

    def grow(self, name, data):
        """The section becomes that, at the file's end."""
        i = self.sections[name][0]
        head = self.shoff + i * self.shentsize
        struct.pack_into("<QQ", self.b, head + 24, len(self.b), len(data))
        self.b += data

    # what is broken

    def file_header(self):
        self.field(16, 2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2)

    def segment(self):
        phoff, = struct.unpack_from("<Q", self.b, 0x20)
        count, = struct.unpack_from("<H", self.b, 0x38)
        self.field(phoff + 56 * self.rng.randrange(max(count, 1)), 4, 4, 8, 8, 8, 8, 8, 8)

    def section(self):
        debug = [i for n, (i, _, _) in self.sections.items() if n.startswith((".debug", ".symtab", ".strtab", ".note"))]
        i = self.rng.choice(debug or [0]) if self.rng.random() < .8 else self.rng.randrange(self.shnum)
        self.field(self.shoff + i * self.shentsize, 4, 4, 8, 8, 8, 8, 4, 4, 8, 8)

    def symbol(self):
        at, size = self.place(".symtab")
        self.field(at + 24 * self.rng.randrange(max(size // 24, 1)), 4, 1, 1, 2, 8, 8)

    def note(self):
        at, _ = self.place(".note.gnu.build-id")
        self.field(at, 4, 4, 4)

    def unit(self):
        at, size = self.place(".debug_info")
        units = []
        while at + 12 < self.place(".debug_info")[0] + size:
            units.append(at)
            at += 4 + struct.unpack_from("<I", self.b, at)[0]
        at = self.rng.choice(units or [0])
        self.field(at, 4, 2, 1, 1, 4)

    def entry(self):
        """A reference becomes one to itself, or to another; or any bytes become a number without end."""
        at, size = self.place(".debug_info")
        if size < 32:
            return
        spot = at + 12 + self.rng.randrange(size - 16)
        refers = [o for o in range(at + 12, at + size - 4, 1) if 11 < struct.unpack_from("<I", self.b, o)[0] < size]
        if refers and self.rng.random() < .7:
            spot = self.rng.choice(refers)
            target = self.rng.choice((spot - at, max(spot - at - 1, 0), 11, 12, self.rng.randrange(size)))
            self.put(spot, struct.pack("<I", target))
        else:
            self.put(spot, self.rng.choice((b"\xff" * 9 + b"\x01", b"\x80" * 20, b"\xff" * 4, uleb(self.rng.randrange(1, 60)))))

    def abbreviations(self):
        """All are read, some changed, and written anew."""
        at, size = self.place(".debug_abbrev")
        data, p, out = bytes(self.b[at:at + size]), 0, b""

        def leb():
            nonlocal p
            v = shift = 0
            while p < len(data):
                c = data[p]
                p += 1
                v |= (c & 0x7f) << shift
                shift += 7
                if not c & 0x80:
                    break
            return v

        def maybe(v, others):
            return self.rng.choice(others + HUGE) if self.rng.random() < .02 else v
        while p < len(data):
            code = leb()
            out += uleb(maybe(code, (1, 2, 3)) if code else 0)
            if not code or p >= len(data):
                continue
            out += uleb(maybe(leb(), TAGS)) + bytes([data[p] ^ (self.rng.random() < .02)])
            p += 1
            while p < len(data):
                attr, form = leb(), leb()
                const = uleb(maybe(leb(), ())) if form == 0x21 else b""
                if not attr and not form:
                    break
                if self.rng.random() < .03:
                    attr, form = self.rng.choice(ATTRS), self.rng.choice(FORMS)
                    const = b"\x05" if form == 0x21 else b""
                out += (uleb(attr) + uleb(form) + const) * (2 if self.rng.random() < .01 else 1)
            out += b"\0\0"
        self.grow(".debug_abbrev", out)

    def lines(self):
        at, size = self.place(".debug_line")
        if size < 40:
            return
        if self.rng.random() < .6:
            self.field(at, 4, 2, 1, 1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
        else:
            self.put(at + 20 + self.rng.randrange(size - 20), self.rng.choice((b"\0\xff\xff\xff\xff\x0f", b"\x02" + b"\xff" * 9 + b"\x01",
                     b"\x00\x09\x02" + b"\xff" * 8, b"\x01", b"\x08", b"\xff\xff\xff\xff\x0f", b"\x03" + b"\x80" * 9 + b"\x7f")))

    def table(self):
        name = self.rng.choice((".debug_str", ".debug_line_str", ".debug_aranges", ".debug_rnglists", ".debug_ranges", ".debug_loclists", ".strtab",
                                ".eh_frame", ".eh_frame_hdr"))
        at, size = self.place(name)
        if size > 8:
            self.number(at + self.rng.randrange(size - 8), self.rng.choice((1, 2, 4, 8)))

    def compressed(self):
        """What unpacks to much, or says that it would."""
        name = self.rng.choice((".debug_info", ".debug_line", ".debug_str", ".debug_abbrev"))
        at, size = self.place(name)
        if not size:
            return
        data = bytes(self.b[at:at + size]) if self.rng.random() < .5 else bytes(1 << 22)
        said = self.rng.choice(HUGE + (len(data), len(data) + 1, max(len(data) - 1, 0), 1 << 33))
        self.grow(name, struct.pack("<IIQQ", self.rng.choice((1, 1, 1, 2, 99)), 0, said, 1) + zlib.compress(data))
        head = self.shoff + self.sections[name][0] * self.shentsize
        struct.pack_into("<Q", self.b, head + 8, struct.unpack_from("<Q", self.b, head + 8)[0] | 0x800)

    def many(self):
        """A unit of entries within entries within entries."""
        abbrev = uleb(1) + uleb(0x11) + b"\1" + uleb(0x11) + uleb(1) + uleb(0x12) + uleb(7) + b"\0\0" + \
            uleb(2) + uleb(self.rng.choice(TAGS)) + b"\1" + self.rng.choice((b"", uleb(0x31) + uleb(0x13))) + b"\0\0\0"
        entry = b"\2" if abbrev.endswith(b"\1\0\0\0") else b"\2\x20\0\0\0"
        body = struct.pack("<HIB", 4, 0, 8) + b"\1" + struct.pack("<QQ", 0, (1 << 63)) + entry * self.rng.choice((10, 300, 100000))
        self.grow(".debug_abbrev", abbrev)
        self.grow(".debug_info", struct.pack("<I", len(body)) + body)

    def cut(self):
        del self.b[self.rng.randrange(64, len(self.b)):]


def main():
    rng = random.Random(int(sys.argv[1]))
    elf = Elf(open(sys.argv[2], "rb").read(), rng)
    kinds = [elf.file_header, elf.segment, elf.section, elf.section, elf.symbol, elf.note, elf.unit, elf.unit, elf.entry, elf.entry, elf.entry,
             elf.abbreviations, elf.abbreviations, elf.lines, elf.lines, elf.table, elf.table, elf.compressed, elf.many, elf.cut]
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8, 40))):
        try:
            rng.choice(kinds)()
        except (struct.error, ValueError, IndexError, KeyError):
            pass    # broken already so that it is found no more
    open(sys.argv[3], "wb").write(elf.b)


main()
