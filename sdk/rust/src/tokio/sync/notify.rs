//! `Notify`.

use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use core::task::{Context, Poll};
use std::sync::Arc;

use ::tokio::sync as real;

use super::number;
use crate::{On, TraceFutureExt, WaitingOn};

/// tokio's, of which is reported who waits for it, how many are there to hear, and whether a permit is left.
#[derive(Debug, Default)]
pub struct Notify {
    inner: real::Notify,
    /// From its first use on: an address would be that of another afterwards, which has no permit. 0: none so far.
    number: AtomicU64,
    /// Futures that `notify_waiters` reaches: those that are made, for they need not have been polled.
    heard_by: AtomicUsize,
    /// `notify_one` was ever called.
    keeps: AtomicBool,
}

impl Notify {
    /// As tokio's `new`.
    pub fn new() -> Self {
        Self::default()
    }

    /// As tokio's `const_new`.
    pub const fn const_new() -> Self {
        let (number, heard_by, keeps) = (AtomicU64::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        Self { inner: real::Notify::const_new(), number, heard_by, keeps }
    }

    fn on(&self) -> On {
        let first = || match number() {
            0 => 0, // nobody asks, nor is it written
            new => self.number.compare_exchange(0, new, Relaxed, Relaxed).map_or_else(|is| is, |_| new),
        };
        On::cond_number(match self.number.load(Relaxed) {
            0 => first(),
            is => is,
        })
    }

    /// As tokio's `notified`: shows as waiting on `cond:NUMBER`.
    #[track_caller]
    pub fn notified(&self) -> Notified<'_> {
        self.heard_by.fetch_add(1, Relaxed);
        Notified { inner: self.inner.notified().waiting_on(self.on()), notify: self, is_done: false }
    }

    /// As tokio's `notified_owned`.
    #[track_caller]
    pub fn notified_owned(self: Arc<Self>) -> OwnedNotified {
        // SAFETY: what it refers to lives in the Arc, which is dropped after it, and does not move.
        let notify: &'static Self = unsafe { &*Arc::as_ptr(&self) };
        OwnedNotified { inner: notify.notified(), _notify: self }
    }

    /// Reported before it is there, and that it is gone after it is: so whatever is reported, nobody is said to wait for what is
    /// there who does not.
    fn keep(&self) {
        self.keeps.store(true, Relaxed);
        crate::level(self.on(), 1);
    }

    /// As tokio's `notify_one`.
    pub fn notify_one(&self) {
        self.keep();
        self.inner.notify_one();
    }

    /// As tokio's `notify_last`.
    pub fn notify_last(&self) {
        self.keep();
        self.inner.notify_last();
    }

    /// As tokio's `notify_waiters`.
    #[track_caller]
    pub fn notify_waiters(&self) {
        crate::notify(self.on(), self.heard_by.load(Relaxed) as u64);
        self.inner.notify_waiters();
    }
}

/// tokio's, which says what it waits on.
#[must_use = "futures do nothing unless they are polled"]
#[derive(Debug)]
pub struct Notified<'a> {
    inner: WaitingOn<real::futures::Notified<'a>>,
    notify: &'a Notify,
    is_done: bool,
}

impl Notified<'_> {
    fn done(&mut self) {
        if !core::mem::replace(&mut self.is_done, true) {
            self.notify.heard_by.fetch_sub(1, Relaxed);
        }
    }

    /// As tokio's `enable`.
    pub fn enable(self: Pin<&mut Self>) -> bool {
        // SAFETY: `inner` is pinned and not moved; the rest is not pinned.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: as above.
        let is_there = unsafe { Pin::new_unchecked(&mut this.inner) }.get_pin_mut().enable();
        if is_there {
            this.took();
        }
        is_there
    }

    fn took(&mut self) {
        if self.notify.keeps.load(Relaxed) {
            crate::level(self.notify.on(), 0);
        }
        self.done();
    }
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // SAFETY: as in `enable`.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: as above.
        let r = unsafe { Pin::new_unchecked(&mut this.inner) }.poll(cx);
        if r.is_ready() {
            this.took();
        }
        r
    }
}

impl Drop for Notified<'_> {
    fn drop(&mut self) {
        self.done();
    }
}

/// As [`Notified`], of a shared `Notify`.
#[must_use = "futures do nothing unless they are polled"]
#[derive(Debug)]
pub struct OwnedNotified {
    inner: Notified<'static>,
    // Behind `inner`, which refers to it.
    _notify: Arc<Notify>,
}

impl OwnedNotified {
    /// As tokio's `enable`.
    pub fn enable(self: Pin<&mut Self>) -> bool {
        // SAFETY: a projection to a field that is pinned with the whole.
        unsafe { self.map_unchecked_mut(|s| &mut s.inner) }.enable()
    }
}

impl Future for OwnedNotified {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // SAFETY: as above.
        unsafe { self.map_unchecked_mut(|s| &mut s.inner) }.poll(cx)
    }
}
