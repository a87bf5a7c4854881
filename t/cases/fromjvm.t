#!/bin/sh
# ct-fromjvm: dumps of a JVM's threads, made up and of a real one, as a trace of one moment.
. "${0%/*}/../lib/lib.sh"
cat >>"$scratch/.case-lib" <<'EOF'
# Threads on stdin: ID NAME STATE BLOCKED-ON HOLDS, - is none; each at its own line of Main.java.
dump() {	# PID [TIME]
	echo "{ \"threadDump\": { \"processId\": \"$1\", \"time\": \"2026-11-22T16:27:${2:-15.314072499}Z\", \"runtimeVersion\": \"25\","
	echo '"threadContainers": [ { "container": "<root>", "parent": null, "threads": ['
	comma=
	while read -r id name state on holds; do
		echo "$comma{ \"tid\": \"$id\", \"virtual\": true, \"name\": \"$name\", \"state\": \"$state\","
		[ "$on" = - ] || echo "\"blockedOn\": \"java.lang.Object@$on\","
		[ "$holds" = - ] || echo "\"monitorsOwned\": [ { \"depth\": 0, \"locks\": [ null, \"java.lang.Object@$holds\" ] } ],"
		echo "\"stack\": [ \"java.base\\/java.lang.Thread.run(Thread.java:1)\", \"app\\/\\/com.acme.Main.go(Main.java:$id)\" ] }"
		comma=,
	done
	echo '], "threadCount": "'${counted:-0}'" }, { "container": "empty", "threads": [ ] } ] } }'
}
EOF

test_case 'states, names, sites, stacks, monitors' <<'EOF'
dump 7 >d.json <<'T'
3 main RUNNABLE - -
5 left BLOCKED 1f 2e
T
status 0 ct-fromjvm d.json >t
cat >want <<'T'
{"ev":"meta","ts":1795364835314072499,"format":"corotrace","version":2,"tool":"ct-fromjvm X","wall":1795364835314072499,"clock":"realtime","snapshot":true,"memory":"running"}
{"ev":"process","ts":1795364835314072499,"pid":7}
{"ev":"site","site":1,"func":"Thread.run","file":"java/lang/Thread.java","line":1}
{"ev":"site","site":2,"func":"Main.go","file":"com/acme/Main.java","line":3}
{"ev":"stack","stack":1,"sites":[1,2]}
{"probe_id":3,"tid":0,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":1795364835314072499,"ev":"state","n":2,"site":2,"stack":1,"reason":"RUNNABLE","since":"before"}
{"ev":"name","ts":1795364835314072499,"tid":0,"probe_id":3,"name":"main"}
{"ev":"site","site":3,"func":"Main.go","file":"com/acme/Main.java","line":5}
{"ev":"stack","stack":2,"sites":[1,3]}
{"probe_id":5,"tid":0,"addr":"0x0000000000000000","seq":4,"is_active":false,"ts":1795364835314072499,"ev":"state","n":2,"site":3,"on":"mutex:0xN0000001f","stack":2,"reason":"BLOCKED","since":"before"}
{"ev":"name","ts":1795364835314072499,"tid":0,"probe_id":5,"name":"left"}
{"ev":"acquire","ts":1795364835314072499,"tid":0,"by":5,"on":"mutex:0xN0000002e"}
{"ev":"end","ts":1795364835314072499,"events":3,"lost":0,"live":2}
T
sed 's/fromjvm [0-9.]*/fromjvm X/; s/0x[1-9a-f][0-9a-f]\{7\}/0xN/' t >got
same want got
status 0 ct-check t >out
EOF

test_case 'a frame of megabytes with an escape, which is looked at twice as the dump has no states: what stands behind it is as it was' <<'EOF'
{
	echo '{ "threadDump": { "processId": "7", "time": "2026-11-22T16:27:15Z", "threadContainers": [ { "threads": ['
	printf '{ "tid": "29", "name": "long", "stack": [ "java.base\\/java.lang.VirtualThread.park(V'
	head -c 4000000 /dev/zero | tr '\0' A
	echo ':1)" ] }, { "tid": "30", "name": "next", "stack": [ ] } ] } ] } }'
} >d.json
status 0 ct-fromjvm d.json >t
status 0 ct-check t >out
[ "$(grep -c '"ev":"state"' t)" -eq 2 ]
has '"probe_id":30,"name":"next"}' t
EOF

test_case 'a cycle in one dump is suspected, in two proven, with its age; another process, or a move, makes it none' <<'EOF'
threads() { dump "$@" <<'T'
5 left BLOCKED 1f 2e
6 right BLOCKED 2e 1f
T
}
threads 7 >a.json; threads 7 17.5 >b.json; threads 8 18 >other.json
ct-fromjvm a.json >one
status 1 ct-lostwake one >out
has 'deadlock (suspected): Main.go() com/acme/Main.java' out; has 'a second look would show' out
ct-fromjvm a.json b.json >both
ct-lostwake both >out || [ $? -eq 1 ]
has '^1 cycle: deadlock (proven): ' out; has 'for at least 2.19s' out
ct-fromjvm a.json other.json >runs
[ "$(grep -c '"ev":"meta"' runs)" -eq 2 ]
ct-lostwake runs >out || [ $? -eq 1 ]
hasnt proven out
dump 7 18 >moved.json <<'T'
5 left BLOCKED 1f 2e
6 right RUNNABLE - 1f
T
ct-fromjvm a.json b.json moved.json >t
status 0 ct-lostwake t >out
status 1 ct-stuck t >out; has '5 "left" on mutex:.* for at least 2.69s' out
EOF

test_case 'two processes with one number, as of two containers, are two runs; renamed, new and ended threads are those of one' <<'EOF'
dump 1 >a.json <<'T'
5 left BLOCKED 1f 2e
6 right BLOCKED 2e 1f
9 Finalizer WAITING - -
T
sed 's/left\|right/its-&/; s/:27:15/:27:30/' a.json >names.json
dump 1 30 >ids.json <<'T'
1 other RUNNABLE - -
3 another RUNNABLE - -
6 right RUNNABLE - -
9 Finalizer WAITING - -
T
sed 's/"<root>"/"pool"/; s/:27:15/:27:30/' a.json >containers.json
sed 's/:27:15/:27:14/' a.json >older.json
for other in names ids containers older; do
	status 0 ct-fromjvm a.json $other.json >runs 2>err
	[ "$(grep -c '"ev":"meta"' runs)" -eq 2 ]
	has "^ct-fromjvm: $other.json: process 1 is not the one of a.json" err; [ "$(wc -l <err)" -eq 1 ]
	ct-lostwake runs >out || [ $? -eq 1 ]
	has 'deadlock (suspected)' out
	ct-fromjvm --quiet a.json $other.json >runs 2>err
	same /dev/null err
done
dump 1 16.5 >one.json <<'T'
5 left BLOCKED 1f 2e
6 right BLOCKED 2e 1f
7 renamed RUNNABLE - -
9 Finalizer WAITING - -
30 new RUNNABLE - -
T
sed 's/renamed/named/; s/"30"/"8"/; s/:16.5/:15.5/' one.json >before.json
status 0 ct-fromjvm before.json one.json >t 2>err
same /dev/null err
[ "$(grep -c '"ev":"meta"' t)" -eq 1 ]
status 1 ct-lostwake t >out
has 'deadlock (proven)' out
EOF

test_case 'who is in wait() has given that monitor up; with a time limit the object is not named' <<'EOF'
dump 7 <<'T' | sed 's/"blockedOn"/"waitingOn"/' >d.json
5 waiter WAITING 1f 1f
6 timed TIMED_WAITING 2e 3d
T
ct-fromjvm d.json >t
has '"probe_id":5.*"on":"cond:0x' t
has '"probe_id":6.*"on":"cond:"' t
[ "$(grep -c '"ev":"acquire"' t)" -eq 1 ]
has '"ev":"acquire".*"by":6' t
EOF

test_case 'dumps without states (JDK 21): the innermost frame says who waits' <<'EOF'
cat >d.json <<'T'
{ "threadDump": { "processId": 9, "time": "2026-11-22T16:27:15Z", "threadContainers": [ { "container": "r", "threads": [
 { "tid": 30, "name": "", "stack": [ "java.base/java.lang.VirtualThread.park(VirtualThread.java:582)", "Main$$Lambda/0x00007f00.run(Unknown Source)" ] },
 { "tid": 31, "name": "n\u00e9", "stack": [ "java.base/java.lang.VirtualThread.parkNanos(VirtualThread.java:1)", "Main.m(Main.java)" ] },
 { "tid": 32, "name": "b", "stack": [ ] } ] } ] } }
T
ct-fromjvm <d.json >t
has '"func":"Main$$Lambda.run"}' t
has '"func":"Main.m","file":"Main.java"}' t
has '"probe_id":30.*"is_active":false' t; has '"name":"#30"' t
has '"probe_id":31.*"is_active":false.*"on":"timer:"' t; has 'né' t
has '"probe_id":32.*"is_active":true' t
EOF

test_case 'what is no dump is refused in a sentence, and the rest is read' <<'EOF'
dump 7 </dev/null >good.json
: >empty.json
echo 'Full thread dump OpenJDK 64-Bit Server VM' >text.json
echo '{"ev":"meta"}' >trace.json
head -c 200 good.json >cut.json
dump x </dev/null >pid.json
dump 7 <<'T' | sed 's/"tid": "5"/"tid": "-5"/' >tid.json
5 left BLOCKED 1f 2e
T
for f in empty text trace cut pid tid gone; do
	status 2 ct-fromjvm good.json $f.json >out 2>err
	[ "$(wc -l <err)" -eq 1 ]
	has "^ct-fromjvm: $f.json: " err
	[ $f = tid ] || has '"ev":"end"' out
done
status 2 ct-fromjvm text.json 2>err >out; has 'jcmd PID Thread.dump_to_file -format=json FILE' err
status 2 ct-fromjvm cut.json 2>err >out; has 'byte [0-9]*: not JSON' err
status 0 ct-fromjvm good.json >out
status 2 ct-fromjvm good.json >/dev/full
printf '{\n  "threadDump": {\n' >raw.json
ct-stuck raw.json >out 2>err || :
has 'pipe it through ct-fromjvm' err
EOF

test_case 'threads that are counted and not listed are lost' <<'EOF'
counted=9 dump 7 >d.json <<'T'
3 main RUNNABLE - -
T
status 3 ct-fromjvm d.json >t 2>err; has '^ct-fromjvm: d.json: 8 threads are counted and not listed: run the JVM without' err
has '"ev":"lost",.*"count":8,' t; has '"ev":"end",.*"lost":8,' t
status 3 ct-fromjvm --quiet d.json >t 2>err; [ ! -s err ]
status 3 ct-lostwake t >out
status 2 ct-fromjvm gone.json d.json >t 2>err; has '"ev":"end"' t
EOF

test_case 'a member that is there, and not as a JVM writes it, is refused, and not taken for none' <<'EOF'
dump 7 >d.json <<'T'
5 left BLOCKED 1f 2e
6 right BLOCKED 2e 1f
T
for change in 's/"BLOCKED"/"PARKED"/' 's/"BLOCKED"/7/' 's/"blockedOn": \("[^"]*"\)/"blockedOn": { "object": \1 }/' \
	's/"monitorsOwned": \[ \(.*\) \],/"monitorsOwned": \1,/' 's/"threadCount": "0"/"threadCount": "-1"/'; do
	sed "$change" d.json >changed; cmp -s d.json changed && exit 1 || :
	status 2 ct-fromjvm changed 2>err >out; has '^ct-fromjvm: changed: byte [0-9]*: "[a-zA-Z]*" is not as a JVM writes it$' err
done
sed 's/"threads": \[ \]/"threads": null/' d.json >changed
status 2 ct-fromjvm changed 2>err >out; has 'a container of threads without them' err
EOF

test_case 'a dump cut anywhere, or with a byte changed, is refused or read, and nothing else happens' <<'EOF'
dump 7 >d.json <<'T'
5 left BLOCKED 1f 2e
6 right BLOCKED 2e 1f
T
n=$(wc -c <d.json) i=0
while [ $i -lt $n ]; do
	head -c $i d.json >cut
	fails ct-fromjvm cut >/dev/null
	{ head -c $i d.json; printf '\\'; tail -c +$((i + 2)) d.json; } >changed
	got=0; ct-fromjvm changed >/dev/null 2>&1 || got=$?
	[ $got -eq 0 ] || [ $got -eq 2 ]
	i=$((i + 29))
done
EOF

test_case 'in bounded memory: what is no dump is not read on, one of more than 2 GiB is refused, many threads are none' <<'EOF'
# Under a sanitizer memory is another matter.
limit=400000
[ -z "$SAN" ] || limit=unlimited
(ulimit -v $limit; status 2 timeout 60 ct-fromjvm /dev/zero 2>err)
has '^ct-fromjvm: /dev/zero: no dump of threads in JSON' err
yes | (ulimit -v $limit; status 2 timeout 60 ct-fromjvm 2>err)
has '^ct-fromjvm: <stdin>: no dump of threads in JSON' err
echo '1 t BLOCKED 2 3' | dump 7 >plain.json
{ printf '\357\273\277'; cat plain.json; } >marked.json
status 0 ct-fromjvm plain.json >plain; status 0 ct-fromjvm marked.json >marked; cmp plain marked
yes | head -c 100000000 | gzip -1 >text.gz
(ulimit -v $limit; status 2 timeout 60 ct-fromjvm text.gz 2>err)
has '^ct-fromjvm: text.gz: no dump of threads in JSON' err
awk 'BEGIN { for (i = 1; i <= 50000; i++) printf "%d t%d BLOCKED %x %x\n", i, i, i + 1, i }' | dump 7 >many.json
(ulimit -v $limit; status 0 timeout 300 ct-fromjvm many.json >t)
has '"live":50000}' t
awk 'BEGIN { printf "{ \"threadDump\": "; for (i = 0; i < 3000000; i++) printf "[" }' >deep.json
(ulimit -v $limit; status 2 timeout 60 ct-fromjvm deep.json 2>err)
[ -n "$SAN" ] || {
	printf '{' >large.json
	truncate -s 2049M large.json
	(ulimit -v 6000000; status 2 timeout 100 ct-fromjvm large.json 2>err)
	has '^ct-fromjvm: large.json: more than 2048 MiB' err
}
EOF

if command -v python3 >/dev/null; then
	test_case 'dumps broken where JSON has structure are refused in a line, or become a whole trace' <<'EOF'
status 0 timeout 600 python3 "$SRC/t/fuzz/jvm.py" "$O" 1 60 >out 2>err || { cat err >&2; exit 1; }
EOF
else
	skip_case 'dumps broken where JSON has structure' 'no python3'
fi

jdk=$(sh "$SRC/share/packaging/jdk.sh") || {
	skip_case 'a real JVM' 'no JDK of 21 or later'
	done_testing
	exit
}
export jdk
feature=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$jdk/release")
[ "${feature:-0}" -ge 24 ] || {
	skip_case 'a real JVM' "JDK $feature dumps no states"
	done_testing
	exit
}
test_case 'a real JVM that hangs: two dumps prove the deadlock, and each waits at its line' <<'EOF'
"$jdk/bin/javac" -d . "$SRC/t/java/Hangs.java"
mkfifo in
"$jdk/bin/java" -XX:TieredStopAtLevel=1 -cp . Hangs <in >out.java 2>&1 & pid=$!
exec 3>in
i=0
until grep -q up out.java; do i=$((i + 1)); [ $i -lt 600 ]; sleep 0.1; done
look() {
	"$jdk/bin/jcmd" $pid Thread.dump_to_file -format=json "$PWD/$1" >jcmd 2>&1 || { cat jcmd >&2; exit 1; }
	ct-fromjvm "$1" >"$1.jsonl"
}
# Until all have come to where they wait, and a second dump that shows them there.
i=0
arrived() {
	look a.json
	ct-stuck a.json.jsonl >out || :
	grep -q '^2 suspended at Hangs.both' out && [ "$(grep -c 'suspended at Hangs' out)" -ge 8 ]
}
until arrived; do i=$((i + 1)); [ $i -lt 60 ]; done
sleep 0.3
look b.json
exec 3>&-
wait $pid
ct-fromjvm a.json b.json >t
ct-check t >check
ct-stuck t >out || :
at=$(grep -n never "$SRC/t/java/Hangs.java" | cut -d: -f1)
has "^2 suspended at Hangs.both() Hangs.java:$at on mutex" out
has '"sleeper" on timer: for at least' out
has '"consumer" on cond:' out
has '"caller" on user:CompletableFuture.Signaller' out
has '"taker" on sem:' out
has '"server" on fd:' out
hasnt 'Finalizer' out
got=0; ct-lostwake t >out || got=$?
[ $got -eq 1 ]
has "^1 cycle: deadlock (proven): Hangs.both() Hangs.java:$at" out
has '^1 finding: ' out
EOF
done_testing
