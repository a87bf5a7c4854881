//! Futures that show what they do.

use core::future::Future;
use core::mem::ManuallyDrop;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::panic::Location;
use std::sync::Arc;

use crate::ctp::{Kind, UNTRACED};
use crate::on::{Leg, On};
use crate::poll_trace::{Done, PollTrace};
use crate::polling::{self, Legs, Polling, Several};
#[cfg(feature = "tokio")]
use crate::tokio::older;
use crate::waker::Slot;
use crate::{region, stack, threads};

/// A future whose life is recorded: birth, polls, what it waits on, who wakes it, its wakers, its end.
///
/// Made by [`TraceFutureExt::traced`]. It is [`Send`] when the future is, can be dropped at any point, and a panic unwinds
/// through it: it then shows as suspended on `user:panicked`.
#[must_use = "futures do nothing unless they are polled"]
pub struct TracedFuture<F> {
    trace: PollTrace,
    waker: Slot,
    part: Part,
    #[cfg(feature = "tokio")]
    born_in: Option<older::Id>,
    inner: ManuallyDrop<F>,
}

/// Is it polled for its own waker's sake only?
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Unknown,
    /// At least once, and so far it was.
    Polled,
    /// No.
    Shared,
    /// Known to be so.
    #[cfg(feature = "tokio")]
    Root,
    /// Of a `block_on`: who waits for ever there, as `main` of a server, means it.
    #[cfg(feature = "tokio")]
    Main,
}

impl Part {
    /// That nobody keeps a waker of it says nothing.
    fn needs_no_waker(self) -> bool {
        match self {
            Part::Shared => true,
            #[cfg(feature = "tokio")]
            Part::Main => true,
            _ => false,
        }
    }
}

/// The number of the task whose outermost future is polled, where it is known to be that.
fn task_id(part: Part) -> impl FnOnce() -> Option<u64> {
    move || match part {
        #[cfg(feature = "tokio")]
        Part::Root => older::current().and_then(crate::tokio::probe_id),
        _ => None,
    }
}

/// The name of the async function or block that `F` is, as far as its type shows it.
pub(crate) fn function<F>() -> &'static str {
    let name = core::any::type_name::<F>();
    name.trim_end_matches("::{{closure}}")
}

impl<F> TracedFuture<F> {
    /// As [`trace_future`], for anything.
    #[track_caller]
    pub fn new(inner: F) -> Self {
        Self::born(inner, PollTrace::born(Location::caller(), function::<F>(), None, None))
    }

    pub(crate) fn born(inner: F, trace: PollTrace) -> Self {
        Self {
            trace,
            waker: Slot::new(),
            part: Part::Unknown,
            #[cfg(feature = "tokio")]
            born_in: older::current(),
            inner: ManuallyDrop::new(inner),
        }
    }

    /// Before its first poll: is it known to be a part of something that is not traced? On tokio, what is polled by the
    /// task in which it was made is not that task's root; and a `block_on` may poll whatever.
    fn is_inner(&self) -> bool {
        #[cfg(feature = "tokio")]
        return match older::current() {
            None if !older::is_numbered() => false,
            None => tokio::runtime::Handle::try_current().is_ok(),
            id => self.born_in == id,
        };
        #[cfg(not(feature = "tokio"))]
        false
    }

    /// One that is known to be a task's outermost.
    #[cfg(feature = "tokio")]
    pub(crate) fn root(inner: F, trace: PollTrace) -> Self {
        let mut new = Self::born(inner, trace);
        new.part = Part::Root;
        new
    }

    /// One that is a `block_on`'s.
    #[cfg(feature = "tokio")]
    pub(crate) fn main(inner: F, trace: PollTrace) -> Self {
        let mut new = Self::born(inner, trace);
        new.part = Part::Main;
        new
    }

    /// The future inside; its recording ends here.
    pub fn into_inner(self) -> F {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is never used again and not dropped: each field is moved out or dropped once.
        unsafe {
            core::ptr::drop_in_place(&mut this.trace);
            core::ptr::drop_in_place(&mut this.waker);
            ManuallyDrop::take(&mut this.inner)
        }
    }

    /// Its probe.
    pub fn trace_mut(&mut self) -> &mut PollTrace {
        &mut self.trace
    }

    /// Its number in the trace; 0 while it is not recorded.
    pub fn id(&self) -> u64 {
        self.trace.id()
    }
}

impl<F> Drop for TracedFuture<F> {
    fn drop(&mut self) {
        self.trace.enter();
        // SAFETY: dropped here and nowhere else; `trace` and `waker` follow, even if this panics.
        unsafe { ManuallyDrop::drop(&mut self.inner) }
    }
}

impl<F: Future> Future for TracedFuture<F> {
    type Output = F::Output;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `inner` is pinned and never moved but by `into_inner`, which takes the whole unpinned.
        let this = unsafe { self.get_unchecked_mut() };
        let is_inner = this.part == Part::Unknown && this.trace.live() && this.is_inner();
        // SAFETY: as above.
        let inner = unsafe { Pin::new_unchecked(&mut *this.inner) };
        if !region::on() || (region::foreign(this.trace.id()) && !this.trace.adopt(function::<F>, task_id(this.part))) {
            return inner.poll(cx);
        }
        let before = polling::before();
        let lending = this.waker.lend(this.trace.id(), cx.waker());
        let now = Polling::new(this.waker.lent(), lending.fresh, stack::pointer());
        this.trace.coro.frame = core::ptr::from_ref(&*inner).cast::<()>().addr() as u64;
        let poll = Begun::begin(&mut this.trace, &mut this.waker, &mut this.part, is_inner, lending.woken, &now);
        let r = poll_inner(inner, &mut Context::from_waker(&lending.waker));
        if r.is_ready() {
            poll.ready(Done::with::<F::Output>());
            polling::ready(before);
            return r;
        }
        let (site, keeps) = poll.pending(function::<F>);
        if this.part == Part::Shared && polling::is_within() {
            // Whoever polled it waits for it, if for nothing else: it keeps a waker of that while somebody keeps its own.
            let site = Some(polling::awaited_at(Location::caller(), function::<F>)).filter(|&s| s != 0).unwrap_or(site);
            polling::pending(On::coro(this.trace.id()), site, before, keeps, cx.waker());
        }
        r
    }
}

/// In a frame of its own, so that what is compiled into it can be distinguished from who polls: call stacks end here.
#[inline(never)]
fn poll_inner<F: Future>(inner: Pin<&mut F>, cx: &mut Context<'_>) -> Poll<F::Output> {
    inner.poll(cx)
}

/// A poll that has begun. Dropped before its end, it panicked.
struct Begun<'a> {
    trace: &'a mut PollTrace,
    waker: &'a mut Slot,
    needs_no_waker: bool,
    now: &'a Polling,
    around: *const Polling,
}

impl<'a> Begun<'a> {
    #[inline(always)]
    fn begin(
        trace: &'a mut PollTrace,
        waker: &'a mut Slot,
        part: &mut Part,
        is_inner: bool,
        woken: bool,
        now: &'a Polling,
    ) -> Self {
        // Polled within another, or without having been woken: then it may be polled again without its own waker's help,
        // and nothing is amiss when all of its wakers are gone, or when it does not run after a wake.
        let within = || is_inner || threads::peek(|w| w.current.get() != 0).unwrap_or(false);
        match part {
            Part::Unknown | Part::Polled if within() || (*part == Part::Polled && !woken) => {
                *part = Part::Shared;
                waker.be_part();
                threads::with2(trace.id(), 1, |w| w.waker(Kind::WakerClone, trace.id()));
            }
            Part::Unknown => *part = Part::Polled,
            _ => {}
        }
        trace.on_resume();
        // SAFETY: borrowed for as long as this.
        let around = unsafe { polling::enter(now) };
        Self { needs_no_waker: part.needs_no_waker(), around, now, trace, waker }
    }

    #[inline(always)]
    fn ready(self, done: Done) {
        let mut this = ManuallyDrop::new(self);
        polling::leave(this.around);
        this.trace.end(done);
        this.waker.end();
    }

    /// Where it waits, as far as that is reported, and whether somebody keeps its waker.
    #[inline(always)]
    fn pending(self, future: fn() -> &'static str) -> (u32, bool) {
        let mut this = ManuallyDrop::new(self);
        let (on, at, several) = this.now.declared();
        let is_forgotten = this.waker.is_forgotten();
        polling::leave(this.around);
        // A leaf that finds its waker where it kept it clones none, and waits where it did.
        let stack = this.now.stack.get();
        if stack != 0 || is_forgotten {
            this.trace.stack = stack;
        }
        let site = if at != 0 { at } else { this.trace.site };
        // The reference that the poll had is a waker, too: where it was the only one, it is gone now. One that was polled
        // before anybody looked may have left its waker then.
        let lost = is_forgotten
            && !(this.needs_no_waker
                || this.trace.born_before
                || this.waker.woken()
                || this.now.is_never()
                || polling::is_pending(future()))
            && this.trace.live();
        let id = this.trace.id();
        if lost {
            threads::with2(id, 1, |w| w.waker(Kind::WakerClone, id));
        }
        let on = if lost && on == On::nothing() && !polling::is_poll_fn(future()) { On::no_waker() } else { on };
        match (several, this.now.lock(on)) {
            (Some(several), _) => this.trace.wait_several(several.all, &several.legs, site),
            // What else wakes it nobody reports, or a socket that may as well keep an older waker.
            (_, Some(lock)) => this.trace.wait_several(false, &[lock.into(), On::nothing().into()], site),
            _ => this.trace.wait(on, site),
        }
        if lost {
            threads::with2(id, 1, |w| w.waker(Kind::WakerDrop, id));
        }
        this.waker.end();
        (site, !is_forgotten)
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        polling::leave(self.around);
        let on = On::user("panicked");
        self.trace.wait(on, self.trace.site);
        self.waker.end();
    }
}

/// A future that says what it waits on. Made by [`TraceFutureExt::waiting_on`].
#[must_use = "futures do nothing unless they are polled"]
#[derive(Debug)]
pub struct WaitingOn<F> {
    on: On,
    /// Where it is several things.
    several: Option<Several>,
    site: u32,
    /// It has cloned the waker.
    keeps: bool,
    inner: F,
    /// While a task waits for it that is not traced: what stands for that in the trace.
    alone: Option<Box<Alone>>,
}

/// One wait of a task that is not traced.
struct Alone {
    on: On,
    trace: PollTrace,
}

impl core::fmt::Debug for Alone {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.on.fmt(f)
    }
}

impl Alone {
    fn ready(mut self) {
        self.trace.on_resume();
        self.trace.on_ready();
    }
}

/// The name of the future that a method makes.
#[cfg(feature = "tokio")]
pub(crate) fn future_of<A, B, F>(_: impl FnOnce(A, B) -> F) -> &'static str {
    function::<F>()
}

impl<F> WaitingOn<F> {
    #[track_caller]
    pub(crate) fn new(inner: F, on: On) -> Self {
        Self::named(inner, on, function::<F>())
    }

    /// One that stands for another, whose name it has.
    #[track_caller]
    pub(crate) fn named(inner: F, on: On, name: &'static str) -> Self {
        let at = Location::caller();
        let site = if region::ready() { threads::ask(|w| w.site(at, name)).unwrap_or(0) } else { 0 };
        Self { on, several: None, site, keeps: false, inner, alone: None }
    }

    #[track_caller]
    fn of_several(inner: F, all: bool, legs: Arc<[Leg]>) -> Self {
        let mut new = Self::new(inner, On::nothing());
        new.several = Some(Several { all, legs: Legs::Said(legs) }).filter(|s| !s.legs.is_empty());
        new
    }

    /// Where it is awaited, its `poll` finds out.
    #[cfg(feature = "tokio")]
    pub(crate) fn anywhere(inner: F, on: On) -> Self {
        Self { on, several: None, site: 0, keeps: false, inner, alone: None }
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn get_mut(&mut self) -> &mut F {
        &mut self.inner
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut F> {
        // SAFETY: `inner` is pinned with the whole.
        unsafe { self.map_unchecked_mut(|s| &mut s.inner) }
    }

    #[cfg(feature = "tokio")]
    #[inline(always)]
    pub(crate) fn waits_for(&self, on: On) -> bool {
        self.on == on
    }

    /// It waits for something else from now on.
    #[cfg(feature = "tokio")]
    pub(crate) fn set_on(self: Pin<&mut Self>, on: On) -> Pin<&mut F> {
        // SAFETY: `inner` is pinned and not moved; the rest is not pinned.
        let this = unsafe { self.get_unchecked_mut() };
        this.on = on;
        // SAFETY: as above.
        unsafe { Pin::new_unchecked(&mut this.inner) }
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn get_ref(&self) -> &F {
        &self.inner
    }

    /// The future inside.
    pub fn into_inner(self) -> F {
        self.inner
    }

    /// It is pending, and no traced future polls it.
    #[cold]
    fn waits_alone(&mut self, at: &'static Location<'static>, site: u32) {
        let is_new = self.alone.is_none();
        let alone = self.alone.get_or_insert_with(|| {
            let trace = PollTrace::born_of(UNTRACED, at, function::<F>(), None, None);
            Box::new(Alone { on: self.on, trace })
        });
        if is_new || alone.on != self.on {
            alone.on = self.on;
            alone.trace.on_resume();
            match &self.several {
                None => alone.trace.wait(self.on, site),
                Some(several) => alone.trace.wait_several(several.all, &several.legs, site),
            }
        }
    }
}

impl<F: Future> Future for WaitingOn<F> {
    type Output = F::Output;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.poll_as(polling::pending, cx)
    }
}

impl<F: Future> WaitingOn<F> {
    /// `pending` says that it waits for one thing.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn poll_as(
        self: Pin<&mut Self>,
        pending: fn(On, u32, usize, bool, &Waker),
        cx: &mut Context<'_>,
    ) -> Poll<F::Output> {
        // SAFETY: `inner` is pinned and never moved; the rest is not pinned.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: as above.
        let inner = unsafe { Pin::new_unchecked(&mut this.inner) };
        if !region::on() {
            return inner.poll(cx);
        }
        let before = polling::before();
        let r = inner.poll(cx);
        if r.is_ready() {
            this.alone.take().into_iter().for_each(|alone| alone.ready());
            polling::ready(before);
            return r;
        }
        this.keeps |= polling::clones() > before;
        if !this.keeps && polling::is_pending(function::<F>()) {
            polling::never();
        }
        let at = Location::caller();
        let site = if this.site != 0 { this.site } else { polling::awaited_at(at, function::<F>) };
        if !polling::is_within() && !region::region().v1 {
            this.waits_alone(at, site);
            return r;
        }
        match &this.several {
            None => pending(this.on, site, before, this.keeps, cx.waker()),
            Some(several) => polling::pending_several(several, site, before, this.keeps, cx.waker()),
        }
        r
    }
}

/// `.traced()` for every future.
pub trait TraceFutureExt: Future + Sized {
    /// Records this future: born here, child of the coroutine that runs. Put it at the root of each task, as in
    /// `spawn(serve(stream).traced())`, and on whatever inside of a task deserves a line of its own.
    ///
    /// A future that is polled by one that is traced, too, is part of it: the outer one shows as waiting on `coro:ID`, if
    /// it waits for nothing else, and is the one that is woken.
    ///
    /// ```
    /// use corotrace::TraceFutureExt;
    /// async fn answer() -> u32 { 42 }
    ///
    /// let future = answer().traced();
    /// ```
    #[track_caller]
    fn traced(self) -> TracedFuture<Self> {
        TracedFuture::new(self)
    }

    /// As `traced`, with a name. Names are kept for the whole recording: let them be few.
    ///
    /// ```
    /// use corotrace::TraceFutureExt;
    /// let future = async { 42 }.traced_as("answer");
    /// ```
    #[track_caller]
    fn traced_as(self, name: &str) -> TracedFuture<Self> {
        TracedFuture::born(self, PollTrace::born(Location::caller(), function::<Self>(), Some(name), None))
    }

    /// Says what this future waits on while it is pending, and that it is here. The traced future around it is shown so,
    /// unless it waits for other things as well.
    ///
    /// ```
    /// use corotrace::{On, TraceFutureExt};
    /// # async fn f(lock: &tokio_like::Mutex) {
    /// let guard = lock.lock().waiting_on(On::mutex(lock)).await;
    /// # }
    /// # mod tokio_like { pub struct Mutex; impl Mutex { pub async fn lock(&self) {} } }
    /// ```
    #[track_caller]
    fn waiting_on(self, on: On) -> WaitingOn<Self> {
        WaitingOn::new(self, on)
    }

    /// As `waiting_on`, of a future that waits for the first of several things (`select!`, a timeout), each of which keeps a
    /// clone of the waker: its task is accused only when all of them are hopeless. Name each that could wake it; allocates
    /// once.
    ///
    /// ```
    /// use corotrace::{Leg, On, TraceFutureExt};
    /// # async fn f(orders: &tokio_like::Queue, stop: &tokio_like::Queue) {
    /// let first = async { /* select! { ... } */ };
    /// first.waiting_on_any([Leg::new(On::chan(orders)), Leg::new(On::chan(stop))]).await;
    /// # }
    /// # mod tokio_like { pub struct Queue; }
    /// ```
    #[track_caller]
    fn waiting_on_any(self, legs: impl Into<Arc<[Leg]>>) -> WaitingOn<Self> {
        WaitingOn::of_several(self, false, legs.into())
    }

    /// As `waiting_on_any`, of a future that waits for all of several things (`join!`): its task is accused when one of them is
    /// hopeless. Those that have come may stay in the list.
    #[track_caller]
    fn waiting_on_all(self, legs: impl Into<Arc<[Leg]>>) -> WaitingOn<Self> {
        WaitingOn::of_several(self, true, legs.into())
    }
}

impl<F: Future> TraceFutureExt for F {}

/// As `std::future::pending()`, for who waits for ever and means it. That one keeps no waker, as a future does that forgets
/// to: a task that awaits it may have lost its waker, unless it is the whole task, whose type shows it. This one says so.
///
/// ```
/// use corotrace::TraceFutureExt;
/// let until_cancelled = async { corotrace::pending::<()>().await }.traced();
/// ```
#[track_caller]
pub fn pending<T>() -> WaitingOn<core::future::Pending<T>> {
    core::future::pending().waiting_on(On::user("nothing: pending for ever"))
}

/// Records a future; as [`TraceFutureExt::traced`].
#[track_caller]
pub fn trace_future<F: Future>(future: F) -> TracedFuture<F> {
    TracedFuture::new(future)
}
