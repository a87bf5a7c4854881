//! tokio, traced: its modules and names, of which those that spawn, wait, lock or run say what they do.
//!
//! One line moves a program over, wherever it names tokio:
//!
//! ```
//! use corotrace::tokio; // all that is not traced is tokio's own
//!
//! let runtime = tokio::runtime::Runtime::new().unwrap();
//! let answer = runtime.block_on(async {
//!     let (reply, answer) = tokio::sync::oneshot::channel();
//!     let task = tokio::spawn(async move {
//!         tokio::time::sleep(std::time::Duration::from_millis(5)).await; // on a timer, due in 5ms
//!         reply.send(42).unwrap();
//!     });
//!     let answer = answer.await.unwrap(); // on chan:0x1
//!     task.await.unwrap(); // on join:3, which is the number that tokio gave the task
//!     answer
//! });
//! assert_eq!(answer, 42);
//! ```
//!
//! `#[tokio::main]` and `#[tokio::test]` then build a traced runtime, too. Or take single names from here: `use
//! corotrace::tokio::sync::Mutex`. Who builds a runtime of tokio's own has [`BuilderExt`] and [`RuntimeExt`].
//!
//! Traced are [`spawn`] and its kin, [`JoinSet`](task::JoinSet) and [`LocalSet`](task::LocalSet), the runtime's threads,
//! sleeps, intervals and timeouts, and of [`sync`] `Mutex`, `RwLock`, `Semaphore`, `Notify`, `Barrier`, `oneshot`, `mpsc`, `watch`
//! and `broadcast`; with the feature `tokio-net` the sockets of `net`, too. The rest is re-exported as it is: a task that waits for it is shown as waiting,
//! but not on what.

use core::sync::atomic::{AtomicU64, Ordering::*};

use crate::process as own_process; // not to stand before tokio's module of that name
use crate::region;

pub(crate) mod answer;
pub(crate) mod blocked;
mod local;
#[cfg(feature = "tokio-net")]
pub mod net;
pub(crate) mod older;
pub mod runtime;
pub mod sync;
pub mod task;
pub mod time;

pub use self::{
    runtime::{thread_parks, thread_started, thread_unparked, BuilderExt, RuntimeExt},
    task::{spawn, spawn_as, spawn_blocking, JoinHandle},
    time::{sleep, sleep_until},
};
#[doc(no_inline)]
pub use ::tokio::*;

#[cfg(feature = "layer")]
use crate::layer::{is_told, unseen};

/// Does tokio itself tell of its tasks? Then these modules tell nothing of them, but what they wait on.
#[cfg(not(feature = "layer"))]
fn is_told() -> bool {
    false
}

/// For as long as something of tokio's is made here, of which these modules tell.
#[cfg(not(feature = "layer"))]
struct Unseen;

#[cfg(not(feature = "layer"))]
fn unseen() -> Unseen {
    Unseen
}

/// How many ids of the region a process takes for tokio's tasks: theirs are numbered from 1 as well.
const IDS: u64 = 1_000_000_000_000;

/// The number in the trace of the task that tokio numbers so (`tokio::task::Id`, from 1.41 on): equal where this process was the
/// first to ask, else equal in its last twelve digits.
///
/// A process asks when its first runtime is built traced, or its first task spawned.
pub fn probe_id(id: older::Id) -> Option<u64> {
    // tokio reports the number in words only.
    probe_number(id.to_string().parse().ok()?)
}

pub(crate) fn probe_number(number: u64) -> Option<u64> {
    (number < IDS).then(ids)?.map(|first| first + number)
}

/// Runs `f` alone; a thread that was at it when this process was forked is its parent's. `by` is the process that is at it, by
/// its forks plus one, or 0.
fn alone<R>(by: &AtomicU64, fork: u64, f: impl FnOnce() -> R) -> R {
    let take = |by| (by != fork + 1).then_some(fork + 1);
    while by.fetch_update(Acquire, Relaxed, take).is_err() {
        std::thread::yield_now();
    }
    let r = f();
    by.store(0, Release);
    r
}

/// The first of the region's ids that are for tokio, less one.
fn ids() -> Option<u64> {
    static BASE: AtomicU64 = AtomicU64::new(0); // plus one
    static FORK: AtomicU64 = AtomicU64::new(0); // stored behind it
    static TAKES: AtomicU64 = AtomicU64::new(0);
    if !region::ready() || region::region().v1 {
        return None;
    }
    let fork = own_process::forks();
    let known = || Some(FORK.load(Acquire)).filter(|&of| of == fork).and_then(|_| BASE.load(Acquire).checked_sub(1));
    let take = || {
        let next = &region::region().header().next_probe_id;
        let base = |n: u64| (n - 1).div_ceil(IDS) * IDS;
        let n = next.fetch_update(Relaxed, Relaxed, |n| base(n).checked_add(IDS + 1)).ok()?;
        BASE.store(base(n) + 1, Release);
        FORK.store(fork, Release);
        Some(base(n))
    };
    known().or_else(|| alone(&TAKES, fork, || known().or_else(take)))
}

#[cfg(test)]
mod tests {
    use super::{alone, AtomicU64};

    #[test]
    fn what_a_thread_of_the_parents_is_at_holds_up_no_child() {
        let by = AtomicU64::new(0);
        alone(&by, 3, || assert_eq!(alone(&by, 4, || 5), 5)); // forked amid it
        assert_eq!(by.into_inner(), 0);
    }
}
