//! tokio: workers and their queues, tasks under tokio's own ids, sleeps, joins and `block_on`.
//!
//! ```
//! use corotrace::tokio::{BuilderExt, RuntimeExt};
//! use std::time::Duration;
//!
//! let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().traced().build().unwrap();
//! let answer = runtime.block_on_traced(async {
//!     let task = corotrace::tokio::spawn(async {
//!         corotrace::tokio::sleep(Duration::from_millis(5)).await;
//!         42
//!     });
//!     task.await.unwrap() // shows as waiting on join:ID
//! });
//! assert_eq!(answer, 42);
//! ```

use core::future::Future;
use core::ops::Deref;
use core::pin::Pin;
use core::sync::atomic::{AtomicU64, AtomicU8, Ordering::*};
use core::task::{Context, Poll};
use core::time::Duration;
use std::panic::Location;
use std::sync::{Arc, Mutex};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinError;
use tokio::time::{Instant, Sleep};

use crate::future::function;
use crate::poll_trace::PollTrace;
use crate::probe::{park, thread, unpark, Role};
use crate::{region, writer, On, TraceFutureExt, TracedFuture, WaitingOn};

/// How many ids of the region a process takes for tokio's tasks: theirs are numbered from 1 as well.
const IDS: u64 = 1_000_000_000_000;

/// The number in the trace of the task that tokio numbers so: equal where this process was the first to ask, else equal in
/// its last twelve digits.
///
/// A process asks when its first runtime is built [`traced`](BuilderExt::traced), or its first task spawned.
pub fn probe_id(id: tokio::task::Id) -> Option<u64> {
    // tokio tells the number in words only.
    let number = id.to_string().parse::<u64>().ok().filter(|&n| n < IDS)?;
    Some(ids()? + number)
}

/// The first of the region's ids that are for tokio, less one.
fn ids() -> Option<u64> {
    static BASE: AtomicU64 = AtomicU64::new(0); // plus one
    static FORK: AtomicU64 = AtomicU64::new(0);
    static TAKE: Mutex<()> = Mutex::new(());
    if !region::ready() || region::region().v1 {
        return None;
    }
    let _one = match BASE.load(Acquire) {
        n if n != 0 && FORK.load(Relaxed) == region::forks() => return Some(n - 1),
        _ => TAKE.lock().unwrap_or_else(|e| e.into_inner()),
    };
    if BASE.load(Relaxed) == 0 || FORK.load(Relaxed) != region::forks() {
        let next = &region::region().header().next_probe_id;
        let base = |n: u64| (n - 1).div_ceil(IDS) * IDS;
        let Ok(n) = next.fetch_update(Relaxed, Relaxed, |n| base(n).checked_add(IDS + 1)) else { return None };
        FORK.store(region::forks(), Relaxed);
        BASE.store(base(n) + 1, Release);
    }
    Some(BASE.load(Relaxed) - 1)
}

/// `.traced()` for a runtime's builder.
pub trait BuilderExt {
    /// Has the threads of the runtime tell what they are, when they park, and how much is queued then: for all workers, and
    /// where the program is built with `--cfg tokio_unstable`, which alone makes tokio tell, in the worker's own queue.
    ///
    /// It takes the builder's hooks `on_thread_start`, `on_thread_park` and `on_thread_unpark`, of which tokio keeps one
    /// each, and only while events are recorded. A program with hooks of its own sets them after this and calls
    /// [`thread_started`], [`thread_parks`] and [`thread_unparked`] there.
    fn traced(&mut self) -> &mut Self;
}

impl BuilderExt for Builder {
    fn traced(&mut self) -> &mut Self {
        if region::ready() {
            ids();
            self.on_thread_start(thread_started).on_thread_park(thread_parks).on_thread_unpark(thread_unparked);
        }
        self
    }
}

/// For a hook `on_thread_start` of the program's own.
pub fn thread_started() {
    if region::on() {
        thread(Role::Other, &this_thread());
    }
}

/// For a hook `on_thread_park` of the program's own.
pub fn thread_parks() {
    if region::on() {
        be_worker();
        park(queued());
    }
}

/// For a hook `on_thread_unpark` of the program's own.
pub fn thread_unparked() {
    if region::on() {
        be_worker();
        unpark(queued());
    }
}

fn this_thread() -> String {
    std::thread::current().name().unwrap_or("").to_string()
}

/// Says once that this thread is a worker: tokio starts workers and blocking threads alike, and a worker may move to
/// another thread.
fn be_worker() {
    if !region::on() || writer::peek(|w| w.is_worker.get()) == Some(true) {
        return;
    }
    if let Some(i) = tokio::runtime::worker_index() {
        thread(Role::Worker, &format!("{} {i}", this_thread()));
        writer::peek(|w| w.is_worker.set(true));
    }
}

/// What waits for this worker: its own queue, where tokio tells (`--cfg tokio_unstable`), and that of all.
fn queued() -> Option<u64> {
    let metrics = Handle::try_current().ok()?.metrics();
    #[cfg(tokio_unstable)]
    let own = tokio::runtime::worker_index().map_or(0, |i| metrics.worker_local_queue_depth(i));
    #[cfg(not(tokio_unstable))]
    let own = 0;
    Some((metrics.global_queue_depth() + own) as u64)
}

/// Who says that a task was born: its spawner, who learns its number when it is spawned, or its first poll, which may come
/// sooner.
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
    fn trace(&self, id: tokio::task::Id) -> PollTrace {
        PollTrace::born_of(self.parent, self.at, self.func, self.name.as_deref(), probe_id(id))
    }

    fn by_spawner(&self, id: tokio::task::Id) {
        if self.state.compare_exchange(UNBORN, TAKEN, Relaxed, Relaxed).is_ok() {
            let trace = self.trace(id);
            // SAFETY: see Send.
            unsafe { *self.born.get() = Some(trace) };
            self.state.store(BORN, Release);
        }
    }

    /// Waits, where the spawner is just saying so: for one event.
    fn by_poll(&self, id: tokio::task::Id) -> PollTrace {
        match self.state.compare_exchange(UNBORN, TAKEN, Acquire, Acquire) {
            Ok(_) => self.trace(id),
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
struct Task<F> {
    birth: Option<Arc<Birth>>,
    future: TracedFuture<F>,
}

impl<F: Future> Future for Task<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `future` is pinned and not moved; `birth` is not pinned.
        let this = unsafe { self.get_unchecked_mut() };
        if let Some(birth) = this.birth.take() {
            *this.future.trace_mut() = birth.by_poll(tokio::task::id());
        }
        be_worker();
        // SAFETY: as above.
        unsafe { Pin::new_unchecked(&mut this.future) }.poll(cx)
    }
}

/// A task's end to wait for: tokio's, which it derefs to, and as a future it says that it waits on `join:ID`.
pub struct JoinHandle<T> {
    inner: WaitingOn<tokio::task::JoinHandle<T>>,
}

impl<T> JoinHandle<T> {
    /// tokio's own.
    pub fn into_inner(self) -> tokio::task::JoinHandle<T> {
        self.inner.into_inner()
    }
}

impl<T> Deref for JoinHandle<T> {
    type Target = tokio::task::JoinHandle<T>;

    fn deref(&self) -> &Self::Target {
        self.inner.get_ref()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.inner).poll(cx)
    }
}

#[track_caller]
fn spawn_on<F>(handle: &Handle, name: Option<&str>, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let at = Location::caller();
    let birth = region::ready().then(|| {
        ids();
        let (func, name, parent) = (function::<F>(), name.map(str::to_string), crate::current());
        let (state, born) = (AtomicU8::new(UNBORN), core::cell::UnsafeCell::new(None));
        Arc::new(Birth { state, born, at, func, name, parent })
    });
    let future = TracedFuture::root(future, PollTrace::unborn());
    let task = handle.spawn(Task { birth: birth.clone(), future });
    let on = match birth {
        Some(birth) => {
            birth.by_spawner(task.id());
            probe_id(task.id()).map_or(On::join(0).any(), On::join)
        }
        None => On::nothing(),
    };
    JoinHandle { inner: WaitingOn::anywhere(task, on) }
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

/// Runs `f` where it may block; it shows as a coroutine that runs on a blocking thread from beginning to end.
#[track_caller]
pub fn spawn_blocking<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> tokio::task::JoinHandle<T> {
    let mut trace = PollTrace::named("blocking");
    tokio::task::spawn_blocking(move || {
        thread(Role::Blocking, &this_thread());
        trace.on_resume();
        let done = f();
        trace.on_ready();
        done
    })
}

/// A sleep that says until when.
#[track_caller]
pub fn sleep(duration: Duration) -> WaitingOn<Sleep> {
    tokio::time::sleep(duration).waiting_on(On::timer(duration))
}

/// As [`sleep`].
#[track_caller]
pub fn sleep_until(deadline: Instant) -> WaitingOn<Sleep> {
    let left = deadline.saturating_duration_since(Instant::now());
    tokio::time::sleep_until(deadline).waiting_on(On::timer(left))
}

/// `block_on` and `spawn` of a runtime, traced.
pub trait RuntimeExt {
    /// As `block_on`; the future shows as a coroutine of its own, named `block_on`, on this thread.
    #[track_caller]
    fn block_on_traced<F: Future>(&self, future: F) -> F::Output;

    /// As [`spawn`], from outside of the runtime.
    #[track_caller]
    fn spawn_traced<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;
}

macro_rules! runtime_ext {
    ($type:ty, $handle:expr) => {
        impl RuntimeExt for $type {
            #[track_caller]
            fn block_on_traced<F: Future>(&self, future: F) -> F::Output {
                if region::ready() {
                    thread(Role::Other, &format!("{} block_on", this_thread()));
                }
                let (at, func) = (Location::caller(), function::<F>());
                self.block_on(TracedFuture::root(future, PollTrace::born(at, func, Some("block_on"), None)))
            }

            #[track_caller]
            fn spawn_traced<F>(&self, future: F) -> JoinHandle<F::Output>
            where
                F: Future + Send + 'static,
                F::Output: Send + 'static,
            {
                let handle: fn(&Self) -> &Handle = $handle;
                spawn_on(handle(self), None, future)
            }
        }
    };
}
runtime_ext!(Runtime, |r| r.handle());
runtime_ext!(Handle, |h| h);
