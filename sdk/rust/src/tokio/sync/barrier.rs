//! `Barrier`.

use core::future::Future;

use ::tokio::sync as real;

use super::number;
use crate::tokio::unseen;
use crate::{On, TraceFutureExt};

#[doc(no_inline)]
pub use ::tokio::sync::BarrierWaitResult;

/// tokio's; who waits at it waits on `cond:NUMBER`.
#[derive(Debug)]
pub struct Barrier {
    inner: real::Barrier,
    number: u64,
}

impl Barrier {
    /// As tokio's `new`.
    #[track_caller]
    pub fn new(n: usize) -> Self {
        let _made_here = unseen();
        Self::from(real::Barrier::new(n))
    }

    /// As tokio's `wait`.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = BarrierWaitResult> + '_ {
        self.inner.wait().waiting_on(On::cond_number(self.number))
    }

    /// tokio's own.
    pub fn into_inner(self) -> real::Barrier {
        self.inner
    }
}

impl From<Barrier> for real::Barrier {
    fn from(barrier: Barrier) -> Self {
        barrier.into_inner()
    }
}

impl From<real::Barrier> for Barrier {
    fn from(inner: real::Barrier) -> Self {
        Self { inner, number: number() }
    }
}
