//! Sleeps that say until when.

use core::future::Future;
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::task::{Context, Poll};

use ::tokio::time as real;

use crate::{On, TraceFutureExt, WaitingOn};

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

    /// As tokio's `reset`.
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        // SAFETY: a projection to a field that is pinned with the whole.
        let inner = unsafe { self.map_unchecked_mut(|s| &mut s.0) };
        inner.set_on(until(deadline)).reset(deadline);
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // SAFETY: as in `reset`.
        unsafe { self.map_unchecked_mut(|s| &mut s.0) }.poll(cx)
    }
}

fn until(deadline: Instant) -> On {
    On::timer(deadline.saturating_duration_since(Instant::now()))
}

/// As tokio's `sleep`: shows as waiting on a timer, with the time that is left.
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    Sleep(real::sleep(duration).waiting_on(On::timer(duration)))
}

/// As tokio's `sleep_until`.
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep(real::sleep_until(deadline).waiting_on(until(deadline)))
}

/// tokio's, which it derefs to; who waits for the next tick waits on `timer:`.
#[derive(Debug)]
pub struct Interval(real::Interval);

impl Interval {
    /// As tokio's `tick`.
    #[track_caller]
    pub fn tick(&mut self) -> impl Future<Output = Instant> + '_ {
        self.0.tick().waiting_on(On::timer(Duration::ZERO).any())
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
    Interval(real::interval(period))
}

/// As tokio's `interval_at`.
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    Interval(real::interval_at(start, period))
}
