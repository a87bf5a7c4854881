#!/bin/sh
# aarch64.sh BUILD NATIVE [unit|all] - a build directory for the tests whose recorder, probes and targets are cross-built for aarch64 and
# run under qemu-user, beside the filters of the build NATIVE. In BUILD/cc is a compiler that makes such programs.
build=$1 native=$2
export QEMU_LD_PREFIX="${QEMU_LD_PREFIX:-/usr/aarch64-linux-gnu}"
cd "${0%/*}/../.." || exit 2
mkdir -p "$build/real" "$build/t" || exit 2
programs=unit-programs
[ "${3:-unit}" = unit ] || programs="unit-programs zoo-programs"
make -s -j2 O="$build/real" CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ CFLAGS='-O2 -g -w' CXXFLAGS='-O2 -g -w' \
	"$build/real/ct-record" "$build/real/dropin/ct.c" $programs >"$build/log" 2>&1 || { tail "$build/log" >&2; exit 2; }
under_qemu() { printf '#!/bin/sh\nexec qemu-aarch64 -0 "$0" %s "$@"\n' "$1" >"$2" && chmod +x "$2"; }
for p in "$native"/ct-*; do [ ! -f "$p" ] || ln -sf "$p" "$build/"; done
rm -f "$build/ct-record"
ln -sfn "$build/real/dropin" "$build/dropin"
under_qemu "$build/real/ct-record" "$build/ct-record"
for p in "$build"/real/t/*/*; do
	case $p in *.[do]) continue ;; esac
	[ -x "$p" ] || continue
	to=$build/${p#"$build"/real/}
	mkdir -p "${to%/*}" && under_qemu "$p" "$to"
done
cat >"$build/cc" <<'EOF'
#!/bin/sh
# The cross compiler; what it links becomes a script that runs it under qemu-user.
out= next= program=1
for a; do
	[ -z "$next" ] || { out=$a; next=; continue; }
	case $a in -o) next=1 ;; -c | -shared | -E | -S | -r) program= ;; esac
done
aarch64-linux-gnu-gcc "$@" || exit
[ "$program" ] && [ "$out" ] || exit 0
case $out in /*) ;; *) out=$PWD/$out ;; esac
mv "$out" "$out.aarch64"
printf '#!/bin/sh\nexec qemu-aarch64 -0 "$0" %s "$@"\n' "$out.aarch64" >"$out"
chmod +x "$out"
EOF
chmod +x "$build/cc"
