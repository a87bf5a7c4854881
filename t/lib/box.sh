# box.sh - sourced, behind lib.sh and record.sh, by the tests of boxes. In a case: spin ARGUMENTS starts box-spin and sets $pid;
# stop_spin ends it.

unset CTP_BOX
cat >>"$scratch/.case-lib" <<'EOT'
spin() {	# ENVIRONMENT... -- ARGUMENTS: box-spin, or $SPIN, in the background
	vars=
	while [ "$1" != -- ]; do vars="$vars $1"; shift; done
	shift
	rm -f stop pid
	env $vars ${SPIN:-box-spin} "$@" >emitted 2>spin.err &
	spinner=$!
	wait_for test -s pid
	pid=$(cat pid)
}
stop_spin() { touch stop; status 0 wait $spinner; }
# attach_for SECONDS OPTIONS: record $pid into `trace`, so long from where it has attached. In the foreground: a
# signal goes to the recorder alone, not also to the process that LeakSanitizer makes of it, which both wait for then.
attach_for() {
	for_s=$1; shift
	rm -f trace
	timeout --foreground -k 20 100 ct-record -o trace -p $pid "$@" 2>err &
	attached=$!
	wait_for sh -c "grep -q '\"ev\":\"attach\"' trace || ! kill -0 $attached"
	sleep "$for_s"
	kill -TERM $attached || :
	status 0 wait $attached
}
ended() { tail -n 1 "${1:-trace}" | grep -q '"ev":"end"'; }
# Nothing is out of order, twice, or missing without being counted.
sound() {
	ct-check --json "${1:-trace}" >checked || [ $? -eq 1 ]
	hasnt '"check":"\(bad\|number\|time\|state\|end\)"' checked
	has '"check":"run"' checked
	ended "${1:-trace}"
}
# Of a box's file: "HEADS DROPPED", the sums over its rings.
heads() {
	perl -e 'open F, "<:raw", $ARGV[0] or die; sub at { seek F, $_[0], 0; read F, my $b, $_[1]; $b }
		my $rings = unpack "V", at(0x58, 4); my $off = unpack "Q<", at(0x60, 8); my ($h, $d) = (0, 0);
		for (0 .. $rings - 1) { my ($x, $y) = unpack "Q<Q<", at($off + 128 * $_, 16); $h += $x; $d += $y } print "$h $d\n"' "$1"
}
# Of a trace: how many records of the rings it shows or counts as overwritten. Births have no thread; thread lines before the attach
# line are not of rings.
shown() {
	perl -ne '$in = 1 if /"ev":"attach"/; $before = $1 if /"ev":"attach".*"before":(\d+)/;
		$n++ if /"tid":[1-9]/ && !/"ev":"(state|lost)"/ && (!/"ev":"thread"/ || $in); END { print $n + $before, "\n" }' "$1"
}
# Of a trace: how many lost lines stand behind the attach line, and how many events they count.
dropped() {
	perl -ne '$in = 1 if /"ev":"attach"/; $in && /"ev":"lost".*"count":(\d+)/ && ($n++, $sum += $1); END { print $n + 0, " ", $sum + 0, "\n" }' "$1"
}
EOT
