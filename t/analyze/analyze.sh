#!/bin/sh
# analyze.sh - what gcc -fanalyzer, cppcheck and clang --analyze, where they are there, find in the C code, less what t/analyze/known
# has judged.
# O is the build directory. Status 1: something new; or something in known that is not found any more.
#
# Leaks are left to AddressSanitizer and valgrind (t/cases/analyze.t): memory that a program holds until it exits is no leak
# there, and gcc, which does not know who exits, finds little else.
cd "$(dirname "$0")/../.." || exit 2
: "${O:=build}"
out=$O/analyze
mkdir -p "$out" || exit 2
: >"$out/found"
tools=

# of each file as it is compiled
make -n -B V=1 O="$O" all 2>/dev/null |
	sed -n 's/^[^ ]* \(.*\) -MMD -MP .* -c -o [^ ]* \([^ ]*\.c\)$/\1 \2/p' | sort -u >"$out/commands"
[ "$(wc -l <"$out/commands")" -gt 200 ] || { echo 'analyze: make does not say how the files are compiled'; exit 1; }
# each TOOL COMMAND: what it prints of all files, in TOOL.log; that it came to no end with a file is a finding
each() {
	rm -rf "$out/$1"
	mkdir "$out/$1" || exit 2
	nice xargs -d '\n' -P2 -I{} sh -c 'log=$0/$(echo "${2##* }" | tr / -)
		(ulimit -t 300; eval "$1 $2") >"$log" 2>&1 || echo "${2##* }:0:0: warning: no end [-Wanalyzer-none] [none.Time]" >>"$log"
	' "$out/$1" "$2" {} <"$out/commands"
	cat "$out/$1"/* >"$out/$1.log"
}

if ${CC:-cc} -fanalyzer -x c -c -o /dev/null /dev/null 2>/dev/null; then
	tools=gcc
	each gcc "${CC:-cc} -O1 -fanalyzer -Wno-analyzer-malloc-leak -c -o /dev/null"
	awk '/: In function / { match($0, /‘[^’]*’|'"'[^']*'"'/); name = substr($0, RSTART, RLENGTH); gsub(/[‘’'"'"']/, "", name) }
		/ no end \[/ { name = "-" }
		/warning: .*-Wanalyzer/ { split($0, at, ":"); sub(/.*\[-Wanalyzer-/, ""); sub(/\].*/, ""); print at[1], name, $0 }' \
		"$out/gcc.log" >>"$out/found"
fi
if command -v cppcheck >/dev/null; then
	tools="$tools cppcheck"
	nice cppcheck -q -j2 --std=c11 --enable=warning,portability --inline-suppr --suppress=missingInclude \
		--suppress=normalCheckLevelMaxBranches -Isdk -Isdk/trace -Isdk/ctp -Isdk/c --template='{file} - {id}' \
		record sdk/trace sdk/snap sdk/c/ct.c filters report 2>"$out/cppcheck.log"
	cat "$out/cppcheck.log" >>"$out/found"
fi
if command -v clang >/dev/null; then
	tools="$tools clang"
	# some functions have more paths than anybody waits for
	each clang 'clang --analyze --analyzer-output text -Xclang -analyzer-config -Xclang max-nodes=75000 -w'
	sed -n 's/^\([^: ]*\):\([0-9]*\):[0-9]*: warning: .*\[\([A-Za-z.]*\)\]$/\1 \2 \3/p' "$out/clang.log" | sort -u |
		while read -r file line checker; do
			echo "$file $(awk -v line="$line" 'NR > line { exit }
				/^[A-Za-z_].*[(]/ && !/;[ \t]*$/ { name = $0; sub(/[(].*/, "", name); sub(/.*[ *]/, "", name) }
				END { print name ? name : "-" }' "$file") $checker"
		done >>"$out/found"
fi
[ -n "$tools" ] || { echo 'analyze: neither gcc -fanalyzer nor cppcheck nor clang is here'; exit 0; }

sort -u "$out/found" >"$out/all"
sed -n 's/^\([^#:]*\):.*/\1/p' t/analyze/known | sort -u >"$out/known"
new=$(comm -23 "$out/all" "$out/known")
gone=$(comm -13 "$out/all" "$out/known")
[ -z "$new" ] || { echo 'analyze: not judged yet (file, function, finding):'; echo "$new"; }
[ -z "$gone" ] || [ "$tools" != 'gcc cppcheck clang' ] || { echo 'analyze: known, but not found any more:'; echo "$gone"; }
echo "analyze: $tools: $(wc -l <"$out/all") findings, all of them judged: $([ -z "$new" ] && echo yes || echo no)"
[ -z "$new" ]
