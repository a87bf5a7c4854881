#!/bin/sh
# Install what `each` lists, or with the argument `uninstall` remove it; the environment says what and where (Makefile).
set -eu
umask 022

sharedir=${datadir%/*}
# put MODE SOURCE TARGET for every file.
each() {
	for f in $PROGS; do put 755 "$f" "$bindir/${f##*/}"; done
	for f in $LIBS; do put 644 "$f" "$libdir/${f##*/}"; done
	for f in $JVM_AGENT; do put 755 "$f" "$libdir/${f##*/}"; done
	for f in sdk/ctp/ctp.h sdk/c/ct.h sdk/c/ct.c sdk/c/ct-*.h sdk/cpp/corotrace.hpp "$O/dropin/ct_asio.hpp" \
		sdk/cpp/ct_fiber.hpp sdk/cpp/coroTracer.h sdk/trace/cttrace.h; do
		put 644 "$f" "$incdir/${f##*/}"
	done
	for f in sdk/trace/cttrace/*.h; do put 644 "$f" "$incdir/cttrace/${f##*/}"; done
	for f in cttrace corotrace; do put 644 "$O/$f.pc" "$libdir/pkgconfig/$f.pc"; done
	put 644 "$O/corotrace-config.cmake" "$libdir/cmake/corotrace/corotrace-config.cmake"
	put 644 "$O/corotrace-config-version.cmake" "$libdir/cmake/corotrace/corotrace-config-version.cmake"
	for f in $MAN; do put 644 "$f" "$mandir/man${f##*.}/${f##*/}"; done
	for f in share/ci/*; do put "$([ -x "$f" ] && echo 755 || echo 644)" "$f" "$datadir/ci/${f##*/}"; done
	# Each call under its own name: a line that leads to the page that has it.
	for f in $MAN; do
		case $f in *.3) ;; *) continue ;; esac
		page=${f##*/}
		for call in $(sed -n 's/^\.Nm \(ctt*_[a-z0-9_]*\).*/\1/p' "$f" | sort -u); do
			[ "$call.3" != "$page" ] || continue
			echo ".so man3/$page" >"$O/so"
			put 644 "$O/so" "$mandir/man3/$call.3"
		done
	done
	find share/html share/sql share/gnuplot share/jq share/doc -type f ! -name '*.[57]' ! -name '*.sh' |
		sort | while read -r f; do put 644 "$f" "$datadir/${f#share/}"; done
	# Where the shells look: bash and fish by the program's name.
	for f in $PROGS; do
		put 644 share/completions/corotrace.bash "$sharedir/bash-completion/completions/${f##*/}"
		put 644 share/completions/corotrace.fish "$sharedir/fish/vendor_completions.d/${f##*/}.fish"
	done
	put 644 share/completions/_corotrace "$sharedir/zsh/site-functions/_corotrace"
	# What cargo builds the crate of, by `path = ...`; what it writes goes into the directory of whoever builds.
	(cd sdk/rust && find Cargo.toml README.md LICENSE src examples -name '[!.]*' ! -type d) | sort |
		while read -r f; do put 644 "sdk/rust/$f" "$datadir/rust/$f"; done
	for f in ct.c ct.h corotrace.hpp ct_asio.hpp ct_fiber.hpp corotrace.zig; do put 644 "$O/dropin/$f" "$datadir/sdk/$f"; done
}

if [ "${1:-}" = uninstall ]; then
	put() { rm -f "$3"; }
	each
	# Directories that are ours alone, the deepest first; one that holds something of others stays.
	for d in "$incdir" "$datadir" "$libdir/cmake/corotrace"; do
		[ ! -d "$d" ] || find "$d" -depth -type d -exec rmdir {} + 2>/dev/null || :
	done
	exit 0
fi
# Where the libraries are once DESTDIR is gone: below the prefix, as far as they are, so that all can be moved.
from_prefix() {
	case ${1#"$DESTDIR"} in
	"$PREFIX"/*) dir=${1#"$DESTDIR"} && printf '%s/%s\n' "$2" "${dir#"$PREFIX"/}" ;;
	*) printf '%s\n' "${1#"$DESTDIR"}" ;;
	esac
}
up=$(from_prefix "$libdir/cmake/corotrace" . | sed 's|^\./||; s|[^/][^/]*|..|g')
case ${libdir#"$DESTDIR"} in "$PREFIX"/*) prefix="\${CMAKE_CURRENT_LIST_DIR}/$up" ;; *) prefix=$PREFIX ;; esac
for f in sdk/trace/cttrace.pc sdk/c/corotrace.pc share/packaging/corotrace-config.cmake \
	share/packaging/corotrace-config-version.cmake; do
	sed -e "s|@PREFIX@|$PREFIX|" -e "s|@VERSION@|$VERSION|" -e "s|@ROOT@|$prefix|" \
		-e "s|@LDLIBS@|$LDLIBS_cttrace|" -e "s|@LINKS@|$(echo "$LDLIBS_cttrace" | sed 's/-l//g; s/ *pthread//; s/  */;/g')|" \
		-e "s|@LIBDIR@|$(from_prefix "$libdir" '${prefix}')|" \
		-e "s|@INCDIR@|$(from_prefix "$incdir" '${prefix}')|" \
		-e "s|@CMAKE_LIBDIR@|$(from_prefix "$libdir" '${_corotrace_prefix}')|" \
		-e "s|@CMAKE_INCDIR@|$(from_prefix "$incdir" '${_corotrace_prefix}')|" "$f.in" >"$O/${f##*/}"
done
put() {
	install -D -m "$1" "$2" "$3"	# anew: a running program's file cannot be written over
}
each
