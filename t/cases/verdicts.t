#!/bin/sh
# The programs after published bugs, t/zoo/pub*: no finding on the mended and the healthy is proven or suspected, and what is
# proven is true. A choice of them, with 2 workers; all, with 1, 2 and 4, for check-all. `make verdicts` prints the figures.
. "${0%/*}/../lib/lib.sh"
[ -z "$SAN" ] || skip_all 'sanitizers do not follow stacks that are switched by hand'
some='pub-sem-cancelled pub-futurelock pub-lock-pruned pub-abba-timeout pub-accept-dropped pub-signal-first
	pub-ok-hedged pub-ok-idle-conns pub-ok-late-timers pub2-stale-waker pub2-nested-pool pub2-entry-of-living pub2-ok-fair-queue pub2-ok-pool-busy
	pub3-barrier-all-but-one pub3-ok-busy-consumer pub3-ok-park-token pub3-last-reader pub3-ok-closed-late
	pub5-reader-leaks pub5-ok-pool-grows pub7-any-of-dead pub7-ok-supervisor-joins'
[ -z "${CHECK_ALL-}" ] || some=

test_case 'no wrong accusation among programs after published bugs, and their mended twins' <<EOT
status 0 sh $SRC/t/verdicts.sh ${some:+-q $(echo $some)} >table || { cat table >&2; exit 1; }
grep '^|.*[0-9]' table | sed 's/^/# /' >../sums
has 'or suspected | [0-9]* | 1.000' table
has '^0 of [0-9]* runs' table
EOT
cat "$scratch/sums" 2>/dev/null
done_testing
