#!/bin/sh
# Being recorded never hurts: what a program can do without a recorder, it can do with one.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

[ -z "$SAN" ] || skip_all 'sanitizers take memory of their own'

test_case 'nothing of the shared memory goes into a core, and little of it is there' <<'EOT'
status 0 trace --target-stdout=sizes -- rec-memory count look
counted
read -r _ resident _ dumped <sizes
[ "$dumped" = 0 ] && [ "$resident" -lt 20000 ]
EOT

if [ "$(cat /proc/sys/kernel/core_pattern)" = core ] && (ulimit -c unlimited) 2>/dev/null; then
	test_case 'a program that aborts leaves a core of what it had, not of what the recorder could hold' <<'EOT'
ulimit -c unlimited
status 134 trace -- rec-memory count abort
counted
core=$(ls core*)
[ "$(du -k "$core" | cut -f1)" -lt 20000 ]
[ "$(wc -c <"$core")" -lt 100000000 ]
EOT
else
	skip_case 'a program that aborts leaves a core of what it had, not of what the recorder could hold' 'no cores here'
fi

test_case 'a program that locks all its memory locks what it uses' <<'EOT'
got=0; trace --target-stdout=sizes -- rec-memory count lock || got=$?
[ $got != 77 ] || { echo 'may not lock memory here'; exit 0; }	# its own memory is too much already
[ $got = 0 ]
counted
read -r _ resident _ <sizes
[ "$resident" -lt 200000 ]
EOT

test_case 'an address space of 2 GB, or of 200 MB, is enough' <<'EOT'
status 0 trace --target-stdout=sizes -- sh -c 'ulimit -v 2000000; exec rec-memory count look'
counted
[ $lost = 0 ]
same /dev/null err
rm count
status 0 trace --target-stdout=sizes -- sh -c 'ulimit -v 200000; exec rec-memory count look'
counted
[ $lost = 0 ]
rm count
ulimit -v 2000000
status 0 trace --target-stdout=sizes -- rec-memory count look
counted
[ $lost = 0 ]
has 'room for 64 threads' err
EOT

# plugin [FLAGS]: a shared library with a probe of its own
cat >>"$scratch/.case-lib" <<'EOT'
plugin() {
	${CC:-cc} -O1 -shared -fPIC -I"$SRC/sdk/c" "$@" -o plugin.so "$SRC/t/lib/plugin.c" "$SRC/sdk/c/ct.c" -lpthread -ldl
}
EOT
test_case 'a plugin with a probe of its own: two in one process, and dlclose() while its threads live' <<'EOT'
plugin
status 0 trace -- rec-plugin count ./plugin.so
counted
[ $emitted = 3780 ] && [ $lost = 0 ]
status 0 ct-check trace >/dev/null
same /dev/null err
EOT

test_case 'two libraries that have the probe in other editions: what the first one lacks is the second one'"'"'s, and hurts nobody' <<'EOT'
mkdir old
sed 's/^struct ct_shared {/& char more[4096];/; s/ct_switch_(/ct_lacks_(/' "$O/dropin/ct.c" >old/ct.c
sed 's/ct_switch_(/ct_lacks_(/' "$O/dropin/ct.h" >old/ct.h
cat >lives.c <<'END'
#include "ct.h"
int LIVES(void)
{
	struct ct_coro c = { 0 };
	int i, on = ct_init();

	ct_create(&c, 0, CT_HERE, &c, NULL);
	for (i = 0; i < 10; i++) {
		SWITCH(NULL, &c);
		SWITCH(&c, NULL);
	}
	ct_destroy(&c, 1);
	return on;
}
END
echo 'int first(void), second(void); int main(void) { return !(first() && second() && first()); }' >main.c
${CC:-cc} -O1 -shared -fPIC -Iold -DLIVES=first '-DSWITCH(a, b)=((void)0)' -o first.so lives.c old/ct.c -lpthread
${CC:-cc} -O1 -shared -fPIC -I"$O/dropin" -DLIVES=second -DSWITCH=ct_switch -o second.so lives.c "$O/dropin/ct.c" -lpthread
${CC:-cc} -o main main.c ./first.so ./second.so
status 0 trace -- ./main
[ "$(grep -c '"ev":"destroy"' trace)" = 3 ]
EOT

test_case 'a library whose constructor calls ct_init while another thread is in it: neither waits for the other' <<'EOT'
at_load() { ${CC:-cc} -O1 -I"$SRC/sdk/c" "$@" "$SRC/t/lib/at-load.c"; }
at_load -shared -fPIC -DLIBRARY -o at-load.so
at_load -rdynamic -o at-load "$SRC/sdk/c/ct.c" -lpthread -ldl
status 0 timeout 30 ct-record -o trace -- ./at-load ./at-load.so
status 97 timeout 30 ./at-load ./at-load.so
EOT

# under_filter CALLS OPTIONS: what the filter does not allow kills
cat >>"$scratch/.case-lib" <<'EOT'
under_filter() {
	calls=$1 got=0; shift
	trace "$@" -- rec-seccomp count $calls || got=$?
	[ $got != 77 ] || { echo 'no filters here'; exit 0; }
	[ $got = 0 ] || { echo "status $got" >&2; return 1; }
	counted
	only_losses $((lost > 0))
}
EOT
test_case 'under --no-syscalls the probe makes none once attached: a filter that kills for any' <<'EOT'
under_filter none --no-syscalls
rm count
under_filter 'none stop' --no-syscalls
has '"ev":"start"' trace
rm count
under_filter none --no-syscalls --ring-slots=64
[ $lost -gt 0 ]
rm count
under_filter none --no-syscalls --threads=2
has 'found no ring' err
EOT
test_case 'without it, it makes those that the manual lists' <<'EOT'
under_filter listed
rm count
under_filter listed --ring-slots=64
rm count
under_filter listed --ring-slots=64 --on-full=block
[ $lost = 0 ]
rm count
under_filter forked
[ $lost = 0 ]
EOT
test_case 'with a box in a file, too' <<'EOT'
mkdir -m 700 boxes
export CTP_BOX=$PWD/boxes
got=0; rec-seccomp count boxed stop || got=$?
case $got in 0 | 77) ;; *) false ;; esac
got=0; rec-seccomp count forked || got=$?
case $got in 0 | 77) ;; *) false ;; esac
EOT
test_case 'what cannot go with --no-syscalls is refused; children are recorded' <<'EOT'
status 125 trace --no-syscalls --stacks true
status 125 trace --no-syscalls --on-full=block true
status 0 trace --no-syscalls --follow -- rec-join count fork
counted
[ $lost = 0 ] && [ $emitted = 715 ]
EOT

done_testing
