//! `Barrier`.

use core::future::Future;

use ::tokio::sync as real;

use crate::tokio::unseen;
use crate::{On, TraceFutureExt};

#[doc(no_inline)]
pub use ::tokio::sync::BarrierWaitResult;

/// tokio's; who waits at it waits on `cond:ADDRESS`.
#[derive(Debug)]
pub struct Barrier(real::Barrier);

impl Barrier {
    /// As tokio's `new`.
    #[track_caller]
    pub fn new(n: usize) -> Self {
        let _made_here = unseen();
        Self(real::Barrier::new(n))
    }

    /// As tokio's `wait`.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = BarrierWaitResult> + '_ {
        self.0.wait().waiting_on(On::cond(self))
    }

    /// tokio's own.
    pub fn into_inner(self) -> real::Barrier {
        self.0
    }
}

impl From<Barrier> for real::Barrier {
    fn from(barrier: Barrier) -> Self {
        barrier.into_inner()
    }
}

impl From<real::Barrier> for Barrier {
    fn from(inner: real::Barrier) -> Self {
        Self(inner)
    }
}
