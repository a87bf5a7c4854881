//! The waker that a traced future hands to the future inside: it records who wakes, clones and drops it.

use core::mem::ManuallyDrop;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{RawWaker, RawWakerVTable, Waker};

use crate::ctp::Kind;
use crate::lent::{Hold, Lent};
use crate::on::On;
use crate::{polling, region, stack, threads, writer};

/// One a future, made at its first poll and used for all, as long as the executor's waker stays the same or nobody holds
/// a clone.
struct Kept {
    executors: Lent<Waker>,
    /// Of the coroutine.
    id: u64,
    /// Woken since its last poll.
    woken: AtomicBool,
    /// Polled by others than the executor, at their own will: its wakes are theirs to report.
    part: AtomicBool,
    /// Clones and drops so far, about: it changes with each.
    traffic: AtomicUsize,
}

impl Kept {
    fn count_traffic(&self) {
        self.traffic.store(self.traffic.load(Relaxed).wrapping_add(1), Relaxed);
    }

    fn is_recorded(&self) -> bool {
        region::on() && !region::foreign(self.id)
    }

    fn record(&self, events: u64, f: impl FnOnce(&writer::Writer)) {
        if events != 0 && self.is_recorded() {
            threads::with2(self.id, events, f);
        }
    }

    /// `frame`: of the vtable's function.
    fn wake(&self, consumed: bool, frame: usize) {
        if consumed {
            self.count_traffic();
        }
        let reports = !self.part.load(Relaxed);
        let stack = if reports && self.is_recorded() { stack::here(frame) } else { 0 };
        self.record(reports as u64 + consumed as u64, |w| {
            if reports {
                w.wake(self.id, On::nothing(), 0, stack);
            }
            if consumed {
                w.waker(Kind::WakerDrop, self.id);
            }
        });
        self.woken.store(true, Relaxed);
        if consumed {
            self.executors.spend(); // the next poll may come before it is given back
        }
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
    if kept.is_recorded() && stack::asked() && polling::here(|p| p.lends(data)) == Some(true) {
        stack::kept(stack::pointer());
    }
    kept.record(1, |w| w.waker(Kind::WakerClone, kept.id));
    RawWaker::new(data, &VTABLE)
}

#[inline(never)]
unsafe fn wake(data: *const ()) {
    // SAFETY: by contract; the loan goes last, for it may take the memory with it.
    unsafe {
        (*data.cast::<Kept>()).wake(true, stack::pointer());
        free_if((*data.cast::<Kept>()).executors.give_back_spent(), data.cast());
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
        kept.record(1, |w| w.waker(Kind::WakerDrop, kept.id));
        give_back(data.cast());
    }
}

unsafe fn give_back(kept: *const Kept) {
    // SAFETY: the loan is the caller's.
    unsafe { free_if((*kept).executors.give_back(), kept) }
}

/// # Safety
/// `last`: who used `kept` is the last to leave it.
unsafe fn free_if(last: bool, kept: *const Kept) {
    if last {
        // SAFETY: the memory is this one's alone.
        unsafe { std::mem::drop(Box::from_raw(kept.cast_mut())) }
    }
}

/// A future's own end of its wakers. What is polled while somebody keeps the one gets the other, or a new one where both are
/// kept, so that the clones of that are held by those that were polled this time. A waker that was left behind, with a
/// socket that was ready after all, reports nothing.
pub(crate) struct Slot {
    kept: [*const Kept; 2],
    now: usize,
    /// There were more, and who keeps those may still wake it.
    strays: bool,
}

// SAFETY: reached by the future's `poll` and `drop` only, which have it to themselves; what it points to is shared by
// atomics and a Lent.
unsafe impl Send for Slot {}
// SAFETY: a shared reference gives access to nothing.
unsafe impl Sync for Slot {}
// A panic leaves nothing half done in what these point to.
impl UnwindSafe for Slot {}
impl RefUnwindSafe for Slot {}

/// What a poll learns from its waker.
pub(crate) struct Lending {
    /// For the future inside. Its loan is `end`'s to give back.
    pub(crate) waker: ManuallyDrop<Waker>,
    /// Woken since the last poll.
    pub(crate) woken: bool,
    /// Nobody keeps a clone of it.
    pub(crate) fresh: bool,
}

impl Slot {
    pub(crate) fn new() -> Self {
        Self { kept: [ptr::null(); 2], now: 0, strays: false }
    }

    fn both(&self) -> impl Iterator<Item = &Kept> {
        // SAFETY: null or ours until `drop`.
        self.kept.iter().filter_map(|&k| unsafe { k.as_ref() })
    }

    fn kept(&self, i: usize) -> Option<&Kept> {
        // SAFETY: as above.
        unsafe { self.kept[i].as_ref() }
    }

    fn is_held(&self, i: usize) -> bool {
        self.kept(i).is_some_and(|k| k.executors.loans() != 0)
    }

    /// A waker for the coroutine `id` that wakes the executor's.
    pub(crate) fn lend(&mut self, id: u64, executors: &Waker) -> Lending {
        let woken = self.both().filter(|k| k.woken.swap(false, Relaxed)).count() != 0 || self.strays;
        if self.is_held(self.now) {
            self.now = 1 - self.now;
            if self.is_held(self.now) {
                self.leave(self.now);
                self.strays = true;
            }
        }
        let fresh = !self.is_held(self.now);
        let reuse = self.kept(self.now).is_some_and(|k| match k.executors.hold() {
            Hold::Empty => {
                k.executors.put(executors.clone());
                true
            }
            Hold::Held => {
                let same = k.executors.with(|w| w.will_wake(executors)) || k.executors.replace(|| executors.clone());
                if !same {
                    // SAFETY: the loan was just taken; we have not left, so this frees nothing that is used here.
                    unsafe { give_back(k) };
                }
                same
            }
            Hold::Busy => false,
        });
        if !reuse {
            let part = self.both().any(|k| k.part.load(Relaxed));
            self.leave(self.now);
            self.kept[self.now] = Box::into_raw(Box::new(Kept {
                executors: Lent::new(executors.clone()),
                id,
                woken: AtomicBool::new(false),
                part: AtomicBool::new(part),
                traffic: AtomicUsize::new(0),
            }));
        }
        // SAFETY: the vtable's contract: a Kept, and the loan that was just taken.
        let waker = ManuallyDrop::new(unsafe { Waker::from_raw(RawWaker::new(self.lent(), &VTABLE)) });
        Lending { waker, woken, fresh: fresh || !reuse }
    }

    /// What `clones` wants to see.
    pub(crate) fn lent(&self) -> *const () {
        self.kept[self.now].cast()
    }

    pub(crate) fn woken(&self) -> bool {
        self.both().any(|k| k.woken.load(Relaxed))
    }

    /// During a poll: does nobody else hold a waker of it, of this poll or another?
    pub(crate) fn is_forgotten(&self) -> bool {
        self.both().map(|k| k.executors.unspent()).sum::<usize>() == 1
    }

    /// From now on its wakes are reported by whoever polls it.
    pub(crate) fn be_part(&self) {
        self.both().for_each(|k| k.part.store(true, Relaxed));
    }

    /// The loan of `lend`.
    pub(crate) fn end(&self) {
        // SAFETY: it was taken there.
        unsafe { give_back(self.kept[self.now]) };
    }

    fn leave(&mut self, i: usize) {
        let old = std::mem::replace(&mut self.kept[i], ptr::null());
        // SAFETY: ours; freed by whoever leaves last.
        unsafe {
            if !old.is_null() {
                free_if((*old).executors.leave(), old);
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.leave(0);
        self.leave(1);
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
