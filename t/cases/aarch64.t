#!/bin/sh
# The probe and the recorder on aarch64, by qemu-user: their own tests, run again with programs that are cross-built. What cannot hold
# there since it is qemu's process that the system sees, its name, its memory, its last words, is left out by name.
. "${0%/*}/../lib/lib.sh"

[ -z "$SAN" ] || skip_all 'a sanitizer for another machine is not at hand'
[ -n "${CHECK_ALL:-}" ] || skip_all 'CHECK_ALL=1 was not asked for'
command -v aarch64-linux-gnu-gcc >/dev/null && command -v aarch64-linux-gnu-g++ >/dev/null || skip_all 'no cross compiler for aarch64'
command -v qemu-aarch64 >/dev/null || skip_all 'no qemu-aarch64'
CASE_LIMIT=3500	# a whole test file is a case
export QEMU_LD_PREFIX="${QEMU_LD_PREFIX:-/usr/aarch64-linux-gnu}" ARM="$scratch/aarch64"

chmod 711 "$scratch"	# some cases run what is built as another user

test_case 'all of it is built' <<'EOF'
sh "$SRC/t/lib/aarch64.sh" "$ARM" "$O" all
[ "$(od -An -tu2 -j18 -N2 "$ARM/real/ct-record" | tr -d ' ')" = 183 ]
EOF
cat >>"$scratch/.case-lib" <<'EOF'
# passes FILE PATTERN: its cases pass there, but those whose names PATTERN matches, and some do.
passes() {
	O=$ARM CC=$ARM/cc CASE_LIMIT=900 timeout -k 10 3400 sh "$SRC/t/cases/$1.t" >tap 2>&1 || :
	grep '^1\.\.[1-9]' tap >/dev/null || { tail tap >&2; return 1; }
	awk -v left="$2" '/^ok/ { ok++ } /^not ok/ { bad = left == "" || $0 !~ left; wrong += bad } bad { print > "/dev/stderr" } /^ok/ { bad = 0 }
		END { exit wrong || !ok }' tap
}
EOF
passes() {
	test_case "$1" <<EOF
passes $1 '${2:-}'
EOF
}
test_case 'call stacks are those of the runtime, at each level of optimisation' <<'EOF'
for flags in -O0 -O1 -O2 '-O2 -fno-omit-frame-pointer' -O3 -Os '-O2 -mbranch-protection=standard'; do
	aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -I$SRC/sdk/ctp -I$SRC/sdk/c -I$SRC/t/lib $flags -o unwind $SRC/t/unit/unwind.c -lpthread
	status 0 timeout 100 qemu-aarch64 ./unwind >out 2>err || { echo "$flags"; cat out err; exit 1; } >&2
done
EOF
for file in layout record-load record-kill record-v1 record-hostile; do passes $file; done
# qemu passes neither MADV_WIPEONFORK on, though it says so, nor RLIMIT_AS: a raw clone() is not seen there. It does not survive vfork() beside
# threads, it is the process that has a name, and it handles SIGHUP itself.
passes probe 'threads.c.: (begins|owned)$|asked.c.: children|parts.c.: halved'
passes harvest 'target.c|find.c'
passes boxes 'boxes.c'
# It says so when its program aborts, and its own assertions fail in a new pid namespace. Its real-time signals have other numbers.
passes record 'real-time|first process of a container|every kind of event|the exit status is the program|under nohup|the process is told|what else is ignored'
passes record-hurt 'goes into a core|leaves a core|locks all its memory|address space of'
# A program that becomes itself again is another machine's, and a limit of descriptors is qemu's, too. In a child forked beside another thread's
# open() qemu 7.2 waits for ever for its own lock of paths.
passes record-join 'another pid namespace: its threads|a raw clone|sessions of their own|by exec|come meanwhile|what it becomes|for --last|may have descriptors|while another thread attached'
passes stacks 'a stripped program|a library that came later'
# Rings may run over there, for all is slow; the demo's server is not built. Where a program aborts qemu's own assertions fail, and it
# has no MADV_DONTDUMP.
passes box 'the main scene|what stood still|into the box|the README|every record of the span|without a box: one|children share|the flight recorder|by its name|a core holds|came and went|watchdog aborts|core of its own'
# So many at once are too slow for what they show.
export ZOO_AT_ONCE=2
passes zoo 'events removed'
done_testing
