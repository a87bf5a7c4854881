#!/bin/sh
# The house's rules that a machine can check: manuals, --help, who includes whom, what lies where.
. "${0%/*}/../lib/lib.sh"
programs=$(cd "$SRC" && ls record/ct-*.1 filters/ct-*.1 filters/*/ct-*.1 report/ct-*.1 report/*/ct-*.1 2>/dev/null)

for page in $programs; do
	name=${page##*/} name=${name%.1}
	case " ${LEFT_OUT:-} " in *" $name "*) skip_case "$name" 'left out: its library is not here'; continue ;; esac
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

# "NAME TYPE(ARG, ...)" of each call in a page's synopsis, for the compiler to hold against the header.
cat >>"$scratch/.case-lib" <<'EOF'
synopsis() { awk '/^\.Sh/ { on = $2 == "SYNOPSIS" } !on { next } /^\.Ft / { type = substr($0, 5) }
	/^\.Fn / { name = $2; n = split($0, part, "\""); args = n > 1 ? part[2] : "void"
		for (i = 4; i < n; i += 2) args = args ", " part[i]
		print name, type " (" name ")(" args ");" }' "$@"; }
EOF

test_case 'every call of libcttrace and of the C probe is in one manual page as it is declared, and nothing else is' <<'EOT'
pages="$SRC/sdk/trace/*.3"
synopsis $pages >calls
cut -d' ' -f1 calls | sort >in-pages
cat "$SRC"/sdk/trace/cttrace/*.h | sed -nE '/^(#define|typedef)/!s/.*(ctt_[a-z0-9_]*)\(.*/\1/p' | sort -u >declared
same declared in-pages
{ echo '#include "cttrace.h"'; cut -d' ' -f2- calls; } >calls.c
${CC:-cc} -std=c11 -Wall -Werror -I"$SRC/sdk/trace" -D_POSIX_C_SOURCE=200809L -fsyntax-only calls.c
# Each has its name on top, and words of its own below.
grep -h '^\.Nm ctt_' $pages | cut -d' ' -f2 | sort >names
for page in $pages; do basename "$page" .3; done | grep -v '^cttrace$' | sort >titles
sort in-pages titles >want
same want names
for page in $pages; do
	awk '/^\.Sh/ { on = $2 == "SYNOPSIS" } on && /^\.Fn/ { call[$2] } !on && /(^\.| )Fn / { for (i = 1; i < NF; i++) if ($i ~ /Fn$/) said[$(i + 1)] }
		END { for (c in call) if (!(c in said)) { print FILENAME ": nothing about " c; odd = 1 } exit odd }' "$page" >&2
done

page=$SRC/sdk/c/ct.3 header=$SRC/sdk/c/ct.h
synopsis "$page" >calls
cut -d' ' -f1 calls | sort >in-pages
sed -n 's/^#define \(ct_[a-z_]*\)(.*/\1/p; /^#define/d; s/^[a-z][^(]*[ *]\(ct_[a-z_]*\)(.*/\1/p' "$header" | grep -v '_$' | sort -u >declared
same declared in-pages
{ echo '#include "ct.h"'; cut -d' ' -f2- calls; } >calls.c
${CC:-cc} -std=c11 -Wall -Werror -I"$SRC/sdk/c" -fsyntax-only calls.c
grep '^\.Nm ct_' "$page" | cut -d' ' -f2 | sort >names
same in-pages names
EOT

test_case 'the recorder and the filters meet only in JSON lines' <<'EOT'
cd "$SRC"
hasnt() { ! grep -rlE --include="*.[ch]" "$1" $2 >&2; }
hasnt '#include.*(cttrace|/trace/)' record
hasnt '#include.*(record/|["/]ct\.h)' "filters report sdk/trace sdk/snap"
# But where it is the memory that is checked.
hasnt '#include.*["/]ctp\.h' "$(ls -d filters/*.c filters/*/*.[ch] | grep -vx filters/ct-check/region.c) report sdk/trace sdk/snap"
EOT

# Which room of libcttrace stands on which: what stands further right may use what stands further left.
cat >"$scratch/rooms" <<'EOT'
base 0
read 1
model 2
fold 3
judge 3
tool 4
timeline 5
EOT

test_case 'the rooms of libcttrace include one way: base, read, model, fold and judge, tool, timeline' <<'EOT'
cd "$SRC/sdk/trace"
grep -nE '^#include "[a-z]+/' */*.[ch] | sed -E 's|^([a-z]+)/([^:]*):([0-9]+):#include "([a-z]+)/.*|\1 \4 \1/\2:\3|' |
	awk -v rooms="$OLDPWD/../rooms" 'BEGIN { while ((getline line <rooms) > 0) { split(line, f, " "); at[f[1]] = f[2] + 1 } }
		$1 == "cttrace" || $2 == "cttrace" || $1 == $2 { next }
		!at[$1] || !at[$2] || at[$2] >= at[$1] { print $3 ": " $1 " includes from " $2; odd = 1 }
		END { exit odd }' >&2
EOT

test_case 'no program includes from the folder of another' <<'EOT'
cd "$SRC"
! grep -nE '^#include "(\.\./|filters/|report/|record/|ct-)' filters/*.[ch] filters/*/*.[ch] report/*/*.[ch] sdk/snap/*.[ch] >&2
EOT

# "FILE D|U SYMBOL" of every object: what it defines for others, what it needs of them.
cat >>"$scratch/.case-lib" <<'EOF'
symbols() {
	for c; do
		[ -f "$O/${c%.c}.o" ] || continue
		nm "$O/${c%.c}.o" | awk -v c="$c" 'NF == 2 && $1 == "U" { print c, "U", $2 }
			NF == 3 && $2 ~ /^[TDBRVC]$/ { print c, "D", $3 }'
	done
}
EOF

if ! command -v nm >/dev/null; then
	skip_case 'no file calls into one that calls it' 'no nm'
	skip_case 'the rooms of libcttrace call one way' 'no nm'
else
	test_case 'no file calls into one that calls it' <<'EOT'
cd "$SRC"
for room in sdk/trace/*/ sdk/snap/ sdk/java/ filters/*/ report/*/ record; do
	symbols $(find "$room" -name '*.c') | awk '
		$2 == "D" { home[$3] = $1 }
		{ file[$1]; need[NR] = $1 " " $2 " " $3 }
		END {
			for (i = 1; i <= NR; i++) {
				split(need[i], f, " ")
				to = home[f[3]]
				if (f[2] == "U" && to && to != f[1]) calls[f[1] SUBSEP to] = f[3]
			}
			do {			# whoever calls nobody that is left stands in no cycle
				gone = 0
				for (c in file) {
					out = 0
					for (e in calls) { split(e, f, SUBSEP); out += f[1] == c && (f[2] in file) }
					if (!out) { delete file[c]; gone = 1 }
				}
			} while (gone)
			for (e in calls) {
				split(e, f, SUBSEP)
				if ((f[1] in file) && (f[2] in file)) { print f[1] " calls " f[2] ": " calls[e]; odd = 1 }
			}
			exit odd
		}' >&2
done
EOT

	test_case 'the rooms of libcttrace call one way' <<'EOT'
rooms=$PWD/../rooms
cd "$SRC"
symbols sdk/trace/*/*.c | awk -v rooms="$rooms" 'BEGIN { while ((getline line <rooms) > 0) { split(line, f, " "); at[f[1]] = f[2] } }
	{ split($1, f, "/"); room[NR] = f[3]; file[NR] = $1; sym[NR] = $3; needs[NR] = $2 == "U" }
	$2 == "D" { home[$3] = f[3] }
	END {
		for (i = 1; i <= NR; i++)
			if (needs[i] && (sym[i] in home) && home[sym[i]] != room[i] && at[home[sym[i]]] >= at[room[i]]) {
				print file[i] " calls " sym[i] " of " home[sym[i]]
				odd = 1
			}
		exit odd
	}' >&2
EOT
fi

test_case 'no assertion that cannot fail: amid a case, "! CMD" ends nothing' <<'EOT'
cd "$SRC"
awk 'held && !/^(EO[A-Z]|[}]|fi)/ { print held; odd = 1 }
	{ held = "" }
	/^[ \t]*! / && !/ (\|\||&&) / { held = FILENAME ":" FNR ": " $0 }
	END { exit odd }' t/cases/*.t t/lib/*.sh >&2
EOT

test_case 'a case that does not end has failed, and what it left running ends with it' <<'EOT'
mkdir -p tree/t/cases
ln -s "$SRC/t/lib" tree/t/lib
cat >tree/t/cases/slow.t <<'SLOW'
. "${0%/*}/../lib/lib.sh"
test_case 'sleeps' <<'CASE'
sleep 1000 & echo $! >"$SLEEPER"
sleep 1000
CASE
test_case 'goes on' <<'CASE'
fails false
CASE
done_testing
SLOW
SLEEPER=$PWD/sleeper CASE_LIMIT=2 status 0 timeout 60 sh tree/t/cases/slow.t >out
has '^not ok 1 - sleeps' out
has 'no end within 2 seconds' out
has '^ok 2 - goes on' out
case $(ps -o stat= -p "$(cat sleeper)") in ''|Z*) ;; *) exit 1 ;; esac
EOT

test_case 'the first line of a source names its own file, and no two begin alike' <<'EOT'
here=$PWD
cd "$SRC"
find record filters report sdk/trace sdk/snap sdk/java sdk/c sdk/ctp t/unit t/targets t/bench t/fuzz -name '*.[ch]' | sort | while read -r file; do
	IFS= read -r line <"$file"
	name=${file##*/} folder=${file%/*} folder=${folder##*/}
	case $line in
	"/* $name - "*) ;;
	"/* ${name%.c} - "* | "/* $folder - "* | '/* ct-record - '*) ;;
	*) echo "$file: $line" ;;
	esac
	echo "${line#*- }" >>"$here/heads"
done >"$here/odd"
sort "$here/heads" | uniq -d >>"$here/odd"
[ ! -s "$here/odd" ] || { cat "$here/odd" >&2; exit 1; }
EOT

test_case 'files that comments name exist' <<'EOT'
here=$PWD
cd "$SRC"
find . -path './build*' -prune -o -path ./.git -prune -o -type f -print | sed 's|.*/||' | sort -u >"$here/files"
find record filters report sdk/trace sdk/snap sdk/java sdk/c sdk/ctp -name '*.[ch]' | xargs awk '
	/#include/ || !/\/\*|^[ \t]*\*/ { next }
	{	for (rest = $0; match(rest, /[A-Za-z0-9_.>\/"-]+/); rest = substr(rest, RSTART + RLENGTH)) {
			word = substr(rest, RSTART, RLENGTH)
			sub(/\.$/, "", word)
			if (word ~ /^[a-z][a-z0-9_-]*\.(c|h|md)$/ && !(word ~ /^[a-z]\.c$/)) print word, FILENAME ":" FNR
		}
	}' >"$here/named"
while read -r word at; do
	grep -qx -e "$word" "$here/files" || echo "$at: $word"
done <"$here/named" >"$here/odd"
[ -s "$here/named" ] && [ ! -s "$here/odd" ] || { cat "$here/odd" >&2; exit 1; }
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

test_case 'messages of --help stand within 80 columns' <<'EOT'
for p in "$O"/ct-*; do
	[ ! -f "$p" ] || [ ! -x "$p" ] || "$p" --help | awk -v p="${p##*/}" 'length > 80 { print p ": " $0 }'
done >long
[ ! -s long ] || { cat long >&2; exit 1; }
EOT

# Over 100 columns stand only texts, macros and examples of traces, which cannot be parted.
test_case 'code stands within 100 columns' <<'EOT'
cd "$SRC"
find record filters report sdk/trace sdk/snap sdk/java sdk/c sdk/cpp sdk/ctp -name '*.[ch]' -o -name '*.hpp' | while read -r f; do
	expand "$f" | awk -v f="$f" 'length > 100 && !/"/ && !/^ *(\*|\/\*|\/\/|#)/ && !/\\$/ { print f ": " $0 }'
done >"$OLDPWD/long"
[ ! -s "$OLDPWD/long" ] || { cat "$OLDPWD/long" >&2; exit 1; }
EOT

test_case 'papers lead only to what is there' <<'EOT'
cd "$SRC"
for f in README.md share/doc/*.md share/doc/runtimes/*.md; do
	grep -oE '\]\([^)#:]+\)' "$f" | sed 's/^](//; s/)$//' | while read -r to; do
		[ -e "$(dirname "$f")/$to" ] || echo "$f: $to"
	done
done >"$OLDPWD/missing"
[ ! -s "$OLDPWD/missing" ] || { cat "$OLDPWD/missing" >&2; exit 1; }
EOT
done_testing
