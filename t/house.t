#!/bin/sh
# The house's rules that a machine can check: manuals, --help, who includes whom, what lies where.
. "${0%/*}/lib.sh"
programs=$(cd "$SRC" && ls record/ct-*.1 filters/ct-*.1 report/ct-*.1 2>/dev/null)

for page in $programs; do
	name=${page##*/} name=${name%.1}
	test_case "$name: --help and the manual name the same options; --version" <<EOT
$name --help >help
has '^usage: $name' help
grep -oE -e '--[a-z][a-z-]*[a-z]' help | sort -u >in-help
grep -oE 'Fl -[a-z][a-z-]*[a-z]' "$SRC/$page" | sed 's/Fl -/--/' | sort -u >in-manual
same in-help in-manual
$name --version >version
has '^$name [0-9]' version
EOT
done

test_case 'every program has a manual' <<'EOT'
cd "$SRC"
for c in filters/ct-*.c report/ct-*.c record/ct-record.1; do
	[ ! -e "$c" ] || [ -s "${c%.?}.1" ] || { echo "no manual: $c" >&2; exit 1; }
done
EOT

if command -v mandoc >/dev/null; then
	test_case 'the manuals are clean mdoc' <<'EOT'
cd "$SRC"
ls record/*.1 filters/*.1 report/*.1 sdk/*/*.[357] 2>/dev/null | xargs mandoc -Tlint -Wwarning >&2
EOT
else
	skip_case 'the manuals are clean mdoc' 'no mandoc'
fi

test_case 'the recorder and the filters meet only in JSON lines' <<'EOT'
cd "$SRC"
hasnt() { ! grep -lE "$1" $2 >&2; }
hasnt '#include.*(cttrace|/trace/)' "record/*.[ch]"
hasnt '#include.*(record/|ctp\.h|ct\.h)' "filters/*.[ch] report/*.[ch] sdk/trace/*.[ch]"
EOT

if git -C "$SRC" rev-parse >/dev/null 2>&1; then
	test_case 'nothing lies outside the agreed folders, nothing names a path of some machine' <<'EOT'
here=$PWD
cd "$SRC"
agreed='^(Makefile|README\.md|LICENSE|\.gitignore|\.ci/run|(record|filters|report|sdk|share|t)/.*)$'
git ls-files | grep -vE "$agreed" >"$here/odd" || :
[ ! -s "$here/odd" ] || { cat "$here/odd" >&2; exit 1; }
! git grep -nE '/(home|work|root|Users)/[a-z]' -- . ':!t/house.t' >&2
EOT
else
	skip_case 'nothing lies outside the agreed folders' 'not a git checkout'
fi
done_testing
