//! Sleeps that say until when.

use core::future::{Future, IntoFuture};
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::task::{Context, Poll};

use ::tokio::time as real;

use crate::tokio::unseen;
use crate::{polling, region, On, TraceFutureExt, WaitingOn};

#[doc(no_inline)]
pub use ::tokio::time::*;

/// tokio's, with the time when it ends.
#[must_use = "futures do nothing unless they are polled"]
#[derive(Debug)]
pub struct Sleep(WaitingOn<real::Sleep>);

impl Sleep {
    /// As tokio's `deadline`.
    pub fn deadline(&self) -> Instant {
        self.0.get_ref().deadline()
    }

    /// As tokio's `is_elapsed`.
    pub fn is_elapsed(&self) -> bool {
        self.0.get_ref().is_elapsed()
    }

    /// tokio's own.
    pub fn into_inner(self) -> real::Sleep {
        self.0.into_inner()
    }

    /// As tokio's `reset`.
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        // SAFETY: a projection to a field that is pinned with the whole.
        let inner = unsafe { self.map_unchecked_mut(|s| &mut s.0) };
        inner.set_on(until(deadline)).reset(deadline);
    }
}

impl Future for Sleep {
    type Output = ();

    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = self.deadline();
        // SAFETY: as in `reset`.
        due(unsafe { self.map_unchecked_mut(|s| &mut s.0) }, || Some(deadline)).poll(cx)
    }
}

impl From<real::Sleep> for Sleep {
    #[track_caller]
    fn from(inner: real::Sleep) -> Self {
        let on = until(inner.deadline());
        Self(inner.waiting_on(on))
    }
}

impl From<Sleep> for real::Sleep {
    fn from(sleep: Sleep) -> Self {
        sleep.into_inner()
    }
}

/// One that was made when nobody asked says now when it is due.
fn due<F>(mut waits: Pin<&mut WaitingOn<F>>, when: impl FnOnce() -> Option<Instant>) -> Pin<&mut WaitingOn<F>> {
    if waits.waits_for(On::timer_any()) && region::on() {
        if let Some(deadline) = when() {
            waits.as_mut().set_on(until(deadline));
        }
    }
    waits
}

/// tokio's, with the time when it ends: that wakes its task in any case, whatever else it waits for.
#[must_use = "futures do nothing unless they are polled"]
#[derive(Debug)]
pub struct Timeout<F>(WaitingOn<real::Timeout<F>>);

impl<F> Timeout<F> {
    /// As tokio's `get_ref`.
    pub fn get_ref(&self) -> &F {
        self.0.get_ref().get_ref()
    }

    /// As tokio's `get_mut`.
    pub fn get_mut(&mut self) -> &mut F {
        self.0.get_mut().get_mut()
    }

    /// As tokio's `into_inner`.
    pub fn into_inner(self) -> F {
        self.0.into_inner().into_inner()
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, error::Elapsed>;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: a projection to a field that is pinned with the whole.
        unsafe { self.map_unchecked_mut(|s| &mut s.0) }.poll_as(polling::pending_limited, cx)
    }
}

/// As tokio's `timeout`: shows as waiting on a timer, at the site of the timeout, or for that and the lock or permits that are waited
/// for within it.
#[track_caller]
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    let _made_here = unseen();
    Timeout(real::timeout(duration, future.into_future()).waiting_on(On::timer(duration)))
}

/// As tokio's `timeout_at`.
#[track_caller]
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    let _made_here = unseen();
    Timeout(real::timeout_at(deadline, future.into_future()).waiting_on(until(deadline)))
}

fn until(deadline: Instant) -> On {
    On::timer(deadline.saturating_duration_since(Instant::now()))
}

/// As tokio's `sleep`: shows as waiting on a timer, with the time that is left.
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    let _made_here = unseen();
    Sleep(real::sleep(duration).waiting_on(On::timer(duration)))
}

/// As tokio's `sleep_until`.
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    let _made_here = unseen();
    Sleep(real::sleep_until(deadline).waiting_on(until(deadline)))
}

/// tokio's, which it derefs to; who waits for the next tick waits on `timer:`.
#[derive(Debug)]
pub struct Interval(real::Interval);

impl Interval {
    /// As tokio's `tick`.
    #[track_caller]
    pub fn tick(&mut self) -> impl Future<Output = Instant> + '_ {
        self.0.tick().waiting_on(On::timer_any())
    }
}

impl Interval {
    /// tokio's own.
    pub fn into_inner(self) -> real::Interval {
        self.0
    }
}

impl From<real::Interval> for Interval {
    fn from(inner: real::Interval) -> Self {
        Self(inner)
    }
}

impl From<Interval> for real::Interval {
    fn from(interval: Interval) -> Self {
        interval.into_inner()
    }
}

impl Deref for Interval {
    type Target = real::Interval;

    fn deref(&self) -> &real::Interval {
        &self.0
    }
}

impl DerefMut for Interval {
    fn deref_mut(&mut self) -> &mut real::Interval {
        &mut self.0
    }
}

/// As tokio's `interval`.
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    let _made_here = unseen();
    Interval(real::interval(period))
}

/// As tokio's `interval_at`.
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    let _made_here = unseen();
    Interval(real::interval_at(start, period))
}
