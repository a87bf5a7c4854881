#!/bin/sh
# hostile.t - traces made to exhaust memory or time: many runs, processes, threads, lives, names, sites, depths. Each program ends by
# itself, with a status of its own, in bounded memory.
. "${0%/*}/../lib/lib.sh"

# trace KIND COUNT
cat >>"$scratch/.case-lib" <<'EOF'
trace() {
	awk -v kind="$1" -v n="$2" '
	function coro(id, ev, ts, n, more) {
		printf "{\"probe_id\":%d,\"tid\":9,\"addr\":\"0x%016x\",\"seq\":2,\"is_active\":%s,\"ts\":%d,\"ev\":\"%s\",\"n\":%d%s}\n", id, 0,
			ev == "resume" ? "true" : "false", ts, ev, n, more
	}
	BEGIN {
		meta = "{\"ev\":\"meta\",\"ts\":1,\"format\":\"corotrace\",\"version\":2}"
		if (kind != "runs") print meta
		for (i = 1; i <= n; i++) {
			ts = i * 1000
			if (kind == "runs") { print meta; coro(i, "create", ts, 1, "") }
			else if (kind == "processes") printf "{\"ev\":\"process\",\"ts\":%d,\"pid\":%d,\"path\":\"/p%d\"}\n", ts, i, i
			else if (kind == "threads") {
				printf "{\"ev\":\"thread\",\"ts\":%d,\"tid\":%d,\"pid\":%d,\"name\":\"t%d\"}\n", ts, i + 9, i % 100, i
				printf "{\"ev\":\"park\",\"ts\":%d,\"tid\":%d,\"depth\":3}\n", ts, i + 9
			} else if (kind == "lives") {
				coro(i, "create", ts, 1, ",\"site\":" i); coro(i, "resume", ts + 1, 2, "")
				coro(i, "suspend", ts + 2, 3, ",\"site\":" i ",\"on\":\"user:x" i "\""); coro(i, "destroy", ts + 3, 4, "")
			} else if (kind == "sites") printf "{\"ev\":\"site\",\"site\":%d,\"func\":\"f%d\",\"file\":\"x.c\",\"line\":3}\n", i, i
			else if (kind == "names") { if (i == 1) coro(7, "create", 5, 1, "")
				printf "{\"ev\":\"name\",\"ts\":%d,\"probe_id\":7,\"name\":\"n%d\"}\n", ts, i }
			else if (kind == "stacks") printf "{\"ev\":\"stack\",\"stack\":%d,\"frames\":[\"0x%x\",\"0x%x\"]}\n", i, i * 64, i * 64 + 8
			else if (kind == "objects") printf "{\"ev\":\"level\",\"ts\":%d,\"tid\":9,\"on\":\"user:o%d\",\"value\":%d}\n", ts, i, i
			else if (kind == "nested") coro(i, "resume", ts, 2, "")
			else if (kind == "awaits") coro(i, "suspend", ts, 1, ",\"on\":\"coro:" i + 1 "\"")
			else if (kind == "cycle") coro(i, "create", ts, 1, ",\"parent\":" i % n + 1 ",\"on\":\"coro:" i % n + 1 "\"")
			else if (kind == "permits") printf "{\"ev\":\"acquire\",\"ts\":%d,\"tid\":9,\"by\":%d,\"on\":\"sem:5\"}\n", ts, i
			else if (kind == "owners") { coro(i, "create", ts, 1, ""); coro(i, "resume", ts + 1, 2, "")
				printf "{\"ev\":\"acquire\",\"ts\":%d,\"tid\":9,\"by\":%d,\"on\":\"mutex:5\"}\n", ts + 2, i
				coro(i, "suspend", ts + 3, 3, ",\"on\":\"mutex:5\"") }
			else if (kind == "strangers") { coro(i, "create", ts, 1, ""); coro(i, "suspend", ts + 1, 2, ",\"on\":\"user:x\"")
				printf "{\"ev\":\"notify\",\"ts\":%d,\"tid\":%d,\"on\":\"cond:1\",\"woken\":0}\n", ts + 2, i + 9
				if (i == n) printf "{\"ev\":\"exit\",\"ts\":%d,\"pid\":0,\"alive\":%d,\"status\":0}\n", ts + 5, ts + 4 }
			else if (kind == "parked") {
				printf "{\"ev\":\"thread\",\"ts\":%d,\"tid\":%d,\"pid\":1,\"name\":\"w\",\"role\":\"worker\"}\n", ts, i + 9
				printf "{\"ev\":\"park\",\"ts\":%d,\"tid\":%d,\"depth\":0}\n", n * 1000 + i, i + 9
				coro(i, "create", ts, 1, ""); coro(i, "suspend", ts + 1, 2, ",\"on\":\"user:x\"")
				printf "{\"ev\":\"wake\",\"ts\":%d,\"tid\":9,\"probe_id\":%d}\n", ts + 2, i }
			else if (kind == "children") coro(i, "create", ts, 1, ",\"parent\":" i - 1)
		}
		printf "{\"ev\":\"end\",\"ts\":%d,\"events\":0,\"lost\":0}\n", ts + 9
	}'
}
EOF

for kind in runs processes threads lives sites names stacks objects nested awaits children cycle; do
	export kind
	test_case "$kind" <<'EOF'
# Under a sanitizer memory is another matter.
count=20000 limit=1500000
[ $kind != runs ] || count=5000
[ -z "$SAN" ] || count=2000 limit=unlimited
trace $kind $count >in
for p in ct-stuck ct-lostwake 'ct-bt --all' 'ct-bt --tree' ct-check ct-lint ct-sched ct-fold ct-sym 'ct-where --jq .ts' ct-tocsv \
	'ct-tocsv --per=coroutine' ct-tosql ct-toperfetto ct-tochrome ct-report ct-html ct-top 'ct-plot states' 'ct-plot queues'; do
	got=0
	(ulimit -v $limit; exec timeout 300 $p --quiet in) >out 2>err || got=$?
	[ $got -le 3 ] && ! grep -q 'out of memory' err || { echo "status $got: $p" >&2; head -5 err >&2; false; }
done
EOF
done

# A minute and more where it is looked through for each of them.
for kind in permits owners strangers parked; do
	export kind
	test_case "$kind: 80,000 of a semaphore, none of whom was seen to be created; of a lock that each of them waits for; that wait, in a process of as many threads; woken, while as many workers sleep" <<'EOF'
trace $kind $([ -n "$SAN" ] && echo 8000 || echo 80000) >in
got=0
(ulimit -t 20; exec ct-lostwake --grace=0 --quiet in) >out 2>err || got=$?
[ $got -le 3 ]
EOF
done

# Two minutes where each is looked for among the others.
test_case 'ct-sym: 100,000 files with code, none of which is there' <<'EOF'
count=100000
[ -z "$SAN" ] || count=10000
awk -v n=$count 'BEGIN {
	print "{\"ev\":\"meta\",\"ts\":1,\"format\":\"corotrace\",\"version\":2}"
	for (i = 1; i <= n; i++) {
		at = i * 4096		# above 4 GiB: not every awk has %x of more
		printf "{\"ev\":\"map\",\"ts\":1,\"pid\":1,\"start\":\"0x1%08x\",\"end\":\"0x1%08x\",\"offset\":0,\"path\":\"/gone/%d\"}\n", at, at + 4096, i
		printf "{\"ev\":\"stack\",\"stack\":%d,\"frames\":[\"0x1%08x\"]}\n", i, at + 8
	}
	print "{\"ev\":\"end\",\"ts\":2,\"events\":0,\"lost\":0}"
}' >in
(ulimit -t 40; status 3 ct-sym in >out 2>err)
[ $(grep -c '"missing":"the file cannot be read"' out) -eq $count ]
[ $(grep -c '^ct-sym: /gone/[0-9]*: No such file' err) -eq $count ]
EOF

# Without an end in sight where each of these frames is that many functions.
test_case 'a stack of 100,000 frames, each of them at an address with 100,000 functions' <<'EOF'
awk 'BEGIN {
	print "{\"ev\":\"meta\",\"ts\":1,\"format\":\"corotrace\",\"version\":2}"
	printf "{\"ev\":\"symbol\",\"addr\":\"0x1\",\"at\":["
	for (i = 0; i < 100000; i++) printf "%s{\"func\":\"f%d\",\"line\":%d}", i ? "," : "", i, i
	printf "]}\n{\"ev\":\"stack\",\"stack\":1,\"frames\":["
	for (i = 0; i < 100000; i++) printf "%s\"0x1\"", i ? "," : ""
	print "]}"
	print "{\"probe_id\":7,\"tid\":9,\"addr\":\"0x0\",\"seq\":2,\"is_active\":false,\"ts\":5,\"ev\":\"suspend\",\"n\":1,\"stack\":1}"
	print "{\"ev\":\"end\",\"ts\":9,\"events\":1,\"lost\":0}"
}' >in
for p in ct-stuck ct-lostwake 'ct-bt --all' 'ct-bt --tree' ct-check ct-lint ct-sched ct-fold ct-tocsv ct-tosql ct-toperfetto ct-tochrome ct-report ct-html ct-top; do
	got=0; ([ -n "$SAN" ] || ulimit -v 1500000; exec timeout 100 $p --quiet in) >out 2>err || got=$?
	[ $got -le 3 ] || { echo "status $got: $p" >&2; head -5 err >&2; false; }
done
EOF

# Quadratic where each who waits costs as much as the longest name, or as the longest stack.
test_case '3,000 coroutines whose site and whose stack have names of a megabyte, or whose stack is of 400,000 functions' <<'EOF'
count=3000
[ -z "$SAN" ] || count=200
made() {	# LENGTH FUNCTIONS FRAMES
	awk -v length_="$1" -v functions="$2" -v frames="$3" -v n=$count 'BEGIN {
		for (name = "x"; length(name) < length_;) name = name name
		print "{\"ev\":\"meta\",\"ts\":1,\"format\":\"corotrace\",\"version\":2}"
		printf "{\"ev\":\"site\",\"site\":1,\"func\":\"%s\",\"file\":\"%s\",\"line\":3}\n{\"ev\":\"symbol\",\"addr\":\"0x1\",\"at\":[", name, name
		for (i = 0; i < functions; i++) printf "%s{\"func\":\"%s%d\",\"file\":\"%s\"}", i ? "," : "", name, i, name
		printf "]}\n{\"ev\":\"stack\",\"stack\":1,\"frames\":["
		for (i = 0; i < frames; i++) printf "%s\"0x1\"", i ? "," : ""
		print "]}"
		for (i = 1; i <= n; i++)
			printf "{\"probe_id\":%d,\"tid\":9,\"addr\":\"0x0\",\"seq\":2,\"is_active\":false,\"ts\":%d,\"ev\":\"suspend\",\"n\":1,\"site\":1,\"on\":\"user:x\",\"stack\":1}\n", i, i * 1000
		printf "{\"ev\":\"close\",\"ts\":%d,\"tid\":9,\"on\":\"user:x\"}\n{\"ev\":\"end\",\"ts\":%d,\"events\":%d,\"lost\":0}\n", i * 1000, i * 1000000, n + 1
	}'
}
made 1000000 2 3 >names
made 1 100 4000 >functions
for p in 'ct-lostwake names' 'ct-tosql names' 'ct-toperfetto names' 'ct-bt --all names' 'ct-html functions'; do
	got=0; (ulimit -t 8; exec $p --quiet) >out 2>err || got=$?
	[ $got -le 3 ] || { echo "status $got: $p" >&2; head -5 err >&2; false; }
done
[ $(wc -c <out) -lt 3000000 ]
EOF

test_case 'more runs than any trace has are refused, in words' <<'EOF'
awk 'BEGIN { for (i = 0; i < 65600; i++) print "{\"ev\":\"meta\",\"ts\":1}" }' | status 2 ct-stuck --quiet >out 2>err
has '^ct-stuck: more than 65536 runs in one trace$' err
EOF

test_case 'a line of 16 MiB, all of it one list, one name, one number' <<'EOF'
for what in '"frames":[' '"sites":[' '"name":"' '"n":' '"x":[['; do
	printf '{"ev":"meta","ts":1}\n{"ev":"stack","stack":1,"ts":2,%s' "$what"
	case $what in
	*frames*) awk 'BEGIN { for (i = 0; i < 700000; i++) printf "\"0x%x\",", i; print "\"0x1\"]}" }' ;;
	*sites*) awk 'BEGIN { for (i = 0; i < 2000000; i++) printf "%d,", i; print "7]}" }' ;;
	*name*) head -c 16000000 /dev/zero | tr '\0' x; echo '"}' ;;
	*) head -c 16000000 /dev/zero | tr '\0' 1; echo '}' ;;
	esac >tail
	{ printf '{"ev":"meta","ts":1}\n{"ev":"stack","stack":1,"ts":2,%s' "$what"; cat tail; } >in
	for p in ct-stuck ct-lostwake ct-check ct-sym ct-where\ .ts ct-tocsv ct-tosql ct-toperfetto ct-html ct-report; do
		got=0; ([ -n "$SAN" ] || ulimit -v 1500000; exec timeout 300 $p --quiet in) >out 2>err || got=$?
		[ $got -le 3 ] && ! grep -q 'out of memory' err || { echo "status $got: $p: $what" >&2; head -5 err >&2; false; }
	done
done >/dev/null
EOF
done_testing
