#!/bin/sh
# The protocol's models (t/model/*.pml): each claim holds in every order of steps, each deliberate mistake in them is found,
# and the code that they name is there. Here the quick checks; all of them with CHECK_ALL=1.
. "${0%/*}/../lib/lib.sh"

test_case 'the functions that the models stand for are where they say' <<'EOT'
cd "$SRC"
sed -n 's/.*code: *//p' t/model/*.pml t/model/*.litmus | tr -s ' ' '\n' |
while read -r word; do
	case $word in
	*/*) file=$word; [ -s "$file" ] || { echo "no file $file" >&2; exit 1; };;
	*) grep -qw -e "$word" "$file" || { echo "no $word in $file" >&2; exit 1; };;
	esac
	echo "$word"
done >"$OLDPWD/words"
[ "$(wc -l <"$OLDPWD/words")" -gt 40 ]
EOT

if ! command -v spin >/dev/null; then
	skip_case 'each claim holds, each mistake is found' 'no spin'
	done_testing
	exit
fi
for model in "$SRC"/t/model/*.pml; do
	export model
	test_case "${model##*/}: each claim holds, each mistake is found" <<'EOT'
sh "$SRC/t/model/spin.sh" $([ -n "${CHECK_ALL:-}" ] || echo -q) "$model" >out || { cat out >&2; exit 1; }
has '^ok .*: pass' out
has '^ok .*: fail: ' out
hasnt '^not ok' out
EOT
done
done_testing
