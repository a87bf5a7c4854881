# libs.sh - sourced: which libraries the programs need, and whether they are here. The environment: CC, BPF_CC,
# CPPFLAGS, LDFLAGS.
libs='libsqlite3 libjq libdw libiberty zlib libzstd ncurses libbpf libcapstone clang'

compiles() { echo "$1" | ${CC:-cc} ${CPPFLAGS:-} -x c -o /dev/null - ${LDFLAGS:-} $2 >/dev/null 2>&1; }

lib_there() {
	case $1 in
	libsqlite3) compiles '#include <sqlite3.h>
int main(void) { return sqlite3_libversion_number() == 0; }' -lsqlite3 ;;
	libjq) compiles '#include <jq.h>
int main(void) { return jq_init() == 0; }' -ljq ;;
	libdw) compiles '#include <elfutils/libdwfl.h>
int main(void) { return dwfl_begin(0) != 0; }' '-ldw -lelf' ;;
	libiberty) compiles '#include <libiberty/demangle.h>
int main(void) { return !rust_demangle("_R", 0); }' -liberty ;;
	zlib) compiles '#include <zlib.h>
int main(void) { return zlibVersion() == 0; }' -lz ;;
	libzstd) compiles '#include <zstd.h>
int main(void) { return ZSTD_versionNumber() == 0; }' -lzstd ;;
	libbpf) compiles '#include <bpf/libbpf.h>
int main(void) { return libbpf_major_version() == 0; }' -lbpf ;;
	libcapstone) compiles '#include <capstone/capstone.h>
int main(void) { return cs_version(0, 0) == 0; }' -lcapstone ;;
	clang)	# that makes programs for the kernel
		echo 'int main;' | ${BPF_CC:-clang} -target bpf -x c -c -o /dev/null - >/dev/null 2>&1 ;;
	ncurses) compiles '#include <ncurses.h>
int main(void) { return !curses_version(); }' -lncursesw ;;
	esac
}
