//! A poll under way: what it lends, and what it learns of what the future waits on.

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::task::Context;
#[cfg(any(feature = "tokio-net", feature = "tokio-stream", feature = "tokio-util"))]
use core::task::Poll;
use std::panic::Location;
use std::sync::Arc;
use std::task::Waker;

use crate::on::{Leg, On};
use crate::{region, stack, threads, waker};

/// What is known of the poll of a traced future while it is under way. It lives in the frame of that, and the thread's
/// writer points to that of the innermost.
pub(crate) struct Polling {
    /// The waker.
    lent: *const (),
    #[cfg(feature = "layer")]
    lender: Lender,
    /// Of a task that is told by its span: who was last seen to keep its waker, and how many wakers of the task had been dropped
    /// then.
    #[cfg(feature = "layer")]
    kept: Cell<(Kept, u32)>,
    /// Of the same: operations on locks or permits that were pending, in this poll or an earlier one; and what stands for each.
    #[cfg(feature = "layer")]
    began: Cell<[(u64, On); BEGAN]>,
    /// Nobody kept a clone of it at the beginning.
    fresh: bool,
    /// Where its call stack ends.
    pub(crate) outer: usize,
    /// The last call stack at which the waker was cloned.
    pub(crate) stack: Cell<u32>,
    hint: Cell<Option<Hint>>,
    /// Said before it, of what may wake the future as well: so many of these, initialized.
    beside: [Cell<MaybeUninit<Beside>>; LEGS - 1],
    beside_count: Cell<usize>,
    /// Where the hint is of several things: these.
    legs: Cell<Option<Several>>,
    /// Something is never ready, and meant so: it needs no waker.
    never: Cell<bool>,
    left: Cell<Left>,
}

/// Any, or all, of several things.
#[derive(Clone, Debug)]
pub(crate) struct Several {
    pub(crate) all: bool,
    pub(crate) legs: Legs,
}

#[derive(Clone, Debug)]
pub(crate) enum Legs {
    /// By the program.
    Said(Arc<[Leg]>),
    /// What was polled in one poll, one after the other: so many of these.
    Found([Leg; LEGS], usize),
}
/// More are not told one by one.
const LEGS: usize = 6;

impl Deref for Legs {
    type Target = [Leg];

    fn deref(&self) -> &[Leg] {
        match self {
            Legs::Said(legs) => legs,
            Legs::Found(legs, n) => &legs[..*n],
        }
    }
}

/// Whose waker a poll lends.
#[cfg(feature = "layer")]
#[derive(Clone, Copy, PartialEq)]
enum Lender {
    /// A traced future's.
    Future,
    /// tokio's own, of a task that is told by its span.
    Tokio,
}

/// Who keeps a task's waker, as tokio tells: the resource, and the operation on it, if that is known.
#[cfg(feature = "layer")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Kept {
    pub(crate) resource: u64,
    pub(crate) operation: u64,
}

#[cfg(feature = "layer")]
const BEGAN: usize = 4;

#[cfg(feature = "layer")]
const NOBODY: Kept = Kept { resource: 0, operation: 0 };

/// Before something was polled: how many clones of the task's waker were held, and how many had been dropped.
#[cfg(feature = "layer")]
#[derive(Clone, Copy)]
pub(crate) struct Before {
    pub(crate) clones: usize,
    pub(crate) drops: u32,
}

/// What the future has said that it waits on.
#[derive(Clone, Copy)]
struct Hint {
    /// Of several: nothing.
    on: On,
    site: u32,
    /// Clones of its waker that are held, if it waits for this alone: at least and at most.
    clones: (usize, usize),
    /// That were held then.
    held: usize,
    /// The last call stack then.
    #[cfg(feature = "layer")]
    stack: u32,
    /// As `waker::clones` reported it: once more, and it is about something else.
    traffic: usize,
    /// Nothing else was said before, in this poll, but that it waits for this, or for sockets.
    only: bool,
    /// It waits so as long as that operation is not dropped; 0: nobody tells.
    #[cfg(feature = "layer")]
    operation: u64,
}

/// What a `select!` or a `join!` polled before what was said last.
#[derive(Clone, Copy)]
struct Beside {
    on: On,
    site: u32,
    /// Clones of the waker that it keeps, and that were held when it had said so; and the traffic then.
    clones: usize,
    held: usize,
    traffic: usize,
}

/// Clones that were left behind by what is ready.
#[derive(Clone, Copy)]
struct Left {
    clones: usize,
    /// Then.
    traffic: usize,
}

impl Polling {
    /// `lent` is the waker, of which this poll has a loan.
    pub(crate) fn new(lent: *const (), fresh: bool, outer: usize) -> Self {
        let left = Left { clones: 0, traffic: 0 };
        Self {
            lent,
            #[cfg(feature = "layer")]
            lender: Lender::Future,
            #[cfg(feature = "layer")]
            kept: Cell::new((NOBODY, 0)),
            #[cfg(feature = "layer")]
            began: Cell::new([(0, On::nothing()); BEGAN]),
            fresh,
            outer,
            stack: Cell::new(0),
            hint: Cell::new(None),
            beside: [const { Cell::new(MaybeUninit::uninit()) }; LEGS - 1],
            beside_count: Cell::new(0),
            legs: Cell::new(None),
            never: Cell::new(false),
            left: Cell::new(left),
        }
    }

    /// For all polls of the task of that slot.
    #[cfg(feature = "layer")]
    pub(crate) fn of_task<T>(slot: *const T) -> Self {
        Self { lender: Lender::Tokio, ..Self::new(slot.cast(), true, usize::MAX) }
    }

    /// A poll of it begins.
    #[cfg(feature = "layer")]
    pub(crate) fn begin(&mut self, fresh: bool, outer: usize) {
        let (lender, kept, began) = (self.lender, self.kept.clone(), self.began.clone());
        *self = Self { lender, kept, began, ..Self::new(self.lent, fresh, outer) };
    }

    /// The call stack at which the waker was cloned for what was declared, or the last one.
    #[cfg(feature = "layer")]
    pub(crate) fn stack(&self, is_declared: bool) -> u32 {
        match self.hint.get() {
            Some(hint) if is_declared && hint.stack != 0 => hint.stack,
            _ => self.stack.get(),
        }
    }

    fn say(&self, on: On, site: u32, clones: (usize, usize)) {
        let (held, traffic) = self.clones();
        let only = self.hint.get().is_none_or(|h| h.on.is_at(self.lent) || h.only && (h.on == on || h.on.is_fd()));
        #[cfg(feature = "layer")]
        let stack = self.stack.get();
        self.hint.set(Some(Hint {
            on,
            site,
            clones,
            held,
            #[cfg(feature = "layer")]
            stack,
            traffic,
            only,
            #[cfg(feature = "layer")]
            operation: 0,
        }));
    }

    /// As `say`, of an operation.
    #[cfg(feature = "layer")]
    fn operates(&self, on: On, site: u32, clones: (usize, usize), operation: u64) {
        self.say(on, site, clones);
        self.hint.set(self.hint.get().map(|h| Hint { operation, ..h }));
    }

    /// The lock, permits, room or answer that it waits for, where `declared` says only `on`, that it is some, or nothing, for
    /// something may wake it beside that of which nothing is said. That may be a timer, but where tokio tells: and where a
    /// combinator's waker is kept, others may be that were not polled now. Then what nobody is ever seen to have or to wait for,
    /// by which ct-lostwake knows that too little is told.
    pub(crate) fn lock(&self, on: On) -> Option<On> {
        if on != on.any() {
            return None;
        }
        match self.hint.get().filter(|h| h.on.is_told_beside() && on == h.on.any()) {
            Some(h) if h.only && (1..usize::MAX).contains(&h.clones.0) => {
                Some(if self.is_told() || !h.on.is_taken() { h.on } else { h.on.instead(self.lent) })
            }
            Some(h) if !h.only => None,
            _ => self.under_way().filter(|_| on == On::nothing() || on.is_taken()),
        }
    }

    /// What stands for an operation on a lock or permits that began and is not over.
    fn under_way(&self) -> Option<On> {
        #[cfg(feature = "layer")]
        return self.began.get().iter().find(|(o, _)| *o != 0 && crate::layer::is_under_way(*o)).map(|&(_, on)| on);
        #[cfg(not(feature = "layer"))]
        None
    }

    /// That operation is pending; another, where there is no room for more, is forgotten.
    #[cfg(feature = "layer")]
    fn begins(&self, operation: u64, on: On) {
        let mut began = self.began.get();
        if operation == 0 || !on.is_taken() || began.iter().any(|b| b.0 == operation) {
            return;
        }
        let i = began.iter().position(|b| !crate::layer::is_under_way(b.0)).unwrap_or(0);
        began[i] = (operation, on.instead(self.lent));
        self.began.set(began);
    }

    /// By tokio: whose wakers are counted as they come, from whichever poll.
    fn is_told(&self) -> bool {
        #[cfg(feature = "layer")]
        return self.lender == Lender::Tokio;
        #[cfg(not(feature = "layer"))]
        false
    }

    pub(crate) fn lends(&self, waker: *const ()) -> bool {
        core::ptr::eq(self.lent, waker)
    }

    /// Clones that are held, and the traffic.
    fn clones(&self) -> (usize, usize) {
        #[cfg(feature = "layer")]
        if self.lender == Lender::Tokio {
            // SAFETY: by `of_task`'s contract.
            return unsafe { crate::layer::clones(self.lent) };
        }
        // SAFETY: the poll is under way, by `new`'s contract.
        unsafe { waker::clones(self.lent) }
    }

    fn before(&self) -> usize {
        let (clones, traffic) = self.clones();
        if self.left.get().traffic != traffic {
            self.left.set(Left { clones: 0, traffic });
        }
        clones
    }

    /// Has something been polled that is never ready?
    pub(crate) fn is_never(&self) -> bool {
        self.never.get()
    }

    /// What the future waits on, and where, as far as that was said and is true still.
    pub(crate) fn declared(&self) -> (On, u32, Option<Several>) {
        let (clones, traffic) = self.clones();
        let legs = self.legs.take();
        let Some(hint) = self.hint.get().filter(Hint::may_last) else { return (On::nothing(), 0, None) };
        if hint.traffic != traffic {
            // Where nothing was dropped since, or that is known to last, one that is told by its span waits for that still, and
            // for what is not told, which may have put this waker in the place of an earlier one.
            let only_more = clones.checked_sub(hint.held) == traffic.checked_sub(hint.traffic);
            return if self.is_told() && (only_more || hint.lasts()) {
                (hint.on.any(), hint.site, None)
            } else {
                (On::nothing(), 0, None)
            };
        }
        let others = clones.saturating_sub(self.left.get().clones);
        let alone = (hint.clones.0..=hint.clones.1).contains(&others);
        // Of what keeps the waker of some combinator, or another's place, it is not known how many: usize::MAX.
        let together = hint.clones.0.checked_add(self.kept_beside());
        if let Some(found) = self.found(&hint).filter(|_| !alone && together == Some(others)) {
            return (On::nothing(), hint.site, Some(found));
        }
        (if alone { hint.on } else { hint.on.any() }, hint.site, legs.filter(|_| alone))
    }
}

impl Hint {
    /// It waits for that still, beyond doubt.
    fn lasts(&self) -> bool {
        #[cfg(feature = "layer")]
        return self.operation != 0 && crate::layer::is_under_way(self.operation);
        #[cfg(not(feature = "layer"))]
        false
    }

    /// Or for all that is known.
    fn may_last(&self) -> bool {
        #[cfg(feature = "layer")]
        return self.operation == 0 || self.lasts();
        #[cfg(not(feature = "layer"))]
        true
    }
}

/// That of the innermost poll that is under way here.
#[inline(always)]
pub(crate) fn here<R>(f: impl FnOnce(&Polling) -> R) -> Option<R> {
    let at = threads::peek(|w| w.polling.get())?;
    // SAFETY: null, or put there by `enter`, until `leave`.
    unsafe { at.as_ref() }.map(f)
}

/// Makes it the innermost; the one before.
///
/// # Safety
/// It stays where it is until `leave`.
#[inline(always)]
pub(crate) unsafe fn enter(polling: &Polling) -> *const Polling {
    threads::peek(|w| w.polling.replace(polling)).unwrap_or(core::ptr::null())
}

#[inline(always)]
pub(crate) fn leave(before: *const Polling) {
    threads::peek(|w| w.polling.set(before));
}

/// Is a poll under way here?
pub(crate) fn is_within() -> bool {
    threads::peek(|w| !w.polling.get().is_null()) == Some(true)
}

/// Clones of the waker of the future that is being polled here.
pub(crate) fn clones() -> usize {
    here(|p| p.clones().0).unwrap_or(0)
}

/// Before something is polled that may wait: as `clones`. Those that others left behind are as many as before, if none was
/// made or dropped since; else it is not known which are there still.
pub(crate) fn before() -> usize {
    here(Polling::before).unwrap_or(0)
}

/// As `before`, and how many were dropped, of a task that is told by its span.
#[cfg(feature = "layer")]
pub(crate) fn before_operation() -> Before {
    here(|p| Before { clones: p.before(), drops: p.drops() }).unwrap_or(Before { clones: 0, drops: 0 })
}

/// After it was: what it waits on. It keeps the clones that were made since there were `before`; or, where the waker is
/// that of an earlier poll, the one that it kept then.
pub(crate) fn pending(on: On, site: u32, before: usize, keeps: bool, waker: &Waker) {
    here(|p| {
        let n = if p.fresh { p.clones().0.saturating_sub(before) } else { keeps as usize };
        p.declare(on, site, (n, n), waker);
    });
    stack::said();
}

/// As `pending`, of a time limit. A lock or permits, for which what it limits waits and for nothing else, stand beside its timer: who asks
/// for these again and again is not known to wait otherwise.
#[cfg(feature = "tokio")]
pub(crate) fn pending_limited(on: On, site: u32, before: usize, keeps: bool, waker: &Waker) {
    here(|p| {
        let n = if p.fresh { p.clones().0.saturating_sub(before) } else { keeps as usize };
        let is_within =
            |h: &Hint| p.fresh && h.clones.0 == h.clones.1 && h.held.checked_sub(h.clones.0) == Some(before);
        let limited = p.hint.get().filter(|h| h.on.is_taken() && is_within(h)).map_or(0, |h| h.clones.0);
        let n = if limited < n { n - limited } else { n };
        p.declare(on, site, (n, n), waker);
    });
    stack::said();
}

/// As `pending`, of several things. Where the waker is that of an earlier poll, each may have kept it then.
pub(crate) fn pending_several(several: &Several, site: u32, before: usize, keeps: bool, waker: &Waker) {
    here(|p| {
        let n = p.clones().0.saturating_sub(before);
        let clones = if p.fresh { (n, n) } else { (keeps as usize, several.legs.len()) };
        p.declare(On::nothing(), site, clones, waker);
        p.beside_count.set(0);
        p.legs.set(Some(several.clone()));
    });
    stack::said();
}

/// Or it is ready: the clones that it made wake the future for nothing.
pub(crate) fn ready(before: usize) {
    here(|p| {
        let (clones, traffic) = p.clones();
        p.left.set(Left { clones: p.left.get().clones + clones.saturating_sub(before), traffic });
    });
}

impl Polling {
    /// Takes it for what the future waits on, as long as it keeps `clones` of its waker. Where it keeps others, something
    /// else may wake it, too; `waker` is what was polled with.
    fn declare(&self, on: On, site: u32, clones: (usize, usize), waker: &Waker) {
        // What a combinator made in the place of tokio's waker cannot be told from that, but is not counted as its clone.
        let is_lent = self.is_told() || waker::is_lent(waker, self.lent);
        let clones = if is_lent { clones } else { (usize::MAX, usize::MAX) };
        self.put_beside(clones);
        self.say(on, site, clones);
        self.legs.set(None);
    }
}

/// The legs of a `select!` or `join!`, of which each says for itself what it waits on. Only in polls whose waker nobody kept at
/// the beginning: then each leg keeps the clones that it made, and together they are all that there are.
impl Polling {
    fn beside(&self, i: usize) -> Beside {
        // SAFETY: as many were put there.
        unsafe { self.beside[i].get().assume_init() }
    }

    fn kept_beside(&self) -> usize {
        (0..self.beside_count.get()).map(|i| self.beside(i).clones).sum()
    }

    /// Something is about to be said, which keeps as many: what was said before stands beside it, but for what was polled within
    /// it. If anything else came between, nothing does.
    fn put_beside(&self, clones: (usize, usize)) {
        let Some(last) = self.hint.get() else { return };
        let (held, traffic) = self.clones();
        let exact = |(n, most): (usize, usize)| (n == most && n > 0 && n != usize::MAX).then_some(n);
        let mut n = self.beside_count.replace(0);
        let Some(start) = exact(clones).and_then(|n| held.checked_sub(n)) else { return };
        if !self.fresh || self.is_told() {
            return;
        }
        if last.held <= start {
            let Some(clones) = exact(last.clones).filter(|_| n < LEGS - 1) else { return };
            let Hint { on, site, held, traffic, .. } = last;
            self.beside[n].set(MaybeUninit::new(Beside { on, site, clones, held, traffic }));
            n += 1;
        }
        while n > 0 && self.beside(n - 1).held > start {
            n -= 1;
        }
        if n > 0 && self.beside(n - 1).held == start && traffic - self.beside(n - 1).traffic == held - start {
            self.beside_count.set(n);
        }
    }

    /// What waits for any of what is beside the last one, and for that.
    fn found(&self, last: &Hint) -> Option<Several> {
        let n = self.beside_count.get();
        let leg = |on, site| Leg { on, at: None, site };
        (n > 0).then(|| {
            let mut legs = [leg(last.on, last.site); LEGS];
            for (i, at) in legs[..n].iter_mut().enumerate() {
                let beside = self.beside(i);
                *at = leg(beside.on, beside.site);
            }
            Several { all: false, legs: Legs::Found(legs, n + 1) }
        })
    }
}

/// What the task lends that is polled here, if it is told by its span: that is its own alone.
#[cfg(feature = "layer")]
pub(crate) fn told() -> Option<*const ()> {
    here(|p| p.is_told().then_some(p.lent)).flatten()
}

#[cfg(feature = "layer")]
impl Polling {
    /// As `pending_limited`: a lock or permits that were polled right before a timer stand beside that. Clones of an earlier poll, as of
    /// the time limit before, are dropped by then, or there are more than these two made.
    fn put_limited(&self, on: On, held: usize) {
        let exact = |h: &Hint| h.clones.0 == h.clones.1 && (1..usize::MAX).contains(&h.clones.0);
        let limited = |h: &Hint| on.is_timer() && h.on.is_taken() && h.only && exact(h) && h.held == held;
        self.beside_count.set(0);
        if let Some(Hint { on, site, clones, held, traffic, .. }) = self.hint.get().filter(limited) {
            self.beside[0].set(MaybeUninit::new(Beside { on, site, clones: clones.0, held, traffic }));
            self.beside_count.set(1);
        }
    }

    /// Wakers of the task that were dropped and woke nobody.
    fn drops(&self) -> u32 {
        if !self.is_told() {
            return 0;
        }
        // SAFETY: by `of_task`'s contract.
        unsafe { crate::layer::drops(self.lent) }
    }
}

/// The resource, of which tokio tells, keeps no waker any more, and the operation on it is over, if there is one.
#[cfg(feature = "layer")]
pub(crate) fn lets_go(resource: u64, operation: u64) {
    here(|p| {
        if p.kept.get().0.resource == resource {
            p.kept.set((NOBODY, 0));
        }
        if operation != 0 {
            if let Some(h) = p.hint.get().filter(|h| h.operation == operation) {
                p.hint.set(Some(Hint { on: On::nothing(), site: 0, operation: 0, ..h }));
            }
            let began: &Cell<[(u64, On)]> = &p.began;
            for b in began.as_slice_of_cells().iter().filter(|b| b.get().0 == operation) {
                b.set((0, b.get().1));
            }
        }
    });
}

/// As `pending`, told by tokio of what may keep the waker; None: on what it said last.
#[cfg(feature = "layer")]
pub(crate) fn operation(on: Option<On>, site: u32, before: Before, by: Kept) {
    here(|p| {
        if !p.is_told() {
            return;
        }
        let (drops, (kept, at)) = (p.drops(), p.kept.get());
        // An operation changes its waker where it is polled, and nowhere else; of another nobody tells when it is dropped.
        let unchanged = if by.operation != 0 { drops == before.drops } else { drops == at };
        let made = match p.clones().0.saturating_sub(before.clones) {
            // It finds its waker where it kept it, however often something else woke the task since.
            0 if kept == by && unchanged => 1,
            // Or it keeps another, of some combinator.
            0 => usize::MAX,
            n => n,
        };
        if made != usize::MAX {
            p.kept.set((by, drops));
        } else if kept == by {
            p.kept.set((NOBODY, 0));
        }
        let Some(on) = on.or(p.hint.get().map(|h| h.on)) else { return };
        p.begins(by.operation, on);
        p.put_limited(on, before.clones);
        p.operates(on, site, (made, made), by.operation);
    });
}

/// `std::future::pending()`, which is never ready by design, and so keeps no waker. Its type shows it.
pub(crate) fn is_pending(future: &str) -> bool {
    future.starts_with("core::future::pending::Pending<")
}

/// A poll of somebody's own, which is no `pending()` that an async function awaits.
pub(crate) fn is_poll_fn(future: &str) -> bool {
    future.trim_start_matches("core::pin::Pin<alloc::boxed::Box<").starts_with("core::future::poll_fn::PollFn<")
}

/// It was polled.
pub(crate) fn never() {
    here(|p| p.never.set(true));
}

/// The site of an `await`, which is where `poll` is called; 0 where something polls on another's behalf.
pub(crate) fn awaited_at(at: &'static Location<'static>, func: fn() -> &'static str) -> u32 {
    match at.file().starts_with("/rustc/") {
        true => 0,
        false => threads::ask(|w| w.site_of(at, func)).unwrap_or(0),
    }
}

/// Says what the running future waits on, and that it is here. For a future's own `poll`, right before it returns
/// `Pending`; it should keep one clone of the waker, no more.
///
/// ```
/// # use std::{future::Future, pin::Pin, task::{Context, Poll}};
/// struct Recv<'a>(&'a std::cell::Cell<Option<u32>>);
/// impl Future for Recv<'_> {
///     type Output = u32;
///     fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u32> {
///         let Some(value) = self.0.take() else {
///             # let keep = |_| ();
///             keep(cx.waker().clone());
///             corotrace::waits_on(cx, corotrace::On::chan(self.0));
///             return Poll::Pending;
///         };
///         Poll::Ready(value)
///     }
/// }
/// ```
#[track_caller]
pub fn waits_on(cx: &Context<'_>, on: On) {
    if !region::on() {
        return;
    }
    let at = Location::caller();
    let site = threads::ask(|w| w.site(at, "")).unwrap_or(0);
    here(|p| {
        p.left.set(Left { clones: 0, ..p.left.get() });
        // Where the waker is another than last time, it may have kept that.
        p.declare(on, site, (!p.fresh as usize, 1), cx.waker());
    });
    stack::said();
}

/// Polls something that waits on `on`, where the site is not known.
#[cfg(any(feature = "tokio-net", feature = "tokio-stream", feature = "tokio-util"))]
pub(crate) fn polled<T>(on: On, cx: &mut Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
    if !region::on() {
        return poll(cx);
    }
    let before = before();
    let r = poll(cx);
    match r {
        Poll::Pending => pending(on, 0, before, true, cx.waker()),
        Poll::Ready(_) => ready(before),
    }
    r
}

#[cfg(all(test, feature = "layer"))]
mod tests {
    use super::*;

    #[test]
    fn beside_what_keeps_nobody_knows_how_many_nothing_adds_up() {
        let p = Polling::of_task(crate::layer::a_slot());
        p.operates(On::mutex(&p), 1, (1, 1), 0);
        p.put_limited(On::timer_any(), p.clones().0);
        p.operates(On::timer_any(), 2, (usize::MAX, usize::MAX), 0);
        let (on, site, several) = p.declared();
        assert_eq!((on, site), (On::timer_any(), 2));
        assert!(several.is_none());
    }
}
