#!/bin/sh
# What each program prints of made-up traces, by checksums: what changes any of it is seen here, where no test looks for it. And
# what memory it took it gives back.
# t/fuzz/made.expected has for each command its status and the checksum and size of what it printed, then those of its messages.
. "${0%/*}/../lib/lib.sh"

cat >>"$scratch/.case-lib" <<'EOF'
sum() { sed "s/$version/VERSION/g" "$1" | cksum; }
rows() {
	[ -f ../made ] || {
		"$O/t/fuzz/judge" --world 0 1 60
		for seed in 3 5 9 10 18; do "$O/t/fuzz/generate" $seed; done
	} >../made
	ln -sf ../made in
	version=$("${1%% *}" --version); version=${version#* }
	for command; do
		got=0; timeout 100 env ${COUNT:+LEFT=left LD_PRELOAD="$COUNT"} $command <in >out 2>err || got=$?
		case $command in
		ct-top*|ct-tosql*|ct-report*|*--site=*|*--name=*|*--verdicts) ;;	# which keep some until they end
		*) [ -z "$COUNT" ] || [ "$(cat left)" = 0 ] || { echo "$command: $(cat left) blocks of memory are left" >&2; return 1; } ;;
		esac
		echo "$command: $got $(sum out) $(sum err)" >>got
		grep -F -e "$command: " "$SRC/t/fuzz/made.expected" >>want || :
	done
	[ -z "${CT_MADE:-}" ] || { cat got >>"$CT_MADE"; return 0; }
	same want got || {
		echo 'Where that was meant and looked at: CT_MADE=FILE adds the new rows to a file, for t/fuzz/made.expected.' >&2
		false
	}
}
EOF
made() {
	test_case "what ${1%% *} prints of made-up traces is what was looked at last" <<EOF
rows $(for command; do printf "'%s' " "$command"; done)
EOF
}

COUNT=
[ -n "$SAN" ] || { ${CC:-cc} -shared -fPIC -O1 -w -o "$scratch/left.so" "$SRC/t/fault/left.c" 2>"$scratch/log" &&
	LEFT="$scratch/left" LD_PRELOAD="$scratch/left.so" ct-where --version >/dev/null 2>&1 && [ -s "$scratch/left" ] && COUNT=$scratch/left.so; }
export COUNT

made ct-stuck 'ct-stuck --all' 'ct-stuck --json --min-age=1ms' 'ct-stuck --at=+1ms --color=always' 'ct-stuck --site=serve --name=one'
made ct-bt 'ct-bt --all' 'ct-bt --tree' 'ct-bt --all --json' 'ct-bt --task=3 --frames=all --system' 'ct-bt --at=+500us --all'
made ct-sched 'ct-sched --top=0 --histograms' 'ct-sched --json' 'ct-sched --from=+1ms --to=+9ms' 'ct-sched --site=serve --color=always'
made ct-fold 'ct-fold --time=runnable' 'ct-fold --time=running --names' 'ct-fold --wakers --depth=3' 'ct-fold --from=+1ms --to=+9ms'
made ct-check 'ct-check --json' 'ct-check --strict'
made ct-lint 'ct-lint --long-poll=1us --self-wakes=1 --min-wakes=1 --never-yielded=1ms --growth=2' 'ct-lint --json --long-poll=10us --growth=1'
made ct-lostwake 'ct-lostwake --all --top=0' 'ct-lostwake --json --grace=0' 'ct-lostwake --min-age=200ms --proven-only' 'ct-lostwake --verdicts' \
	'ct-lostwake --fail-on=hint --site=serve --color=always'
made ct-report 'ct-report --format=text --all' 'ct-report --json' 'ct-report --format=junit' 'ct-report --format=sarif --root=/src'
made ct-tocsv 'ct-tocsv --per=coroutine' 'ct-tocsv --per=site' 'ct-tocsv --per=interval --null=NULL --run=x'
made ct-tochrome 'ct-tochrome --from=+1ms --grace=1s'
made ct-toperfetto 'ct-toperfetto --from=+1ms --to=+1s'
made ct-top 'ct-top --min-age=10ms'
made 'ct-where .tid==12' 'ct-where --count .ts>1001000000' 'ct-where .on=="cond:0x50"'
made 'ct-plot states' 'ct-plot waits' 'ct-plot delay' 'ct-plot queues' 'ct-plot throughput' 'ct-plot heatmap'
made ct-tosql 'ct-tosql --dialect=postgres'
done_testing
