//! Call stacks: where a future's waker is kept, and from where it is woken. Only where the recorder asks for them.

use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;

use crate::ctp::{F_STACKS, STACK_MAX};
use crate::region::region;
use crate::walks::{Path, Walks};
use crate::{polling, sys, text, threads};

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
    base: usize,
    inner: usize,
    outer: usize,
    len: usize,
    frames: [u64; STACK_MAX],
    path: Path,
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
    if at > walk.base {
        walk.path.add(walk.base, at, ip, before != 0);
    }
    if at > walk.inner {
        walk.frames[walk.len] = ip as u64 + (before != 0) as u64;
        walk.len += 1;
    }
    0
}

/// The calls that led to the frame of which `inner` is the `pointer`, without it, up to that of `outer`.
#[cold]
fn take(inner: usize, outer: usize) -> u32 {
    match cfg!(miri) {
        true => 0,
        false => threads::walks(|walks| number_of(walks, inner, outer, text::stack)),
    }
}

/// As `number` calls it; asked only where the same walk was not made before. One function, not a copy for each caller: its
/// frame is where all paths begin.
#[inline(never)]
fn number_of(walks: Option<&Walks>, inner: usize, outer: usize, number: fn(&[u64]) -> u32) -> u32 {
    let base = pointer();
    let walks = walks.and_then(Walks::enter);
    // SAFETY: both are of calls to this function, and the stack is that of this thread.
    if let Some(known) = walks.as_ref().and_then(|w| unsafe { w.find(base, inner, outer) }) {
        return known;
    }
    let _aside = sys::Aside::new();
    let mut walk = Walk { base, inner, outer, len: 0, frames: [0; STACK_MAX], path: Path::new() };
    // SAFETY: `frame` gets what it expects, and does not outlive the call.
    unsafe { _Unwind_Backtrace(frame, (&raw mut walk).cast()) };
    let found = match &walk.frames[..walk.len] {
        [] => return 0,
        frames => number(frames),
    };
    match (found, walks) {
        (0, _) => return NO_ROOM,
        (_, Some(walks)) => walks.keep(base, inner, outer, &walk.path, found),
        (_, None) => (),
    }
    found
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

#[cfg(all(test, not(miri), not(loom)))]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};

    thread_local! {
        static STACKS: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
        static WALKED: Cell<usize> = const { Cell::new(0) };
    }

    fn number(frames: &[u64]) -> u32 {
        WALKED.set(WALKED.get() + 1);
        STACKS.with_borrow_mut(|all| {
            let at = all.iter().position(|s| s == frames).unwrap_or(all.len());
            if at == all.len() {
                all.push(frames.to_vec());
            }
            at as u32 + 1
        })
    }

    /// The same calls, known and anew, have the same number.
    #[inline(never)]
    fn leaf(walks: &Walks, outer: usize) {
        let got = [Some(walks), None].map(|walks| number_of(walks, pointer(), outer, number));
        // Two calls, so two return addresses: as the stacks of their caller they are the same.
        let stack = |n: u32| STACKS.with_borrow(|all| all[n as usize - 1][1..].to_vec());
        assert_eq!(stack(got[0]), stack(got[1]));
    }

    /// One of three sites of each of two functions of different frames, by the digits of `way`.
    #[inline(never)]
    fn small(walks: &Walks, outer: usize, way: usize, depth: usize) {
        match (depth, way % 3) {
            (0, _) => leaf(walks, outer),
            (_, 0) => small(walks, outer, way / 3, depth - 1),
            (_, 1) => large(walks, outer, way / 3, depth - 1),
            _ => {
                small(walks, outer, way / 3, depth - 1);
                std::hint::black_box(());
            }
        }
        std::hint::black_box(());
    }

    #[inline(never)]
    fn large(walks: &Walks, outer: usize, way: usize, depth: usize) {
        let room = std::hint::black_box([way; 100]);
        match (depth, way % 3) {
            (0, _) => leaf(walks, outer),
            (_, 0) => small(walks, outer, way / 3, depth - 1),
            _ => large(walks, outer, way / 3, depth - 1),
        }
        std::hint::black_box(room);
    }

    #[test]
    fn a_walk_that_was_made_before_is_the_walk_that_is_made_now() {
        let walks = Walks::new();
        let mut seed = 1usize;
        for round in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let outer = if round % 2 == 0 { usize::MAX } else { pointer() };
            // Mostly of a few ways, which are known again, and others, which drive them out.
            let way = if round % 8 == 0 { seed >> 40 } else { (seed >> 40) % 5 };
            small(&walks, outer, way, seed >> 33 & 7);
        }
        // Each was asked for twice, and once of these without what was known.
        assert!(WALKED.get() < 35_000, "{}", WALKED.get());
    }

    #[test]
    fn one_that_comes_amid_another_walks_for_itself() {
        let walks = Walks::new();
        let amid = walks.enter();
        assert!(amid.is_some() && walks.enter().is_none());
        drop(amid);
        assert!(walks.enter().is_some());
    }
}
