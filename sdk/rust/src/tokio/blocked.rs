//! A task on a blocking thread is suspended while it blocks, as any other is that waits.

use core::cell::Cell;
use core::future::{poll_fn, Future};
use core::pin::pin;
use core::ptr;
use core::task::Context;
use std::panic::Location;

use ::tokio::runtime::Handle;

use crate::waker::Slot;
use crate::{region, On, PollTrace};

thread_local! {
    /// Of the task that runs on this thread and does not block; or nobody's.
    static TASK: Cell<*mut PollTrace> = const { Cell::new(ptr::null_mut()) };
}

/// The thread is that task's for as long as this lives.
struct Turn(*mut PollTrace);

impl Turn {
    fn of(task: *mut PollTrace) -> Self {
        Self(TASK.replace(task))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        TASK.set(self.0);
    }
}

/// Runs `f`, by which that task blocks.
pub(super) fn run<T>(task: &mut PollTrace, f: impl FnOnce() -> T) -> T {
    let _turn = Turn::of(task);
    f()
}

/// Has `f` have that task, if it is recorded and what runs here, until it is over.
fn with_task<R>(f: impl FnOnce(Option<&mut PollTrace>) -> R) -> R {
    let turn = Turn::of(ptr::null_mut());
    // SAFETY: `run` keeps it until this is over, and nobody else comes by it meanwhile.
    let task = unsafe { turn.0.as_mut() };
    // Another may run here within it, as by the `block_on` of another crate.
    f(task.filter(|task| region::on() && task.id() == crate::current()))
}

/// It goes on, if only to panic.
struct Suspended<'a>(&'a mut PollTrace);

impl Drop for Suspended<'_> {
    fn drop(&mut self) {
        self.0.on_resume();
    }
}

/// That task waits until `f` is over, for what runs here meanwhile.
#[track_caller]
pub(crate) fn suspends<R>(on: On, f: impl FnOnce() -> R) -> R {
    let at = Location::caller();
    with_task(|task| {
        let _suspended = task.map(|task| {
            task.on_wait_at(on, at);
            Suspended(task)
        });
        f()
    })
}

/// `f` blocks the thread for what `future` comes to as well: by this that task waits for it, so that its wakes are reported.
#[track_caller]
pub(crate) fn waits<T, F: Future>(
    on: On,
    what: T,
    future: impl FnOnce(T) -> F,
    f: impl FnOnce(T) -> F::Output,
) -> F::Output {
    let at = Location::caller();
    with_task(|task| {
        let Some(task) = task else { return f(what) };
        let mut waker = Slot::new();
        let mut future = pin!(future(what));
        Handle::current().block_on(poll_fn(|cx| {
            task.on_resume();
            let lending = (task.id() != 0).then(|| waker.lend(task.id(), cx.waker()));
            let its = lending.as_ref().map_or(cx.waker(), |lending| &lending.waker);
            let r = future.as_mut().poll(&mut Context::from_waker(its));
            if r.is_pending() {
                task.on_wait_at(on, at);
            }
            if lending.is_some() {
                waker.end();
            }
            r
        }))
    })
}
