#!/bin/sh
# tocsv-readers.t - pandas, polars, DuckDB and SQLite read ct-tocsv's tables back unchanged.
. "${0%/*}/../lib/lib.sh"
command -v python3 >/dev/null || skip_all 'no python3'
python=$(sh "$SRC/t/lib/venv.sh" csv-readers pandas==3.1.1 polars==2.1.0 duckdb==2.0.0) || skip_all 'pandas, polars, duckdb cannot be installed here'
export python

# Numbers to 2^64-1; commas, quotes, newlines, spaces, signs, words that readers take for missing, an empty text and none.
cat >"$scratch/trace" <<'X'
{"ev":"meta","ts":1,"format":"corotrace"}
{"probe_id":18446744073709551615,"tid":1,"addr":"0x00000000000000f0","seq":281474976710654,"is_active":false,"ts":9007199254740993,"ev":"create","n":1}
{"ev":"name","ts":2,"tid":1,"probe_id":7,"name":"a,b"}
{"ev":"name","ts":3,"tid":1,"probe_id":9223372036854775808,"name":"say \"hi\""}
{"ev":"name","ts":4,"tid":1,"probe_id":9223372036854775807,"name":"two\nlines"}
{"ev":"name","ts":5,"tid":1,"probe_id":7,"name":""}
{"ev":"name","ts":6,"tid":1,"probe_id":7,"name":" =1+1 "}
{"ev":"name","ts":7,"tid":1,"probe_id":7,"name":"-1"}
{"ev":"name","ts":8,"tid":1,"probe_id":7,"name":"é😀\u0000"}
{"ev":"name","ts":9,"tid":1,"probe_id":7,"name":"NULL"}
{"ev":"name","ts":10,"tid":1,"probe_id":7,"name":"nan"}
{"ev":"name","ts":11,"tid":1,"probe_id":7,"name":"NA"}
{"ev":"name","ts":12,"tid":1,"probe_id":7,"name":"#x"}
{"ev":"name","ts":13,"tid":1,"probe_id":7,"name":"'"}
{"ev":"name","ts":14,"tid":1,"probe_id":7,"name":"back\\slash\\"}
{"ev":"name","ts":15,"tid":1,"probe_id":7,"name":"\"\",\"\n"}
{"ev":"name","ts":16,"tid":1,"probe_id":7,"name":"tab\there"}
{"ev":"name","ts":17,"tid":1,"probe_id":7,"name":"007"}
{"ev":"name","ts":18,"tid":1,"probe_id":7,"name":"cr\r\nlf"}
{"probe_id":7,"tid":1,"addr":"0x00000000000000f0","seq":2,"is_active":false,"ts":3000,"ev":"create","n":1}
{"probe_id":7,"tid":1,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":4000,"ev":"resume","n":2}
{"probe_id":7,"tid":1,"addr":"0x00000000000000f0","seq":6,"is_active":false,"ts":5000,"ev":"suspend","n":3,"on":"user:a,\"b\"","reason":"why, then"}
{"ev":"end","ts":9007199254740993,"events":21,"lost":0}
X

for reader in pandas polars duckdb sqlite; do
	if [ $reader = sqlite ] && ! command -v sqlite3 >/dev/null; then
		skip_case "$reader reads it back" 'no sqlite3'
		continue
	fi
	test_case "$reader reads it back" <<X
timeout 60 \$python "\$SRC/t/lib/tocsv-readers.py" $reader ../trace
X
done
test_case 'DuckDB and polars read the parts, the run from the path' <<'EOF2'
timeout 60 $python "$SRC/t/lib/tocsv-readers.py" partitions ../trace
EOF2
done_testing
