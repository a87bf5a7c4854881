//! Whether events are recorded: a word alone in its page, so that a recorder which comes later can be given the page, and ask
//! for a box.

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering::*};

use crate::ctp::{FLAG_ASKED, FLAG_NAME, FLAG_OFF, FLAG_ON};
use crate::{attach, backing, boxes, sys, threads};

#[cfg(target_arch = "x86_64")]
const PAGE: usize = 4096;
#[cfg(target_arch = "aarch64")]
const PAGE: usize = 65536;

#[cfg_attr(target_arch = "x86_64", repr(C, align(4096)))]
#[cfg_attr(target_arch = "aarch64", repr(C, align(65536)))]
struct Page {
    on: AtomicU32,
    rest: [AtomicU32; PAGE / 4 - 1],
}

static FLAG: Page = Page { on: AtomicU32::new(FLAG_OFF), rest: [const { AtomicU32::new(0) }; PAGE / 4 - 1] };

/// The memory that holds it, where it can be reached from outside: -1, not.
static SHARED: AtomicI32 = AtomicI32::new(-1);
static DEV: AtomicU64 = AtomicU64::new(0);
static INO: AtomicU64 = AtomicU64::new(0);

/// Of this process alone: there is a region, and its program has stopped that events are recorded.
const STOPPED: u32 = 4;

/// Are events recorded, or counted? Acquire: who sees it may look at the region. Where a recorder asks for a box it is made
/// here.
#[inline(always)]
pub(crate) fn on() -> bool {
    let on = FLAG.on.load(Acquire);
    on == FLAG_ON || (on != FLAG_OFF && odd(on))
}

#[cold]
#[inline(never)]
fn odd(on: u32) -> bool {
    if on == STOPPED {
        // So that the event which this is about looks whether there is room, and finds that the gate is closed.
        threads::peek(|w| w.ring.look_again());
        return true;
    }
    attach::asked()
}

/// Events are counted, not recorded.
pub(crate) fn is_stopped() -> bool {
    get() == STOPPED
}

/// Closes the gate, or opens it. Release: with it, what was written before. False: it was not as it should be.
pub(crate) fn stop(stop: bool) -> bool {
    let (from, to) = if stop { (FLAG_ON, STOPPED) } else { (STOPPED, FLAG_ON) };
    FLAG.on.compare_exchange(from, to, AcqRel, Relaxed).is_ok()
}

/// As it stands.
pub(crate) fn get() -> u32 {
    FLAG.on.load(Acquire)
}

/// Release: what stands behind it is there.
pub(crate) fn set(to: u32) {
    FLAG.on.store(to, Release);
}

/// May a recorder still ask?
pub(crate) fn is_shared() -> bool {
    SHARED.load(Relaxed) >= 0
}

fn is_a_page() -> bool {
    let at = core::ptr::from_ref(&FLAG) as usize;
    at % sys::page_size() == 0 && size_of_val(&FLAG) % sys::page_size() == 0
}

/// Puts other memory where the flag is.
///
/// # Safety
/// `flags` and `fd` are for memory that may be written and read, `is_a_page` has said yes, and the word there has the value
/// that it has here.
unsafe fn replace(flags: i32, fd: i32) -> bool {
    let at = core::ptr::from_ref(&FLAG).cast_mut();
    // SAFETY: by contract; atomics all of it, so that whoever reads it meanwhile reads the one or the other.
    unsafe { sys::mmap(at.cast(), size_of_val(&FLAG), sys::PROT_READ_WRITE, flags, fd, 0) != sys::MAP_FAILED }
}

/// Nobody asked for anything. Puts a page of shared memory where the flag is, for a recorder that comes later: it finds the
/// page by its name in /proc/PID/fd, and needs no right to trace. What could fail in the middle of the program is done now.
pub(crate) fn share() {
    debug_assert!(FLAG.rest.len() * 4 + 4 == PAGE);
    if cfg!(miri) || SHARED.load(Relaxed) >= 0 || !is_a_page() || !attach::hook() {
        return;
    }
    let Some(fd) = boxes::memory(FLAG_NAME, size_of_val(&FLAG) as u64) else { return };
    if let Some((dev, ino)) = backing::identity(fd) {
        DEV.store(dev, Relaxed);
        INO.store(ino, Relaxed);
        // Before it is: a child that another thread forks meanwhile must not take it for its own.
        SHARED.store(fd, Release);
        // SAFETY: the memory is zero, which is FLAG_OFF, and the flag was nothing else so far.
        if unsafe { replace(sys::MAP_SHARED_FIXED, fd) } {
            return;
        }
        SHARED.store(-1, Relaxed);
    }
    // SAFETY: our own descriptor.
    unsafe { sys::close(fd) };
}

/// In a child: the page is its parent's, too. It gets one of its own, in the state that it is in; but who asked has asked the
/// parent, and knows nothing of another box.
pub(crate) fn forked() {
    let fd = SHARED.swap(-1, Relaxed);
    let state = get();
    // SAFETY: a child has one thread; the value is put back.
    if fd < 0 || !unsafe { replace(sys::MAP_PRIVATE_ANONYMOUS_FIXED, -1) } {
        return;
    }
    if backing::identity(fd) == Some((DEV.load(Relaxed), INO.load(Relaxed))) {
        // SAFETY: it is still ours.
        unsafe { sys::close(fd) };
    }
    share();
    set(if state == FLAG_ASKED { FLAG_OFF } else { state });
}
