#!/bin/sh
# compressed.t - compressed traces: every program reads .gz and .zst as what they were; what is cut, corrupt or hostile is
# said and harms nobody; ct-record writes them beside the harvest.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
command -v zstd >/dev/null || skip_all 'no zstd'
! grep -qw libzstd "$O/absent.mk" || skip_all 'built without libzstd'

cat >"$scratch/trace" <<'EOF'
{"ev":"meta","ts":1,"format":"corotrace","version":2}
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":5,"ev":"create","n":1}
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":1000005,"ev":"resume","n":2}
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":2000005,"ev":"suspend","n":3,"on":"fd:5"}
{"ev":"close","ts":2000010,"tid":2,"on":"fd:5"}
{"ev":"end","ts":4000000005,"events":4,"lost":0}
EOF
gzip -c "$scratch/trace" >"$scratch/trace.gz"
zstd -qc "$scratch/trace" >"$scratch/trace.zst"

# Programs and what makes them print something of the trace.
for p in ct-stuck 'ct-lostwake --json' ct-check ct-bt ct-lint ct-sched ct-fold 'ct-where .ts' ct-sym 'ct-tocsv' 'ct-tosql --dialect=sqlite' \
	ct-toperfetto ct-tochrome ct-report ct-html; do
	export p
	test_case "$p: of a compressed trace what it makes of the trace" <<'EOF'
got=0; $p <../trace >want 2>want-err || got=$?
for f in ../trace.gz ../trace.zst; do
	status $got $p <$f >out 2>err
	cmp want out; same want-err err
	cat $f | status $got $p >out 2>err
	cmp want out; same want-err err
done
EOF
done

test_case 'one byte at a time; several members and frames, skippable ones among them; files of different kinds; nothing' <<'EOF'
ct-where .ts ../trace >one
cat one one >two
for f in ../trace.gz ../trace.zst; do
	dd if=$f bs=1 2>/dev/null | status 0 ct-where .ts >out; same one out
	cat $f $f | status 0 ct-where .ts >out; same two out
done
status 0 ct-where .ts ../trace.gz ../trace ../trace.zst >out
cat one two | cmp - out
dd if=../trace bs=1 2>/dev/null | status 0 ct-where .ts >out; same one out
{ printf '\120\052\115\030\003\000\000\000abc'; cat ../trace.zst; } >skippable
status 0 ct-where .ts skippable >out; same one out
{ cat ../trace.gz; head -c 600 /dev/zero; cat ../trace.gz; head -c 70000 /dev/zero; } >zeros
status 0 ct-where .ts zeros >out 2>err; same two out; [ ! -s err ]
: | gzip -c >none.gz; : | zstd -qc >none.zst
for f in none.gz none.zst; do
	status 2 ct-stuck $f 2>err; has "ct-stuck: $f: no events" err
done
EOF

test_case 'ct-sym: the process that looks for names keeps no end of the trace open' <<'EOF'
{
	sed 1q ../trace
	echo '{"ev":"map","ts":1,"pid":9,"start":"0x1000","end":"0x2000","offset":0,"path":"/nonexistent"}'
	echo '{"ev":"stack","stack":1,"frames":["0x0000000000001100"]}'
	sed 1d ../trace | sed '$d'
	seq -f '{"ev":"sync","ts":%.0f}' 3000000 3020000	# more than waits on the way from the thread that unpacks
	sed -n '$p' ../trace
} >long
status 3 ct-sym long >want 2>err
for pack in 'gzip -c' 'zstd -qc'; do
	$pack long >packed
	status 3 timeout 60 ct-sym packed >out 2>err
	cmp want out
	status 3 timeout 60 ct-sym packed packed ../trace.gz ../trace.zst >out 2>err
done
EOF

test_case 'what it holds is judged by its own first bytes' <<'EOF'
gzip -c ../trace.gz >twice
status 2 ct-stuck twice 2>err; has 'twice: compressed by gzip; pipe it through gzip -dc$' err
gzip -c /bin/sh >program.gz
status 2 ct-stuck program.gz 2>err; has 'program.gz: a program, not its trace' err
EOF

test_case 'cut at every third byte: what could be read is read, and never called whole' <<'EOF'
for f in ../trace.gz ../trace.zst; do
	size=$(wc -c <$f) n=5
	while [ $n -lt $size ]; do
		head -c $n $f >cut
		got=0; ct-lostwake cut >out 2>err || got=$?
		case $got in 1|2|3) ;; *) echo "status $got at $n of $f" >&2; exit 1 ;; esac
		has 'cut:[0-9]*: the compressed data is cut off here: what its last block held is missing$' err
		n=$((n + 3))
	done
	head -c $((size - 2)) $f >cut
	status 2 ct-stuck --strict cut 2>err
	status 3 ct-lostwake cut >out 2>err		# a wake may have followed
done
EOF

test_case 'of version 1, which has no end line, a cut file is not called whole either' <<'EOF'
i=0
while [ $i -lt 3000 ]; do
	i=$((i + 2))
	echo '{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":'$i',"is_active":'$([ $((i % 4)) = 0 ] && echo true || echo false)',"ts":'$((i * 7919 % 1000 + i * 1000))'}'
done >v1
for pack in 'gzip -c' 'zstd -qc'; do
	$pack v1 >packed
	status 1 ct-check <v1 >whole || status 0 ct-check <v1 >whole
	head -c $(($(wc -c <packed) - 3)) packed >cut
	status 1 ct-check cut >out 2>err
	has 'the compressed data is cut off here' out
done
EOF

test_case 'a byte changed anywhere: the same as before, or a status that says that it is not, and no crash' <<'EOF'
for f in ../trace.gz ../trace.zst; do
	got=0; ct-stuck <$f >want 2>/dev/null || got=$?
	size=$(wc -c <$f) n=4
	while [ $n -lt $size ]; do
		{ head -c $n $f; printf '\245'; tail -c +$((n + 2)) $f; } >odd
		s=0; ct-stuck <odd >out 2>err || s=$?
		[ $s -le 3 ] || { echo "status $s at $n of $f" >&2; cat err >&2; exit 1; }
		[ $s -eq 2 ] || cmp want out || { echo "at $n of $f" >&2; exit 1; }
		n=$((n + 4))
	done
done
EOF

test_case 'corrupt: the file, the place in it, and what is wrong' <<'EOF'
for f in gz zst; do
	{ cat ../trace.$f; echo 'and so on, and so on'; } >odd.$f
	size=$(wc -c <../trace.$f)
	status 2 ct-stuck odd.$f >out 2>err
	has '^1 of 1 live' out
	has "^ct-stuck: odd\.$f: compressed data, corrupt at byte [0-9]*: " err
	at=$(sed -n 's/.*corrupt at byte \([0-9]*\):.*/\1/p' err)
	[ "$at" -ge "$size" ] && [ "$at" -le $((size + 8)) ] || { cat err >&2; exit 1; }
done
EOF

# A checksum says that a byte is another, not which: it may be the one that accuses.
test_case 'corrupt: all lines can be read, and prove nothing, nor is it green' <<'EOF'
sed 's/"close"/"open"/' ../trace >sound
for trace in ../trace sound; do
	gzip -c $trace >odd.gz
	printf x | dd of=odd.gz bs=1 seek=$(($(wc -c <odd.gz) - 8)) conv=notrunc 2>/dev/null
	{ zstd -qc $trace; echo 'and so on, and so on'; } >odd.zst
	for f in gz zst; do
		for p in 'ct-lostwake --json' 'ct-report --json'; do
			status 2 $p odd.$f >out 2>err
			hasnt '"certainty":"\(proven\|suspected\)"' out
			has '^ct-[a-z]*: odd.*:7: the compressed data is broken here' err
		done
		status 2 ct-lostwake odd.$f >out 2>err
		has '; inconclusive where lines could not be read$' out
	done
done
status 1 ct-lostwake ../trace >out
EOF

test_case 'a frame that asks for 2 GiB is refused, one that asks for 128 MiB is read' <<'EOF'
# Magic, no flags, the window's descriptor; then a raw block, the last: its size above three bits.
frame() {
	size=$(wc -c <../trace)
	printf '\050\265\057\375\000'"$1"
	head=$((size << 3 | 1))
	printf "\\$(printf %o $((head & 255)))\\$(printf %o $((head >> 8 & 255)))\\$(printf %o $((head >> 16)))"
	cat ../trace
}
frame '\210' >large; frame '\250' >hostile
ct-where .ts ../trace >want; status 0 ct-where .ts large >out
same want out
status 2 ct-stuck hostile 2>err
has 'hostile: compressed data, corrupt at byte [0-9]*: it needs more than 128 MiB of memory; pipe it through zstd -dc --long=31' err
EOF

if [ -z "${SAN:-}" ]; then
	test_case 'a gigabyte out of a megabyte: in bounded memory' <<'EOF'
{ cat ../trace; head -c 500000000 /dev/zero; } | zstd -qc >bomb
(ulimit -v 300000; status 3 ct-check bomb >out 2>err || status 1 ct-check bomb >out 2>err)
has 'longer than 16 MiB' out
EOF
fi

if [ -z "${SAN:-}" ]; then
	test_case 'hundreds of compressed files one after another: no thread or its memory is left behind' <<'EOF'
(ulimit -v 500000; status 0 ct-where .ts $(yes ../trace.zst | head -300) >out)
[ $(($(wc -l <out))) = $((300 * $(ct-where .ts ../trace.zst | wc -l))) ]
EOF
fi

test_case 'a reader that gives up does not wait for the end of its input' <<'EOF'
mkfifo in
{ gzip -c /bin/sh; exec sleep 600; } >in & writer=$!
status 2 timeout 60 ct-stuck <in 2>err
has 'a program, not its trace' err
kill $writer
EOF

test_case 'ct-fromgo: a compressed trace of Go; cut, corrupt' <<'EOF'
mkdir seeds; "$O/t/fuzz/gotrace" --seeds seeds
f=$(ls -S seeds/* | head -1)
code=0; ct-fromgo $f >want 2>/dev/null || code=$?
[ -s want ]
gzip -c $f >a.gz; zstd -qc $f >a.zst
for c in a.gz a.zst; do
	status $code ct-fromgo $c >out 2>/dev/null
	cmp want out
	status $code ct-fromgo <$c >out 2>/dev/null
	cmp want out
	head -c $(($(wc -c <$c) - 3)) $c >cut
	fails ct-fromgo cut >out 2>err
	has 'cut: .*the compressed data is cut off' err
	{ head -c 8 $c; echo; tail -c +10 $c; } >odd
	ct-fromgo odd >out 2>err || [ $? -le 3 ]
done
EOF

test_case 'dumps of goroutines and of Java threads; cut, corrupt' <<'EOF'
mkdir seeds; "$O/t/fuzz/gotrace" --seeds seeds
f=$(ls -S seeds/* | head -1)
printf 'goroutine 1 [chan receive, 5 minutes]:\nmain.main()\n\t/src/main.go:7 +0x1d\n\n' >dump
printf '{"threadDump":{"processId":"7","time":"2026-01-01T00:00:00Z","threadContainers":[]}}' >java
code=0; ct-fromgo --goroutines=dump $f >want 2>/dev/null || code=$?
jcode=0; ct-fromjvm java >jwant 2>/dev/null || jcode=$?
[ -s want ]; [ -s jwant ]
for z in 'gzip -c' 'zstd -qc'; do
	$z dump >d.z; $z java >j.z
	status $code ct-fromgo --goroutines=d.z $f >out 2>/dev/null; cmp want out
	status $jcode ct-fromjvm j.z >out 2>/dev/null; cmp jwant out
	status $jcode ct-fromjvm <j.z >out 2>/dev/null; cmp jwant out
	head -c $(($(wc -c <d.z) - 3)) d.z >cut; fails ct-fromgo --goroutines=cut $f >out 2>err
	has 'cut: .*the compressed data is cut off' err
	head -c $(($(wc -c <j.z) - 3)) j.z >cut; status 2 ct-fromjvm cut >out 2>err
	has 'cut: .*the compressed data is cut off' err
done
EOF

# ct-record
test_case 'ct-record -o: the trace compressed by its name, whole for gzip, zstd and us' <<'EOF'
for f in t.jsonl.gz t.jsonl.zst; do
	rm -f count
	status 0 ct_record -o $f rec-load count hop 4 50 5000 2>err
	case $f in *.gz) gzip -dc $f >trace ;; *) zstd -qdc $f >trace ;; esac
	counted
	only_losses $((lost > 0))
	status $((lost > 0)) ct-check $f >out
	[ $(($(wc -c <$f) * 4)) -lt $(wc -c <trace) ]
done
EOF

test_case 'killed, it leaves what it had flushed' <<'EOF'
for f in t.jsonl.gz t.jsonl.zst; do
	ct-record -o $f "$O/t/bench/flood" 200000 2000 2>err & recorder=$!
	many() { ct-where '.ev == "resume"' $f | awk 'END { exit NR < 100 }'; }
	wait_for many
	cp $f before
	target=$(ps -o pid= --ppid $recorder)
	kill -KILL $recorder $target; wait $recorder || :
	status 0 ct-where .tid $f >after 2>err
	has 'cut off' err
	ct-where .tid before >early 2>/dev/null
	head -c $(($(wc -c <early) - 1000)) early | cmp -n $(($(wc -c <early) - 1000)) - after
done
EOF

test_case 'it says when the compression cannot keep up, and not when it can' <<'EOF'
status 0 ct_record --buffer=4M --on-full=block -o t.jsonl.gz "$O/t/bench/flood" 600000 2>err
has 'ct-record: the compression could not keep up: for [0-9.]* s the events had to wait for it' err
status 0 ct-check t.jsonl.gz >out
status 0 ct_record -o t.jsonl.zst "$O/t/bench/flood" 1000 2>err
hasnt 'keep up' err
EOF

test_case 'a full disk is said' <<'EOF'
ln -s /dev/full full.zst
status 125 ct_record -o full.zst "$O/t/bench/flood" 1000 2>err
has 'cannot write the trace: No space left on device' err
EOF
done_testing
