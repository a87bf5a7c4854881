//! Threads: the writer that each gets at its first event and gives back at its end.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{compiler_fence, Ordering::SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

use crate::process::{self, foreign};
use crate::region::{self, region, Region};
use crate::walks::Walks;
use crate::writer::Writer;
use crate::{attach, part, sys};

/// A writer behind a page that the kernel zeroes in a child, be it made by `fork` or without (MADV_WIPEONFORK).
#[repr(C)]
pub(crate) struct Mine {
    /// False: a probe call is under way, which one from a signal handler finds; or this is a child.
    idle: Cell<bool>,
    /// False: this is a child.
    ours: AtomicBool,
    /// Of the region's store: a thread has it.
    taken: AtomicU32,
    page: [u8; PAGE - 8],
    writer: Writer,
    walks: Walks,
}
/// No page is larger.
pub(crate) const PAGE: usize = 1 << 16;

thread_local! {
    static ME: Cell<*const Mine> = const { Cell::new(ptr::null()) };
}
/// Stands for the writer of a thread that is just getting one.
const STARTING: *const Mine = ptr::without_provenance(1);

/// What `f` does with this thread's writer, which is `events` events of the coroutine `id` (or ANY). None: not this time, and
/// they are counted; or the coroutine turns out to be the copy of a parent's.
#[inline(always)]
pub(crate) fn with<R>(id: u64, events: u64, f: impl FnOnce(&Writer) -> R) -> Option<R> {
    let me = ME.get();
    if me.addr() <= STARTING.addr() {
        return begin_and(id, events, f);
    }
    // SAFETY: neither null nor the mark, so this thread's, which lives as long as it.
    let me = unsafe { &*me };
    if !(me.idle.get() & me.ours.load(Relaxed)) {
        return not_idle(me, id, events, f);
    }
    Some(me.call(f))
}

/// As `with`, for everybody's events: version 1 knows none of them.
#[inline(always)]
pub(crate) fn with2(id: u64, events: u64, f: impl FnOnce(&Writer)) {
    if !region().v1 {
        with(id, events, f);
    }
}

/// As `with`, for events that are recorded though others are stopped: what a thread is, and the boundaries.
pub(crate) fn always(f: impl FnOnce(&Writer)) {
    with(process::ANY, 1, |w| w.pass(f));
}

/// As `with`, for what is no event: nothing to be counted.
#[inline(always)]
pub(crate) fn ask<R>(f: impl FnOnce(&Writer) -> R) -> Option<R> {
    with(process::ANY, 0, f)
}

/// A look at this thread's writer that records nothing.
#[inline(always)]
pub(crate) fn peek<R>(f: impl FnOnce(&Writer) -> R) -> Option<R> {
    let me = ME.get();
    // SAFETY: as in `with`.
    (me.addr() > STARTING.addr()).then(|| f(unsafe { &(*me).writer }))
}

/// What this thread knows of call stacks of this region.
pub(crate) fn walks<R>(f: impl FnOnce(Option<&Walks>) -> R) -> R {
    let me = ME.get();
    // SAFETY: as in `with`.
    let me = (me.addr() > STARTING.addr()).then(|| unsafe { &*me });
    f(me.filter(|me| me.ours.load(Relaxed) && ptr::eq(me.writer.region, region())).map(|me| &me.walks))
}

/// Called by a signal handler that interrupted a probe; or in a child whose writer was its parent's.
#[cold]
#[inline(never)]
fn not_idle<R>(me: &Mine, id: u64, events: u64, f: impl FnOnce(&Writer) -> R) -> Option<R> {
    if me.ours.load(Relaxed) {
        if events != 0 {
            me.writer.interrupted(events);
        }
        return None;
    }
    ME.set(ptr::null());
    begin_and(id, events, f)
}

#[cold]
#[inline(never)]
fn begin_and<R>(id: u64, events: u64, f: impl FnOnce(&Writer) -> R) -> Option<R> {
    let begun = ME.get() != STARTING && region::on() && thread_begin();
    if region::on() && foreign(id) {
        return None;
    }
    if !begun {
        if region::on() {
            region().lose(events);
        }
        return None;
    }
    // SAFETY: thread_begin has set it.
    let me = unsafe { &*ME.get() };
    Some(me.call(f))
}

/// This thread's first event. A signal handler that comes in between finds the mark.
fn thread_begin() -> bool {
    let _aside = sys::Aside::new();
    let r = region();
    ME.set(STARTING);
    if !r.is_quiet() && process::is_child() {
        if process::shares_memory() {
            ME.set(ptr::null());
            return false;
        }
        process::forked();
        if !region::on() {
            return false;
        }
        ME.set(STARTING);
    }
    let Some(at) = new_mine(r) else {
        ME.set(ptr::null());
        return false;
    };
    // SAFETY: this thread's alone, and all of it but the writer may be zero.
    let me = unsafe {
        Writer::begin(&raw mut (*at).writer, r);
        &*at
    };
    me.ours.store(true, Relaxed);
    me.writer.ring.told_by(&raw const me.ours);
    if !r.v1 && me.writer.claim() {
        let (name, len) = thread_name(r);
        me.writer.pass(|w| w.record_thread(0, &name[..len]));
    }
    attach::set_specific(at.cast());
    me.idle.set(true);
    compiler_fence(SeqCst);
    ME.set(at);
    true
}

/// Memory for one: of the store where there is one, else of its own.
fn new_mine(r: &Region) -> Option<*mut Mine> {
    if r.is_quiet() {
        return (0..r.ring_count as usize).find_map(|i| {
            // SAFETY: the store has so many, for good; zero is a value of what is looked at.
            let taken = unsafe { &(*r.store.add(i)).taken };
            let free = taken.load(Relaxed) == 0 && taken.compare_exchange(0, 1, Acquire, Relaxed).is_ok();
            // SAFETY: as above.
            free.then(|| unsafe { r.store.add(i) }.cast_mut())
        });
    }
    let at = part::anonymous(size_of::<Mine>())?;
    // SAFETY: advice about a page of our own.
    #[cfg(not(miri))] // which does not know the call
    unsafe {
        sys::madvise(at, PAGE, sys::MADV_WIPEONFORK)
    };
    Some(at.cast())
}

/// And its length. Not by the allocator: the first event may be that of a signal handler.
fn thread_name(r: &Region) -> ([u8; 17], usize) {
    let mut name = [0u8; 17];
    if !r.is_quiet() && cfg!(not(miri)) {
        // SAFETY: writes at most 16 bytes.
        unsafe { sys::prctl(sys::PR_GET_NAME, name.as_mut_ptr()) };
    }
    let len = name.iter().position(|&b| b == 0).unwrap_or(16);
    (name, len)
}

pub(crate) unsafe extern "C" fn thread_end(me: *mut c_void) {
    let at = me.cast::<Mine>();
    ME.set(ptr::null());
    // SAFETY: the key's value, set in `thread_begin`; this thread will get another if it writes once more.
    unsafe {
        (*at).idle.set(false);
        if !(*at).ours.load(Relaxed) {
            return; // a child's, that a raw clone made of the thread
        }
        (*at).writer.end();
        if region().is_quiet() {
            (*at).taken.store(0, Release);
        } else {
            sys::munmap(me, size_of::<Mine>());
        }
    }
}

/// In a child: what the parent's threads wrote with is not the child's. What this thread may be in the middle of stays. Until
/// `anew` what a signal handler writes is counted: the child has no number yet.
pub(crate) fn forget(r: &Region) {
    let me = ME.replace(STARTING);
    attach::set_specific(ptr::null());
    if me.addr() > STARTING.addr() {
        // SAFETY: this thread's in the parent, and here as well.
        unsafe { &*me }.ours.store(false, Relaxed);
    }
    for i in (0..r.ring_count as usize).filter(|_| r.is_quiet()) {
        // SAFETY: the store has so many.
        let at = unsafe { r.store.add(i) };
        if !ptr::eq(at, me) {
            // SAFETY: as above.
            unsafe { (*at).taken.store(0, Relaxed) };
        }
    }
}

/// This thread gets a writer of its own at its next event.
pub(crate) fn anew() {
    ME.set(ptr::null());
}

impl Mine {
    #[inline(always)]
    fn call<R>(&self, f: impl FnOnce(&Writer) -> R) -> R {
        self.idle.set(false);
        compiler_fence(SeqCst);
        let r = f(&self.writer);
        compiler_fence(SeqCst);
        self.idle.set(true);
        self.writer.leave();
        r
    }
}
