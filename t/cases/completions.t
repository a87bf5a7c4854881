#!/bin/sh
# Completion in the shells that there are: options, and the values of those that have few.
. "${0%/*}/../lib/lib.sh"

test_case 'each file names every program' <<'EOT'
ls "$O" | grep '^ct-[a-z]*$' >programs
for f in corotrace.bash _corotrace corotrace.fish; do
	for p in $(cat programs); do has "$p" "$SRC/share/completions/$f"; done
done
EOT

if command -v bash >/dev/null; then
	test_case 'bash' <<'EOT'
cat >try <<'EOF'
complete() { :; }; compopt() { :; }
. "$SRC/share/completions/corotrace.bash"
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _corotrace "$1"; echo "${COMPREPLY[*]}"; }
try ct-report --format = ju
try ct-plot he
try ct-tosql --dialect =
try ct-stuck --min
try ct-stuck some
EOF
bash try >actual
cat >expected <<'EOF'
junit
heatmap
sqlite postgres mysql clickhouse duckdb
--min-age=

EOF
same expected actual
EOT
else
	skip_case 'bash' 'no bash'
fi
if command -v zsh >/dev/null; then
	test_case 'zsh reads its file' <<'EOT'
zsh -n "$SRC/share/completions/_corotrace"
EOT
else
	skip_case 'zsh' 'no zsh'
fi
if command -v fish >/dev/null; then
	test_case 'fish' <<'EOT'
export HOME=$PWD
try() { fish -c "source $SRC/share/completions/corotrace.fish; complete -C '$1'" | cut -f1 | tr '\n' ' '; echo; }
{ try 'ct-report --format=ju'; try 'ct-plot he'; try 'ct-stuck --min'; } | sed 's/ *$//' >actual
cat >expected <<'EOF'
--format=junit
heatmap
--min-age=
EOF
same expected actual
EOT
else
	skip_case 'fish' 'no fish'
fi
done_testing
