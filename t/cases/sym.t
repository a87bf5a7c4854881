#!/bin/sh
# ct-sym: addresses become functions, lines and inlined callers, of the very build that was traced, and what is missing is said.
. "${0%/*}/../lib/lib.sh"
: "${CXX:=c++}"
export CXX
for tool in "$CXX" nm readelf strip; do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
cat >>"$scratch/.case-lib" <<'EOF'
BASE=0x555500000000
# Compile app.cc as $1 with flags; `mark` is in what was inlined, `plain` a function alone.
build() {
	cat >app.cc <<'CC'
namespace app {
struct conn {
	template <typename T> __attribute__((always_inline)) inline T read(T v)
	{
		asm volatile(".globl mark\nmark: nop\nnop\nnop");
		return v + 1;
	}
};
__attribute__((always_inline)) static inline int serve_one(conn c, int v)
{
	return c.read(v);
}
__attribute__((noinline)) int serve(int v)
{
	return serve_one(conn(), v) * 2;
}
__attribute__((noinline)) int plain(int v)
{
	return v + 2;
}
}
int main(int argc, char **) { return app::serve(argc) + app::plain(argc); }
CC
	out=$1; shift
	$CXX -O1 -g -fno-pie -fPIE -pie -Wl,--build-id=sha1 "$@" -o $out app.cc
}
id() { readelf -n $1 | sed -n 's/.*Build ID: //p'; }
# Where the loader would put the symbol $2 of $1, plus $3.
at() { printf '0x%016x' $((BASE + 0x$(nm $1 | sed -n "s/^\([0-9a-f]*\) . $2\$/\1/p") + ${3:-0})); }
maps() {	# $1: file; $2: path told; $3: build id told
	readelf -lW $1 | sed -n 's/^ *LOAD *\(0x[0-9a-f]*\) \(0x[0-9a-f]*\) 0x[0-9a-f]* \(0x[0-9a-f]*\) 0x[0-9a-f]* R E.*/\1 \2 \3/p' |
	while read -r offset vaddr size; do
		printf '{"ev":"map","ts":1,"pid":1,"start":"0x%016x","end":"0x%016x","offset":%d,"path":"%s","build_id":"%s"}\n' \
			$((BASE + vaddr - vaddr % 4096)) $((BASE + vaddr + size)) $((offset - offset % 4096)) "$2" "$3"
	done
}
# A trace with one stack of the frames named.
stack() {	# $1: file; $2: build id; frames
	file=$1 build_id=$2; shift 2
	echo '{"ev":"meta","ts":1,"format":"corotrace","version":2}'
	maps $file "$PWD/$file" "$build_id"
	frames=
	for f; do frames="$frames,\"$f\""; done
	echo "{\"ev\":\"stack\",\"stack\":9,\"frames\":[${frames#,}]}"
	echo '{"ev":"end","ts":2,"events":0,"lost":0}'
}
# An x86-64 program $1 whose debug information, written by hand, has one function, `mark`, with the attributes $2 of the
# values $3 besides its addresses; $4: what else is in the file.
written() {
	cat >$1.s <<S
	.text
	.globl mark
mark:	nop
	nop
	ret
end:	.globl _start
_start:	ret
	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x11
	.byte 1
	.uleb128 0x11, 1, 0x12, 7, 0, 0
	.uleb128 2, 0x2e
	.byte 0
	.uleb128 $2, 0x11, 1, 0x12, 7, 0, 0
	.byte 0
	.section .debug_info,"",@progbits
begin:	.long over - 1f
1:	.short 4
	.long 0
	.byte 8
	.uleb128 1
	.quad mark, end - mark
self:	.uleb128 2
	.long $3
	.quad mark, end - mark
	.byte 0
over:
$4
S
	${CC:-cc} -c -o $1.o $1.s; ld --build-id -o $1 $1.o
}
EOF

# Compilers differ in where a function begins, and in whether they tell the mangled name of a static one.
test_case 'function, file, line, and whom it was inlined into; C++ names demangled' <<'EOF'
build app
stack app "$(id app)" $(at app mark 1) $(at app _ZN3app5plainEi 1) >trace
status 0 ct-sym --text trace >out 2>err
[ ! -s err ]
sed "s|$PWD/||; s|0x[0-9a-f]*|ADDR|; s|cc:1[789]$|cc:18|; s|(app::conn, int)||" out >actual
cat >expected <<'OUT'
stack 9
  ADDR  int app::conn::read<int>(int) at app.cc:5
        inlined into  app::serve_one at app.cc:11
        inlined into  app::serve(int) at app.cc:15
  ADDR  app::plain(int) at app.cc:18
OUT
same expected actual
EOF

if command -v clang++ >/dev/null; then
	test_case 'where the debug information has only lines, the symbol table has the names' <<'EOF'
build app
sed -i 's/always_inline/noinline/' app.cc	# what is inlined is named there
clang++ -O1 -fPIE -pie -Wl,--build-id=sha1 -gline-tables-only -o app app.cc
readelf --debug-dump=info app >info
hasnt DW_TAG_subprogram info
stack app "$(id app)" $(at app _ZN3app5plainEi 1) >trace
status 0 ct-sym --text trace >out 2>err
[ ! -s err ]
has 'app::plain(int) at .*app.cc:1[789]$' out
EOF
else
	skip_case 'where the debug information has only lines, the symbol table has the names' 'no clang++'
fi

# clang, rustc and Go write no table of units by address; with a unit of gcc before and behind they are in a gap of it.
test_case 'units of which the table by address has some only' <<'EOF'
for u in before among behind; do
	echo "int $u(int v) { return v + 1; }" >$u.c
	${CC:-cc} -g -O1 -fPIE -gdwarf-aranges -c $u.c 2>/dev/null || ${CC:-cc} -g -O1 -fPIE -c $u.c
done
objcopy --remove-section=.debug_aranges --remove-section=.rela.debug_aranges among.o
echo 'int before(int), among(int), behind(int); int main(int c, char **v) { return before(c) + among(c) + behind(c) + !v; }' >main.c
${CC:-cc} -g -O1 -fPIE -pie -Wl,--build-id=sha1 -o mixed before.o among.o behind.o main.c
stack mixed "$(id mixed)" $(at mixed before 1) $(at mixed among 1) $(at mixed behind 1) >trace
status 0 ct-sym --text trace >out 2>err
[ ! -s err ]
for u in before among behind; do has "  $u at .*$u.c:1$" out; done
EOF

test_case 'the trace passes byte for byte, a symbol line before the first use of each address' <<'EOF'
build app
stack app "$(id app)" $(at app mark 1) >trace
sed -n 3p trace | sed 's/9/10/' >again
printf '{"probe_id":7,"tid":1,"addr":"%s","seq":2,"is_active":false,"ts":%s,"ev":"create","n":1}\n' \
	$(at app _ZN3app5plainEi) 1 0x0000000000000010 1 >coros
{ sed -n 1,3p trace; cat again coros; sed -n 4p trace; } >more
status 0 ct-sym more >out
grep -v '"ev":"symbol"' out >rest; same more rest
grep -n '"ev":"symbol"' out | sed "s|$PWD/||g; s|0x[0-9a-f]*|ADDR|; s|:1[789]}|:18}|; s|(app::conn, int)||" >actual
cat >expected <<'OUT'
3:{"ev":"symbol","addr":"ADDR","path":"app","at":[{"func":"int app::conn::read<int>(int)","file":"app.cc","line":5},{"func":"app::serve_one","file":"app.cc","line":11},{"func":"app::serve(int)","file":"app.cc","line":15}]}
6:{"ev":"symbol","addr":"ADDR","path":"app","at":[{"func":"app::plain(int)","file":"app.cc","line":18}]}
OUT
same expected actual
status 0 ct-check out >check || status 1 ct-check out >check; hasnt 'bad lines' check
EOF

test_case 'another build is refused' <<'EOF'
build app
stack app 0123456789abcdef $(at app mark 1) $(at app mark 2) >trace
status 3 ct-sym trace >out 2>err
has "app: build id $(id app), not the trace's 0123456789abcdef: another build, not used" err
grep -c 'another build' err >n; echo 1 >one; same one n
has '"at":\[\],"missing":"the file is another build"}' out; hasnt serve out
has 'ct-sym: 2 of 2 addresses have no name' err
EOF

test_case 'what is missing is said: file, map, debug information' <<'EOF'
build app; frame=$(at app _ZN3app5plainEi 1); strip -g -o bare app
stack bare "$(id app)" $frame 0x10 >trace
status 3 ct-sym --text trace >out 2>err
has 'bare: no debug information' err
sed "s|$PWD/||; s|0x[0-9a-f]*|ADDR|" out >actual
cat >expected <<'OUT'
stack 9
  ADDR  app::plain(int) in bare (no debug information)
  ADDR  ? (no map covers it)
OUT
same expected actual
stack app "$(id app)" $frame >trace; rm app
status 3 ct-sym trace >out 2>err; has 'app: No such file' err; has '"missing":"the file cannot be read"' out
EOF

test_case '--root, and a trace without build ids' <<'EOF'
build app; stack app '' $(at app mark 1) | sed "s|$PWD/app|/bin/app|" >trace
mkdir -p there/bin; mv app there/bin
status 0 ct-sym --root="$PWD/there" --text trace >out; has 'serve(int) at' out
EOF

test_case 'two processes with different files at one place: neither is guessed' <<'EOF'
build app; cp app other; stack app '' $(at app mark 1) >trace
{ sed -n 1,2p trace; sed -n 2p trace | sed 's|/app"|/other"|; s/"pid":1/"pid":2/'; sed 1,2d trace; } >two
status 3 ct-sym two >out 2>err; has '"at":\[\],"missing":"processes have different files there"' out
EOF

test_case 'a library in the place of one that was unloaded: named by what lay there then' <<'EOF'
build app; build other -DOTHER; addr=$(at app _ZN3app5plainEi 1)
[ $addr = $(at other _ZN3app5plainEi 1) ]
stack app '' $addr >trace; stack other '' $addr | sed 's/"ts":1,"pid"/"ts":2,"pid"/; s/"stack":9/"stack":10/' >later
{ sed '$d' trace; sed 1d later; } >two
status 0 ct-sym two >out; sed -n 's|.*"ev":"symbol".*"path":"[^"]*/\([a-z]*\)".*|\1|p' out >actual
printf 'app\nother\n' >expected; same expected actual
EOF

if command -v rustc >/dev/null; then
	for mangling in legacy v0; do
		test_case "Rust names, $mangling mangling" <<EOT
cat >app.rs <<'RS'
mod net {
    pub struct Conn<T>(pub T);
    impl<T: Copy> Conn<T> {
        #[inline(never)]
        pub fn read(&self) -> T { self.0 }
    }
}
fn main() { std::process::exit(net::Conn(std::env::args().count() as i32).read()); }
RS
rustc -g -C opt-level=1 -C symbol-mangling-version=$mangling -C link-arg=-Wl,--build-id=sha1 -o app app.rs 2>log ||
	rustc -Z unstable-options -g -C opt-level=1 -C symbol-mangling-version=$mangling -o app app.rs || exit 0
symbol=\$(nm app | sed -n 's/^[0-9a-f]* . \(.*net.*Conn.*read.*\)\$/\1/p' | head -1)
[ "\$symbol" ]
stack app '' \$(at app "\$symbol" 1) >trace
ct-sym --text trace >out || :
has '  <*app::net::Conn<[T:i32]*>>*::read[<i32>]* at .*app.rs:5' out
EOT
	done
else
	skip_case 'Rust names' 'no rustc'
fi

test_case 'neither .. nor a link leads out of --root' <<'EOF'
mkdir -p there/bin there/lib; build app; stack app '' $(at app mark 1) >plain
ln -s "$PWD/app" there/bin/out; ln -s ../.. there/bin/far; ln -s loop there/bin/loop
for path in ../app ../../../../..$PWD/app /bin/out /bin/far/app /bin/loop; do
	sed "s|\"path\":\"[^\"]*\"|\"path\":\"$path\"|" plain >trace
	status 3 ct-sym --root="$PWD/there" --text trace >out 2>err
	hasnt 'serve(int)' out
done
# Within it they mean what they mean to a program that has it as its root.
cp app there/lib; ln -s ../lib/../../../lib/app there/bin/in; ln -s /lib/app there/bin/absolute
for path in /bin/in /bin/absolute /bin/../lib/app; do
	sed "s|\"path\":\"[^\"]*\"|\"path\":\"$path\"|" plain >trace
	status 0 ct-sym --root="$PWD/there" --text trace >out 2>err
	has 'serve(int) at' out
done
EOF

test_case 'only regular files are opened' <<'EOF'
build app; mkfifo fifo; : >nothing	# as the kernel log seems, which a look would use up
for path in "$PWD/fifo" /dev/zero /dev/tty "$PWD" "$PWD/nothing" /proc/self/pagemap; do
	stack app '' $(at app mark 1) | sed "s|\"path\":\"[^\"]*\"|\"path\":\"$path\"|" >trace
	status 3 timeout 100 ct-sym --text trace >out 2>err
	has "^ct-sym: $path: not a regular file, or an empty one$" err
done
EOF

# Debug information may name further files, which libraries open. What is outside has the one name there is.
test_case 'a further file of debug information: only a regular one, only below --root' <<'EOF'
[ "$(uname -m)" = x86_64 ] || exit 0
cat >common.s <<'S'
	.section .debug_str,"MS",@progbits,1
	.string "supplied"
	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x11
	.byte 0
	.uleb128 0, 0
	.byte 0
	.section .debug_info,"",@progbits
	.long over - 1f
1:	.short 4
	.long 0
	.byte 8
	.uleb128 1
over:
	.section .note.gnu.build-id,"a",@note
	.long 4, 8, 3
	.string "GNU"
	.byte 1, 2, 3, 4, 5, 6, 7, 8
S
${CC:-cc} -c -o common common.s
written app '0x03, 0x1f21' 0 "
	.section .gnu_debugaltlink,\"\",@progbits
	.string \"$PWD/common\"
	.byte 1, 2, 3, 4, 5, 6, 7, 8"
BASE=0
stack app '' $(at app mark 2) >trace
status 0 ct-sym --text trace >out 2>err; has '  supplied in ' out
mkdir -p "there$PWD"; cp app "there$PWD"
status 0 ct-sym --root="$PWD/there" --text trace >out 2>err; hasnt supplied out; has '  mark in .*(its supplementary debug' out
cp common "there$PWD"
status 0 ct-sym --root="$PWD/there" --text trace >out 2>err; has '  supplied in ' out
ln -sf "$PWD/common" "there$PWD/common"
status 0 ct-sym --root="$PWD/there" --text trace >out 2>err; hasnt supplied out; has '  mark in .*(its supplementary debug' out
rm common "there$PWD/common"; mkfifo common "there$PWD/common"
for root in '' "$PWD/there"; do
	status 0 timeout 100 ct-sym --root="$root" --text trace >out 2>err
	hasnt 'takes too long' out; hasnt supplied out
done
EOF

test_case 'separate debug information that is a FIFO, or leads out of --root' <<'EOF'
build app; stack app '' $(at app mark 1) >trace
objcopy --only-keep-debug app app.debug; strip -g app; objcopy --add-gnu-debuglink=app.debug app
status 0 ct-sym --text trace >out; has 'serve(int) at' out
mkdir -p "there$PWD"; cp app "there$PWD"; ln -s "$PWD/app.debug" "there$PWD/app.debug"
ct-sym --root="$PWD/there" --text trace >out 2>err || [ $? -eq 3 ]; hasnt ' at .*app.cc' out; has 'no debug information' err
rm app.debug; mkfifo app.debug
timeout 100 ct-sym --text trace >out 2>err || [ $? -eq 3 ]; hasnt ' at .*app.cc' out; hasnt 'takes too long' err
EOF

test_case 'split DWARF whose other half is a FIFO' <<'EOF'
for v in 4 5; do
	for cc in gcc clang; do
		command -v $cc >/dev/null || continue
		cat >split.c <<'C'
int mark(int a) { return a * a; }
static inline __attribute__((always_inline)) int in(int a) { return mark(a) + a; }
int main(int argc, char **argv) { (void)argv; return in(argc); }
C
		inline=$($cc --version | sed -n 's/.*clang.*/-fsplit-dwarf-inlining/p')
		rm -f *.dwo
		$cc -gdwarf-$v -gsplit-dwarf $inline -O1 -o split split.c 2>log || continue
		stack split '' $(at split mark 1) $(at split main 1) >trace
		ct-sym --text trace >out 2>err || [ $? -eq 3 ]
		has '  mark' out
		for dwo in *.dwo; do rm "$dwo"; mkfifo "$dwo"; done
		timeout 100 ct-sym --text trace >out 2>err || [ $? -eq 3 ]
		hasnt 'takes too long' err
	done
done
EOF

test_case 'split debug information: inlined functions are named from it; where it is not there, that is said' <<'EOF'
for cc in g++ clang++; do
	command -v $cc >/dev/null || continue
	for v in 4 5; do
		rm -f *.dwo; CXX=$cc; build app -gdwarf-$v -gsplit-dwarf 2>log || continue
		stack app "$(id app)" $(at app mark 1) $(at app main 1) >trace
		status 0 ct-sym --text trace >out 2>err; [ ! -s err ]
		has '::read<int>(int) at .*app.cc:5$' out; has 'inlined into  app::serve(int) at .*app.cc:15$' out
		dwo=$(ls *.dwo); mkdir away; mv $dwo away
		status 0 ct-sym --text trace >out 2>err
		has "^ct-sym: $PWD/app: its split debug information is not there: $dwo\$" err; [ $(wc -l <err) -eq 1 ]
		has '  app::serve(int) at .*app.cc:5 (its split debug information is not there)$' out; hasnt inlined out
		# another build's
		mv away/$dwo .; mv app old; build app -gdwarf-$v -gsplit-dwarf -Dplain=simple; mv old app
		status 0 ct-sym --text trace >out 2>err; has 'its split debug information is not there' err; hasnt inlined out
		rm -r away
	done
done
EOF

test_case 'supplementary debug information: where it is not there, or another build'"'"'s, no name is taken from it' <<'EOF'
build app; build other -Dplain=other
{ printf 'shared.debug\0'; id other | perl -pe 'chomp; $_ = pack "H*", $_'; } >link
objcopy --add-section .gnu_debugaltlink=link app
stack app "$(id app)" $(at app mark 1) >trace
status 0 ct-sym --text trace >out 2>err
has "^ct-sym: $PWD/app: its supplementary debug information is not there: shared.debug\$" err; [ $(wc -l <err) -eq 1 ]
has '  app::serve(int) at .*app.cc:5 (its supplementary debug information is not there)$' out
build shared.debug -Dplain=third
status 0 ct-sym --text trace >out 2>err
has "^ct-sym: $PWD/app: its supplementary debug information is another build's: shared.debug\$" err
has '  app::serve(int) at .*app.cc:5 (its supplementary debug information is another build'"'"'s)$' out; hasnt inlined out
cp other shared.debug
status 0 ct-sym --text trace >out 2>err; [ ! -s err ]; has 'inlined into  app::serve(int) at .*app.cc:15$' out
EOF

test_case 'debug information that is compressed in a way that is not known here is not said to be none' <<'EOF'
command -v readelf >/dev/null || exit 0
# clang leaves as they are what becomes no smaller
for part in 'debug_[^ ]*' debug_info; do
	build app -gz -include vector
	LC_ALL=C readelf -SW app | sed -n "s/^ *\[ *[0-9]*\] \.$part *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .* C .*/\1/p" >packed; [ -s packed ]
	while read at; do printf '\143' | dd of=app bs=1 seek=$((0x$at)) conv=notrunc status=none; done <packed
	stack app "$(id app)" $(at app mark 1) >trace
	status 0 ct-sym --text trace >out 2>err
	has "^ct-sym: $PWD/app: its debug information is compressed as elfutils here does not know: names of functions at best\$" err
	has '  app::serve(int) in .* (its debug information is compressed as elfutils here does not know)$' out
done
EOF

test_case 'a function that is an instance of itself' <<'EOF'
[ "$(uname -m)" = x86_64 ] || exit 0
written round '0x01, 0x13, 0x31, 0x13' 'over - begin - 1, self - begin'
BASE=0
stack round '' $(at round mark 1) >trace
status 3 timeout 60 ct-sym trace >out 2>err
has '"at":\[{}\]' out
EOF

test_case 'a file that takes too long is left, and the trace goes on' <<'EOF'
build app; stack app '' $(at app mark 1) $(at app mark 2) >trace
status 3 ct-sym --timeout=1ns trace >out 2>err
[ $(grep -c "^ct-sym: $PWD/app: reading its debug information takes too long: not used$" err) -eq 1 ]
grep -v '"ev":"symbol"' out >rest; same trace rest
[ $(grep -c '"missing":"reading its debug information takes too long"' out) -eq 2 ]
status 2 ct-sym --timeout=5 trace 2>err; has 'needs a unit' err
EOF

test_case 'of a unit of 4,000 functions each is found in no more time than of one of four' <<'EOF'
awk 'BEGIN { for (i = 0; i < 4000; i++) printf "int f%d(void) { return %d; }\n", i, i; print "int main(void) { return f0(); }" }' >app.c
${CC:-cc} -g -O0 -fPIE -pie -Wl,--build-id=sha1 -o app app.c
BASE=0
stack app "$(id app)" $(nm app | sed -n 's/^\([0-9a-f]*\) T f[0-9]*$/0x\1/p' | while read -r a; do printf '0x%016x ' $((a + 1)); done) >trace
(ulimit -t 2; status 0 ct-sym trace >out)
[ $(grep -c '"ev":"symbol"' out) -eq 4000 ]
[ $(sed -n 's/.*"at":\[{"func":"f\([0-9]*\)","file":"[^"]*","line":\([0-9]*\).*/\1 \2/p' out | awk '$1 + 1 == $2' | wc -l) -eq 4000 ]
EOF

# What a library makes of broken files is its own business, and dies with the process that asked it.
test_case 'files broken at random harm nobody' <<'EOF'
build app; stack app '' $(at app mark 1) $(at app main 1) $(at app _ZN3app5plainEi 1) >trace
size=$(wc -c <app); cp app whole
for seed in $(seq 60); do
	cp whole app
	awk -v seed=$seed -v size=$size 'BEGIN { srand(seed); for (i = 0; i < 1 + seed % 7; i++)
		printf "%d %d\n", rand() * (seed % 2 ? size : 4096), rand() * 256 }' | while read -r at byte; do
		printf "\\$(printf %03o $byte)" | dd of=app bs=1 seek=$at conv=notrunc 2>/dev/null
	done
	[ $((seed % 5)) -ne 0 ] || truncate -s $((size * (seed % 13) / 13)) app
	got=0; timeout 60 ct-sym --timeout=5s trace >out 2>err || got=$?
	case $got in 0|3) ;; *) echo "seed $seed: status $got" >&2; cat err >&2; false ;; esac
	grep -v '"ev":"symbol"' out >rest; same trace rest
done
EOF

if [ -z "$SAN" ]; then
	test_case 'a file of any size: its names are found, in at most 4 GiB of memory' <<'EOF'
build app
stack app "$(id app)" "$(at app mark 1)" >trace
truncate -s 9G app || exit 0
mkfifo in
ct-sym <in >out 2>err & sym=$!
exec 3>in
cat trace >&3
for i in $(seq 300); do ! grep -q symbol out || break; sleep 0.1; done
has '"func":"app::serve(int)"' out
worker=$(cat /proc/$sym/task/$sym/children)
limit=$(awk '/^Max address space/ { print $4 }' /proc/${worker% }/limits)
exec 3>&-
wait $sym
[ "$limit" -le $((4 << 30)) ] && [ "$limit" -ge $((1 << 30)) ]
EOF
else
	skip_case 'a file of any size: its names are found, in at most 4 GiB of memory' 'no such limit with sanitizers'
fi

test_case 'a name of 400 bytes that stands for one of 400 GB, a pair of pairs of pairs, is left as it is' <<'EOF'
name=_Z1fSt4pairIiiE
for k in 0 1 2 3 4 5 6 7 8 9 A B C D E F G H I J K L M N O P Q R S T U V W X Y; do name=${name}S_IS${k}_S${k}_E; done
echo "int f(void) __asm__(\"$name\"); int f(void) { return 1; } int main(void) { return f(); }" >app.c
${CC:-cc} -fPIE -pie -Wl,--build-id=sha1 -o app app.c
stack app "$(id app)" $(at app $name 1) >trace
status 0 timeout -s KILL 30 ct-sym trace >out
has "\"func\":\"$name\"" out
EOF

test_case 'usage, help, odd frames, bad and torn lines, empty input, full disk' <<'EOF'
status 2 ct-sym --nonsense 2>err; has '^ct-sym: ' err
status 0 ct-sym --help >out; has 'example:' out
status 2 ct-sym </dev/null 2>err; has '^ct-sym: ' err
meta='{"ev":"meta","ts":1,"format":"corotrace","version":2}' end='{"ev":"end","ts":2,"events":0,"lost":0}'
printf '%s\n' "$meta" '{"ev":"stack","stack":1,"frames":["0x", 7, null, "x0x1", {"a":"0x"}, "0xffffffffffffffffffff"]}' \
	'{"ev":"stack","stack":2,"sites":[3]}' '{"ev":"map","start":7}' "$end" >odd
ct-sym odd >out 2>err || [ $? -eq 3 ]
has 'odd:2: "frames" is not a list of addresses$' err
has 'odd:4: ' err
grep -v '"ev":"symbol"' out >rest; sed "2d;4d" odd >expected; same expected rest
status 2 ct-sym --strict odd >out 2>err
status 2 ct-sym odd >/dev/full 2>err
(sed 4d odd; printf '{"ev":"map') >torn; ct-sym torn >out 2>err || :; has 'the line is cut off' err
EOF
done_testing
