//! Futures that tell what they do.

use core::future::Future;
use core::mem::ManuallyDrop;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::panic::Location;
use std::task::Waker;

use crate::ctp::Kind;
use crate::on::On;
use crate::poll_trace::PollTrace;
use crate::region;
use crate::stack;
use crate::waker::{self, Slot};
use crate::writer::{self, Hint, Left};

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
    born_in: Option<tokio::task::Id>,
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
}

/// The name of the async function or block that `F` is, as far as its type tells.
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
            born_in: tokio::task::try_id(),
            inner: ManuallyDrop::new(inner),
        }
    }

    /// Before its first poll: is it known to be a part of something that is not traced? On tokio, what is polled by the
    /// task in which it was made is not that task's root; and a `block_on` may poll whatever.
    fn is_inner(&self) -> bool {
        #[cfg(feature = "tokio")]
        return match tokio::task::try_id() {
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
        if !this.trace.live() {
            return inner.poll(cx);
        }
        let frame = core::ptr::from_ref(&*inner).cast::<()>().addr() as u64;
        let polling = Polling::begin(&mut this.trace, &mut this.waker, &mut this.part, is_inner, frame, cx);
        writer::peek(|w| w.stack.set((stack::pointer(), 0)));
        let r = poll_inner(inner, &mut Context::from_waker(&polling.lent));
        polling.end(r.is_ready(), cx.waker(), Location::caller(), function::<F>());
        r
    }
}

/// In a frame of its own, so that what is compiled into it can be told from who polls: call stacks end here.
#[inline(never)]
fn poll_inner<F: Future>(inner: Pin<&mut F>, cx: &mut Context<'_>) -> Poll<F::Output> {
    inner.poll(cx)
}

/// A poll under way. Dropped before `end`, it panicked.
struct Polling<'a> {
    trace: &'a mut PollTrace,
    waker: &'a mut Slot,
    part: bool,
    lent: ManuallyDrop<Waker>,
    around: Around,
    /// Clones of the waker around that were held when this began.
    before: usize,
}

/// What a poll lends, has said, its call stack, and what it knows of its waker's clones; as in the writer.
#[derive(Clone, Copy)]
struct Around {
    lent: *const (),
    hint: Option<Hint>,
    stack: (usize, u32),
    left: Left,
}

impl Around {
    const NOTHING: Self = Self { lent: core::ptr::null(), hint: None, stack: (usize::MAX, 0), left: Left::NOTHING };

    /// Puts it in place of what is there.
    fn swap(self) -> Self {
        writer::peek(|w| Self {
            lent: w.lent.replace(self.lent),
            hint: w.hint.replace(self.hint),
            stack: w.stack.replace(self.stack),
            left: w.left.replace(self.left),
        })
        .unwrap_or(Self::NOTHING)
    }
}

impl<'a> Polling<'a> {
    fn begin(
        trace: &'a mut PollTrace,
        waker: &'a mut Slot,
        part: &mut Part,
        is_inner: bool,
        frame: u64,
        cx: &Context<'_>,
    ) -> Self {
        let before = clones_before();
        let lending = waker.lend(trace.id(), cx.waker());
        trace.coro.frame = frame;
        // Polled within another, or without having been woken: then it may be polled again without its own waker's help,
        // and nothing is amiss when all of its wakers are gone, or when it does not run after a wake.
        let within = || is_inner || writer::peek(|w| w.current.get() != 0).unwrap_or(false);
        match part {
            Part::Unknown | Part::Polled if within() || (*part == Part::Polled && !lending.woken) => {
                *part = Part::Shared;
                waker.be_part();
                writer::with2(|w| w.waker(Kind::WakerClone, trace.id()));
            }
            Part::Unknown => *part = Part::Polled,
            _ => {}
        }
        trace.on_resume();
        let around = Around {
            lent: waker.lent(),
            left: Left { fresh: lending.fresh, traffic: lending.traffic, ..Left::NOTHING },
            ..Around::NOTHING
        }
        .swap();
        Self { part: *part == Part::Shared, lent: lending.waker, around, before, trace, waker }
    }

    /// `at` is where it is awaited.
    fn end(self, ready: bool, polled_with: &Waker, at: &'static Location<'static>, func: &'static str) {
        let mut this = ManuallyDrop::new(self);
        if ready {
            this.around.swap();
            this.trace.end(true);
            this.waker.end();
            left_behind(this.before);
            return;
        }
        // SAFETY: this poll's own, and not at its end yet.
        let (clones, traffic) = unsafe { waker::clones(this.waker.lent()) };
        let is_forgotten = this.waker.is_forgotten();
        let Around { hint, stack: (_, stack), left, .. } = this.around.swap();
        // A leaf that finds its waker where it kept it clones none, and waits where it did.
        if stack != 0 || is_forgotten {
            this.trace.stack = stack;
        }
        let hint = hint.filter(|h| h.traffic == traffic);
        let alone = |h: &Hint| (h.clones.0..=h.clones.1).contains(&clones.saturating_sub(left.clones));
        let on = hint.map_or(On::nothing(), |h| if alone(&h) { h.on } else { h.on.any() });
        let site = hint.map(|h| h.site).filter(|&s| s != 0).unwrap_or(this.trace.site);
        // The reference that the poll had is a waker, too: where it was the only one, it is gone now.
        let forgotten = is_forgotten && !this.part && !this.waker.woken() && this.trace.live();
        let id = this.trace.id();
        if forgotten {
            writer::with2(|w| w.waker(Kind::WakerClone, id));
        }
        this.trace.wait(on, site);
        if forgotten {
            writer::with2(|w| w.waker(Kind::WakerDrop, id));
        }
        this.waker.end();
        if this.part {
            // Whoever polled it waits for it, if for nothing else: this future keeps one of its wakers while it has lent
            // its own, and none otherwise.
            let site = Some(awaited_at(at, func)).filter(|&s| s != 0).unwrap_or(site);
            say(On::coro(id), site, kept(this.before, clones != 0), polled_with);
            stack::said();
        }
    }
}

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.around.swap();
        let on = On::user("panicked");
        self.trace.wait(on, self.trace.site);
        self.waker.end();
    }
}

/// What has just been polled and is pending keeps so many clones of the waker of the future that is being polled here:
/// those that were made since there were `before`; or the one of an earlier poll, where that `keeps` one.
fn kept(before: usize, keeps: bool) -> (usize, usize) {
    let n = match writer::peek(|w| w.left.get().fresh) {
        Some(true) => clones_held().0.saturating_sub(before),
        _ => keeps as usize,
    };
    (n, n)
}

/// What has just been polled is ready: the clones that were made since there were `before` wake it for nothing.
fn left_behind(before: usize) {
    let (clones, traffic) = clones_held();
    let n = clones.saturating_sub(before);
    writer::peek(|w| {
        let left = w.left.get();
        w.left.set(Left { clones: left.clones + n, traffic, ..left });
    });
}

/// Takes it for what the future waits on that is being polled here, as long as it keeps `clones` of its waker. Where it
/// keeps others, something else may wake it, too; `waker` is what was polled with.
fn say(on: On, site: u32, clones: (usize, usize), waker: &Waker) {
    writer::peek(|w| {
        let lent = w.lent.get();
        if !lent.is_null() {
            // SAFETY: not null, so the poll that set it is under way.
            let (_, traffic) = unsafe { waker::clones(lent) };
            let clones = if waker::is_lent(waker, lent) { clones } else { (usize::MAX, usize::MAX) };
            w.hint.set(Some(Hint { on, site, clones, traffic }));
        }
    });
}

/// The place of an `await`, which is where `poll` is called; none where something polls on another's behalf.
fn awaited_at(at: &'static Location<'static>, func: &'static str) -> u32 {
    match at.file().starts_with("/rustc/") {
        true => 0,
        false => writer::with(|w| w.site(at, func)).unwrap_or(0),
    }
}

/// Clones of the waker of the future that is being polled here, and its traffic.
fn clones_held() -> (usize, usize) {
    let lent = writer::peek(|w| w.lent.get()).filter(|l| !l.is_null());
    // SAFETY: not null, so the poll that set it is under way.
    lent.map_or((0, 0), |l| unsafe { waker::clones(l) })
}

/// Before something is polled that may wait: clones that are held. Those that others left behind are as many as before,
/// if none was made or dropped since; else it is not known which are there still.
fn clones_before() -> usize {
    let (clones, traffic) = clones_held();
    writer::peek(|w| {
        let left = w.left.get();
        if left.traffic != traffic {
            w.left.set(Left { clones: 0, ..left });
        }
    });
    clones
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
    let site = writer::with(|w| w.site(at, "")).unwrap_or(0);
    // Where the waker is another than last time, it may have kept that.
    let fresh = writer::peek(|w| {
        let left = w.left.get();
        w.left.set(Left { clones: 0, ..left });
        left.fresh
    });
    say(on, site, ((fresh == Some(false)) as usize, 1), cx.waker());
    stack::said();
}

/// Polls something that waits on `on`, where the place is not known.
#[cfg(feature = "tokio-net")]
pub(crate) fn polled<T>(on: On, cx: &mut Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
    if !region::on() {
        return poll(cx);
    }
    let before = clones_before();
    let r = poll(cx);
    if r.is_pending() {
        say(on, 0, kept(before, true), cx.waker());
        stack::said();
    } else {
        left_behind(before);
    }
    r
}

/// A future that says what it waits on. Made by [`TraceFutureExt::waiting_on`].
#[must_use = "futures do nothing unless they are polled"]
#[derive(Debug)]
pub struct WaitingOn<F> {
    on: On,
    site: u32,
    /// It has cloned the waker.
    keeps: bool,
    inner: F,
}

impl<F> WaitingOn<F> {
    #[track_caller]
    pub(crate) fn new(inner: F, on: On) -> Self {
        let at = Location::caller();
        let site = if region::ready() { writer::with(|w| w.site(at, function::<F>())).unwrap_or(0) } else { 0 };
        Self { on, site, keeps: false, inner }
    }

    /// Where it is awaited, its `poll` finds out.
    #[cfg(feature = "tokio")]
    pub(crate) fn anywhere(inner: F, on: On) -> Self {
        Self { on, site: 0, keeps: false, inner }
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
}

impl<F: Future> Future for WaitingOn<F> {
    type Output = F::Output;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `inner` is pinned and never moved; the rest is not pinned.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: as above.
        let inner = unsafe { Pin::new_unchecked(&mut this.inner) };
        if !region::on() {
            return inner.poll(cx);
        }
        let before = clones_before();
        let r = inner.poll(cx);
        if r.is_pending() {
            this.keeps |= clones_held().0 > before;
            let site = if this.site != 0 { this.site } else { awaited_at(Location::caller(), function::<F>()) };
            say(this.on, site, kept(before, this.keeps), cx.waker());
            stack::said();
        } else {
            left_behind(before);
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
}

impl<F: Future> TraceFutureExt for F {}

/// Records a future; as [`TraceFutureExt::traced`].
#[track_caller]
pub fn trace_future<F: Future>(future: F) -> TracedFuture<F> {
    TracedFuture::new(future)
}
