#!/bin/sh
# ct-snap: who is referred to by the kernel alone, or by no plain word, is not said to be forgotten.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/snap.sh"

for cxx in g++ clang++; do
	has_coroutines $cxx || { skip_case "$cxx" 'not there, or without coroutines'; continue; }
	$cxx -std=c++20 -O1 -g -w -o "$scratch/refs-$cxx" "$SRC/t/targets/snap-refs.cc" -lpthread -lrt || fail_all 'snap-refs.cc builds'
	test_case "$cxx: of those that nothing refers to each is suspected" <<EOT
start ../refs-$cxx none
status 0 ct-snap --quiet --again=0.1s -p \$pid >trace
status 1 ct-lostwake trace >out
has '^5 findings: 5 suspected' out
EOT
	test_case "$cxx: in epoll for half a millisecond each: what epoll has is read while the memory is" <<EOT
start ../refs-$cxx epoll
for i in 1 2 3 4 5 6; do
	status 0 ct-snap --quiet -p \$pid >trace
	[ \$(grep -c '"ev":"state"' trace) -ge 399 ]
	status 0 ct-lostwake trace >out
done
EOT
	for where in pipe socket timer packed tagged stack header frozen messages mqueue ending; do
		test_case "$cxx: in a $where" <<EOT
[ $where != timer ] || [ -r /proc/self/timers ] || exit 0
[ $where != messages ] || [ -r /proc/sysvipc/msg ] || exit 0
start ../refs-$cxx $where
status 0 ct-snap --quiet --again=0.1s -p \$pid >trace
[ \$(grep -c '"ev":"state"' trace) -eq 5 ]
status 0 ct-lostwake trace >out
EOT
	done
done
done_testing
