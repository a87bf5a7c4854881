#!/bin/sh
# A site as it is printed for people, with () behind its function, as data has it, and found by either.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
cat >>"$scratch/.case-lib" <<'EOF'
# each at a site of its own: printed FUNC
functions() {
	cat <<'OUT'
serve() serve
app::conn::~conn() app::conn::~conn
main.(*Server).serve() main.(*Server).serve
github.com/a/b.Map[...]() github.com/a/b.Map[...]
Main.<init>() Main.<init>
Server::Serve() Server::Serve
app::serve<T>() app::serve<T> a.rs
<app::S as core::Future<()>>::poll() <app::S as core::Future<()>>::poll a.rs
app::Conn<T>::read() app::Conn<T>::read a.rs
operator->() operator->
lire_là() lire_là
operator() operator()
app::serve(int) app::serve(int)
app::serve(int) const app::serve(int) const
main()::<lambda()> main()::<lambda()>
app::serve::{{closure}} app::serve::{{closure}} a.rs
app::serve::{async_fn#0}<T> app::serve::{async_fn#0}<T> a.rs
app::Reader<T> app::Reader<T> a.rs
app::Sleep app::Sleep a.rs
Mutex made at Mutex made at a.rs
0x00007f0000001000+ 0x00007f0000001000+
OUT
}
EOF

test_case '() stands behind a name alone: not behind parameters, closures, types of Rust, or words' <<'EOF'
begin
functions | awk '{
	file = $NF ~ /\.rs$/ ? $NF : "s.cc"; sub(/ a\.rs$/, "")
	half = length($0); for (at = 1; at < half; at++) if (substr($0, at, 1) == " ") {
		fn = substr($0, at + 1); shown = substr($0, 1, at - 1)
		if (shown == fn || shown == fn "()") break
	}
	printf "{\"ev\":\"site\",\"site\":%d,\"func\":\"%s\",\"file\":\"%s\",\"line\":7}\n", NR + 3, fn, file >>"trace"
	print "1 suspended at " shown " " file ":7 on fd, oldest 1.00ms" >"expected"
}'
n=$(functions | grep -c .)
for i in $(seq $n); do waiting $i 1000 fd:$i $((i + 3)); done; end 2000
status 1 ct-stuck --all trace | grep -v '^  \|listed' | sort >actual; sort expected | same - actual
status 1 ct-stuck --all --json trace >json; hasnt '"func":"serve()"' json; has '"func":"serve","file":"s.cc"' json
EOF

test_case 'a site is found as it is printed, and as data has it' <<'EOF'
begin; waiting 7 1000 fd:5 2; waiting 8 1000 fd:6 3; waiting 9 1000 never: 2; line close 1500 '"tid":11,"on":"fd:5"'; end 3000000
for re in 'f2 f.c:20' '^f2\(\) f\.c' 'f2() f.c:20' '^f2 ' 'f2\('; do
	status 1 ct-stuck "--site=$re" trace >out; has '^2 of 3 live' out
	status 1 ct-lostwake "--site=$re" trace >out; has 'closed-resource (proven): f2() f.c:20' out
	echo "$re" >allowed; status 0 ct-lostwake --allow=allowed --site=f2 trace >out
	status 1 ct-report "--site=$re" trace >out; has 'f2() f.c:20' out
	status 0 ct-sched "--site=$re" trace >out; has ' f2() f.c:20$' out; hasnt ' f3() f.c:30$' out
	status 0 ct-fold "--site=$re" trace >out; has '^f2' out; hasnt '^f3' out
	status 0 ct-bt --all "--task=$re" trace >out; has '^2 tasks' out
	status 1 ct-lint "--site=$re" --only=blocked-forever trace >out; has ' f2() f.c:20 ' out; hasnt 'f3' out
done
status 0 ct-where 'site == "f2 f.c:20"' trace >out; has '"site":2' out
EOF

test_case 'data name a function as it is: JSON, CSV, SQL, folded stacks' <<'EOF'
begin; waiting 7 1000 fd:5 2; line close 1500 '"tid":11,"on":"fd:5"'; end 3000000
status 1 ct-lostwake --json trace >out; has '"func":"f2"' out
status 0 ct-tocsv --per=site trace >out; has ',f2,f.c,20' out
status 0 ct-tosql trace >out; has "f2 f.c:20" out
status 0 ct-fold trace >out; has '^f2;\|^f2 ' out
hasnt 'f2()' out
EOF
done_testing
