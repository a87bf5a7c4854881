//! A probe for whoever owns a poll loop.

use core::pin::Pin;
use std::panic::Location;

use crate::ctp::UNKNOWN;
use crate::on::{Leg, On};
use crate::process::ANY;
use crate::writer::{Coro, Writer};
use crate::{region, stack, text, threads};

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum State {
    Created,
    Running,
    Pending,
    Ended,
}

/// How a coroutine ended, as `arg` of its destroy says it.
#[derive(Clone, Copy)]
pub(crate) enum Done {
    Cancelled = 0,
    Finished = 1,
    #[cfg(feature = "layer")]
    Unknown = 2,
    /// With a result that may own what it had: a guard.
    Returned = 3,
}

impl Done {
    pub(crate) fn with<T>() -> Self {
        if core::mem::needs_drop::<T>() {
            Self::Returned
        } else {
            Self::Finished
        }
    }
}

/// A probe of one coroutine, for runtimes that poll it themselves: says when it runs, waits and ends.
///
/// ```
/// use corotrace::{On, PollTrace};
///
/// let mut probe = PollTrace::named("session");
/// probe.on_resume();                              // right before it is polled
/// probe.on_wait(On::user("a reply"));             // it returned Pending
/// corotrace::wake(probe.id(), On::nothing());     // by the waker, before it goes on a run queue
/// probe.on_resume();
/// probe.on_ready();                               // it returned Ready; dropped before that, it was cancelled
/// ```
///
/// Not recorded, each call is a branch.
pub struct PollTrace {
    pub(crate) coro: Coro,
    pub(crate) site: u32,
    /// The call stack at which it was last seen to keep its waker.
    pub(crate) stack: u32,
    pub(crate) state: State,
    /// Nobody recorded its birth: it was first seen when it moved, and what it did before is not known.
    pub(crate) born_before: bool,
    /// Where it was made.
    pub(crate) at: Option<&'static Location<'static>>,
    back: u64,
}

impl PollTrace {
    /// A coroutine is born, child of the one that runs here.
    #[track_caller]
    pub fn new() -> Self {
        Self::born(Location::caller(), "", None, None)
    }

    /// As `new`, with a name.
    #[track_caller]
    pub fn named(name: &str) -> Self {
        Self::born(Location::caller(), "", Some(name), None)
    }

    pub(crate) fn born(
        at: &'static Location<'static>,
        func: &'static str,
        name: Option<&str>,
        id: Option<u64>,
    ) -> Self {
        let parent = if region::ready() { threads::peek(|w| w.current.get()).unwrap_or(0) } else { 0 };
        Self::born_of(parent, at, func, name, id)
    }

    pub(crate) fn born_of(
        parent: u64,
        at: &'static Location<'static>,
        func: &'static str,
        name: Option<&str>,
        id: Option<u64>,
    ) -> Self {
        let mut new = Self::unborn();
        new.at = Some(at);
        if region::ready() {
            let events = 1 + name.is_some() as u64;
            let born = threads::with(ANY, events, |w| {
                let site = w.site(at, func);
                (site, w.create(id, parent, site, 0, name.map(text::intern)))
            });
            (new.site, new.coro) = born.unwrap_or_else(|| (0, Coro::unseen(id)));
        }
        new
    }

    /// One that was unborn, at its site.
    #[cfg(feature = "layer")]
    pub(crate) fn be_born(&mut self, parent: u64, id: Option<u64>, name: Option<u32>) {
        let born = threads::with(ANY, 1 + name.is_some() as u64, |w| w.create(id, parent, self.site, 0, name));
        self.coro = born.unwrap_or_else(|| Coro::unseen(id));
    }

    /// One whose birth is reported later.
    pub(crate) fn unborn() -> Self {
        let coro = Coro::default();
        Self { coro, site: 0, stack: 0, state: State::Created, born_before: false, at: None, back: 0 }
    }

    /// One that was made before anybody asked for a recording is first seen here: its birth is not known. Only where the box
    /// was made late: elsewhere it could not be recorded.
    pub(crate) fn adopt(&mut self, func: fn() -> &'static str, id: impl FnOnce() -> Option<u64>) -> bool {
        let at = self.at;
        self.adopt_at(|w| at.map_or(0, |at| w.site_of(at, func)), id)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn adopt_at(&mut self, site: impl FnOnce(&Writer) -> u32, id: impl FnOnce() -> Option<u64>) -> bool {
        if self.coro.id != 0 || self.state == State::Ended || !region::region().late || region::region().v1 {
            return false;
        }
        let born = threads::with(ANY, 1, |w| {
            let site = site(w);
            (site, w.create(id(), UNKNOWN, site, 0, None))
        });
        (self.site, self.coro) = born.unwrap_or_else(|| (0, Coro::unseen(None)));
        self.born_before = true;
        self.coro.id != 0
    }

    /// Are its events recorded, or from now on?
    #[inline(always)]
    fn moves(&mut self) -> bool {
        region::on() && (!region::foreign(self.coro.id) || self.adopt(|| "", || None))
    }

    /// Its number in the trace; 0 while it is not recorded.
    pub fn id(&self) -> u64 {
        self.coro.id
    }

    #[inline(always)]
    pub(crate) fn live(&self) -> bool {
        region::on() && !region::foreign(self.coro.id)
    }

    /// Whether its events are recorded.
    pub fn is_enabled(&self) -> bool {
        self.live()
    }

    /// It runs from now on, on this thread. Nothing where it runs already.
    #[inline]
    pub fn on_resume(&mut self) {
        if self.state != State::Running && self.moves() {
            self.back = threads::with(self.coro.id, 1, |w| w.resume(&mut self.coro)).unwrap_or(0);
        }
        self.state = State::Running;
    }

    /// It waits. Before anybody else can poll it.
    pub fn on_pending<F>(&mut self, future: Pin<&mut F>) {
        self.on_pending_addr(core::ptr::from_ref(future.as_ref().get_ref()).addr() as u64);
    }

    /// It waits; `addr` identifies it in a debugger.
    #[inline]
    pub fn on_pending_addr(&mut self, addr: u64) {
        let moves = self.moves();
        self.coro.frame = addr;
        if moves && stack::asked() {
            self.stack = stack::around();
        }
        self.wait(On::nothing(), self.site);
    }

    /// It waits here, on that.
    #[track_caller]
    pub fn on_wait(&mut self, on: On) {
        self.on_wait_at(on, Location::caller());
    }

    pub(crate) fn on_wait_at(&mut self, on: On, at: &'static Location<'static>) {
        if self.moves() {
            let site = threads::ask(|w| w.site(at, "")).unwrap_or(0);
            self.stack = stack::around();
            self.wait(on, site);
        }
    }

    /// It waits here, for the first of these (`select!`; a time limit is a timer among them): it is accused only when all are
    /// hopeless. Name each that could wake it.
    ///
    /// ```
    /// use corotrace::{Leg, On, PollTrace};
    /// # let queue = ();
    /// let mut probe = PollTrace::named("session");
    /// probe.on_resume();
    /// probe.on_wait_any(&[Leg::new(On::chan(&queue)), Leg::new(On::timer(std::time::Duration::from_secs(5)))]);
    /// ```
    #[track_caller]
    pub fn on_wait_any(&mut self, legs: &[Leg]) {
        self.on_wait_several(false, legs, Location::caller());
    }

    /// It waits here, for all of these (`join!`): it is accused when one is hopeless.
    #[track_caller]
    pub fn on_wait_all(&mut self, legs: &[Leg]) {
        self.on_wait_several(true, legs, Location::caller());
    }

    fn on_wait_several(&mut self, all: bool, legs: &[Leg], at: &'static Location<'static>) {
        if self.moves() {
            let site = threads::ask(|w| w.site(at, "")).unwrap_or(0);
            self.stack = stack::around();
            self.wait_several(all, legs, site);
        }
    }

    pub(crate) fn wait_several(&mut self, all: bool, legs: &[Leg], site: u32) {
        if self.live() {
            let stack = stack::counted(self.stack);
            threads::with(self.coro.id, 1 + legs.len() as u64, |w| {
                let on = w.legs(&self.coro, all, legs);
                w.suspend(&mut self.coro, site, on, stack, self.back);
            });
        }
        self.state = State::Pending;
    }

    #[inline(always)]
    pub(crate) fn wait(&mut self, on: On, site: u32) {
        if self.live() {
            let stack = stack::counted(self.stack);
            threads::with(self.coro.id, 1, |w| w.suspend(&mut self.coro, site, on, stack, self.back));
        }
        self.state = State::Pending;
    }

    /// It has ended.
    pub fn on_ready(&mut self) {
        self.end(Done::Finished);
    }

    /// As `on_ready`.
    pub fn mark_dead(&mut self) {
        self.on_ready();
    }

    pub(crate) fn end(&mut self, done: Done) {
        if self.live() {
            threads::with(self.coro.id, 1, |w| w.destroy(&mut self.coro, done, self.back));
        }
        self.coro = Coro::default();
        self.state = State::Ended;
    }

    /// What happens from here on is its doing; for the destructors of what it holds. False: it is so already.
    pub(crate) fn enter(&mut self) {
        if self.live() && self.state != State::Running {
            self.back = threads::peek(|w| w.current.replace(self.coro.id)).unwrap_or(0);
            self.state = State::Running;
        }
    }
}

#[cfg(feature = "layer")]
impl PollTrace {
    /// After `enter`: it is not, any more.
    pub(crate) fn leave(&mut self) {
        if self.live() && self.state == State::Running {
            threads::peek(|w| w.current.set(self.back));
            self.state = State::Pending;
        }
    }
}

impl Default for PollTrace {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for PollTrace {
    fn drop(&mut self) {
        self.end(Done::Cancelled);
    }
}
