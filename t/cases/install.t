#!/bin/sh
# What is installed is enough to build a filter and a probed program elsewhere; uninstall leaves nothing.
. "${0%/*}/../lib/lib.sh"

cat >>"$scratch/.case-lib" <<'EOF'
unset MAKEFLAGS MFLAGS MAKELEVEL
make="make -s -C $SRC O=$O SAN=${SAN:-} PREFIX=/opt/ct DESTDIR=$PWD/dest"
san=${SAN:+-fsanitize=address,undefined}
EOF

test_case 'install under DESTDIR, build against it, uninstall' <<'EOT'
$make install
for f in bin/ct-record bin/ct-stuck bin/ct-lostwake bin/ct-check bin/ct-tocsv bin/ct-tosql \
	lib/libct.a lib/libcttrace.a \
	include/corotrace/cttrace.h include/corotrace/ct.h include/corotrace/corotrace.hpp lib/pkgconfig/cttrace.pc \
	share/man/man1/ct-tosql.1 share/man/man5/ct-trace.5 share/man/man7/ct.7 \
	share/man/man3/cttrace.3 share/man/man3/ctt_model_apply.3 share/man/man3/ct_suspend.3 \
	share/corotrace/sql/all/stuck.sql share/corotrace/sdk/ct.c share/corotrace/rust/Cargo.toml; do
	[ -s "dest/opt/ct/$f" ] || { echo "missing: $f" >&2; exit 1; }
done
for page in dest/opt/ct/share/man/man3/*; do
	[ "$(wc -l <$page)" -gt 1 ] || [ -s "dest/opt/ct/share/man/$(cut -d' ' -f2 $page)" ] || { echo "leads nowhere: $page" >&2; exit 1; }
done
fails grep -r -e "$PWD" -e "$SRC" dest/opt/ct/lib/pkgconfig dest/opt/ct/share dest/opt/ct/include

cat >count.c <<'EOF'
#include <cttrace.h>
int main(void)
{
	struct ctt_trace *in = ctt_trace_open(NULL, "count");
	struct ctt_event ev;
	int wakes = 0;

	while (ctt_trace_next(in, &ev))
		wakes += ev.kind == CTT_EV_WAKE;
	printf("%d %d\n", wakes, (int)ctt_trace_stats(in)->bytes);
	return ctt_trace_finish(in, 0);
}
EOF
if command -v pkg-config >/dev/null; then
	flags=$(PKG_CONFIG_PATH=$PWD/dest/opt/ct/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/dest \
		pkg-config --static --cflags --libs cttrace)
else
	flags="-I$PWD/dest/opt/ct/include/corotrace -L$PWD/dest/opt/ct/lib -lcttrace $(sed -n 's/.*-lcttrace //p' dest/opt/ct/lib/pkgconfig/cttrace.pc)"
fi
${CC:-cc} $san -o count count.c $flags
echo '{"probe_id":7,"tid":1,"addr":"0x0000000000000000","seq":0,"is_active":true,"ts":5,"ev":"wake"}' >line
./count <line >got
echo 1 $(wc -c <line) >want
same want got

cat >probed.c <<'EOF'
#include "ct.h"
int main(void)
{
	struct ct_coro c = { 0 };

	ct_init();
	ct_create(&c, 0, CT_HERE, &c, "one");
	ct_resume(&c);
	ct_suspend(&c, CT_HERE, ct_fd(5));
	return 0;
}
EOF
mkdir dropin && cp dest/opt/ct/share/corotrace/sdk/ct.[ch] dropin
${CC:-cc} -Idropin -o probed probed.c dropin/ct.c -lpthread
./probed
dest/opt/ct/bin/ct-record ./probed >trace
has '"ev":"suspend".*"on":"fd:5"' trace
${CC:-cc} $san -Idest/opt/ct/include/corotrace -o linked probed.c dest/opt/ct/lib/libct.a -lpthread
dest/opt/ct/bin/ct-record ./linked >trace
has '"ev":"suspend".*"on":"fd:5"' trace

touch dest/opt/ct/share/corotrace/mine
$make uninstall
find dest -type f >left
echo dest/opt/ct/share/corotrace/mine >want
same want left
EOT
# A machine that has built nothing of Rust yet has no list of crates.
if [ -z "$SAN" ] && command -v cargo >/dev/null &&
	timeout 600 cargo fetch -q --locked --manifest-path "$SRC/sdk/rust/Cargo.toml" >/dev/null 2>&1; then
	test_case 'the crate of Rust: what cargo would publish, and a program is built with nothing else' <<'EOT'
$make install
crate=$PWD/dest/opt/ct/share/corotrace/rust
cargo package --locked --offline --list --allow-dirty --manifest-path "$SRC/sdk/rust/Cargo.toml" |
	grep -v -e '^Cargo.lock$' -e '^Cargo.toml.orig$' -e '^.cargo_vcs_info.json$' | sort >want
(cd $crate && find * ! -type d) | sort >got
same want got
mkdir -p app/src && cd app
cat >Cargo.toml <<EOF
[package]
name = "app"
version = "0.1.0"
edition = "2021"
[dependencies]
corotrace = { path = "$crate" }
EOF
cat >src/main.rs <<'EOF'
use corotrace::TraceFutureExt;
use std::{future::Future, pin::pin, task::{Context, Waker}};
fn main() {
	assert!(pin!(async { 1 }.traced_as("one")).poll(&mut Context::from_waker(Waker::noop())).is_ready());
}
EOF
CARGO_TARGET_DIR=$PWD/target CARGO_INCREMENTAL=0 cargo build -q >&2
../dest/opt/ct/bin/ct-record target/debug/app >trace
has '"ev":"name".*"one"\|"name":"one"' trace
cd .. && $make uninstall
[ ! -e $crate ]
EOT
else
	skip_case 'the crate of Rust' 'no cargo, no crates to be had, or sanitizers'
fi

# A stranger's program has names of its own, which the library has inside, too.
cat >"$scratch/stranger.c" <<'EOF'
#include <cttrace.h>

enum certainty { PROVEN, UNKNOWN };
enum { SUSPECTED = 7, RUNNING, STATES };
struct text { int n; };
struct event { struct text text; enum certainty certainty; };
struct hash { int n; };
struct keyed { int n; };
struct table { int n; };
struct spans { int n; };
struct judge { int n; };
struct model { int n; };
typedef struct site { int n; } site;

int need(int v) { return v + 1; }
int die(const char *s) { return s[0]; }
int set_text(void) { return 2; }
int hash_add(void) { return 3; }
int buf_add(void) { return 4; }
int judge_now(void) { return 5; }
int settled, spans_start, keyed_get, table_get, line_parse, json_parse, progress, hex_digit;

static const struct option options[] = { CTT_OPT_ALWAYS, CTT_OPT_END };
static const struct ctt_program program = { "stranger", "usage: stranger\n", options, NULL };

static int report(struct ctt_trace *in, struct ctt_judge *judge, uint32_t run)
{
	struct event mine = { { need(1) }, PROVEN };
	size_t findings = 0;

	ctt_judge_findings(judge, ctt_trace_run(in, run), CTT_JUDGE_GRACE_NS, &findings);
	printf("%d %d %zu\n", mine.text.n + set_text() + hash_add() + buf_add() + judge_now(), mine.certainty, findings);
	return 0;
}

int main(int argc, char *argv[])
{
	struct ctt_common opt = { 0 };
	char **files = ctt_common_parse(argc, argv, &program, &opt);

	return ctt_filter_judge(files, &program, &opt, report);
}
EOF
sed 's|^#include <cttrace.h>|&\n\nstruct fold { int n; };|; s|= { 0 }|= {}|g' "$scratch/stranger.c" >"$scratch/stranger.cc"
cat >"$scratch/trace" <<'EOF'
{"ev":"meta","ts":1,"format":"corotrace","version":2,"clock":"monotonic"}
{"probe_id":7,"tid":1,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":5,"ev":"create","n":1}
{"probe_id":7,"tid":1,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":6,"ev":"resume","n":2}
{"probe_id":7,"tid":1,"addr":"0x0000000000000000","seq":6,"is_active":false,"ts":7,"ev":"suspend","n":3,"on":"fd:5"}
{"ev":"close","ts":10,"tid":2,"on":"fd:5"}
{"ev":"end","ts":900000000,"events":4,"lost":0}
EOF
test_case 'of libcttrace only names that begin with ctt_ are seen' <<'EOT'
command -v nm >/dev/null || exit 0
nm -g "$O/libcttrace.a" | awk 'NF == 3 && $2 !~ /[UNw]/ && $3 !~ /^_?_?ctt_/ && $3 !~ /asan|odr/' >seen
: >none
same none seen
nm -g "$O/libcttrace.a" >all
has ' T ctt_trace_next$' all
EOT

test_case 'a stranger'"'"'s filter whose names are those of the library inside, in C and in C++' <<'EOT'
$make install
inc=dest/opt/ct/include/corotrace lib=dest/opt/ct/lib
more=$(sed -n 's/.*-lcttrace //p' $lib/pkgconfig/cttrace.pc)
${CC:-cc} $san -std=c11 -Wall -D_POSIX_C_SOURCE=200809L -I$inc -o one ../stranger.c -L$lib -lcttrace $more
${CXX:-c++} $san -std=c++20 -Wall -I$inc -o two ../stranger.cc -L$lib -lcttrace $more
echo '16 0 1' >want
for program in ./one ./two; do
	$program ../trace >got
	same want got
done
EOT

test_case 'what is installed serves the pages of share/doc/runtimes, as their README says' <<'EOT'
$make install
sed -n 's/^    //p' "$SRC/share/doc/runtimes/README.md" | sed "s,PREFIX,$PWD/dest/opt/ct,g" >links
has 'ln -s' links
[ -e "$O/libcorotrace-jvm.so" ] || sed -i 's, [^ ]*libcorotrace-jvm.so,,' links
. "$PWD/links"
[ "$CT" = "$PWD" ]
for f in ct-record ct-lostwake dropin/ct.h dropin/ct.c dropin/corotrace.hpp dropin/ct_asio.hpp dropin/ct_fiber.hpp \
	dropin/corotrace.zig ../sdk/rust/Cargo.toml; do
	[ -s "$CT/$f" ] || { echo "missing: $f" >&2; exit 1; }
done
cd ../..
awk '/^```$/ { to = "" } to { print >to } /^```c / { to = $2 }' "$SRC/share/doc/runtimes/c.md"
${CC:-cc} -g -I"$CT/dropin" -o tiny tiny.c "$CT/dropin/ct.c" -lpthread
"$CT/ct-record" -q -o tiny.jsonl ./tiny
status 1 "$CT/ct-lostwake" tiny.jsonl >out
has 'closed-resource (proven): receiver() tiny.c' out
EOT

if command -v pkg-config >/dev/null; then
	test_case 'pkg-config finds the library, and the probes as corotrace' <<'EOT'
export PKG_CONFIG_SYSROOT_DIR=$PWD/dest
echo '16 0 1' >want
for lib in elsewhere opt/ct/lib/of-some-machine opt/ct/lib; do
	$make install libdir="$PWD/dest/$lib"
	export PKG_CONFIG_PATH=$PWD/dest/$lib/pkgconfig
	${CC:-cc} $san -o one ../stranger.c $(pkg-config --static --cflags --libs cttrace)
	./one ../trace >got
	same want got
	rm -r "dest/$lib" one
done
$make install
cat >probe.c <<'EOF'
#include <ct.h>
int main(void) { return ct_init() > 1; }
EOF
cat >probe.cc <<'EOF'
#include <corotrace.hpp>
int main() { ct::init(); }
EOF
${CC:-cc} $san -o probe-c probe.c $(pkg-config --static --cflags --libs corotrace)
./probe-c
${CXX:-c++} $san -std=c++20 -o probe-cc probe.cc $(pkg-config --cflags corotrace) -lpthread
./probe-cc
EOT
else
	skip_case 'pkg-config finds both' 'no pkg-config'
fi

if command -v cmake >/dev/null; then
	test_case 'CMake finds the library and the probes' <<'EOT'
$make install
mkdir tree
cp ../stranger.c tree/
printf '#include <ct.h>\nint main(void) { return ct_init() > 1; }\n' >tree/probe.c
printf '#include <corotrace.hpp>\nint main() { ct::init(); }\n' >tree/probe.cc
cat >tree/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(stranger C CXX)
find_package(corotrace REQUIRED)
add_executable(stranger stranger.c)
target_link_libraries(stranger corotrace::cttrace)
add_executable(probe-c probe.c)
target_link_libraries(probe-c corotrace::ct)
add_executable(probe-cc probe.cc)
target_link_libraries(probe-cc corotrace::cpp)
EOF
echo '16 0 1' >want
built() {	# WHERE: the rest of the command line says where it is
	out=$1; shift
	cmake -S tree -B $out "$@" -DCMAKE_C_COMPILER="${CC:-cc}" -DCMAKE_CXX_COMPILER="${CXX:-c++}" \
		-DCMAKE_C_FLAGS="$san" -DCMAKE_CXX_FLAGS="$san" >log
	cmake --build $out >>log
	./$out/stranger ../trace >got
	same want got
	./$out/probe-c
	./$out/probe-cc
}
built out -DCMAKE_PREFIX_PATH="$PWD/dest/opt/ct"
rm -r dest/opt/ct/lib
$make install libdir="$PWD/dest/opt/ct/lib/of-some-machine"
built moved -Dcorotrace_DIR="$PWD/dest/opt/ct/lib/of-some-machine/cmake/corotrace"
EOT
else
	skip_case 'CMake finds both' 'no cmake'
fi
done_testing
