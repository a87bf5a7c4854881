#!/bin/sh
# make.t - the Makefile: programs whose libraries are not here are left out, and what `make deps` installs for what.
. "${0%/*}/../lib/lib.sh"
cat >>"$scratch/.case-lib" <<'EOF'
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
# A machine with a compiler and a package manager, and without any of the libraries.
bare() {
	mkdir -p hide/elfutils hide/libiberty hide/bpf hide/capstone bin
	for h in sqlite3.h jq.h elfutils/libdwfl.h libiberty/demangle.h zlib.h ncurses.h bpf/libbpf.h \
		capstone/capstone.h; do
		echo '#error "hidden from the test"' >hide/$h
	done
	for tool in sh make cc c++ as ld id sed cmp rm mv mkdir find dirname cat tr ls; do
		ln -sf "$(command -v $tool)" bin/$tool
	done
	printf '#!/bin/sh\nexit 1\n' >bin/apt-get
	chmod +x bin/apt-get
}
EOF

test_case 'without any library: the others are built, each left out is said with what to install; they work' <<'EOT'
bare
# What asks for no library is compiled already; all of it anew with CHECK_ALL, and where it was compiled with flags of its own.
mkdir -p b/t
[ "${CHECK_ALL:-}$SAN" ] || [ -e "$O/record/main.gcno" ] || { cp -a "$O/filters" "$O/record" "$O/report" "$O/sdk" b && cp -a "$O/t/demo" b/t; }
make -s -C "$SRC" -j2 O="$PWD/b" CC="${CC:-cc}" CXX="${CXX:-c++}" CPPFLAGS=-I"$PWD/hide" CFLAGS=-O0 CXXFLAGS=-O0 >out 2>err
grep 'is left out' err | sed 's/ is left out: it needs .*(make deps installs it)$//' | sort >got
printf '%s\n' ct-html ct-snap ct-sym ct-top ct-tosql ct-uprobe ct-where >want
same want got
[ "$(wc -l <err)" -eq 7 ] || { cat err >&2; exit 1; }
for p in ct-html ct-snap ct-sym ct-top ct-tosql ct-uprobe ct-where; do [ ! -e b/$p ]; done
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
${CC:-cc} ${SAN:+-fsanitize=address,undefined} -I"$SRC/sdk/c" -I"$SRC/sdk/ctp" -o probed probed.c b/libct.a -lpthread
b/ct-record ./probed >trace
b/ct-lostwake --json trace >findings || [ $? -eq 3 ]
b/ct-stuck trace >stuck || [ $? -eq 1 ]
has 'fd:5' stuck
make -s -C "$SRC" O="$PWD/b" CPPFLAGS=-I"$PWD/hide" PREFIX=/p DESTDIR="$PWD/dest" install 2>err
[ -e dest/p/share/man/man1/ct-stuck.1 ]
[ ! -e dest/p/share/man/man1/ct-tosql.1 ]
EOT

test_case 'a build directory has one name, for what depends on a header was compiled under it' <<'EOT'
for name in build-x ./build-x "$SRC/build-x" "$SRC/t/../build-x"; do
	make -C "$SRC" -pn O="$name" help 2>/dev/null | grep -x 'O := build-x'
done
EOT

test_case 'where libc makes open() inline, as under the flags of distributions, the guard of open() is built and is open()' <<'EOT'
[ -e "$O/ct-sym" ] || exit 0
for level in 0 2; do
	make -s -C "$SRC" O="$PWD/f$level" CC="${CC:-cc}" CPPFLAGS="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$level" CFLAGS=-O2 \
		"$PWD/f$level/filters/ct-sym/guard.o"
	nm "f$level/filters/ct-sym/guard.o" | sed -n 's/.* T \(open.*\)/\1/p' | sort >got
	printf '%s\n' open open64 >want
	same want got
done
EOT

test_case 'a library that came since is found by the next make' <<'EOT'
bare
sh "$SRC/share/packaging/absent.sh" . >first
echo "int main(void) { return 0; }" >has.c
CC=$PWD/no-cc sh "$SRC/share/packaging/absent.sh" . >none
CPPFLAGS=-I$PWD/hide sh "$SRC/share/packaging/absent.sh" . >second
same first second
rm -f .has-*
BPF_CC=no-clang CPPFLAGS=-I$PWD/hide sh "$SRC/share/packaging/absent.sh" . >third
echo 'ABSENT = libsqlite3 libjq libdw libiberty zlib ncurses libbpf libcapstone clang' >want
same want third
EOT

test_case 'make deps installs what building and the demo need; with check what the tests need, too' <<'EOT'
bare
deps() { PATH=$PWD/bin CC=cc CXX=c++ CPPFLAGS=-I$PWD/hide DEPS_DRY=1 sh "$SRC/share/packaging/deps.sh" "$@" 2>&1; }
deps >build
has 'apt-get install .* libsqlite3-dev libjq-dev libdw-dev libelf-dev libiberty-dev zlib1g-dev libncurses-dev libbpf-dev libcapstone-dev clang$' build
hasnt 'postgres\|mariadb\|node\|chromium\|python\|gnuplot\|cmake' build
deps check >tests
for p in libsqlite3-dev postgresql mariadb-server nodejs chromium python3 gnuplot-nox cmake tmux; do has " $p" tests; done
hasnt 'aarch64\|qemu' tests
deps check-all >more
for p in postgresql gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user; do has " $p" more; done
EOT

test_case 'make deps check is one command: deps know of check, and the build waits for them' <<'EOT'
bare
goals() { PATH=$PWD/bin make -n -C "$SRC" O="$PWD/b" CC=cc CXX=c++ CPPFLAGS=-I"$PWD/hide" "$@" 2>&1; }
goals deps demo >demo
has 'apt-get install .*libsqlite3-dev' demo
hasnt 'postgresql' demo
goals deps check >check
has 'apt-get install .*postgresql' check
has 'sh t/check.sh' check
# What came with deps is there when it is decided what can be built.
mkdir late
real=$(command -v "${CC:-cc}")
cat >late/cc <<END
#!/bin/sh
[ -e $PWD/installed ] || set -- -I$PWD/hide "\$@"
exec $real "\$@"
END
printf '#!/bin/sh\n: >%s/installed\n' "$PWD" >late/apt-get
chmod +x late/*
rm -f bin/apt-get
PATH=$PWD/late:$PATH make -s -C "$SRC" O="$PWD/l" CC="$PWD/late/cc" deps "$PWD/l/absent.mk" 2>err
has 'apt-get install .*libsqlite3-dev' err
CC=${CC:-cc} sh "$SRC/share/packaging/absent.sh" . >want
same want l/absent.mk
EOT

test_case 'make help lists every target that has a ## comment' <<'EOT'
make -s -C "$SRC" help >help
sed -n 's/^\([a-z][a-z-]*\):.*## .*/\1/p' "$SRC/Makefile" >targets
[ -s targets ]
while read -r target; do has "^  make $target  *[a-z]" help; done <targets
awk 'length > 120 { print; odd = 1 } END { exit odd }' help >&2
EOT
test_case 'clang as the compiler builds all of it, without a warning (CHECK_ALL; else what is made for the kernel)' <<'EOT'
command -v clang && command -v clang++ || exit 0
[ -e "$O/ct-uprobe" ] && what=$PWD/c/uprobe.bpf || what=
make -s -C "$SRC" O="$PWD/c" CC=clang CXX=clang++ ${CHECK_ALL:+all unit-programs} $what >out 2>err || { head -20 err >&2; false; }
[ -z "$what" ] || [ -s "$what" ]
same /dev/null err
EOT
done_testing
