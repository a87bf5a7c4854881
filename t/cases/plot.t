#!/bin/sh
# ct-plot: the numbers in the program are those of the trace, names are text, and gnuplot draws every kind of every trace.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
kinds='states throughput waits delay heatmap queues'
export kinds
cat >>"$scratch/.case-lib" <<'EOF'
# The data block of a program.
data() { sed -n '/^\$data <</,/^END_OF_DATA/p' "${1:-gp}" | sed '1d;$d'; }
# Coroutine 7 runs 100..200us on w11, waits at f2 up to 400, is runnable up to 500, runs on w12 up to 512; 8 never runs.
small() {
	begin; create 7 0; resume 7 100 11; suspend 7 200 11 fd:5 2; wake 7 400 12 fd:5; resume 7 500 12
	line level 300 '"tid":11,"on":"chan:0x7f","value":3'; create 8 506; suspend 7 508 12 fd:6 3; end 512
}
# What the interval says that holds each of these times.
at() { for t; do awk -v t=$t 'NR % 2 { from = $1 } NR % 2 == 0 && from <= t && t < $1 { $1 = t; print; exit }' rows; done; }
has_gnuplot() { command -v gnuplot >/dev/null; }
EOF

test_case 'states: means of each interval, of all that live' <<'EOF'
small; status 0 ct-plot states trace >gp; data >rows
# running, runnable, never run, suspended
at 50 150 300 450 503 510 >got
cat >want <<'OUT'
50 0 0 1 0
150 1 0 0 0
300 0 0 0 1
450 0 1 0 0
503 1 0 0 0
510 0 0 1 1
OUT
same want got
EOF

test_case 'throughput: counts a second; the whole is what is in the trace' <<'EOF'
small; status 0 ct-plot throughput trace >gp; data >rows
# Every other row begins an interval of 1 us: its rate times its length are its events.
awk 'NR % 2 { b = $1; r = $2; w = $3; c = $4 } NR % 2 == 0 { s = ($1 - b) / 1e6; R += r * s; W += w * s; C += c * s }
	END { printf "%.3f %.3f %.3f\n", R, W, C }' rows >got
echo '2.000 1.000 2.000' >want; same want got
EOF

test_case 'waits: by place, up to the wake; who still waits is apart' <<'EOF'
small; status 0 ct-plot waits trace >gp
has "^array label\\[2\\] = \\['f3() f.c:30'.' (0 + 1)', 'f2() f.c:20'.' (1)'\\]$" gp
data >rows
cat >want <<'OUT'
1 NaN NaN NaN NaN NaN NaN 4.001e-06
2 0.000198657 0.000198657 0.000198657 0.000198657 0.000198657 0.000200001 NaN
OUT
same want rows
EOF

test_case 'delay: from the wake to the resume, at the resume' <<'EOF'
small; status 0 ct-plot delay trace >gp; data >rows
awk '$2 != "NaN" { print int($1 + 0.5), $2, $5 }' rows >got
printf '500 9.9329e-05 0.000100001\n501 9.9329e-05 0.000100001\n' >want; same want got	# within a class of the histogram
has "'50 % (all: 99.3us)'" gp
EOF

test_case 'heatmap: how busy each thread was' <<'EOF'
small; status 0 ct-plot heatmap trace >gp; data >rows
has "^array label\\[2\\] = \\['w11'.' (11)', 'w12'.' (12)'\\]$" gp
awk '{ n = 0; for (i = 1; i <= NF; i++) n += $i; printf "%.0f\n", n / 100 * 1.024 }' rows >got
printf '100\n8\n' >want; same want got
EOF

test_case 'queues: what is runnable, and what is told' <<'EOF'
small; status 0 ct-plot queues trace >gp; data >rows
at 250 450 510 >got
printf '250 0 NaN\n450 1 3\n510 0 3\n' >want; same want got
EOF

test_case '--from and --to: only what lies between, as finely as it can be' <<'EOF'
small; status 0 ct-plot states --from=+100us --to=+200us trace >gp; data >rows
awk '$2 != 1 || $5 != 0 { print; bad = 1 } END { exit bad }' rows
status 0 ct-plot waits --to=+300us trace >gp; has "'f2() f.c:20'.' (0 + 1)'" gp
status 2 ct-plot waits --from=+2s --to=+1s trace 2>err >gp; has '^ct-plot: --to: ' err
EOF

test_case 'time outgrows the intervals: they double, and nothing is lost' <<'EOF'
begin; create 7 0; resume 7 1 11
i=0; while [ $i -lt 40 ]; do i=$((i + 1)); suspend 7 $((2000 * i)) 11 fd:5; resume 7 $((2000 * i + 1000)) 11; done
end 100000
ct-plot throughput trace >gp; data >rows
awk 'NR % 2 { b = $1; r = $2 } NR % 2 == 0 { R += r * ($1 - b) / 1000 } END { printf "%.3f\n", R }' rows >got
echo 41.000 >want; same want got
ct-plot heatmap trace >gp; data >rows
# One thread alone is drawn two by two.
awk '{ exit !(NF > 512 && NF <= 1024) }' rows
awk 'NR == 1 { for (i = 1; i <= NF; i++) n += $i; printf "%.0f\n", n / NF }' rows >got
echo 60 >want; same want got
EOF

test_case 'the title says what is missing' <<'EOF'
small; sed '$d' trace | ct-plot states 2>err >gp; has "^note = '<stdin>'\\.': 2 coroutines, 7 events in 508us'$" gp
has "^missing = 'cut off at 508us; '$" gp
{ sed '$d' trace; echo '{"ev":"lost","ts":1000000510000,"tid":11,"count":9,"from":1000000300000,"to":1000000400000}'; tail -1 trace; } |
	ct-plot states >gp; has "^missing = '9 events lost (grey); " gp; has '^set object rectangle from first 299.*to first 400' gp
ct-where '.probe_id == 7' trace 2>err | ct-plot states >gp; has 'a filter left lines out; ' gp
EOF

test_case 'names of quotes are those quotes' <<'EOF'
begin
cat >>trace <<'OUT'
{"ev":"site","site":2,"func":"'quoted","file":"a''b'.c","line":1}
{"ev":"site","site":3,"func":"''","file":"'","line":1}
{"ev":"thread","ts":1000000000000,"tid":11,"pid":1,"name":"'","role":"worker"}
{"ev":"level","ts":1000000000000,"tid":11,"on":"user:''x'","value":3}
OUT
waiting 7 1000 fd:5 2; wake 7 2000 11; resume 7 3000 11; waiting 8 1000 fd:5 3; wake 8 2000 11; resume 8 3000 11; end 4000
cp trace "'q''"
for k in $kinds; do
	status 0 ct-plot $k "'q''" >gp
	has_gnuplot || continue
	status 0 gnuplot -d gp >svg 2>err
	same /dev/null err
	has "'q'': " svg
done
ct-plot waits trace >gp; ! has_gnuplot || { gnuplot -d gp >svg; has "'quoted() a''b'.c:1" svg; has "'' ':1" svg; }
EOF
test_case 'names are text and never a command' <<'EOF'
begin
cat >>trace <<'OUT'
{"ev":"site","site":2,"func":"`touch p1`'.system('touch p2').'\" @x\\","file":"%s%n{/S a}_b\n!touch p3\nEND_OF_DATA\n!touch p4","line":1}
{"ev":"thread","ts":1000000000000,"tid":11,"pid":1,"name":"`touch p1`'.system('touch p2').'\"@x%n\\\nEND_OF_DATA\n!touch p3","role":"worker"}
{"ev":"level","ts":1000000000000,"tid":11,"on":"user:`touch p1`'.system('touch p2').'\"@x\\\nEND_OF_DATA\n!touch p3","value":3}
OUT
waiting 7 1000 fd:5 2; wake 7 2000 11; resume 7 3000 11; end 4000
cp trace "\`touch p5\`'.system('touch p6').'"
for k in $kinds; do
	status 0 ct-plot $k trace >gp
	[ "$(grep -c '^END_OF_DATA$' gp)" -eq 1 ]; hasnt '^!' gp
	has_gnuplot || continue
	status 0 gnuplot -d gp >svg 2>err
	has '</svg>' svg; hasnt '<script' svg
	status 0 ct-plot $k -o out.svg "\`touch p5\`'.system('touch p6').'"
done
ls >files; hasnt '^p[0-9]' files
EOF

test_case 'what is no text of XML leaves a picture that can be read' <<'EOF'
begin
printf '{"ev":"site","site":2,"func":"]]>]]]>","file":"\357\277\276\357\277\277","line":1}\n' >>trace
cat >>trace <<'OUT'
{"ev":"thread","ts":1000000000000,"tid":11,"pid":1,"name":"]]>\uffff","role":"worker"}
{"ev":"level","ts":1000000000000,"tid":11,"on":"user:]]>\ufffe","value":3}
OUT
waiting 7 1000 fd:5 2; wake 7 2000 11; resume 7 3000 11; end 4000
cp trace 'a]]>'
for k in $kinds; do
	status 0 ct-plot $k 'a]]>' >gp
	hasnt ']]>' gp; hasnt "$(printf '\357\277\276')" gp; hasnt "$(printf '\357\277\277')" gp
	has '.x5d.x5d.x3e' gp
	has_gnuplot && command -v python3 >/dev/null || continue
	status 0 gnuplot -d gp >svg 2>err
	same /dev/null err
	python3 -c 'import xml.etree.ElementTree as x; x.parse("svg")'
done
EOF

test_case 'usage, help, version, empty input, full disk' <<'EOF'
status 2 ct-plot 2>err </dev/null; has '^ct-plot: which KIND' err
status 2 ct-plot pie 2>err </dev/null; has '^ct-plot: pie: no kind of plot; there are states' err
status 2 ct-plot states -o x.gif 2>err </dev/null; has '^ct-plot: x.gif: its name does not end in .svg, .png or .pdf' err
status 2 ct-plot states --term=vt52 2>err </dev/null
status 0 ct-plot --help >out; has 'example:' out
status 2 ct-plot states </dev/null >out 2>err; has '^ct-plot: <stdin>: no events' err; same /dev/null out
small; status 2 ct-plot states trace >/dev/full 2>err
status 2 ct-plot states --run=2 trace 2>err >out; has '^ct-plot: --run: ' err
cat trace trace >two; status 0 ct-plot states --run=2 two 2>err >gp; has '2 runs; this is run 2' err
EOF

test_case 'gnuplot not there, or failing: said, status 2, and no file is left' <<'EOF'
small; mkdir bin none
status 2 env PATH="$PWD/none" "$O/ct-plot" states -o x.svg trace 2>err; has '^ct-plot: gnuplot: not found' err; [ ! -e x.svg ]
printf '#!/bin/sh\necho half\nexit 3\n' >bin/gnuplot; chmod +x bin/gnuplot
status 2 env PATH="$PWD/bin:$PATH" "$O/ct-plot" states -o x.svg trace 2>err; has '^ct-plot: gnuplot: failed' err; [ ! -e x.svg ]
printf '#!/bin/sh\nkill -9 $$\n' >bin/gnuplot
status 2 env PATH="$PWD/bin:$PATH" "$O/ct-plot" states -o x.svg trace 2>err; has '^ct-plot: gnuplot: was killed' err
status 2 ct-plot states -o none/no/x.svg trace 2>err; has '^ct-plot: none/no/x.svg: No such file' err
printf '#!/bin/sh\ncat >/dev/null\nhead -c 1000000 /dev/zero\n' >bin/gnuplot
ln -s /dev/full full.svg
status 2 env PATH="$PWD/bin:$PATH" "$O/ct-plot" states -o full.svg trace 2>err; has '^ct-plot: full.svg: No space' err
[ -L full.svg ]
status 2 env PATH="$PWD/bin:$PATH" "$O/ct-plot" states --term=ansi trace 2>err >/dev/full
printf '#!/bin/sh\ncat >/dev/null\necho less than a buffer\n' >bin/gnuplot
status 2 env PATH="$PWD/bin:$PATH" "$O/ct-plot" states --term=ansi trace 2>err >/dev/full
has '^ct-plot: <stdout>: No space' err
EOF

test_case 'memory does not grow with the trace' <<'EOF'
[ -z "$SAN" ] || exit 0
ulimit -v 40000
for k in $kinds; do "$O/t/bench/gen" 200000 100 | status 0 ct-plot $k 2>err >out; done
EOF

if command -v gnuplot >/dev/null; then
	test_case 'gnuplot draws every kind of every trace without a word' <<'EOF'
small; mv trace small; begin; end 5; mv trace nothing
begin; create 7 0; end 0; mv trace instant
echo '{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":5}' >v1
begin; create 7 0; line sync 9999999999999; end 18446744073709000; mv trace long
for t in small nothing instant v1 long; do
	for k in $kinds; do
		status 0 ct-plot $k -o $t-$k.svg $t 2>err || { cat err >&2; false; }
		has '</svg>' $t-$k.svg
		status 0 ct-plot $k --term=ansi $t >$t-$k.txt 2>>err || { cat err >&2; false; }
		[ -s $t-$k.txt ]
		hasnt . err
	done
done
for t in small v1; do NO_COLOR=1 COLUMNS=60 LINES=20 status 0 ct-plot states --term=ansi $t >txt 2>err; same /dev/null err
	hasnt "$(printf '\033')" txt; [ "$(wc -l <txt)" -le 20 ]; awk 'length > 61 { print; exit 1 }' txt; done
for l in C C.UTF-8; do LC_ALL=$l status 0 ct-plot states -o $l.svg small 2>err; same /dev/null err; done
same C.svg C.UTF-8.svg
has 'this trace has no wake' v1-delay.svg
has 'chan:' small-queues.svg
for type in png pdf; do status 0 ct-plot states -o x.$type small; done
begin; for i in $(seq 12); do create $i 100; done; end 1000000
status 0 ct-plot throughput -o tics.svg trace; grep -o '>.*k<' tics.svg | sort >tics; sort -u tics >once; has '[0-9]k' once; same tics once
od -An -c -N4 x.png | grep -q P.*N.*G; od -An -c -N4 x.pdf | grep -q %.*P.*D.*F
EOF
else
	skip_case 'gnuplot draws every kind of every trace without a word' 'no gnuplot'
fi
done_testing
