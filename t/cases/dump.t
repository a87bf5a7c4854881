#!/bin/sh
# Boxes that outlive their program: written by itself, killed after a hang, a disk that is full.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/box.sh"

test_case 'hung, and then killed: the file of its box names the 47 and the close, suspected' <<'EOT'
CTP_BOX=$PWD demo-server --clients=60 --port-file=port >server.out 2>&1 &
pid=$!
wait_for test -s port
status 0 demo-load $(cat port) >/dev/null
at_rest() { ct-record -q --box -p $pid -o box && [ $(ct-lostwake --json box | grep -c closed-resource) -eq 47 ]; }
wait_for at_rest
kill -9 $pid
wait $pid || :
status 0 ct-record --box corotrace-box.$pid.* -o trace 2>err
has '"snapshot":true,"dead":true}$' trace
close=$(grep -n 'ct_close(ct_fd(fd))' $SRC/t/demo/sched.hpp | cut -d: -f1)
status 1 ct-lostwake --json trace >found
[ $(grep -c '"verdict":"closed-resource","certainty":"suspected"' found) -eq 47 ]
[ $(grep -c "\"func\":\"close\",\"file\":\"[^\"]*sched.hpp\",\"line\":$close[,}]" found) -eq 47 ]
status 1 ct-lostwake --color=never trace >text
has 'nobody knows how long the program lived after that' text
# a worker that was not asleep may have been about to wake them
awk '/"ev":"park"/ { last = NR } { line[NR] = $0 } END { for (i = 1; i <= NR; i++) if (i != last) print line[i] }' trace |
	sed 's/,"lines":.*}}/}/; s/"ev":"end","ts":[0-9]*,"events":[0-9]*/&/' >awake
ct-lostwake --json awake >found || :
hasnt '"verdict":"closed-resource"' found
EOT

test_case 'the same in a core' <<'EOT'
case $(cat /proc/sys/kernel/core_pattern) in '|'*) exit 0;; esac
ulimit -c unlimited
CTP_BOX=1 demo-server --clients=60 --port-file=port >server.out 2>&1 &
pid=$!
wait_for test -s port
status 0 demo-load $(cat port) >/dev/null
at_rest() { ct-record -q --box -p $pid -o box && [ $(ct-lostwake --json box | grep -c closed-resource) -eq 47 ]; }
wait_for at_rest
kill -ABRT $pid
wait $pid || :
core=$(ls -t core* 2>/dev/null | head -n 1)
[ -n "$core" ] || exit 0
status 0 ct-record --box $core -o trace 2>err
status 1 ct-lostwake --json trace >found
[ $(grep -c '"verdict":"closed-resource","certainty":"suspected"' found) -eq 47 ]
EOT

# 2 GB of holes, and a core with a segment told 2,000 times over: nothing that the disk does not hold is copied or looked through.
if command -v python3 >/dev/null; then
	test_case 'a file of holes whose rings say that they are full, and a core whose segments cover each other: in bounded memory' <<'EOT'
spin CTP_BOX=$PWD,slots=64,threads=4,coroutines=4096 -- 2 50 9
sleep 0.3
kill -9 $pid
wait $spinner || :
cat >make.py <<'END'
import struct, sys
box, out, kind = sys.argv[1:]
data = bytearray(open(box, "rb").read())
put = lambda at, how, *v: struct.pack_into(how, data, at, *v)
RINGS, SLOTS, PAGES = 8192, 4096, 1 << 20
if kind != "cover":     # ring_count, ring_slots, rings_off, slots_off; file_size; rings_used
    put(0x58, "<IIQQ", RINGS, SLOTS, PAGES, 1 << 30)
    put(0x50, "<Q", 1 << 32)
    put(0x200, "<I", RINGS)
parts = [(0, data[:65536]), (65536, data[65536:])]
if kind != "cover":     # head, owner, limit
    parts = [parts[0], (PAGES, struct.pack("<QQQQQQQQ64x", SLOTS, 0, 0, 0, 1 << 32 | 5, 0, SLOTS, 0) * RINGS)]
with open(out, "wb") as f:
    if kind == "file":
        for at, part in parts:
            f.seek(at)
            f.write(part)
        f.truncate(1 << 32)
    else:
        at = 1 << 20
        heads = b""
        for to, part in parts:
            f.seek(at)
            f.write(part)
            heads += struct.pack("<IIQQQQQQ", 1, 6, at, 0x7f0000000000 + to, 0, len(part), len(part), 4096)
            at += len(part)
        if kind == "cover":
            heads += heads[56:] * 2000
        f.seek(0)
        f.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 4, 62, 1, 0, 64, 0, 0, 64, 56, len(heads) // 56, 64, 0, 0) + heads)
END
cat >run.py <<'END'
import os, subprocess, sys
pid = subprocess.Popen(sys.argv[1:]).pid
_, status, used = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss // 1000)
END
for kind in file core; do
	python3 make.py corotrace-box.$pid.* hostile $kind
	read got mb <<END
$(timeout 300 python3 run.py ct-record -q --box hostile -o trace)
END
	[ $got -eq 0 ] && [ -n "$SAN" -o $mb -lt 500 ] || { echo "$kind: status $got, $mb MB" >&2; exit 1; }
	# none of what they say to hold is left out in silence
	has '"ev":"end".*"lost":33554432,' trace
done
python3 make.py corotrace-box.$pid.* hostile cover
status 125 timeout 300 ct-record -q --box hostile -o trace 2>err
has 'hostile: the core is cut' err
EOT
fi

. "${0%/*}/../lib/dump-scenes.sh"

if unshare -m mount -t tmpfs none "$scratch/small" 2>/dev/null; then
	test_case 'reports of a watched program on a disk that is full: said, and its status is passed on' <<'EOT'
mkdir small
cat >run <<'END'
mount -t tmpfs -o size=64k none small || exit 77
ct-record --last=10s --on=exit -o small -- sh -c 'box-dump 0 >/dev/null; exit 3' 2>err
got=$?
ls small >left
exit $got
END
status 3 unshare -m sh run
has 'cannot write the trace: No space left' err
[ ! -s left ]
EOT
else
	skip_case 'reports of a watched program on a disk that is full' 'no right to mount'
fi

done_testing
