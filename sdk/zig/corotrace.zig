//! corotrace.zig - the corotrace probe for Zig: report to a recorder what your coroutines do.
//!
//! Drop it beside ct.c and ct.h in their drop-in form (build/dropin) into your program, or link
//! libct.a. Then, in a scheduler:
//!
//!     const ct = @import("corotrace.zig");
//!
//!     _ = ct.init();                                          once, before threads start
//!     co.ct.create(ct.here(@src()), .{ .name = "conn" });     a coroutine is born
//!     co.ct.willResume();                                     right before it runs
//!     co.ct.willSuspend(ct.here(@src()), .fd(fd));            before anybody else can resume it
//!     ct.wake(ct.here(@src()), id, .fd(fd));                  before it is put on a run queue
//!     co.ct.destroy(.done);                                   it ended
//!     ct.park(0); ct.unpark(0);                               around a worker's sleep
//!     ct.thread(.worker, "worker 1");                         each worker thread, once
//!
//! Each call is that of ct.h under its name there, and what ct.h and ct(3) promise and ask of it
//! holds here: untraced it is one predicted branch; nothing allocates (after a thread's first
//! event), locks or fails; all are thread-safe, and the calls for one coroutine are ordered by its
//! scheduler. Zig 0.14 and later; without @cImport, which Zig 0.17 has no more.

/// A source location, interned at its first use. `here` makes one for the line it is called on;
/// hand it on as an argument where a helper's caller is who is to blame.
pub const Site = extern struct {
    func: [*:0]const u8,
    file: [*:0]const u8,
    line: u32,
    index: u32 = 0, // atomic; 0 until interned
};

/// The site of this line: `ct.here(@src())`.
pub fn here(comptime src: Source) *Site {
    const Static = struct {
        var site: Site = .{ .func = src.fn_name, .file = src.file, .line = src.line };
    };
    return &Static.site;
}
const Source = @import("std").builtin.SourceLocation;

/// What is waited on, closed, woken for: a kind and a value that names one thing of that kind.
pub const On = extern struct {
    value: u64 = 0,
    text: ?[*:0]const u8 = null, // of `user` only; copied
    kind: u8,

    pub const Kind = enum(u8) { none, coro, fd, timer, mutex, cond, sem, chan, join, user, room };

    fn of(kind: Kind, value: u64) On {
        return .{ .kind = @intFromEnum(kind), .value = value };
    }
    fn at(kind: Kind, p: *const anyopaque) On {
        return of(kind, @intFromPtr(p));
    }
    pub const nothing: On = .{ .kind = 0 };
    pub fn fd(number: i32) On {
        return of(.fd, @as(u32, @bitCast(number)));
    }
    /// CLOCK_MONOTONIC
    pub fn timer(deadline_ns: u64) On {
        return of(.timer, deadline_ns);
    }
    pub fn mutex(p: *const anyopaque) On {
        return at(.mutex, p);
    }
    pub fn cond(p: *const anyopaque) On {
        return at(.cond, p);
    }
    pub fn sem(p: *const anyopaque) On {
        return at(.sem, p);
    }
    pub fn chan(p: *const anyopaque) On {
        return at(.chan, p);
    }
    /// room in that channel, where chan of it is its items
    pub fn room(p: *const anyopaque) On {
        return at(.room, p);
    }
    /// awaits its result
    pub fn awaits(id: u64) On {
        return of(.coro, id);
    }
    /// waits for its end
    pub fn join(id: u64) On {
        return of(.join, id);
    }
    /// kind known, object not
    pub fn any(kind: Kind) On {
        return .{ .kind = @intFromEnum(kind) | 0x80 };
    }
    /// your own words; interned, so keep them few
    pub fn user(text: [*:0]const u8) On {
        return .{ .kind = @intFromEnum(Kind.user), .text = text };
    }
};

/// One of several things that a coroutine waits for, and where.
pub const Leg = extern struct { on: On, here: ?*Site, site: u32 = 0 };

/// A coroutine's probe: keep one where the coroutine lives. Zero id = not traced. Only the probe
/// writes it; `id` may be read, and stays readable after `destroy`.
pub const Coro = extern struct {
    id: u64 = 0,
    last_ts: u64 = 0,
    frame: u64 = 0,
    n: u64 = 0,
    station: u32 = 0,

    /// parent: id of its creator or 0; frame: any address that names it in a debugger; name: copied.
    pub const Made = struct {
        parent: ?u64 = null, // null: the one that runs here
        frame: ?*const anyopaque = null,
        name: ?[*:0]const u8 = null,
    };
    pub inline fn create(co: *Coro, site: ?*Site, made: Made) void {
        if (enabled()) c.ct_create_(co, made.parent orelse current(), site, made.frame, made.name);
    }
    /// It runs from now on, on this thread.
    pub inline fn willResume(co: *Coro) void {
        if (enabled()) c.ct_resume_(co);
    }
    /// It stops running to wait for `on`, the one thing whose event alone can wake it; call it
    /// before it becomes possible for anybody to resume it.
    pub inline fn willSuspend(co: *Coro, site: ?*Site, on: On) void {
        if (enabled()) c.ct_suspend_(co, site, on);
    }
    /// As willSuspend, for any of several things; a time limit is a timer among them.
    pub inline fn willSuspendAny(co: *Coro, site: ?*Site, legs: []const Leg) void {
        if (enabled()) c.ct_suspend_legs_(co, site, 0, 0, legs.ptr, legs.len);
    }
    /// As willSuspend, for all of several things.
    pub inline fn willSuspendAll(co: *Coro, site: ?*Site, legs: []const Leg) void {
        if (enabled()) c.ct_suspend_legs_(co, site, 0, 1, legs.ptr, legs.len);
    }
    /// It ran to its end, or was destroyed before that. The probe may be created again afterwards.
    pub inline fn destroy(co: *Coro, how: enum { done, cancelled }) void {
        if (enabled()) c.ct_destroy_(co, @intFromBool(how == .done));
    }
    pub inline fn setName(co: *Coro, name: [*:0]const u8) void {
        if (enabled()) c.ct_name_(co, name);
    }
};

/// Attach to the recorder named in the environment. True when events are recorded from now on.
pub fn init() bool {
    return c.ct_init() != 0;
}
/// As init, and where no recorder is named keep a black box. how: what CTP_BOX would say, "1" by null.
pub fn box(how: ?[*:0]const u8) bool {
    return c.ct_box(how) != 0;
}
/// Until `start` what coroutines do is counted and not recorded.
pub fn stop() void {
    c.ct_stop();
}
pub fn start() bool {
    return c.ct_start() != 0;
}
/// Write the box into a file that ct-record --box reads. 0, or a negative errno.
pub fn dump(file: [*:0]const u8) i32 {
    return c.ct_dump(file);
}
/// Whether events are recorded.
pub inline fn enabled() bool {
    var flag = &c.ct_flag_; // a variable: Zig 0.15 to 0.17 (x86_64) cannot load atomically from an extern one
    _ = &flag;
    if (@atomicLoad(c_int, flag, .monotonic) != 0) {
        @branchHint(.unlikely);
        return true;
    }
    return false;
}
/// The id of the coroutine that this thread runs, or 0.
pub inline fn current() u64 {
    return c.ct_current();
}

/// For fibers, in the one function that switches stacks, right before it does: `from` stops and
/// `to` runs from then on; null is the thread's own stack. A suspend and a resume.
pub inline fn willSwitch(site: ?*Site, from: ?*Coro, to: ?*Coro) void {
    if (enabled()) c.ct_switch_(from, to, site);
}
/// What the fiber that runs here is about to wait for, and where: its next willSwitch declares it.
/// Where no switch came, waits(null, .nothing) forgets it.
pub inline fn waits(site: ?*Site, on: On) void {
    if (enabled()) c.ct_waits_(site, 0, on);
}
/// Coroutine `id` was made runnable: called by the waker, before the push to the run queue.
pub inline fn wake(site: ?*Site, id: u64, on: On) void {
    if (enabled()) c.ct_wake_(id, site, on);
}
/// Coroutine `id`, which had been woken, was taken from a run queue and is not run.
pub inline fn dequeue(site: ?*Site, id: u64) void {
    if (enabled()) c.ct_dequeue_(id, site);
}
/// The timer that coroutine `id` waits for has another deadline from now on, or `never`.
pub inline fn deadline(site: ?*Site, id: u64, deadline_ns: u64) void {
    if (enabled()) c.ct_deadline_(id, deadline_ns, site);
}
pub const never = ~@as(u64, 0);

/// A resource appeared; is gone (before the close itself); was notified (how many waiters that
/// woke); holds `value` items or permits now (a lock: 1 = free).
pub inline fn open(site: ?*Site, on: On, name: ?[*:0]const u8) void {
    if (enabled()) c.ct_open_(on, name, site);
}
pub inline fn close(site: ?*Site, on: On) void {
    if (enabled()) c.ct_close_(on, site);
}
pub inline fn notify(site: ?*Site, on: On, woken: u64) void {
    if (enabled()) c.ct_notify_(on, woken, site);
}
pub inline fn level(on: On, value: u64) void {
    if (enabled()) c.ct_level_(on, value);
}
/// The running coroutine (or plain thread) took or gave back a lock or a permit.
pub inline fn acquire(site: ?*Site, on: On) void {
    if (enabled()) c.ct_acquire_(on, site);
}
pub inline fn release(site: ?*Site, on: On) void {
    if (enabled()) c.ct_release_(on, site);
}
/// Coroutine `id` has it from now on, has it no more, whoever runs here; id 0: no coroutine.
pub inline fn acquireFor(site: ?*Site, id: u64, on: On) void {
    if (enabled()) c.ct_acquire_for_(id, on, site);
}
pub inline fn releaseFor(site: ?*Site, id: u64, on: On) void {
    if (enabled()) c.ct_release_for_(id, on, site);
}
/// A waker of task `id` was cloned or dropped.
pub inline fn wakerClone(id: u64) void {
    if (enabled()) c.ct_waker_clone_(id);
}
pub inline fn wakerDrop(id: u64) void {
    if (enabled()) c.ct_waker_drop_(id);
}

/// This worker found nothing to run and sleeps; woke up. depth: its run queue's length.
pub inline fn park(depth: u64) void {
    if (enabled()) c.ct_park_(depth);
}
pub inline fn unpark(depth: u64) void {
    if (enabled()) c.ct_unpark_(depth);
}
pub const depth_unknown = ~@as(u64, 0);
/// What this thread is. Workers are those that run coroutines.
pub inline fn thread(role: Role, name: ?[*:0]const u8) void {
    if (enabled()) c.ct_thread_(role, name);
}
pub const Role = enum(c_uint) { other, worker, blocking };

/// The functions of ct.h; sizes and offsets are held against it by a test.
pub const c = struct {
    pub extern var ct_flag_: c_int; // of struct ct_flag_page_, its first member
    pub extern fn ct_init() c_int;
    pub extern fn ct_box(?[*:0]const u8) c_int;
    pub extern fn ct_stop() void;
    pub extern fn ct_start() c_int;
    pub extern fn ct_dump([*:0]const u8) c_int;
    pub extern fn ct_current() u64;
    pub extern fn ct_create_(*Coro, u64, ?*Site, ?*const anyopaque, ?[*:0]const u8) void;
    pub extern fn ct_resume_(*Coro) void;
    pub extern fn ct_suspend_(*Coro, ?*Site, On) void;
    pub extern fn ct_suspend_legs_(*Coro, ?*Site, u32, c_int, [*]const Leg, usize) void;
    pub extern fn ct_waits_(?*Site, u32, On) void;
    pub extern fn ct_switch_(?*Coro, ?*Coro, ?*Site) void;
    pub extern fn ct_wake_(u64, ?*Site, On) void;
    pub extern fn ct_destroy_(*Coro, c_int) void;
    pub extern fn ct_name_(*Coro, [*:0]const u8) void;
    pub extern fn ct_open_(On, ?[*:0]const u8, ?*Site) void;
    pub extern fn ct_close_(On, ?*Site) void;
    pub extern fn ct_notify_(On, u64, ?*Site) void;
    pub extern fn ct_level_(On, u64) void;
    pub extern fn ct_acquire_(On, ?*Site) void;
    pub extern fn ct_release_(On, ?*Site) void;
    pub extern fn ct_acquire_for_(u64, On, ?*Site) void;
    pub extern fn ct_release_for_(u64, On, ?*Site) void;
    pub extern fn ct_dequeue_(u64, ?*Site) void;
    pub extern fn ct_deadline_(u64, u64, ?*Site) void;
    pub extern fn ct_waker_clone_(u64) void;
    pub extern fn ct_waker_drop_(u64) void;
    pub extern fn ct_park_(u64) void;
    pub extern fn ct_unpark_(u64) void;
    pub extern fn ct_thread_(Role, ?[*:0]const u8) void;
};
