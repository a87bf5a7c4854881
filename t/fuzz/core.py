#!/usr/bin/env python3
"""core.py SEED IN OUT - write OUT: the core file IN of a 64-bit little-endian process, broken where it has structure: its header, the table
of segments, notes and the list of mapped files, and in the memory itself pointers that lead elsewhere, to themselves or nowhere, and
counts. The same for the same seed."""
import random
import struct
import sys

HUGE = (0, 1, 7, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 1 << 47, 1 << 63, (1 << 64) - 8, (1 << 64) - 1)
LOAD, NOTE, FILES = 1, 4, 0x46494c45


class Core:
    def __init__(self, data, rng):
        self.b, self.rng = bytearray(data), rng
        self.phoff, = struct.unpack_from("<Q", data, 0x20)
        self.phnum, = struct.unpack_from("<H", data, 0x38)
        self.segments = [struct.unpack_from("<IIQQQQQQ", data, self.phoff + 56 * i) for i in range(self.phnum)]
        self.memory = [s for s in self.segments if s[0] == LOAD and s[1] & 2 and s[5] >= 64]

    def number(self, at, size):
        value = self.rng.choice(HUGE + (self.rng.randrange(len(self.b)), at)) & ((1 << 8 * size) - 1)
        if 0 <= at <= len(self.b) - size:
            self.b[at:at + size] = value.to_bytes(size, "little")

    def header(self):
        at, size = self.rng.choice(((16, 2), (18, 2), (32, 8), (40, 8), (52, 2), (54, 2), (56, 2), (58, 2), (60, 2)))
        self.number(at, size)

    def segment(self):
        at, size = self.rng.choice(((0, 4), (4, 4), (8, 8), (16, 8), (32, 8), (40, 8), (48, 8)))
        self.number(self.phoff + 56 * self.rng.randrange(max(self.phnum, 1)) + at, size)

    def notes(self):
        for s in self.segments:
            at = s[2]
            while s[0] == NOTE and at + 12 <= s[2] + s[5]:
                name, size, kind = struct.unpack_from("<III", self.b, at)
                yield at, kind, at + 12 + (name + 3) // 4 * 4, size
                at += 12 + (name + 3) // 4 * 4 + (size + 3) // 4 * 4

    def note(self):
        at, _, body, size = self.rng.choice(list(self.notes()))
        if self.rng.random() < .5:
            self.number(at + self.rng.choice((0, 4, 8)), 4)
        else:
            self.number(body + self.rng.randrange(max(size - 8, 1)), 8)

    def files(self):
        body, size = next((body, size) for _, kind, body, size in self.notes() if kind == FILES)
        count, = struct.unpack_from("<Q", self.b, body)
        at = self.rng.choice((0, 8, 16 + 24 * self.rng.randrange(count) + 8 * self.rng.randrange(3)))
        if self.rng.random() < .7:
            self.number(body + at, 8)
        else:
            self.b[body + 16 + 24 * count + self.rng.randrange(size - 16 - 24 * count)] = self.rng.choice(b"\0/x\xff")

    def pointers(self):
        """Where the memory that may be written refers to such memory, mostly near its beginning."""
        ranges = [(s[3], s[3] + s[6]) for s in self.memory]
        s = self.rng.choice(self.memory)
        found = []
        for at in range(s[2], s[2] + min(s[5], 1 << 18) - 8, 8):
            value, = struct.unpack_from("<Q", self.b, at)
            if any(low <= value < high for low, high in ranges):
                found.append((at, s[3] + at - s[2], value))
        for _ in range(self.rng.choice((1, 3, 20, 200))):
            at, address, value = self.rng.choice(found)
            other = self.rng.choice(found)
            struct.pack_into("<Q", self.b, at, self.rng.choice((address, address - 8, other[1], other[2], value + 8, value - 1,
                                                                   self.rng.choice(HUGE))) & ((1 << 64) - 1))

    def words(self):
        s = self.rng.choice(self.memory)
        for _ in range(self.rng.choice((1, 10, 300))):
            self.number(s[2] + 8 * self.rng.randrange(s[5] // 8), 8)

    def cut(self):
        del self.b[self.rng.randrange(64, len(self.b)):]


def main():
    rng = random.Random(int(sys.argv[1]))
    core = Core(open(sys.argv[2], "rb").read(), rng)
    kinds = [core.header, core.segment, core.segment, core.note, core.files, core.files] + 4 * [core.pointers] + [core.words, core.words, core.cut]
    for _ in range(rng.choice((1, 1, 2, 5))):
        try:
            rng.choice(kinds)()
        except (struct.error, ValueError, IndexError, StopIteration):
            pass    # broken already so that it is found no more
    open(sys.argv[3], "wb").write(core.b)


main()
