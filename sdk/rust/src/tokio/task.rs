//! Tasks under tokio's own numbers.

use core::future::Future;
use core::ops::Deref;
use core::pin::Pin;
use core::sync::atomic::{AtomicU8, Ordering::*};
use core::task::{Context, Poll};
use std::panic::Location;
use std::sync::Arc;

use ::tokio::runtime::Handle;
use ::tokio::task as real;

#[allow(unused_imports)]
use super::older::Numbered;
use super::runtime::{declare_local, declare_worker, this_thread};
use super::{blocked, is_told, older, probe_id};
use crate::future::function;
use crate::poll_trace::{Done, PollTrace, State};
use crate::probe::{thread, Role};
use crate::{region, On, TracedFuture, WaitingOn};

mod set;

pub use self::set::JoinSet;
#[doc(no_inline)]
pub use ::tokio::task::*;

/// Who says that a task was born: its spawner, who learns its number when it is spawned, or its first poll, which may come
/// sooner. Where tokio numbers none, the spawner does, before.
struct Birth {
    state: AtomicU8,
    born: core::cell::UnsafeCell<Option<PollTrace>>,
    at: &'static Location<'static>,
    func: &'static str,
    name: Option<String>,
    parent: u64,
}
const UNBORN: u8 = 0;
const TAKEN: u8 = 1;
const BORN: u8 = 2;

// SAFETY: `born` is written by whoever took the state from UNBORN, and read by the task alone, after BORN.
unsafe impl Send for Birth {}
// SAFETY: as above.
unsafe impl Sync for Birth {}

impl Birth {
    fn trace(&self, number: Option<u64>) -> PollTrace {
        PollTrace::born_of(self.parent, self.at, self.func, self.name.as_deref(), number)
    }

    fn by_spawner(&self, number: Option<u64>) -> Option<u64> {
        if self.state.compare_exchange(UNBORN, TAKEN, Relaxed, Relaxed).is_err() {
            return number;
        }
        let trace = self.trace(number);
        let id = trace.id();
        // SAFETY: see Send.
        unsafe { *self.born.get() = Some(trace) };
        self.state.store(BORN, Release);
        Some(id).filter(|&id| id != 0)
    }

    /// Waits, where the spawner is just saying so: for one event.
    fn by_poll(&self) -> PollTrace {
        match self.state.compare_exchange(UNBORN, TAKEN, Acquire, Acquire) {
            Ok(_) => self.trace(older::current().and_then(probe_id)),
            Err(mut state) => {
                while state != BORN {
                    std::thread::yield_now();
                    state = self.state.load(Acquire);
                }
                // SAFETY: see Send; polled by one at a time, and once.
                unsafe { (*self.born.get()).take() }.expect("polled once")
            }
        }
    }
}

/// The future of a task, which learns its number at its first poll.
pub(crate) struct Task<F> {
    birth: Option<Arc<Birth>>,
    future: TracedFuture<F>,
}

impl<F: Future> Future for Task<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `future` is pinned and not moved; `birth` is not pinned.
        let this = unsafe { self.get_unchecked_mut() };
        if let Some(birth) = this.birth.take() {
            *this.future.trace_mut() = birth.by_poll();
        }
        declare_worker(true);
        #[cfg(tokio_unstable)]
        super::runtime::record_queue();
        // SAFETY: as above.
        unsafe { Pin::new_unchecked(&mut this.future) }.poll(cx)
    }
}

/// A task's end to wait for: tokio's, which it derefs to, and as a future it says that it waits on `join:ID`.
#[derive(Debug)]
pub struct JoinHandle<T> {
    inner: WaitingOn<real::JoinHandle<T>>,
}

impl<T> JoinHandle<T> {
    /// tokio's own.
    pub fn into_inner(self) -> real::JoinHandle<T> {
        self.inner.into_inner()
    }
}

impl<T> From<real::JoinHandle<T>> for JoinHandle<T> {
    fn from(handle: real::JoinHandle<T>) -> Self {
        let on = probe_id(handle.id()).map_or(On::join(0).any(), On::join);
        joined((handle, on))
    }
}

impl<T> From<JoinHandle<T>> for real::JoinHandle<T> {
    fn from(handle: JoinHandle<T>) -> Self {
        handle.into_inner()
    }
}

impl<T> Deref for JoinHandle<T> {
    type Target = real::JoinHandle<T>;

    fn deref(&self) -> &Self::Target {
        self.inner.get_ref()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    #[track_caller]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if self.inner.waits_for(On::join(0).any()) && region::on() {
            // Spawned before anybody looked.
            let on = probe_id(self.inner.get_ref().id()).map_or(On::join(0).any(), On::join);
            Pin::new(&mut self.inner).set_on(on);
        }
        Pin::new(&mut self.inner).poll(cx)
    }
}

/// Has `spawn` spawn a task of which tokio tells: but for where that was, and its name.
#[cfg(feature = "layer")]
pub(super) fn describe<T>(
    at: &'static Location<'static>,
    func: &'static str,
    name: Option<&str>,
    spawn: impl FnOnce() -> T,
) -> T {
    if !region::ready() {
        return spawn();
    }
    let site = crate::threads::ask(|w| w.site(at, func)).unwrap_or(0);
    crate::layer::described(crate::layer::Birth { site, name: name.map_or(0, crate::text::intern) }, spawn)
}

#[cfg(not(feature = "layer"))]
pub(super) fn describe<T>(_: &Location<'_>, _: &str, _: Option<&str>, spawn: impl FnOnce() -> T) -> T {
    spawn()
}

/// What has become of a task that `spawn` has spawned: its handle, and the number that tokio gave it.
pub(crate) type Spawned<H> = (H, older::Id);

/// Wraps a future for `spawn`, and says that the task is born. What waits for its end waits on that.
#[track_caller]
pub(crate) fn spawn_by<F: Future, H>(
    name: Option<&str>,
    future: F,
    spawn: impl FnOnce(Task<F>) -> Spawned<H>,
) -> (H, On) {
    let at = Location::caller();
    let mut unborn = PollTrace::unborn();
    if is_told() {
        unborn.state = State::Ended;
        let task = Task { birth: None, future: TracedFuture::root(future, unborn) };
        let (handle, id) = describe(at, function::<F>(), name, || spawn(task));
        return (handle, probe_id(id).map_or(On::join(0).any(), On::join));
    }
    let birth = region::ready().then(|| {
        super::ids();
        let (func, name, parent) = (function::<F>(), name.map(str::to_string), crate::current());
        let (state, born) = (AtomicU8::new(UNBORN), core::cell::UnsafeCell::new(None));
        Arc::new(Birth { state, born, at, func, name, parent })
    });
    unborn.at = Some(at);
    let before = birth.as_ref().filter(|_| !older::is_numbered()).and_then(|birth| birth.by_spawner(None));
    let (handle, id) = spawn(Task { birth: birth.clone(), future: TracedFuture::root(future, unborn) });
    let number = before.or_else(|| birth?.by_spawner(probe_id(id)));
    (handle, number.map_or(On::join(0).any(), On::join))
}

pub(crate) fn joined<T>((inner, on): (real::JoinHandle<T>, On)) -> JoinHandle<T> {
    JoinHandle { inner: WaitingOn::anywhere(inner, on) }
}

pub(crate) fn numbered<T>(handle: real::JoinHandle<T>) -> Spawned<real::JoinHandle<T>> {
    let id = handle.id();
    (handle, id)
}

#[track_caller]
pub(super) fn spawn_on<F>(handle: &Handle, name: Option<&str>, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    joined(spawn_by(name, future, |task| numbered(handle.spawn(task))))
}

/// Spawns a traced task, whose number in the trace is [`probe_id`] of tokio's.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    spawn_on(&Handle::current(), None, future)
}

/// As [`spawn`], with a name. Names are kept for the whole recording: let them be few.
#[track_caller]
pub fn spawn_as<F>(name: &str, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    spawn_on(&Handle::current(), Some(name), future)
}

/// As [`spawn`], on this thread, within a [`LocalSet`].
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    declare_local();
    joined(spawn_by(None, future, |task| numbered(real::spawn_local(task))))
}

/// Has `spawn` run `f` on a blocking thread.
#[track_caller]
pub(crate) fn block<T, S>(f: impl FnOnce() -> T + Send + 'static, spawn: S) -> JoinHandle<T>
where
    T: Send + 'static,
    S: FnOnce(Box<dyn FnOnce() -> T + Send>) -> real::JoinHandle<T>,
{
    if is_told() {
        let (handle, id) = describe(Location::caller(), "", None, || numbered(spawn(Box::new(f))));
        return joined((handle, probe_id(id).map_or(On::join(0).any(), On::join)));
    }
    let (f, on) = blocking(f);
    joined((spawn(Box::new(f)), on))
}

/// `f` as a coroutine that runs from beginning to end, and what waits for that.
#[track_caller]
fn blocking<T>(f: impl FnOnce() -> T + Send + 'static) -> (impl FnOnce() -> T + Send + 'static, On) {
    let mut trace = PollTrace::named("blocking");
    let on = if trace.is_enabled() { On::join(trace.id()) } else { On::nothing() };
    let run = move || {
        if trace.is_enabled() {
            thread(Role::Blocking, &this_thread());
        }
        trace.on_resume();
        let result = blocked::run(&mut trace, f);
        trace.end(Done::with::<T>());
        result
    };
    (run, on)
}

/// Runs `f` where it may block; it shows as a coroutine that runs on a blocking thread from beginning to end.
#[track_caller]
pub fn spawn_blocking<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    block(f, real::spawn_blocking)
}

/// tokio's, which it derefs to; its tasks are traced, and the thread that runs them is declared a worker.
#[derive(Debug, Default)]
pub struct LocalSet(real::LocalSet);

impl LocalSet {
    /// As tokio's `new`.
    pub fn new() -> Self {
        Self::default()
    }

    /// As tokio's `spawn_local`.
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        declare_local();
        joined(spawn_by(None, future, |task| numbered(self.0.spawn_local(task))))
    }

    /// As tokio's `block_on`.
    #[track_caller]
    pub fn block_on<F: Future>(&self, runtime: &super::runtime::Runtime, future: F) -> F::Output {
        runtime.block_on(self.0.run_until(future))
    }
}

impl LocalSet {
    /// tokio's own.
    pub fn into_inner(self) -> real::LocalSet {
        self.0
    }
}

impl From<real::LocalSet> for LocalSet {
    fn from(inner: real::LocalSet) -> Self {
        Self(inner)
    }
}

impl From<LocalSet> for real::LocalSet {
    fn from(set: LocalSet) -> Self {
        set.into_inner()
    }
}

impl Deref for LocalSet {
    type Target = real::LocalSet;

    fn deref(&self) -> &real::LocalSet {
        &self.0
    }
}

impl Future for LocalSet {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(cx)
    }
}
