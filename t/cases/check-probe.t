#!/bin/sh
# check-probe.t - ct-check --probe: the probes here keep every promise, a mistake is found as what it is, and nothing hangs.
. "${0%/*}/../lib/lib.sh"
targets=$O/t/targets

for driver in probe-driver probe-driver-cc; do
	test_case "$driver keeps all promises" <<EOF
status 0 ct-check --probe -- $targets/$driver >out || { cat out >&2; exit 1; }
has '^18 promises: 18 kept, 0 broken, 0 not tried$' out
EOF
done

test_case 'all of its arguments come to it' <<EOF
cat >counts <<'X'
#!/bin/sh
driver=\$1; shift
[ \$# = 400 ] && [ "\$(eval echo "\\\${400}")" = last ] || exit 1
exec \$driver
X
status 0 ct-check --probe -- sh counts $targets/probe-driver \$(seq 399) last >out || { cat out >&2; exit 1; }
has '^18 promises: 18 kept, 0 broken, 0 not tried$' out
EOF

test_case 'what a driver does not know is not tried, and never kept' <<EOF
cat >poor <<'X'
#!/bin/sh
# Answers for itself what it may leave out, and hands the rest on.
mkfifo in.\$\$ out.\$\$
\$1 <in.\$\$ >out.\$\$ &
exec 3>in.\$\$ 4<out.\$\$
rm in.\$\$ out.\$\$
while read -r word rest; do
	case \$word:\$rest in
	exit:*) echo exit >&3; wait; exit 0 ;;
	wake:* | dequeue:* | fork:* | thread:* | create:*\ * | *room:*) echo unknown; continue ;;
	esac
	echo "\$word \$rest" >&3
	read -r answer <&4
	case \$word in create) answer=\${answer% *} ;; suspend) answer=ok ;; esac
	echo "\$answer"
done
X
status 0 ct-check --probe --json -- sh poor $targets/probe-driver >out || [ \$? = 1 ]
for p in wakes fork rings strings sites kinds; do
	has '"promise":"'\$p'","is":"not tried".*does not know' out
done
EOF

test_case 'a driver that cannot be used is status 2, and none is waited for without end' <<'EOF'
limit=400000
[ -z "$SAN" ] || limit=unlimited
for driver in true cat /nonexistent/driver 'sleep 1000' yes 'cat /dev/zero'; do
	(ulimit -v $limit; status 2 timeout 100 ct-check --probe --timeout=300ms -- $driver >out 2>err) || { cat err >&2; false; }
	[ ! -s out ]
	has '^ct-check: ' err
	[ "$(wc -l <err)" = 1 ]
done
for answer in 'ok ' ''; do
	printf '#!/bin/sh\nprintf "%s\\033[2J\\342\\200\\256\\n"\nsleep 1000\n' "$answer" >colours
	fails ct-check --probe --timeout=300ms -- sh colours >out 2>err
	hasnt "$(printf '\033')" out; hasnt "$(printf '\342\200\256')" out; hasnt "$(printf '\033')" err; hasnt "$(printf '\342\200\256')" err
done
status 2 ct-check --probe 2>err
has 'needs a driver' err
status 2 ct-check --timeout=3s in 2>err
status 2 ct-check --probe --timeout=0s cat 2>err
status 2 ct-check --probe --timeout=soon cat 2>err
EOF

test_case 'it leaves no file and no process behind, and a full disk is no success' <<EOF
mkdir tmp
export TMPDIR=\$PWD/tmp
cat >stuck <<'X'
read line; echo ok 1; read line; echo \$\$ >>pids; exec sleep 1000
X
status 1 ct-check --probe --timeout=200ms -- sh stuck >out
has '^events *broken: no answer to "resume 1" in time' out
[ -z "\$(ls tmp)" ]
for pid in \$(cat pids); do
	case \$(ps -o stat= -p \$pid) in '' | Z*) ;; *) ps \$pid >&2; exit 1 ;; esac
done
status 2 ct-check --probe --timeout=200ms -- sh stuck >/dev/full 2>err
has '<stdout>: No space' err
EOF

test_case 'nor where it is interrupted or killed' <<'EOF'
mkdir tmp
export TMPDIR=$PWD/tmp
cat >stuck <<'X'
echo $$ >pid; exec sleep 1000
X
for signal in INT TERM HUP KILL; do
	rm -f pid
	# a shell ignores SIGINT for what runs in the background
	env --default-signal=INT ct-check --probe -- sh stuck >out 2>err & checker=$!
	tries=0; until [ -s pid ]; do tries=$((tries + 1)); [ $tries -lt 600 ]; sleep 0.1; done
	[ -n "$(ls tmp)" ]
	kill -$signal $checker; got=0; wait $checker || got=$?; [ $got -gt 128 ]
	tries=0; until [ -z "$(ls tmp)" ]; do tries=$((tries + 1)); [ $tries -lt 600 ]; sleep 0.1; done
	case $(ps -o stat= -p $(cat pid)) in '' | Z*) ;; *) ps $(cat pid) >&2; exit 1 ;; esac
done
EOF

mkdir "$scratch/mount"
if unshare -m mount -t tmpfs none "$scratch/mount" 2>/dev/null; then
	test_case 'a full disk is no fault of the probe' <<EOF
status 2 unshare -m sh -c 'mount -t tmpfs -o size=200k none ../mount && head -c 190000 /dev/zero >../mount/fill &&
	export TMPDIR=\$PWD/../mount && ct-check --probe -- $targets/probe-driver' >out 2>err
has '^ct-check: .*/mount/ct-check.*: ' err; [ \$(wc -l <err) -eq 1 ]; hasnt broken out
EOF
else
	skip_case 'a full disk is no fault of the probe' 'not permitted to mount one'
fi

# The probe of the page, whole and with one mistake each.
if ! command -v python3 >/dev/null || ! python3 -c 'import ctypes; ctypes.CDLL("libatomic.so.1")' 2>/dev/null; then
	skip_case 'mistakes' 'no python3, or no libatomic'
	done_testing
	exit
fi
mkdir "$scratch/page"
awk -v to="$scratch/page/" '/^```$/ { f = ""; next } /^```python / { f = to $2; next } f { print >f }' \
	"$SRC/share/doc/runtimes/your-own.md"

# mistake PROMISES SENTENCE SED: what is broken then is that, and nothing else; "P..." allows what else depends on it. Each
# takes seconds: every twelfth alone, but for make check-all.
mistakes=0
mistake() {
	mistakes=$((mistakes + 1))
	[ "${CHECK_ALL:-}" ] || [ $((mistakes % 12)) -eq 1 ] || return 0
	test_case "$2: $1" <<EOF
sed '$3' ../page/probe.py >probe.py
cp ../page/driver.py .
fails cmp ../page/probe.py probe.py
status 1 ct-check --probe -- python3 driver.py >out
broken=\$(sed -n 's/^\([a-z]*\) *broken: .*/\1/p' out | tr '\n' ' ')
case '$1' in
*...) for p in $(echo "$1" | tr -d .); do has "^\$p *broken: " out; done ;;
*) [ "\$broken" = '$1 ' ] || { cat out >&2; exit 1; } ;;
esac
has '^ *ctp(7), ' out
EOF
}
mistake 'whole...' 'head is stored before the slot' 's/^        EVENT.pack_into(memory, self.first.*/        store8(self.ring, self.head + 1, RELEASE); time.sleep(1e-6)\n&/'
mistake 'numbers' 'n leaves one out' 's/self.n += 1$/self.n += 1 + (self.n == 2)/'
mistake 'stations' 'no station is written' 's/^        start = number(0x70).*/        return/'
mistake 'stations' 'a station misses what is dropped' '/w.current = self.id/,$s/if self.station is None:$/if self.station is None or base and not w.has_room(1):/'
mistake 'stations' 'a station outlives its coroutine' '/w.current = self.id/,$s/if self.station is None:$/if self.station is None or kind == DESTROY:/'
mistake 'loss' 'drops are not counted' 's/add8(self.ring + 8, 1, RELEASE)/pass/'
mistake 'loss' 'drops are counted twice' 's/^            self.reported = dropped/            pass/'
mistake 'threads' 'the owner is tid << 32 | pid' 's/self.owner = pid << 32 | self.tid/self.owner = self.tid << 32 | pid/'
mistake 'threads' 'a thread is not introduced' 's/self.event(THREAD, n=pid)/pass/'
mistake 'times' 'times fall' 's/self.last = max(clock(), self.last, least)/self.last = clock() - 1000000 * (getattr(self, "head", 0) % 3)/'
mistake 'fork' 'a child writes into its parents ring' 's/^        mine.writer.ring = None.*/        return/'
mistake 'fork' 'a child has no connection' 's/^    base = 0$/    globals()["pid"] = os.getpid(); return/'
mistake 'fork' 'a child reports its parents coroutines' 's/base and self.id > foreign/base and self.id/'
mistake 'sites' 'a site is never ready' 's/store4(base + start, 1, RELEASE)/pass/'
mistake 'sites strings' 'a string is one byte too short' 's/len(words) + 1, RELEASE/len(words), RELEASE/'
mistake 'wakes' 'who woke is left out' 's/arg=w.current, on=on/arg=0, on=on/'
mistake 'events' 'the parent is left out' 's/self.own(CREATE, arg=w.current/self.own(CREATE, arg=0/'
mistake 'bell' 'the bell is not rung' 's/if load4(base + 0x14, RELAXED) == 1/if False/'
mistake 'room' 'a full ring does not wait' 's/while self.ring and flags & 2/while False/'
mistake 'rings' 'a ring is kept when its thread ends' 's/if self.ring:$/if False:/'
mistake 'kinds' 'a later kind of event' 's/ and DEQUEUE < kinds//'
mistake 'kinds' 'a later kind of thing' 's/ if ON\[kind\] < on_kinds else ON\["chan"\]//'
mistake 'version' 'the minor is not looked at' 's/ or number(0x48, 4) != 2/ or False/'
mistake 'gone' 'a full ring waits for ever' 's/ and not recorder_is_gone()//'
mistake 'gone' 'a bell that nobody hears ends the program' 's/^                pass$/                raise/'
mistake 'alone' 'without a recorder it fails' 's/if "CTP_SHM_PATH" in os.environ:/if True:/'
done_testing
