//! Locks, channels and timers, as far as tokio's spans tell of them.

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::fields::{Made, Operation, State, Takes};
use super::slots::{self, Slot, Thing};
use super::task;
use crate::ctp::Kind;
use crate::on::On;
use crate::polling::{Before, Kept};
use crate::tokio::answer::Answer;
use crate::{polling, probe, region, sys};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Sort {
    Lock,
    Semaphore,
    /// The room of a bounded channel: a semaphore of tokio's own that is no part of another resource.
    Room,
    Oneshot,
    Sleep,
    Interval,
    Other,
}

pub(super) struct Resource {
    sort: Sort,
    /// The resource that it is a part of, or its own id.
    whole: u64,
    /// Where that was made.
    site: u32,
    /// Of a timer, once it is known: when it ends, in nanoseconds.
    ends: AtomicU64,
    /// Of a lock: guards, about: who has given one back says so when another may have it.
    guards: AtomicU32,
    /// And whether the last was of the kind that may be handed to anybody.
    owned: AtomicBool,
    /// Of a oneshot, or of room.
    answer: Answer,
}

const DEPTH: usize = 8;

/// The resources whose spans this thread is in, innermost last; deeper ones are only counted.
struct Within {
    slot: [Cell<Option<&'static Slot>>; DEPTH],
    depth: Cell<usize>,
    /// When the outermost was entered.
    before: Cell<Before>,
    /// The operation that was polled last gives a guard to whoever has it.
    owned: Cell<bool>,
    /// What the one takes that is polled now, and the id of its span; 0: none is, or its span is not kept.
    takes: Cell<Takes>,
    operation: Cell<u64>,
}

thread_local! {
    static WITHIN: Within = const {
        let slot = [const { Cell::new(None) }; DEPTH];
        let before = Cell::new(Before { clones: 0, drops: 0 });
        let (owned, takes, operation) = (Cell::new(false), Cell::new(Takes::Other), Cell::new(0));
        Within { slot, depth: Cell::new(0), before, owned, takes, operation }
    };
}

fn innermost() -> Option<&'static Resource> {
    WITHIN.with(|w| w.slot.get(w.depth.get().checked_sub(1)?)?.get())?.resource()
}

/// A resource appears; the id of its span.
pub(super) fn new(made: &Made<'_>) -> u64 {
    if !region::on() || super::is_within_wrapper() {
        return slots::NOTHING;
    }
    let part_of = innermost().filter(|_| made.is_internal);
    let (sort, what) = match made.name() {
        "Mutex" => (Sort::Lock, "Mutex made at"),
        "RwLock" => (Sort::Lock, "RwLock made at"),
        "Semaphore" if made.is_internal => (Sort::Room, ""),
        "Semaphore" => (Sort::Semaphore, "Semaphore made at"),
        "Sender|Receiver" => (Sort::Oneshot, "oneshot made at"),
        "Barrier" => (Sort::Other, "Barrier made at"),
        "Sleep" => (Sort::Sleep, "sleep made at"),
        "Interval" => (Sort::Interval, "interval made at"),
        _ => (Sort::Other, ""),
    };
    slots::take(|_, id| {
        let (sort, whole, site) = match part_of {
            Some(of) => (of.sort, of.whole, of.site),
            None => (sort, id, task::site(what, made.file(), made.line())),
        };
        let (ends, guards, owned) = (AtomicU64::new(0), AtomicU32::new(0), AtomicBool::new(false));
        // A library's, which is known by its whole path, waits for who is far away as a rule.
        let answer = match sort {
            Sort::Oneshot if !made.file().starts_with('/') => Answer::made_here(),
            Sort::Room => Answer::to_anybody(),
            _ => Answer::default(),
        };
        Thing::Resource(Resource { sort, whole, site, ends, guards, owned, answer })
    })
}

pub(super) fn enter(slot: &'static Slot) {
    WITHIN.with(|w| {
        let depth = w.depth.get();
        if depth == 0 {
            w.before.set(polling::before_operation());
        }
        if let Some(place) = w.slot.get(depth) {
            place.set(Some(slot));
        }
        w.depth.set(depth + 1);
    });
}

pub(super) fn exit() {
    WITHIN.with(|w| w.depth.set(w.depth.get().saturating_sub(1)));
}

/// An operation is polled, on the innermost resource; or on none, where that is not told.
pub(super) fn operates(operation: Operation, id: u64) {
    WITHIN.with(|w| {
        w.owned.set(operation.is_owned);
        w.takes.set(operation.takes);
        w.operation.set(id);
        if w.depth.get() == 0 {
            w.before.set(polling::before_operation());
        }
    });
}

pub(super) fn operated() {
    WITHIN.with(|w| {
        w.takes.set(Takes::Other);
        w.operation.set(0);
    });
}

impl Resource {
    fn on(&self) -> On {
        // The number of the whole stands for an address.
        let name = core::ptr::without_provenance::<u8>(self.whole as usize);
        match self.sort {
            Sort::Lock => On::mutex(name),
            Sort::Semaphore => On::sem(name),
            Sort::Room => On::room_number(self.whole),
            Sort::Oneshot => On::chan(name),
            Sort::Other => On::cond(name),
            Sort::Interval => On::timer_any(),
            Sort::Sleep => match self.ends.load(Relaxed) {
                0 => On::timer_any(),
                ns => On::timer_at(ns),
            },
        }
    }

    /// A guard was taken, or was given back, which is said only after that.
    fn locked(&self, on: bool) {
        if on {
            let owned = WITHIN.with(|w| w.owned.replace(false));
            self.owned.store(owned, Relaxed);
            self.guards.fetch_add(1, Relaxed);
            return probe::hold(Kind::Acquire, self.on(), !owned, None);
        }
        // One that is just made says that it is not locked.
        if self.guards.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok() {
            probe::hold(Kind::Release, self.on(), !self.owned.load(Relaxed), None);
        }
    }
}

impl Drop for Resource {
    fn drop(&mut self) {
        self.answer.polled(self.on(), true);
    }
}

/// An operation on the innermost resource was polled.
pub(super) fn polled(is_ready: bool) {
    let (before, operation) = WITHIN.with(|w| (w.before.get(), w.operation.get()));
    let Some(resource) = innermost() else { return polled_untold(is_ready, before) };
    if !is_ready || resource.sort == Sort::Oneshot {
        resource.answer.polled(resource.on(), is_ready);
    }
    if is_ready {
        polling::lets_go(resource.whole, operation);
        return polling::ready(before.clones);
    }
    // An interval has a timer in it, which has said when it ends; where that was made is in tokio.
    let on = (resource.sort != Sort::Interval).then(|| resource.on());
    polling::operation(on, resource.site, before, Kept { resource: resource.whole, operation });
}

/// On one of which it is not told which: of `const_new`, or made before anybody recorded. Who waits so waits for something that
/// nobody else is ever seen to have or to wait for, by which ct-lostwake knows that too little is told.
fn polled_untold(is_ready: bool, before: Before) {
    let (takes, depth, operation) = WITHIN.with(|w| (w.takes.get(), w.depth.get(), w.operation.get()));
    let Some(own) = polling::told().filter(|_| takes != Takes::Other && depth == 0) else { return };
    let by = Kept { resource: own.addr() as u64, operation };
    match takes {
        _ if is_ready => polling::lets_go(by.resource, operation),
        Takes::Lock => polling::operation(Some(On::mutex(own)), 0, before, by),
        _ => polling::operation(Some(On::sem(own)), 0, before, by),
    }
}

/// The innermost resource is in another state.
pub(super) fn changed(state: State) {
    let Some(resource) = innermost().filter(|_| region::on()) else { return };
    match state {
        State::Locked(on) => resource.locked(on),
        State::Duration(ms) => {
            let ends = sys::monotonic_ns().saturating_add(ms.saturating_mul(1_000_000));
            resource.ends.store(ends, Relaxed);
        }
        State::Other => {}
    }
}
