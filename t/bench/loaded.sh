# loaded.sh - sourced by bench.sh: what a version 1 recorder keeps, and how fast its target runs, beside 0, 2 and 4
# programs that want the processors for themselves, for some seconds at most.

loaded_burn() {
	burners=
	for i in $(seq "$1"); do
		timeout 30 sh -c 'while :; do :; done' & burners="$burners $!"
	done 2>/dev/null
}

loaded() {
	have "$B/flood_v1" 'loaded: t/bench/flood_v1' || return
	few=$((events / 10))
	for n in 0 2 4; do
		loaded_burn $n
		for r in $(rounds); do
			for c in 1 100; do
				record_null "l-$n-$c" -n 128 "$B/flood_v1" $c $few
				record_null "l-rt-$n-$c" --realtime -n 128 "$B/flood_v1" $c $few
			done
		done
		[ -z "$burners" ] || kill $burners 2>/dev/null
		for c in 1 100; do
			row "version 1 beside $n burners, coroutines: $c" "$(median l-$n-$c) % at $(median l-$n-$c 2) M/s" '' ''
			row '  --realtime' "$(median l-rt-$n-$c) % at $(median l-rt-$n-$c 2) M/s" '' ''
		done
	done
	wait 2>/dev/null
}
