#!/bin/sh
# The recorder's own affairs: what it leaves behind and cleans up, what it says while nothing comes.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

test_case 'directories that killed recorders left are removed by the next, those of the living are not' <<'EOT'
export TMPDIR=$PWD/tmp
mkdir tmp
for i in 1 2; do
	rm -f trace		# of the one before
	ct-record -o trace -- sh -c 'rec-load count stay 1 1 1000; exec sleep 3 >/dev/null' 2>err & recorder=$!
	wait_for grep -q resume trace
	kill -9 $recorder
	wait $recorder 2>/dev/null || :
	[ "$(ls tmp | wc -l)" = 1 ]
	mv tmp/ct-record.* .	# so that the second does not clean up after the first
done
mv ct-record.* tmp
mkfifo go
ct-record -q -o living -- sh -c 'read x <go' & recorder=$!
wait_for sh -c '[ -s living ] && [ "$(ls tmp | wc -l)" = 1 ]'
mkdir tmp/ct-record.abcdef tmp/ct-record.ghijkl
touch -d '2 minutes ago' tmp/ct-record.abcdef
if [ "$(id -u)" = 0 ]; then	# another user's is not ours to remove, though root could
	mkdir tmp/ct-record.mnopqr
	touch -d '2 minutes ago' tmp/ct-record.mnopqr
	chown 65534 tmp/ct-record.mnopqr
	status 0 ct-record -o third -q -- true
	rmdir tmp/ct-record.mnopqr
	mkdir tmp/ct-record.abcdef
	touch -d '2 minutes ago' tmp/ct-record.abcdef
fi
status 0 trace -q -- true
[ "$(ls tmp | wc -l)" = 2 ] && [ -d tmp/ct-record.ghijkl ]
echo >go
wait $recorder
[ "$(ls tmp)" = ct-record.ghijkl ]
EOT

test_case 'two seconds without a probe are said at once, not only at the end' <<'EOT'
mkfifo go
ct-record -o trace -- sh -c 'read x <go' 2>err & recorder=$!
wait_for grep -q '^ct-record: nothing was recorded: no probe attached yet: ' err
echo >go
wait $recorder
[ "$(wc -l <err)" = 2 ]
ct-record -q -o trace -- sleep 2.5 2>err
same /dev/null err
EOT

if command -v go >/dev/null; then
	test_case 'of a Go program it says what to use instead' <<'EOT'
export HOME=$PWD GOFLAGS=-mod=mod GOTOOLCHAIN=local
cat >main.go <<'END'
package main

import "os"

func main() { os.Stdin.Read(make([]byte, 1)) }
END
go build -o app main.go || { echo 'go cannot build here'; exit 0; }
mkfifo in
ct-record -o trace -- ./app <in 2>err & recorder=$!
exec 3>in
wait_for grep -q 'this is a Go program: .*ct-fromgo(1)' err
exec 3>&-
wait $recorder
EOT
else
	skip_case 'of a Go program it says what to use instead' 'no go'
fi

done_testing
