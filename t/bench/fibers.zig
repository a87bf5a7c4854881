//! fibers.zig - what corotrace.zig costs: two fibers that switch to each other, "bare" or with the "probe".
//!
//! Prints "switch NUMBER", ns of this process's processor time for each switch. x86-64 alone.
const std = @import("std");
const ct = @import("corotrace.zig");
pub const panic = std.debug.no_panic;

const switches = 1_000_000;
const Fiber = struct { ct: ct.Coro = .{}, sp: usize = 0 };
var fibers: [2]Fiber = .{ .{}, .{} };
var stack: [64 * 1024]u8 align(16) = undefined;
var probed = false;

/// Saves the registers that a call must keep on this stack, and goes on on the other.
const switchStacks: *const fn (save: *usize, to: usize) callconv(.c) void = @ptrCast(&switchAsm);
fn switchAsm() callconv(.naked) void {
    asm volatile (
        \\push %%rbp
        \\push %%rbx
        \\push %%r12
        \\push %%r13
        \\push %%r14
        \\push %%r15
        \\movq %%rsp, (%%rdi)
        \\movq %%rsi, %%rsp
        \\pop %%r15
        \\pop %%r14
        \\pop %%r13
        \\pop %%r12
        \\pop %%rbx
        \\pop %%rbp
        \\ret
    );
}

fn switchFrom(i: usize) void {
    if (probed) ct.willSwitch(ct.here(@src()), &fibers[i].ct, &fibers[1 - i].ct);
    switchStacks(&fibers[i].sp, fibers[1 - i].sp);
}

fn second() callconv(.c) noreturn {
    while (true) switchFrom(1);
}

extern fn clock() c_long; // of this process's processors, in millionths of a second

pub export fn main(argc: c_int, argv: [*]const [*:0]const u8) c_int {
    probed = argc > 1 and argv[1][0] == 'p';
    _ = ct.init();
    for (&fibers) |*f| f.ct.create(ct.here(@src()), .{ .frame = f, .name = "fiber" });
    fibers[0].ct.willResume();
    const top: [*]usize = @ptrFromInt(@intFromPtr(&stack) + stack.len);
    (top - 1)[0] = 0; // a return address of 0: here the stack begins
    (top - 2)[0] = @intFromPtr(&second);
    for (0..6) |i| (top - 3 - i)[0] = 0;
    fibers[1].sp = @intFromPtr(top - 8);
    const begin = clock();
    for (0..switches / 2) |_| switchFrom(0);
    const ns = @as(f64, @floatFromInt(clock() - begin)) * 1000 / switches;
    _ = printf("switch %.1f\n", ns);
    return 0;
}

extern fn printf(format: [*:0]const u8, ...) c_int;
