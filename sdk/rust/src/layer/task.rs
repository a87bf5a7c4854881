//! Tasks, as tokio's spans tell of them.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::Ordering::*;

use ::tokio::runtime::{Handle, RuntimeFlavor};

use super::fields::{Spawn, Waker, WakerOp};
use super::slots::{self, Slot, Thing};
use crate::ctp::Kind;
use crate::on::On;
use crate::poll_trace::{Done, PollTrace, State};
use crate::polling::{self, Polling};
use crate::probe::{park, thread, unpark, Role};
use crate::tokio::runtime::{declare_worker, this_thread};
use crate::{region, stack, text, threads};

#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Task,
    /// What `block_on` polls.
    BlockOn,
    /// The same, on a thread that sleeps whenever it is pending.
    Sleeps,
    /// What runs where it may block, from its beginning to its end.
    Blocking,
}

pub(super) struct Task {
    trace: PollTrace,
    sort: Sort,
    /// The poll that is under way, and the one around it.
    now: Polling,
    around: *const Polling,
    /// Where it was spawned, if nobody recorded that then.
    place: Option<Box<(String, u32)>>,
    polled: bool,
    /// Its future is being dropped.
    drops: bool,
}

/// How the wrapper describes the task that it is about to spawn.
#[derive(Clone, Copy)]
pub(crate) struct Birth {
    pub(crate) site: u32,
    pub(crate) name: u32,
}

thread_local! {
    static BIRTH: Cell<Option<Birth>> = const { Cell::new(None) };
}

/// The task that `spawn` spawns is described so.
pub(crate) fn described<T>(birth: Birth, spawn: impl FnOnce() -> T) -> T {
    BIRTH.set(Some(birth));
    let spawned = spawn();
    BIRTH.set(None);
    spawned
}

/// The number of a site that tokio has told, which is the same text each time.
pub(super) fn site(func: &'static str, file: &str, line: u32) -> u32 {
    if file.is_empty() {
        return 0;
    }
    threads::ask(|w| w.site_in(func, file, line)).unwrap_or(0)
}

/// A task appears; the id of its span. The runtime's own workers are run as tasks that may block: nobody's.
pub(super) fn new(spawn: &Spawn<'_>) -> u64 {
    let sort = match spawn.kind.get() {
        "block_on" => Sort::BlockOn,
        "blocking" if spawn.function.get().starts_with("tokio::runtime::") => return slots::NOTHING,
        "blocking" => Sort::Blocking,
        _ => Sort::Task,
    };
    slots::take(|slot, _| {
        let mut new = Task {
            trace: PollTrace::unborn(),
            sort,
            now: Polling::of_task(ptr::from_ref(slot)),
            around: ptr::null(),
            place: None,
            polled: false,
            drops: false,
        };
        if region::on() {
            new.is_born(spawn, slot);
        } else {
            new.place = Some(Box::new((spawn.file().to_string(), spawn.line())));
        }
        Thing::Task(Box::new(new))
    })
}

/// The lent waker of a task: how many clones are held, and how often it has been cloned and dropped.
///
/// # Safety
/// `lent` is a slot.
pub(crate) unsafe fn clones(lent: *const ()) -> (usize, usize) {
    // SAFETY: by contract; slots stay.
    let slot = unsafe { &*lent.cast::<Slot>() };
    (slot.clones() as usize, slot.traffic.load(Relaxed) as usize)
}

/// Of the same, how often one was dropped that had woken nobody.
///
/// # Safety
/// As `clones`.
pub(crate) unsafe fn drops(lent: *const ()) -> u32 {
    // SAFETY: by contract; slots stay.
    unsafe { &*lent.cast::<Slot>() }.drops.load(Relaxed)
}

impl Task {
    fn is_born(&mut self, spawn: &Spawn<'_>, slot: &Slot) {
        let birth = BIRTH.take();
        let name = match (self.sort, birth.map_or(0, |b| b.name), spawn.name.get()) {
            (Sort::BlockOn | Sort::Sleeps, ..) => text::intern("block_on"),
            (Sort::Blocking, ..) => text::intern("blocking"),
            (_, 0, "") => 0,
            (_, 0, name) => text::intern(name),
            (_, name, _) => name,
        };
        let parent = crate::current();
        self.trace.site = birth.map_or_else(|| site("", spawn.file(), spawn.line()), |b| b.site);
        self.trace.be_born(parent, crate::tokio::probe_number(spawn.id), Some(name).filter(|&n| n != 0));
        slot.coro.store(self.trace.id(), Release);
    }

    /// Somebody records by now.
    #[cold]
    fn adopt(&mut self, slot: &Slot) {
        let Some(place) = self.place.take() else { return };
        let at = site("", &place.0, place.1);
        if self.trace.adopt_at(|_| at, || None) {
            slot.coro.store(self.trace.id(), Release);
        }
    }

    /// It is polled, or dropped.
    pub(super) fn enter(&mut self, slot: &Slot) {
        if !region::on() || self.trace.state == State::Ended {
            return;
        }
        if self.place.is_some() {
            self.adopt(slot);
        }
        // tokio polls a task when it was spawned and when it was woken: else it is dropped, and waits no more, but did.
        if self.sort == Sort::Task && self.polled && !self.trace.born_before && !slot.woken.load(Acquire) {
            self.drops = true;
            return self.trace.enter();
        }
        self.polled = true;
        declare_worker(self.sort == Sort::Task);
        match self.sort {
            Sort::BlockOn => self.begins_to_block(),
            Sort::Sleeps => unpark(None),
            Sort::Blocking => thread(Role::Blocking, &this_thread()),
            Sort::Task => {}
        }
        slot.woken.store(false, Relaxed);
        let outer = if stack::asked() { stack::pointer() + NEAR } else { usize::MAX };
        self.now.begin(slot.clones() == 0, outer);
        // SAFETY: a slot stays where it is.
        self.around = unsafe { polling::enter(&self.now) };
        self.trace.on_resume();
    }

    fn begins_to_block(&mut self) {
        if Handle::try_current().is_ok_and(|h| h.runtime_flavor() != RuntimeFlavor::CurrentThread) {
            self.sort = Sort::Sleeps;
            thread(Role::Blocking, &format!("{} block_on", this_thread()));
        }
    }

    /// The poll is over, or the drop. Whether the task is at its end tokio does not tell.
    pub(super) fn exit(&mut self, slot: &Slot) {
        if self.trace.state != State::Running {
            return;
        }
        if core::mem::take(&mut self.drops) {
            return self.trace.leave();
        }
        polling::leave(self.around);
        if self.sort == Sort::Blocking {
            return self.trace.end(Done::Finished);
        }
        let (on, at, several) = self.now.declared();
        let on = if self.trace.born_before { on.any() } else { on };
        let is_forgotten = slot.clones() == 0;
        let stack = self.now.stack(on != On::nothing());
        if stack != 0 || is_forgotten {
            self.trace.stack = stack;
        }
        // Who waits for ever in `main` means it.
        let meant = self.sort != Sort::Task || self.trace.born_before || self.now.is_never();
        let lost = is_forgotten && !meant && !slot.woken.load(Acquire) && self.trace.live();
        let id = self.trace.id();
        if lost {
            threads::with2(id, 1, |w| w.waker(Kind::WakerClone, id));
        }
        let at = if at != 0 { at } else { self.trace.site };
        let on = if lost && on == On::nothing() { On::no_waker() } else { on };
        match (several, self.now.lock(on).filter(|_| !self.trace.born_before)) {
            (Some(several), _) => self.trace.wait_several(several.all, &several.legs, at),
            // What else wakes it nobody tells, like the socket of a server's connection.
            (_, Some(lock)) => self.trace.wait_several(false, &[lock.into(), On::nothing().into()], at),
            _ => self.trace.wait(on, at),
        }
        if lost {
            threads::with2(id, 1, |w| w.waker(Kind::WakerDrop, id));
        }
        if self.sort == Sort::Sleeps {
            park(None);
        }
    }
}

/// The frames between this and the poll's caller are not larger together.
const NEAR: usize = 1024;

impl Drop for Task {
    fn drop(&mut self) {
        if self.sort == Sort::Sleeps && region::on() {
            thread(Role::Other, &this_thread());
        }
        self.trace.end(Done::Unknown);
    }
}

/// Something happens to a task's waker.
#[inline(never)] // so that call stacks begin at its caller
pub(super) fn waker(waker: Waker) {
    let Some(slot) = slots::live(waker.task) else { return };
    let coro = slot.coro.load(Acquire);
    let consumed = matches!(waker.op, WakerOp::Drop | WakerOp::Wake);
    let wakes = matches!(waker.op, WakerOp::Wake | WakerOp::WakeByRef);
    if wakes {
        slot.woken.store(true, Release);
    }
    if consumed || waker.op == WakerOp::Clone {
        slot.count(waker.task, !consumed);
    }
    if waker.op == WakerOp::Drop {
        slot.drops.fetch_add(1, Relaxed);
    }
    // One that ended meanwhile has left its slot to another.
    if !region::on() || slots::live(waker.task).is_none() || region::foreign(coro) {
        return;
    }
    if waker.op == WakerOp::Clone
        && stack::asked()
        && polling::here(|p| p.lends(ptr::from_ref(slot).cast())) == Some(true)
    {
        stack::kept(stack::pointer());
    }
    let stack = if wakes { stack::here(stack::pointer()) } else { 0 };
    threads::with2(coro, wakes as u64 + !matches!(waker.op, WakerOp::WakeByRef) as u64, |w| {
        match waker.op {
            WakerOp::Clone => w.waker(Kind::WakerClone, coro),
            WakerOp::Wake | WakerOp::WakeByRef => w.wake(coro, On::nothing(), 0, stack),
            WakerOp::Drop | WakerOp::Unknown => {}
        }
        if consumed {
            w.waker(Kind::WakerDrop, coro);
        }
    });
}
