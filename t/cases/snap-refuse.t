#!/bin/sh
# ct-snap refuses what it cannot read, each with status 3 and a sentence that says what is in the way; and nothing of what it
# refused runs otherwise than before.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/snap.sh"
: "${CXX:=c++}"
export CXX
has_coroutines "$CXX" || skip_all 'no compiler with coroutines'
$CXX -std=c++20 -O1 -g -o "$scratch/frames" "$SRC/t/targets/snap-cc.cc" || fail_all 'snap-cc.cc builds'

test_case 'seccomp denies to stop threads, or to read memory: refused, also without stopping' <<'CASE'
start ../frames 20
export ASAN_OPTIONS=detect_leaks=0	# a sanitizer looks for leaks by ptrace
deny=$O/t/targets/snap-deny
got=0; $deny ptrace true || got=$?
[ $got -ne 77 ] || exit 0		# no filters here
status 3 $deny ptrace ct-snap -p $pid >out 2>err; has 'not permitted: .*seccomp' err; [ ! -s out ]
status 3 $deny process_vm_readv ct-snap -p $pid >out 2>err; has 'process_vm_readv is denied' err; [ ! -s out ]
status 3 $deny process_vm_readv ct-snap --nonstop -p $pid >out 2>err; has 'process_vm_readv is denied' err; [ ! -s out ]
hasnt '^State:.*[tT] (' /proc/$pid/status
status 0 $deny ptrace ct-snap --nonstop --quiet -p $pid >trace
CASE

mkdir "$scratch/mount"
if unshare -m mount -t tmpfs none "$scratch/mount" 2>/dev/null; then
	test_case 'Yama forbids: says which sysctl, and its value' <<'CASE'
start ../frames 20
export ASAN_OPTIONS=detect_leaks=0
got=0
unshare -m sh -c 'mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama && echo 1 >/proc/sys/kernel/yama/ptrace_scope &&
	exec "$@"' sh "$O/t/targets/snap-deny" ptrace ct-snap -p $pid >out 2>err || got=$?
grep -q '^ct-snap: ' err || exit 0	# that may not be mounted over
[ $got -eq 3 ]
has 'kernel.yama.ptrace_scope is 1; run as root or with CAP_SYS_PTRACE,' err
has '^or: sysctl kernel.yama.ptrace_scope=0' err
[ ! -s out ]
CASE
	test_case 'a program in a namespace of mounts that is not ours is read by its own root' <<'CASE'
mkdir private
start unshare -m sh -c 'mount -t tmpfs none private && cp ../frames private/ && exec private/frames 5'
[ ! -e private/frames ]
status 0 ct-snap -p $pid >trace 2>err
stop
sed '$d' own | sort >expected
frames trace | sort >actual
cut -d' ' -f1 expected >e; cut -d' ' -f1 actual >a
same e a
CASE
else
	skip_case 'Yama and namespaces of mounts' 'not permitted to make one'
fi

test_case 'a small stack is made larger for what reads debug information; where that is not permitted, it is said' <<'CASE'
[ -z "$SAN" ] || exit 0		# whose frames are larger
start ../frames 20
(ulimit -S -s 64; status 0 ct-snap -p $pid >out 2>err); [ -s out ]
(ulimit -S -s 64; status 0 ct-record --stacks -q -o trace -- $O/t/zoo/cc-lost-waker 2>err)
ct-sym trace >expected 2>err || [ $? -eq 3 ]
(ulimit -S -s 64; ct-sym trace >actual 2>err) || [ $? -eq 3 ]; cmp expected actual
without='setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource'
$without true 2>/dev/null || exit 0
(ulimit -s 64; status 3 $without ct-snap -p $pid >out 2>err); has 'takes 256 KB of stack to read: raise its limit' err; [ ! -s out ]
(ulimit -s 64; status 2 $without ct-sym trace >out 2>err); has 'takes 256 KB of stack to read: raise its limit' err
CASE

test_case 'a 32-bit process, and its core' <<'CASE'
cat >s32.c <<'C'
void _start(void) { for (;;) __asm__ volatile("int $0x80" : : "a"(29)); }
C
${CC:-cc} -m32 -nostdlib -static -fno-pic -no-pie -o s32 s32.c 2>log || exit 0
./s32 & pid=$!
sleep 0.1
kill -0 $pid 2>/dev/null || exit 0	# a kernel without them
status 3 ct-snap -p $pid >out 2>err
has 'a 32-bit process: only 64-bit ones can be read' err
[ ! -s out ]
stop
printf '\177ELF\1\1\1' >core32
head -c 9 /dev/zero >>core32
printf '\4\0\3\0' >>core32
head -c 200 /dev/zero >>core32
status 3 ct-snap core32 ./s32 >out 2>err
has 'the core of another machine: only x86-64 can be read' err
CASE

test_case 'a core that holds no memory, or names no files' <<'CASE'
head64() { printf '\177ELF\2\1\1'; head -c 9 /dev/zero; printf '\4\0\76\0\1\0\0\0'; head -c 8 /dev/zero
	printf '\100\0\0\0\0\0\0\0'; head -c 8 /dev/zero; printf '\0\0\0\0\100\0\70\0'"$1"'\0'; head -c 6 /dev/zero; }
head64 '\0' >nothing
status 3 ct-snap nothing >out 2>err; has 'the core holds no memory' err
head64 '\1' >nameless
printf '\1\0\0\0\6\0\0\0\0\0\0\0\0\0\0\0\0\0\100\0\0\0\0\0' >>nameless	# a segment: its first 64 bytes, at 4 MB
printf '\0\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0\0\20\0\0\0\0\0\0' >>nameless
status 3 ct-snap nameless >out 2>err; has 'names no files' err
printf '\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\177\377\377\377\377\377\377\377\177\0\20\0\0\0\0\0\0' |
	cat nameless - | head -c 152 >/dev/null
head64 '\377\377' >many
status 3 ct-snap many >out 2>err
CASE

test_case 'a core whose segments lie in one another: a small file does not become any number of threads, or any size of memory' <<'CASE'
shared() {	# HEADERS TYPE, all of the same four pages of notes; and one page of memory
	perl -e 'my ($n, $type) = @ARGV; my $at = 64 + 56 * ($n + 2); my $size = 16384;
		my $files = pack "Q<5Z*x2", 1, 4096, 0x400000, 0x401000, 0, "/bin/true";
		my $notes = pack("V3Z8a*", 5, length $files, 0x46494c45, "CORE", $files) .
			pack("V3Z8x336", 5, 336, 1, "CORE") x 40;
		print pack("a16v2VQ<3Vv6", "\177ELF\2\1\1", 4, 62, 1, 0, 64, 0, 0, 64, 56, $n + 2, 0, 0, 0),
			pack("V2Q<6", 4, 4, $at, 0, 0, $size, 0, 4),
			(map { pack "V2Q<6", $type, 6, $at, 65536 * $_, 0, $size, $size, 4096 } 1 .. $n),
			pack("V2Q<6", 1, 6, $at + $size, 1 << 40, 0, 4096, 4096, 4096), $notes . "\0" x ($size + 4096 - length $notes)' "$@"
}
for type in 1 4; do
	shared 0 $type >alone
	ct-snap alone /bin/true >out 2>err || :
	hasnt 'damaged' err
	shared 60000 $type >many
	([ -n "$SAN" ] || ulimit -v 400000; status 3 ct-snap many /bin/true >out 2>err)
	has 'many: the core is damaged: its segments lie in one another$' err
done
CASE

test_case 'a small core of many threads and of words that look like the data of more, or of files with any number of notes: looked through in a moment' <<'CASE'
cat >wide.pl <<'PL'
my ($kind, $n) = @ARGV;
my $base = 0x10000000;
sub note { my ($type, $desc) = @_; pack "V3Z8a*", 5, length $desc, $type, "CORE", $desc }
sub files { note(0x46494c45, pack("Q<2", scalar @_, 4096) . join("", map { pack "Q<3", $_, $_ + 4096, 0 } @_) . "/bin/true\0" x @_ . "\0" x (-10 * @_ % 4)) }
my ($notes, @segments);
if ($kind eq "threads") {	# each word at its own address, and there once more
	$notes = files(0x400000) . note(1, "\0" x 336) x $n;
	@segments = [$base, pack "Q<*", map { my $at = $base + $_ * 32; ($at, $at + 8, $at, $at + 8) } 0 .. 16 * $n - 1];
} else {
	my ($headers, $empty) = (0x20000000, 0x30000000);
	$notes = files(map { $base + $_ * 8192 } 0 .. $n - 1) . note(1, "\0" x 336);
	@segments = ([$base, join "", map { pack "a16v2VQ<3Vv6x8128", "\177ELF\2\1\1", 3, 62, 1, 0, $headers - $base - $_ * 8192,
			0, 0, 64, 56, 65535, 0, 0, 0 } 0 .. $n - 1],
		[$headers, pack("V2Q<6", 4, 4, $empty - $base, 0, 0, 65532, 65532, 4) x 65535], [$empty, "\0" x (65536 + 8192 * $n)]);
}
my $at = 4096;
my ($heads, $all) = ("", "");
for ([0, $notes], @segments) {
	my ($start, $bytes) = @$_;
	$heads .= pack "V2Q<6", $start ? 1 : 4, 6, $at + length $all, $start, 0, (length $bytes) x 2, 4096;
	$all .= $bytes . "\0" x (-(length $bytes) % 4096);
}
my $head = pack("a16v2VQ<3Vv6", "\177ELF\2\1\1", 4, 62, 1, 0, 64, 0, 0, 64, 56, @segments + 1, 0, 0, 0) . $heads;
print $head, "\0" x (4096 - length $head), $all;
PL
for kind in 'threads 16000' 'notes 32'; do
	perl wide.pl $kind >core
	([ -n "$SAN" ] || ulimit -t 20; status 3 ct-snap --quiet core /bin/true >out 2>err)
	has 'no C++20 frames' err
done
CASE

case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in
core)
	test_case 'a core without what the process wrote (coredump_filter)' <<'CASE'
ulimit -c unlimited || exit 0
sh -c 'echo 0 >/proc/self/coredump_filter; exec sleep 100' & pid=$!
until grep -q sleep /proc/$pid/comm; do sleep 0.02; done
kill -ABRT $pid
wait $pid || :
pid=
status 3 ct-snap core* "$(command -v sleep)" >out 2>err
has 'the core does not hold what the process wrote, not even its stacks' err
CASE
	;;
*) skip_case 'a core without what the process wrote (coredump_filter)' 'cores go elsewhere here' ;;
esac

test_case 'a path in a core that a terminal would obey is printed as text; of a library that is not here it is said' <<'CASE'
named() {	# PATH...: a core that names these files with code
	perl -e 'my $files = pack("Q<2", scalar @ARGV, 4096) . join("", map { pack "Q<3", $_ << 24, ($_ << 24) + 4096, 0 } 1 .. @ARGV) .
			join("", map { "$_\0" } @ARGV);
		$files .= "\0" x (-length($files) % 4);
		my $note = pack("V3Z8a*", 5, length $files, 0x46494c45, "CORE", $files);
		my $at = 64 + 56 * 2;
		print pack("a16v2VQ<3Vv6", "\177ELF\2\1\1", 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0),
			pack("V2Q<6", 4, 4, $at, 0, 0, length $note, 0, 4),
			pack("V2Q<6", 1, 6, 4096, 1 << 40, 0, 4096, 4096, 4096), $note, "\0" x (8192 - $at - length $note)' "$@"
}
named "/no$(printf '\033')[31mwhere" >core
status 2 ct-snap core >out 2>err; has 'its executable /no' err; hasnt "$(printf '\033')" err
named /bin/true /lib/is-not-here.so >core
status 3 ct-snap core /bin/true >out 2>err; has '/lib/is-not-here.so, nothing is known' err
CASE

if [ -z "$SAN" ]; then
	test_case 'a core that is cut while it is read' <<'CASE'
cat >cut.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t from)
{
	void *p = (void *)syscall(SYS_mmap, at, size, prot, flags, fd, from);
	struct stat st, its;

	if (!stat(getenv("CUT"), &its) && !fstat(fd, &st) && st.st_ino == its.st_ino && truncate(getenv("CUT"), 0))
		abort();
	return p;
}
void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t from) { return mmap(at, size, prot, flags, fd, from); }
C
${CC:-cc} -shared -fPIC -D_GNU_SOURCE -o cut.so cut.c
LD_PRELOAD=$PWD/cut.so ct-snap --version >/dev/null 2>&1 || exit 0
head -c 100000 /dev/zero >zeros
{ head -c 64 "$O/ct-snap" | perl -0777 -pe 'substr($_, 16, 2) = "\4\0"'; cat zeros; } >core
status 3 env CUT=core LD_PRELOAD=$PWD/cut.so ct-snap core ./x >out 2>err
has '^ct-snap: a file was cut while it was read$' err
CASE
fi

if command -v gcore >/dev/null && command -v python3 >/dev/null; then
	cat >>"$scratch/.case-lib" <<'LIB'
core_of_whole() {	# FILE: of a program `whole`
	cp ../frames whole
	start ./whole 5
	gcore -o core $pid >log 2>&1 || { cat log >&2; false; }
	mv core.$pid $1
	stop
}
LIB
	test_case 'a core whose process and threads have negative numbers: they are not known, and the trace is whole' <<'CASE'
core_of_whole good
cat >negative.py <<'PY'
import struct
b = bytearray(open('good', 'rb').read())
ph, count = struct.unpack_from('<Q', b, 32)[0], struct.unpack_from('<H', b, 56)[0]
done = set()
for i in range(count):
    kind, _, at, _, _, size = struct.unpack_from('<IIQQQQ', b, ph + 56 * i)
    end = at + size
    while kind == 4 and at + 12 <= end:
        name, desc, what = struct.unpack_from('<III', b, at)
        at += 12 + (name + 3 & ~3)
        if what in (1, 3):
            struct.pack_into('<i', b, at + {1: 32, 3: 24}[what], -5)
            done.add(what)
        at += desc + 3 & ~3
assert len(done) == 2
open('bad', 'wb').write(b)
PY
python3 negative.py
status 0 ct-snap --quiet bad ./whole >trace
status 0 ct-check --strict trace >check
CASE
	test_case 'damaged cores and debug information: a snapshot or a sentence, never a crash, never for ever' <<'CASE'
core_of_whole good
cat >damage.py <<'PY'
import random, sys
rng = random.Random(int(sys.argv[1]))
data = bytearray(open(sys.argv[2], 'rb').read())
for _ in range(rng.choice([1, 4, 30, 300])):
    at = rng.randrange(min(len(data), 20000) if rng.random() < .3 else len(data))
    kind = rng.random()
    if kind < .4:
        data[at] = rng.randrange(256)
    elif kind < .7:
        data[at:at + 8] = rng.choice([0, 1, 2**31 - 1, 2**32, 2**63, 2**64 - 1]).to_bytes(8, 'little')[:len(data) - at]
    else:
        other = rng.randrange(len(data))
        data[at:at + 8] = data[other:other + 8]
open(sys.argv[3], 'wb').write(data[:rng.randrange(len(data))] if rng.random() < .05 else data)
PY
for seed in $(seq ${SEEDS:-15}); do
	for what in core exe; do
		core=good exe=whole
		case $what in core) core=bad in=good;; exe) exe=bad in=whole;; esac
		python3 damage.py $seed $in bad
		got=0; timeout 60 ct-snap --quiet $core ./$exe >out 2>err || got=$?
		case $got in 0|2|3) ;; *) echo "seed $seed, $what: $got" >&2; cat err >&2; false;; esac
		[ $got -eq 0 ] || [ -s err ]
	done
done
CASE
	# A minute where each page of them is made and read.
	test_case 'a core with 32 GB of address space that was never written: what is in it costs, not what is not' <<'CASE'
core_of_whole core
cat >widen.py <<'PY'
import os, struct
data, size = bytearray(open('core', 'rb').read()), 32 << 30
header = struct.unpack_from('<Q', data, 32)[0] + 56 * (struct.unpack_from('<H', data, 56)[0] - 1)
at = (len(data) + 4095) & ~4095
struct.pack_into('<IIQQQQQQ', data, header, 1, 6, at, 1 << 44, 0, size, size, 4096)	# PT_LOAD, read and written
open('wide', 'wb').write(data)
os.truncate('wide', at + size)
PY
status 0 ct-snap core >trace 2>err; frames trace >expected; [ -s expected ]
python3 widen.py 2>log || exit 0	# no files of that size here
[ $(du -m wide | cut -f1) -lt 1000 ] || exit 0
[ -n "$SAN" ] || ulimit -t 30
status 0 ct-snap wide >trace 2>err; frames trace >actual
same expected actual
CASE
else
	skip_case 'damaged cores and debug information' 'no gcore, or no python3'
	skip_case 'a core with 32 GB of address space' 'no gcore, or no python3'
fi

# The compiler's own words for it are edited: each member of a structure is that structure.
test_case 'debug information of a structure that has itself in it, 120 times: looked through for a moment, not for ever' <<'CASE'
{ printf 'struct wide { '; for i in $(seq 120); do printf 'struct leaf m%d; ' $i; done; echo '};'; } >wide.inc
cat >wide.cc <<'CC'
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
struct leaf { int x; };
#include "wide.inc"
struct task {
	struct promise_type {
		wide also;
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};
static std::coroutine_handle<> kept;
struct awaiter {
	wide in;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { kept = h; }
	void await_resume() {}
};
static task once() { co_await awaiter{}; }
int main() { once(); printf("ready\n"); fflush(stdout); for (;;) pause(); }
CC
$CXX -std=c++20 -O0 -g -dA -S -o wide.s wide.cc 2>log || exit 0	# clang has no -dA
perl -pe '$parent = $1 if /DIE \((0x[0-9a-f]+)\) DW_TAG_structure_type/; $member = /DW_TAG_member\)/ if /\(DIE /;
	$wide = /"m[0-9]+\\?0?"/ if /DW_AT_name/; s/\.long\s+\S+/.long $parent/ if $member && $wide && /DW_AT_type/' wide.s >edited.s
if cmp -s wide.s edited.s || ! $CXX -o edited edited.s; then exit 0; fi
[ $(diff wide.s edited.s | grep -c '^>') -ge 100 ]
start ./edited
[ -n "$SAN" ] || ulimit -t 20
status 0 ct-snap -p $pid >trace 2>err; [ $(grep -c '"ev":"state"' trace) -eq 1 ]
CASE

test_case 'debug information of a type that is itself, of an array of such, and of 300,000 variants in one another: an end is come to' <<'CASE'
cat >odd.s <<'S'
	.section .debug_abbrev
	.byte 1, 0x11, 1, 0, 0			# unit
	.byte 2, 0x16, 0, 0x49, 0x13, 0, 0	# typedef
	.byte 3, 0x13, 1, 0, 0			# structure
	.byte 4, 0x19, 1, 0, 0			# variant
	.byte 5, 0x01, 1, 0x49, 0x13, 0, 0	# array
	.byte 6, 0x21, 0, 0x49, 0x13, 0, 0	# its bounds
	.byte 0
	.section .debug_info
unit:	.long end - 1f
1:	.short 4
	.long 0
	.byte 8, 1
self:	.byte 2
	.long self - unit
	.byte 5
	.long self - unit
	.byte 6
	.long self - unit
	.byte 0
	.byte 5
	.long int - unit
	.byte 6
	.long self - unit
	.byte 0
int:	.byte 3, 0
	.byte 3
	.fill 300000, 1, 4
	.fill 300002, 1, 0
end:
S
cat >odd.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include "snap/die.h"
static bool none(Dwarf_Die *of, int depth) { return false; }
int main(void)
{
	Dwarf *d = dwarf_begin(open("odd.o", O_RDONLY), DWARF_C_READ);
	Dwarf_Die unit, c, of;
	size_t header;
	Dwarf_Off next;

	if (!d || dwarf_nextcu(d, 0, &next, &header, NULL, NULL, NULL) || !dwarf_offdie(d, header, &unit) ||
		dwarf_child(&unit, &c))
		return 1;
	do
		printf("%x %d %d %d\n", dwarf_tag(&c), die_type(&c, &of), (int)die_size(&c), die_any_part(&c, true, none, 0));
	while (!dwarf_siblingof(&c, &c));
	return 0;
}
C
${CC:-cc} -c odd.s
${CC:-cc} ${SAN:+-fsanitize=address,undefined} -w -I"$SRC/sdk" -I"$SRC/sdk/trace" -o odd odd.c "$O/snap.a" "$O/parts.a" -ldw -lelf -liberty
[ -n "$SAN" ] || ulimit -t 20
status 0 env ASAN_OPTIONS=detect_leaks=0 ./odd >out
printf '%s\n' '16 0 0 0' '1 0 0 0' '1 1 0 0' '13 0 0 0' '13 0 0 0' >expected
same expected out
CASE

test_case 'its executable was replaced while it runs: the very file is read, not what has its name now' <<'CASE'
cp ../frames mine
start ./mine 5
rm mine
printf 'int main() {}' >x.c; ${CC:-cc} -o mine x.c
status 0 ct-snap -p $pid >trace 2>err
stop
sed '$d' own | cut -d' ' -f1 | sort >expected
frames trace | cut -d' ' -f1 | sort >actual
same expected actual
CASE

test_case 'a FIFO where a file is looked for - its own, its debug information, a core: not waited for' <<'CASE'
cp ../frames split
objcopy --only-keep-debug split split.debug
objcopy --strip-all --add-gnu-debuglink=split.debug split
rm split.debug
mkdir .debug
mkfifo split.debug .debug/split.debug core.fifo
start ./split 5
status 3 timeout -s KILL 60 ct-snap -p $pid >out 2>err
has 'no C++20 frames' err
rm split; mkfifo split
status 3 timeout -s KILL 60 ct-snap -p $pid >out 2>err
stop
status 2 timeout -s KILL 60 ct-snap core.fifo ../frames >out 2>err
has 'core.fifo: is no core file$' err
for fifo in split.debug .debug/split.debug split core.fifo; do
	[ -p $fifo ]
done
CASE

# 100 MB of them would be no harm; but what is as large as a disk holds becomes a thousand times that.
test_case 'compressed sections that become out of all proportion: the file that has them is left out, be it the program or what was split off' <<'CASE'
head -c 100000000 /dev/zero >zeros
objcopy --add-section .debug_zeros=zeros ../frames plain
objcopy --compress-debug-sections=zlib plain bomb
objcopy --compress-debug-sections=zlib ../frames sound
cp ../frames split
objcopy --only-keep-debug bomb split.debug
objcopy --strip-all --add-gnu-debuglink=split.debug split
for p in bomb split; do
	start ./$p 5
	status 3 ct-snap -p $pid >out 2>err
	has '^ct-snap: a file is left out: its compressed sections become more than 64 times its size$' err
	has 'no C++20 frames' err
	stop
done
start ./sound 5
status 0 ct-snap -p $pid >trace 2>err; hasnt 'left out' err
CASE
done_testing
