#!/usr/bin/env python3
"""keys.py PROGRAM SEED ROUNDS TRACE... - run PROGRAM TRACE on terminals of its own and type what nobody would: its keys, escape sequences
whole and cut, mouse reports, pastes, bytes that are no characters, while the terminal is made larger and smaller down to one cell and the
program is stopped and continued. It must go on drawing, end by `q` with a status of its own, and leave the terminal as it was."""
import fcntl
import os
import pty
import random
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ESCAPES = [b"\x1b", b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1bOA", b"\x1bOB", b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F", b"\x1b[1;5C", b"\x1b[3~",
           b"\x1bOP", b"\x1b[15~", b"\x1b[24~", b"\x1b[Z", b"\x1b[M !!", b"\x1b[<0;500;500M", b"\x1b[<64;1;1m", b"\x1b[200~x\x1b[201~", b"\x1b[?1;2c",
           b"\x1b[99999999999A", b"\x1b[;;;;m", b"\x1b]0;title\x07", b"\x1bP1$r\x1b\\", b"\x1b[", b"\x1bO", b"\x9bA", b"\xff\xfe", b"\xe2\x82", b"\xf0\x9f\x98\x80",
           "é".encode(), b"\0", b"\x08", b"\x7f", b"\t", b"\r", b"\n", b"\x0c", b"\x15", b"\x17"]
WORDS = [b"fd", b"serve", b".*", b"[", b"(((", b"\\", b"a{1,99999}", b"x" * 300, b"+1s", b"0", b"99999999999999999999"]


def typed(rng):
    """Neither q, which ends it, nor what the terminal itself takes for a signal."""
    kind = rng.random()
    if kind < .5:
        return bytes([rng.choice([c for c in range(32, 127) if c not in b"qQ"])])
    if kind < .85:
        return rng.choice(ESCAPES)
    if kind < .93:
        return b"/" + rng.choice(WORDS) + rng.choice((b"\r", b"\x1b", b""))
    return bytes(rng.choice([c for c in range(256) if c not in (3, 4, 17, 19, 26, 28) and c not in b"qQ"]) for _ in range(rng.randrange(1, 40)))


def take(fd, seconds):
    """What it draws, as long as it does; None: it has gone."""
    size = 0
    while select.select([fd], [], [], seconds)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            return None
        if not data:
            return None
        size += len(data)
    return size


def resize(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def one(program, trace, rng):
    outside, inside = pty.openpty()
    resize(outside, 24, 80)
    before = termios.tcgetattr(inside)
    p = subprocess.Popen([program, "--quiet", trace], stdin=inside, stdout=inside, stderr=subprocess.PIPE, start_new_session=True,
                         preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env={**os.environ, "TERM": rng.choice(("xterm-256color", "vt100"))})
    for _ in range(60):
        what = rng.random()
        if what < .8:
            os.write(outside, b"".join(typed(rng) for _ in range(rng.randrange(1, 6))))
        elif what < .97:
            resize(outside, rng.choice((1, 2, 5, 24, 50, 300)), rng.choice((1, 2, 9, 39, 80, 200, 1000)))
        else:
            p.send_signal(signal.SIGSTOP)
            p.send_signal(signal.SIGCONT)
        if take(outside, .001) is None:
            break
    resize(outside, 24, 80)
    end = time.time() + 100
    while p.poll() is None and time.time() < end:
        try:
            os.write(outside, b"\x1bq")     # out of whatever asks for a word, then out
        except OSError:
            pass
        take(outside, .2)
    status = p.poll()
    if status is None:
        p.kill()
    said = p.communicate()[1].decode(errors="replace")
    after = termios.tcgetattr(inside)
    os.close(inside)
    os.close(outside)
    if status is None or not 0 <= status <= 3:
        return f"status {status}: {said[-2000:]}"
    if "Sanitizer" in said or "runtime error" in said:
        return said[-2000:]
    return "the terminal is not as it was" if before != after else None


def main():
    program, seed, rounds, traces = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    failed = 0
    for k in range(seed, seed + rounds):
        rng = random.Random(k)
        wrong = one(program, rng.choice(traces), rng)
        if wrong:
            print(f"seed {k}: {wrong}", file=sys.stderr)
            failed += 1
    sys.exit(failed > 0)


main()
