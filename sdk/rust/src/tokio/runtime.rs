//! Runtimes whose threads, queues and outermost futures are reported.

use core::future::Future;
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use core::task::{Context, Poll};
use core::time::Duration;
use std::panic::Location;

use ::tokio::runtime as real;

#[allow(unused_imports)]
use super::older::{self, Builds};
use super::task::{self, JoinHandle};
use super::{blocked, is_told};
use crate::future::function;
use crate::poll_trace::{PollTrace, State};
use crate::probe::{park, thread, unpark, Role};
use crate::{flag, region, threads, On, TracedFuture};

pub use super::local::LocalRuntime;
#[doc(no_inline)]
pub use ::tokio::runtime::*;

/// `.traced()` for tokio's own builder of a runtime.
pub trait BuilderExt {
    /// Has the threads of the runtime show what they are, when they park, and how much is queued then: for all workers, and
    /// where the program is built with `--cfg tokio_unstable`, which alone makes tokio count, in the worker's own queue.
    ///
    /// It takes the builder's hooks `on_thread_start`, `on_thread_park` and `on_thread_unpark`, of which tokio keeps one
    /// each, and only while events are recorded. A program with hooks of its own takes the [`Builder`] of this module, or
    /// sets them after this and calls [`thread_started`], [`thread_parks`] and [`thread_unparked`] there.
    fn traced(&mut self) -> &mut Self;
}

impl BuilderExt for real::Builder {
    fn traced(&mut self) -> &mut Self {
        if region::ready() {
            hook(self);
        }
        self
    }
}

fn hook(builder: &mut real::Builder) {
    super::ids();
    builder.on_thread_start(thread_started).on_thread_park(thread_parks).on_thread_unpark(thread_unparked);
}

/// A builder that has no hooks yet. They are set where a recorder may ask later, too.
fn hooked(mut builder: real::Builder) -> Builder {
    if region::ready() || flag::is_shared() {
        hook(&mut builder);
    }
    Builder(builder)
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
        declare_worker(true);
        park(queued());
    }
}

/// For a hook `on_thread_unpark` of the program's own.
pub fn thread_unparked() {
    if region::on() {
        declare_worker(true);
        unpark(queued());
    }
}

pub(crate) fn this_thread() -> String {
    std::thread::current().name().unwrap_or("").to_string()
}

/// Which of the runtime's workers this thread is; not known where tokio does not say: `usize::MAX`.
fn own_worker_index() -> Option<usize> {
    #[allow(unused_imports)]
    use super::older::*;
    {
        #[allow(unused_imports)]
        use ::tokio::runtime::*;
        worker_index()
    }
}

/// As `own_worker_index`. Where tokio does not say, workers are numbered as they are seen to do what only those do.
fn worker_number(works: bool) -> Option<usize> {
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    match own_worker_index() {
        Some(usize::MAX) => works.then(|| SEEN.fetch_add(1, Relaxed)),
        index => index,
    }
}

/// Says once that this thread is a worker: tokio starts workers and blocking threads alike, and a worker may move to
/// another thread. `works`: it runs a task, or parks, as a worker does.
pub(crate) fn declare_worker(works: bool) {
    if !region::on() || threads::peek(|w| w.is_worker.get()) == Some(true) {
        return;
    }
    if let Some(i) = worker_number(works) {
        thread(Role::Worker, &format!("{} {i}", this_thread()));
        threads::peek(|w| w.is_worker.set(true));
    }
}

/// Says once that this thread runs the tasks of a `LocalSet`.
pub(crate) fn declare_local() {
    if region::ready() && threads::peek(|w| w.is_worker.get()) != Some(true) {
        thread(Role::Worker, &format!("{} local", this_thread()));
        threads::peek(|w| w.is_worker.set(true));
    }
}

/// What waits for this worker: its own queue, where tokio counts it (`--cfg tokio_unstable`), and that of all, which it counts
/// from 1.41 on.
fn queued() -> Option<u64> {
    #[allow(unused_imports)]
    use super::older::{Depth, Queue};
    let metrics = real::Handle::try_current().ok()?.metrics();
    #[cfg(tokio_unstable)]
    let own =
        own_worker_index().filter(|&i| i < metrics.num_workers()).map_or(0, |i| metrics.worker_local_queue_depth(i));
    #[cfg(not(tokio_unstable))]
    let own = 0;
    Some((metrics.global_queue_depth().known()? + own) as u64)
}

/// A worker that has much to do never parks: so it shows when it runs a task, and its queue is not as long as it was.
#[cfg(tokio_unstable)]
pub(super) fn record_queue() {
    if region::on() && own_worker_index().is_some() {
        if let Some(now) = queued().filter(|&now| threads::peek(|w| w.queue.replace(now)) != Some(now)) {
            unpark(Some(now));
        }
    }
}

/// What `block_on` polls: its thread sleeps whenever it is pending.
pub(super) struct BlockOn<F> {
    future: TracedFuture<F>,
    /// A current-thread runtime has other things to do there, and declares by its hooks when it has none.
    sleeps: bool,
}

impl<F: Future> Future for BlockOn<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `future` is pinned and not moved; the rest is not pinned.
        let this = unsafe { self.get_unchecked_mut() };
        if this.sleeps {
            unpark(None);
        }
        // SAFETY: as above.
        let r = unsafe { Pin::new_unchecked(&mut this.future) }.poll(cx);
        if r.is_pending() && this.sleeps {
            park(None);
        }
        r
    }
}

/// What the thread is, whatever comes of the future.
struct Blocking;

impl Drop for Blocking {
    fn drop(&mut self) {
        if threads::peek(|w| w.is_worker.get()) != Some(true) {
            thread(Role::Other, &this_thread());
        }
    }
}

#[track_caller]
pub(super) fn block_on<F: Future>(
    handle: &real::Handle,
    future: F,
    run: impl FnOnce(BlockOn<F>) -> F::Output,
) -> F::Output {
    let (at, func) = (Location::caller(), function::<F>());
    if is_told() {
        let mut ended = PollTrace::unborn();
        ended.state = State::Ended;
        let future = BlockOn { future: TracedFuture::main(future, ended), sleeps: false };
        return task::describe(at, func, None, || run(future));
    }
    let sleeps = region::ready() && handle.runtime_flavor() != real::RuntimeFlavor::CurrentThread;
    let _blocking = sleeps.then(|| {
        thread(Role::Blocking, &format!("{} block_on", this_thread()));
        Blocking
    });
    let root = PollTrace::born(at, func, Some("block_on"), None);
    let on = if root.is_enabled() { On::coro(root.id()) } else { On::nothing() };
    blocked::suspends(on, || run(BlockOn { future: TracedFuture::main(future, root), sleeps }))
}

/// `block_on` and `spawn` of a runtime of tokio's own, traced.
pub trait RuntimeExt {
    /// As `block_on`; the future shows as a coroutine of its own, named `block_on`, on this thread.
    #[track_caller]
    fn block_on_traced<F: Future>(&self, future: F) -> F::Output;

    /// As [`spawn`](task::spawn), from outside of the runtime.
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
                let handle: fn(&Self) -> &real::Handle = $handle;
                block_on(handle(self), future, |future| self.block_on(future))
            }

            #[track_caller]
            fn spawn_traced<F>(&self, future: F) -> JoinHandle<F::Output>
            where
                F: Future + Send + 'static,
                F::Output: Send + 'static,
            {
                let handle: fn(&Self) -> &real::Handle = $handle;
                task::spawn_on(handle(self), None, future)
            }
        }
    };
}
runtime_ext!(real::Runtime, |r| r.handle());
runtime_ext!(real::Handle, |h| h);

/// tokio's builder, for a runtime that is traced. Hooks that are set here are called after the probe's.
#[derive(Debug)]
pub struct Builder(real::Builder);

/// Methods that hand the builder on.
macro_rules! builder {
    ($($(#[$cfg:meta])* $name:ident($($arg:ident: $type:ty)?);)*) => {
        $($(#[$cfg])* #[doc = concat!("As tokio's `", stringify!($name), "`.")]
        pub fn $name(&mut self $(, $arg: $type)?) -> &mut Self {
            self.0.$name($($arg)?);
            self
        })*
    };
}

impl Builder {
    /// As tokio's `new_multi_thread`.
    pub fn new_multi_thread() -> Self {
        hooked(real::Builder::new_multi_thread())
    }

    /// As tokio's `new_current_thread`.
    pub fn new_current_thread() -> Self {
        hooked(real::Builder::new_current_thread())
    }

    builder! {
        enable_all();
        enable_time();
        #[cfg(feature = "tokio-net")]
        enable_io();
        #[cfg(feature = "tokio-net")]
        max_io_events_per_tick(capacity: usize);
        worker_threads(count: usize);
        max_blocking_threads(count: usize);
        name(name: impl Into<String>);
        thread_name(name: impl Into<String>);
        thread_name_fn(f: impl Fn() -> String + Send + Sync + 'static);
        thread_stack_size(bytes: usize);
        thread_keep_alive(duration: Duration);
        on_thread_stop(f: impl Fn() + Send + Sync + 'static);
        global_queue_interval(ticks: u32);
        event_interval(ticks: u32);
        #[cfg(feature = "tokio-test-util")]
        start_paused(start_paused: bool);
    }

    /// As tokio's `on_thread_start`.
    pub fn on_thread_start(&mut self, f: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.0.on_thread_start(move || {
            thread_started();
            f();
        });
        self
    }

    /// As tokio's `on_thread_park`.
    pub fn on_thread_park(&mut self, f: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.0.on_thread_park(move || {
            f();
            thread_parks();
        });
        self
    }

    /// As tokio's `on_thread_unpark`.
    pub fn on_thread_unpark(&mut self, f: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.0.on_thread_unpark(move || {
            thread_unparked();
            f();
        });
        self
    }

    /// As tokio's `build`.
    pub fn build(&mut self) -> std::io::Result<Runtime> {
        Ok(Runtime::from(self.0.build()?))
    }

    /// As tokio's `build_local`.
    pub fn build_local(&mut self, options: older::LocalOptions) -> std::io::Result<LocalRuntime> {
        Ok(LocalRuntime::from(self.0.build_local(options)?))
    }
}

impl From<real::Builder> for Builder {
    fn from(mut builder: real::Builder) -> Self {
        builder.traced();
        Self(builder)
    }
}

/// tokio's runtime, whose `block_on`, `spawn` and `spawn_blocking` are traced. Derefs to tokio's own.
#[derive(Debug)]
pub struct Runtime {
    inner: real::Runtime,
    handle: Handle,
}

impl Runtime {
    /// As tokio's `new`.
    pub fn new() -> std::io::Result<Self> {
        Builder::new_multi_thread().enable_all().build()
    }

    /// As tokio's `handle`.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// As tokio's `shutdown_timeout`.
    pub fn shutdown_timeout(self, duration: Duration) {
        self.inner.shutdown_timeout(duration);
    }

    /// As tokio's `shutdown_background`.
    pub fn shutdown_background(self) {
        self.inner.shutdown_background();
    }

    /// tokio's own.
    pub fn into_inner(self) -> real::Runtime {
        self.inner
    }
}

impl From<real::Runtime> for Runtime {
    fn from(inner: real::Runtime) -> Self {
        Self { handle: Handle(inner.handle().clone()), inner }
    }
}

impl From<Runtime> for real::Runtime {
    fn from(runtime: Runtime) -> Self {
        runtime.into_inner()
    }
}

impl Deref for Runtime {
    type Target = real::Runtime;

    fn deref(&self) -> &real::Runtime {
        &self.inner
    }
}

impl DerefMut for Runtime {
    fn deref_mut(&mut self) -> &mut real::Runtime {
        &mut self.inner
    }
}

/// tokio's handle of a runtime, whose `block_on`, `spawn` and `spawn_blocking` are traced. Derefs to tokio's own.
#[derive(Clone, Debug)]
pub struct Handle(real::Handle);

impl Handle {
    /// As tokio's `current`.
    #[track_caller]
    pub fn current() -> Self {
        Self(real::Handle::current())
    }

    /// As tokio's `try_current`.
    pub fn try_current() -> Result<Self, TryCurrentError> {
        real::Handle::try_current().map(Self)
    }
}

impl Handle {
    /// tokio's own.
    pub fn into_inner(self) -> real::Handle {
        self.0
    }
}

impl From<Handle> for real::Handle {
    fn from(handle: Handle) -> Self {
        handle.into_inner()
    }
}

impl From<real::Handle> for Handle {
    fn from(handle: real::Handle) -> Self {
        Self(handle)
    }
}

impl Deref for Handle {
    type Target = real::Handle;

    fn deref(&self) -> &real::Handle {
        &self.0
    }
}

macro_rules! runs {
    ($type:ty, $inner:ident) => {
        impl $type {
            /// As tokio's `block_on`; the future shows as a coroutine named `block_on`, on this thread.
            #[track_caller]
            pub fn block_on<F: Future>(&self, future: F) -> F::Output {
                self.$inner().block_on_traced(future)
            }

            /// As [`spawn`](task::spawn), from outside of the runtime.
            #[track_caller]
            pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
            where
                F: Future + Send + 'static,
                F::Output: Send + 'static,
            {
                self.$inner().spawn_traced(future)
            }

            /// As [`spawn_blocking`](task::spawn_blocking), from outside of the runtime.
            #[track_caller]
            pub fn spawn_blocking<T: Send + 'static>(&self, f: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
                task::block(f, |f| self.$inner().spawn_blocking(f))
            }
        }
    };
}
runs!(Runtime, deref);
runs!(Handle, deref);
