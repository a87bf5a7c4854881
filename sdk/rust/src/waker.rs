//! The waker that a traced future hands to the future inside: it tells who wakes, clones and drops it.

use core::mem::ManuallyDrop;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::task::{RawWaker, RawWakerVTable, Waker};

use crate::ctp::Kind;
use crate::lent::{Hold, Lent};
use crate::on::On;
use crate::{region, stack, writer};

/// One a future, made at its first poll and used for all, as long as the executor's waker stays the same or nobody holds
/// a clone.
struct Kept {
    executors: Lent<Waker>,
    /// Of the coroutine.
    id: u64,
    /// Woken since its last poll.
    woken: AtomicBool,
    /// Polled by others than the executor, at their own will: its wakes are theirs to tell.
    part: AtomicBool,
    /// Clones and drops so far, about: it changes with each.
    traffic: AtomicUsize,
}

impl Kept {
    fn count_traffic(&self) {
        self.traffic.store(self.traffic.load(Relaxed).wrapping_add(1), Relaxed);
    }

    fn is_told(&self) -> bool {
        region::on() && !region::foreign(self.id)
    }

    fn record(&self, f: impl FnOnce(&writer::Writer)) {
        if self.is_told() {
            writer::with2(f);
        }
    }

    /// `frame`: of the vtable's function.
    fn wake(&self, consumed: bool, frame: usize) {
        if consumed {
            self.count_traffic();
        }
        let told = !self.part.load(Relaxed);
        let stack = if told && self.is_told() { stack::here(frame) } else { 0 };
        self.record(|w| {
            if told {
                w.wake(self.id, On::nothing(), 0, stack);
            }
            if consumed {
                w.waker(Kind::WakerDrop, self.id);
            }
        });
        self.woken.store(true, Relaxed);
        self.executors.with(Waker::wake_by_ref);
    }
}

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop);

/// # Safety
/// All four: `data` is a `Kept` of which the caller has a loan; `wake` and `drop` take it.
#[inline(never)] // so that call stacks begin at its caller
unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: by contract.
    let kept = unsafe { &*data.cast::<Kept>() };
    kept.executors.lend();
    kept.count_traffic();
    if kept.is_told() && writer::peek(|w| ptr::eq(w.lent.get(), data)) == Some(true) {
        stack::kept(stack::pointer());
    }
    kept.record(|w| w.waker(Kind::WakerClone, kept.id));
    RawWaker::new(data, &VTABLE)
}

#[inline(never)]
unsafe fn wake(data: *const ()) {
    // SAFETY: by contract; the loan goes last, for it may take the memory with it.
    unsafe {
        (*data.cast::<Kept>()).wake(true, stack::pointer());
        give_back(data.cast());
    }
}

#[inline(never)]
unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: by contract.
    unsafe { (*data.cast::<Kept>()).wake(false, stack::pointer()) }
}

unsafe fn drop(data: *const ()) {
    // SAFETY: as `wake`.
    unsafe {
        let kept = &*data.cast::<Kept>();
        kept.count_traffic();
        kept.record(|w| w.waker(Kind::WakerDrop, kept.id));
        give_back(data.cast());
    }
}

unsafe fn give_back(kept: *const Kept) {
    // SAFETY: the loan is the caller's, and the memory this one's alone where it is the last to leave.
    unsafe {
        if (*kept).executors.give_back() {
            std::mem::drop(Box::from_raw(kept.cast_mut()));
        }
    }
}

/// A future's own end of its waker.
pub(crate) struct Slot(*const Kept);

// SAFETY: reached by the future's `poll` and `drop` only, which have it to themselves; what it points to is shared by
// atomics and a Lent.
unsafe impl Send for Slot {}
// SAFETY: a shared reference gives access to nothing.
unsafe impl Sync for Slot {}

/// What a poll learns from its waker.
pub(crate) struct Lending {
    /// For the future inside. Its loan is `end`'s to give back.
    pub(crate) waker: ManuallyDrop<Waker>,
    /// Woken since the last poll.
    pub(crate) woken: bool,
}

impl Slot {
    pub(crate) fn new() -> Self {
        Self(ptr::null())
    }

    fn kept(&self) -> Option<&Kept> {
        // SAFETY: null or ours until `drop`.
        unsafe { self.0.as_ref() }
    }

    /// A waker for the coroutine `id` that wakes the executor's.
    pub(crate) fn lend(&mut self, id: u64, executors: &Waker) -> Lending {
        let woken = self.kept().is_some_and(|k| k.woken.swap(false, Relaxed));
        let reuse = self.kept().is_some_and(|k| match k.executors.hold() {
            Hold::Empty => {
                k.executors.put(executors.clone());
                true
            }
            Hold::Held => {
                let same = k.executors.with(|w| w.will_wake(executors)) || k.executors.replace(|| executors.clone());
                if !same {
                    // SAFETY: the loan was just taken; we have not left, so this frees nothing that is used here.
                    unsafe { give_back(self.0) };
                }
                same
            }
            Hold::Busy => false,
        });
        if !reuse {
            let part = self.kept().is_some_and(|k| k.part.load(Relaxed));
            self.leave();
            self.0 = Box::into_raw(Box::new(Kept {
                executors: Lent::new(executors.clone()),
                id,
                woken: AtomicBool::new(false),
                part: AtomicBool::new(part),
                traffic: AtomicUsize::new(0),
            }));
        }
        // SAFETY: the vtable's contract: a Kept, and the loan that was just taken.
        let waker = ManuallyDrop::new(unsafe { Waker::from_raw(RawWaker::new(self.0.cast(), &VTABLE)) });
        Lending { waker, woken }
    }

    /// What `clones` wants to see.
    pub(crate) fn lent(&self) -> *const () {
        self.0.cast()
    }

    pub(crate) fn woken(&self) -> bool {
        self.kept().is_some_and(|k| k.woken.load(Relaxed))
    }

    /// From now on its wakes are told by whoever polls it.
    pub(crate) fn be_part(&self) {
        if let Some(k) = self.kept() {
            k.part.store(true, Relaxed);
        }
    }

    /// The loan of `lend`.
    pub(crate) fn end(&self) {
        // SAFETY: it was taken there.
        unsafe { give_back(self.0) };
    }

    fn leave(&mut self) {
        let old = std::mem::replace(&mut self.0, ptr::null());
        // SAFETY: ours; freed by whoever leaves last.
        unsafe {
            if !old.is_null() && (*old).executors.leave() {
                std::mem::drop(Box::from_raw(old.cast_mut()));
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The waker that this poll lends: how many clones are held, and how often it has been cloned and dropped.
///
/// # Safety
/// `lent` comes from `Slot::lent` of a poll that is under way on this thread.
pub(crate) unsafe fn clones(lent: *const ()) -> (usize, usize) {
    // SAFETY: by contract the poll has a loan of it.
    let kept = unsafe { &*lent.cast::<Kept>() };
    (kept.executors.loans() - 1, kept.traffic.load(Relaxed))
}

/// Is it the waker that the poll under way lends, itself? One that some combinator made stands for more than one future.
pub(crate) fn is_lent(waker: &Waker, lent: *const ()) -> bool {
    ptr::eq(waker.vtable(), &VTABLE) && ptr::eq(waker.data(), lent)
}
