#!/bin/sh
# What is installed is enough to build a filter and a probed program elsewhere; uninstall leaves nothing.
. "${0%/*}/../lib/lib.sh"

test_case 'install under DESTDIR, build against it, uninstall' <<'EOT'
unset MAKEFLAGS MFLAGS MAKELEVEL
make="make -s -C $SRC O=$O SAN=${SAN:-} PREFIX=/opt/ct DESTDIR=$PWD/dest"
$make install
for f in bin/ct-record bin/ct-stuck bin/ct-lostwake bin/ct-check bin/ct-tocsv bin/ct-tosql \
	lib/libct.a lib/libcttrace.a \
	include/corotrace/cttrace.h include/corotrace/ct.h include/corotrace/corotrace.hpp lib/pkgconfig/cttrace.pc \
	share/man/man1/ct-tosql.1 share/man/man5/ct-trace.5 share/man/man7/ct.7 \
	share/corotrace/sql/all/stuck.sql share/corotrace/sdk/ct.c; do
	[ -s "dest/opt/ct/$f" ] || { echo "missing: $f" >&2; exit 1; }
done
fails grep -r -e "$PWD" -e "$SRC" dest/opt/ct/lib/pkgconfig dest/opt/ct/share dest/opt/ct/include
san=${SAN:+-fsanitize=address,undefined}

cat >count.c <<'EOF'
#include <cttrace.h>
int main(void)
{
	struct ctt_trace *in = ctt_trace_open(NULL, "count");
	struct ctt_event ev;
	int wakes = 0;

	while (ctt_trace_next(in, &ev))
		wakes += ev.kind == CTT_EV_WAKE;
	printf("%d\n", wakes);
	return ctt_trace_finish(in, 0);
}
EOF
if command -v pkg-config >/dev/null; then
	flags=$(PKG_CONFIG_PATH=$PWD/dest/opt/ct/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/dest \
		pkg-config --static --cflags --libs cttrace)
else
	flags="-I$PWD/dest/opt/ct/include/corotrace -L$PWD/dest/opt/ct/lib -lcttrace"
fi
${CC:-cc} $san -o count count.c $flags
echo '{"probe_id":7,"tid":1,"addr":"0x0000000000000000","seq":0,"is_active":true,"ts":5,"ev":"wake"}' | ./count >got
echo 1 >want
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
done_testing
