//! Call stacks: where a future's waker is kept, and from where it is woken. Only where the recorder asks for them.

use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;

use crate::ctp::{F_STACKS, STACK_MAX};
use crate::region::region;
use crate::{polling, sys, text};

/// A call stack that found no room: counted where an event would have named it.
const NO_ROOM: u32 = u32::MAX;

extern "C" {
    // The unwinder that panics use, so it is linked.
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, arg: *mut c_void) -> c_int;
    fn _Unwind_GetIPInfo(frame: *mut c_void, before: *mut c_int) -> usize;
    fn _Unwind_GetCFA(frame: *mut c_void) -> usize;
}

/// Only after `region::on`.
#[inline(always)]
pub(crate) fn asked() -> bool {
    region().flags & F_STACKS != 0
}

/// The stack pointer of the function that this is compiled into; for one that is never inlined, it parts its frame and
/// those that it calls from those that have called it.
#[inline(always)]
pub(crate) fn pointer() -> usize {
    #[cfg(miri)]
    return 0;
    #[cfg(not(miri))]
    let sp: usize;
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: reads a register.
    unsafe {
        core::arch::asm!("mov {}, rsp", out(reg) sp, options(nomem, nostack, preserves_flags))
    };
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: reads a register.
    unsafe {
        core::arch::asm!("mov {}, sp", out(reg) sp, options(nomem, nostack, preserves_flags))
    };
    #[cfg(not(miri))]
    sp
}

struct Walk {
    inner: usize,
    outer: usize,
    len: usize,
    frames: [u64; STACK_MAX],
}

extern "C" fn frame(frame: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: called by the unwinder with a frame of its own and with what `take` gave it.
    let (walk, at, ip, before) = unsafe {
        let mut before = 0;
        let ip = _Unwind_GetIPInfo(frame, &mut before);
        (&mut *walk.cast::<Walk>(), _Unwind_GetCFA(frame), ip, before)
    };
    if ip == 0 || at >= walk.outer || walk.len == STACK_MAX {
        return 1;
    }
    if at > walk.inner {
        walk.frames[walk.len] = ip as u64 + (before != 0) as u64;
        walk.len += 1;
    }
    0
}

/// The calls that led to the frame of which `inner` is the `pointer`, without it, up to that of `outer`.
#[cold]
#[inline(never)]
fn take(inner: usize, outer: usize) -> u32 {
    if cfg!(miri) {
        return 0;
    }
    let _keep = sys::KeepErrno::new();
    let mut walk = Walk { inner, outer, len: 0, frames: [0; STACK_MAX] };
    // SAFETY: `frame` gets what it expects, and does not outlive the call.
    unsafe { _Unwind_Backtrace(frame, (&raw mut walk).cast()) };
    match &walk.frames[..walk.len] {
        [] => 0,
        frames => match text::stack(frames) {
            0 => NO_ROOM,
            number => number,
        },
    }
}

/// The waker of the future that is being polled here is cloned.
#[cold]
pub(crate) fn kept(inner: usize) {
    polling::here(|p| p.stack.set(take(inner, p.outer)));
}

/// Something says what it waits on, and nothing has kept the waker in this poll so far.
#[inline(always)]
pub(crate) fn said() {
    if asked() && polling::here(|p| p.stack.get()) == Some(0) {
        said_here();
    }
}

#[cold]
#[inline(never)]
fn said_here() {
    kept(pointer());
}

/// The poll that is under way here, if any, is where call stacks end.
fn outer() -> usize {
    polling::here(|p| p.outer).unwrap_or(usize::MAX)
}

/// That of the caller.
#[inline(never)]
pub(crate) fn around() -> u32 {
    match asked() {
        true => take(pointer(), outer()),
        false => 0,
    }
}

/// From where somebody is woken; within a poll, from its beginning.
#[inline(always)]
pub(crate) fn here(inner: usize) -> u32 {
    match asked() {
        true => counted(take(inner, outer())),
        false => 0,
    }
}

/// For an event.
#[inline(always)]
pub(crate) fn counted(stack: u32) -> u32 {
    if stack == NO_ROOM {
        region().header().lost_no_stack.fetch_add(1, Relaxed);
        return 0;
    }
    stack
}
