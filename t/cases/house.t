#!/bin/sh
# The house's rules that a machine can check: manuals, --help, who includes whom, what lies where.
. "${0%/*}/../lib/lib.sh"
programs=$(cd "$SRC" && ls record/ct-*.1 filters/ct-*.1 filters/*/ct-*.1 report/ct-*.1 report/*/ct-*.1 2>/dev/null)

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
for c in filters/ct-*.c filters/ct-*/main.c report/ct-*.c report/ct-*/main.c record/main.c; do
	case $c in
	record/*) page=record/ct-record.1;;
	*/main.c) page=${c%/main.c} page=$page/${page##*/}.1;;
	*) page=${c%.c}.1;;
	esac
	[ ! -e "$c" ] || [ -s "$page" ] || { echo "no manual: $c" >&2; exit 1; }
done
EOT

if command -v mandoc >/dev/null; then
	test_case 'the manuals are clean mdoc' <<'EOT'
cd "$SRC"
ls record/*.1 filters/*.1 filters/*/*.1 report/*.1 report/*/*.1 sdk/*/*.[357] share/doc/*.[57] 2>/dev/null | xargs mandoc -Tlint -Wwarning >&2
EOT
else
	skip_case 'the manuals are clean mdoc' 'no mandoc'
fi

test_case 'the recorder and the filters meet only in JSON lines' <<'EOT'
cd "$SRC"
hasnt() { ! grep -rlE --include="*.[ch]" "$1" $2 >&2; }
hasnt '#include.*(cttrace|/trace/)' record
hasnt '#include.*(record/|["/]ctp\.h|["/]ct\.h)' "filters report sdk/trace"
EOT

if git -C "$SRC" rev-parse >/dev/null 2>&1; then
	test_case 'nothing lies outside the agreed folders, nothing names a path of some machine' <<'EOT'
here=$PWD
cd "$SRC"
agreed='^(Makefile|README\.md|LICENSE|\.gitignore|\.ci/run|(record|filters|report|sdk|share|t)/.*)$'
git ls-files | grep -vE "$agreed" >"$here/odd" || :
[ ! -s "$here/odd" ] || { cat "$here/odd" >&2; exit 1; }
! git grep -nE '/(home|work|root|Users)/[a-z]' -- . ':!t/cases/house.t' >&2
EOT
else
	skip_case 'nothing lies outside the agreed folders' 'not a git checkout'
fi
done_testing
