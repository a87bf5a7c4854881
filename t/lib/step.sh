# step.sh - sourced, behind record.sh. In a case: stepped SLACK OPTIONS -- PROGRAM ARGUMENTS records, in small rings, one that interrupts the
# calls of its probe: all that it emits is printed or counted, and up to SLACK more. few: 0 where all is to be tried.
[ -n "${CHECK_ALL:-}" ] && few=0 || few=1
cat >>"$scratch/.case-lib" <<EOT
few=$few
stepped() {
	slack=\$1 got=0; shift
	rm -f count
	trace --ring-slots=16 "\$@" || got=\$?
	[ \$got != 77 ] || { echo 'no processor of that kind'; exit 0; }
	[ \$got = 0 ]
	counted \$slack
	hasnt 'makes no sense\|cannot be true' err
}
EOT
