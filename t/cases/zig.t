#!/bin/sh
# zig.t - sdk/zig: every call of corotrace.zig is that of ct.h; the page's server in a release mode. (runtimes.t follows the page.)
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/zig.sh" || skip_all 'no zig, and ziglang cannot be installed'
[ -z "$SAN" ] || skip_all 'zig links no sanitizers of other compilers'

test_case 'each call makes the line that the same call in C makes; sizes and offsets are those of ct.h' <<'EOF'
cp "$SRC/sdk/zig/corotrace.zig" .
cat >calls.zig <<'X'
const ct = @import("corotrace.zig");
extern fn say([*:0]const u8, usize, usize) void;
pub const panic = @import("std").debug.no_panic;
fn size(name: [*:0]const u8, comptime T: type, comptime last: [:0]const u8) void {
    say(name, @sizeOf(T), @offsetOf(T, last));
}
fn shorten(site: *ct.Site, on: ct.On) void {
    ct.acquire(site, on);
}
pub export fn main() c_int {
    var a: ct.Coro = .{};
    var b: ct.Coro = .{};
    var thing: u32 = 0;
    size("ct_coro", ct.Coro, "station");
    size("ct_site", ct.Site, "index");
    size("ct_on", ct.On, "kind");
    size("ct_leg", ct.Leg, "site");
    if (ct.enabled() or !ct.init() or !ct.enabled()) return 1;
    ct.thread(.worker, "worker");
    a.create(ct.here(@src()), .{ .frame = @ptrFromInt(4096), .name = "a" });
    ct.wake(ct.here(@src()), a.id, .nothing);
    a.willResume();
    if (ct.current() != a.id) return 2;
    b.create(ct.here(@src()), .{});
    ct.open(ct.here(@src()), .fd(7), "socket");
    const all = [_]ct.On{ .nothing, .fd(7), .timer(9), .awaits(b.id), .join(b.id), .user("words"), .any(.mutex) };
    for (all) |on| {
        a.willSuspend(ct.here(@src()), on);
        ct.wake(null, a.id, on);
        a.willResume();
    }
    const things = [_]ct.On{ .mutex(&thing), .cond(&thing), .sem(&thing), .chan(&thing), .room(&thing) };
    for (things, 0..) |on, i| {
        ct.level(on, i);
        shorten(ct.here(@src()), on);
        ct.release(ct.here(@src()), on);
        ct.acquireFor(ct.here(@src()), b.id, on);
        ct.releaseFor(ct.here(@src()), b.id, on);
        ct.notify(ct.here(@src()), on, i);
    }
    a.willSuspendAny(ct.here(@src()), &.{
        .{ .on = .fd(7), .here = ct.here(@src()) },
        .{ .on = .timer(99), .here = null },
    });
    ct.deadline(ct.here(@src()), a.id, 100);
    ct.deadline(ct.here(@src()), a.id, ct.never);
    a.willResume();
    a.willSuspendAll(ct.here(@src()), &.{.{ .on = .fd(8), .here = null }});
    ct.dequeue(ct.here(@src()), a.id);
    a.willResume();
    ct.waits(ct.here(@src()), .fd(3));
    ct.willSwitch(ct.here(@src()), &a, &b);
    ct.wakerClone(a.id);
    ct.wakerDrop(a.id);
    b.setName("renamed");
    b.destroy(.done);
    a.destroy(.cancelled);
    ct.close(ct.here(@src()), .fd(7));
    ct.park(3);
    ct.unpark(ct.depth_unknown);
    ct.stop();
    return if (ct.start() and ct.dump("x") == -2 and ct.box("1")) 0 else 3;
}
X
# Line for line the same program: its sites are those of the other by their lines.
cat >calls.c <<'X'
#include "ct.h"
void say(const char *name, size_t size, size_t offset);
#define SIZE(name, last) say(#name, sizeof(struct name), offsetof(struct name, last))

static void shorten(struct ct_site *site, struct ct_on on)
{ ct_acquire_(on, site); }

#undef CT_HERE
#define CT_HERE (__extension__({ static struct ct_site s = { "main", "calls.zig", __LINE__, 0 }; &s; }))
int main(void) {
	struct ct_coro a = { 0 }, b = { 0 };
	unsigned thing = 0;

	SIZE(ct_coro, station);
	SIZE(ct_site, index);
	SIZE(ct_on, kind);
	SIZE(ct_leg, site);
	if (ct_enabled() || !ct_init() || !ct_enabled()) return 1;
	ct_thread(CT_WORKER, "worker");
	ct_create(&a, ct_current(), CT_HERE, (void *)4096, "a");
	ct_wake_(a.id, CT_HERE, ct_nothing());
	ct_resume(&a);
	if (ct_current() != a.id) return 2;
	ct_create(&b, ct_current(), CT_HERE, NULL, NULL);
	ct_open(ct_fd(7), "socket");
	struct ct_on all[] = { ct_nothing(), ct_fd(7), ct_timer(9), ct_await(b.id), ct_join(b.id), ct_user("words"), ct_any(CT_ON_MUTEX) };
	for (int i = 0; i < 7; i++) {
		ct_suspend(&a, CT_HERE, all[i]);
		ct_wake_(a.id, CT_NOWHERE, all[i]);
		ct_resume(&a);
	}
	struct ct_on things[] = { ct_mutex(&thing), ct_cond(&thing), ct_sem(&thing), ct_chan(&thing), ct_room(&thing) };
	for (unsigned i = 0; i < 5; i++) {
		ct_level(things[i], i);
		shorten(CT_HERE, things[i]);
		ct_release(things[i]);
		ct_acquire_for(b.id, things[i]);
		ct_release_for(b.id, things[i]);
		ct_notify(things[i], i);
	}
	ct_suspend_any(&a, CT_HERE, ((struct ct_leg[]){
		{ ct_fd(7), CT_HERE, 0 },
		{ ct_timer(99), NULL, 0 },
	}), 2);
	ct_deadline(a.id, 100);
	ct_deadline(a.id, CT_NEVER);
	ct_resume(&a);
	ct_suspend_all(&a, CT_HERE, ((struct ct_leg[]){{ ct_fd(8), NULL, 0 }}), 1);
	ct_dequeue(a.id);
	ct_resume(&a);
	ct_waits(CT_HERE, ct_fd(3));
	ct_switch(&a, &b);
	ct_waker_clone(a.id);
	ct_waker_drop(a.id);
	ct_name(&b, "renamed");
	ct_destroy(&b, 1);
	ct_destroy(&a, 0);
	ct_close(ct_fd(7));
	ct_park(3);
	ct_unpark(CT_DEPTH_UNKNOWN);
	ct_stop();
	return ct_start() && ct_dump("x") == -2 && ct_box("1") ? 0 : 3;
}
X
cat >say.c <<'X'
#include <stdio.h>
void say(const char *name, size_t size, size_t last) { printf("%s %zu %zu\n", name, size, last); }
X
${CC:-cc} -c -g say.c
${CC:-cc} -g -I"$O/dropin" -o in-c calls.c say.o "$O/libct.a" -lpthread
timeout -s KILL 280 zig build-exe calls.zig say.o "$O/libct.a" -lc -femit-bin=in-zig
for f in in-c in-zig; do
	timeout -s KILL 60 ct-record -q -o $f.jsonl ./$f >$f.sizes
	ct-check $f.jsonl
	grep -E '"ev":"(end|process|region)"' $f.jsonl | grep -q '"lost":[^0]' && exit 1
	jq -c 'select(.ev | IN("meta", "map", "process", "clock", "end") | not) |
		del(.ts, .time, .tid, .pid, .addr, .process, .since, .alive) | if (.on // "") | test(":0x") then .on |= sub(":0x.*"; "") else . end |
		if .func then .func |= sub(".*[.]"; "") else . end' $f.jsonl | sed "s/$f/program/g" >$f.lines
done
[ $(grep -c . in-c.lines) -gt 80 ]
same in-c.sizes in-zig.sizes
same in-c.lines in-zig.lines
EOF

if [ -z "$CHECK_ALL" ]; then
	skip_case "ReleaseFast, ReleaseSafe: the page's server is sound and each bug is found" 'a minute of CPU: make check-all'
else
	for mode in ReleaseFast ReleaseSafe; do
		export mode
		test_case "$mode: the page's server is sound and each bug is found; untraced it is silent" <<'EOF'
awk '/^```$/ { f = ""; next } /^```zig / { f = $2; next } f { print >f }' "$SRC/share/doc/runtimes/zig.md"
cp "$O/dropin/corotrace.zig" "$O"/dropin/ct.[ch] .
timeout -s KILL 280 zig build-exe server.zig ct.c -lc -O $mode
try() { BUG=$1 timeout -s KILL 60 ct-record -q -o trace ./server 2>served; status 0 ct-check trace; status $2 ct-lostwake trace >found; }
for i in 1 2 3; do
	try '' 0
	has '^400 served' served
	try deadlock 1; has 'deadlock (proven): count() server.zig:' found
	try closed 1; has 'closed-resource (proven): serve() server.zig:' found
	try owner 1; has 'dead-owner (proven): count() server.zig:' found
done
timeout -s KILL 60 ./server 2>err
printf '400 served\n' | same - err
EOF
	done
fi
done_testing
