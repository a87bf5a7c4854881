//! `Semaphore`.

use core::future::Future;
use core::ops::Deref;
use std::panic::Location;
use std::sync::Arc;

use ::tokio::sync as real;
use ::tokio::sync::{AcquireError, TryAcquireError};

use super::{Held, Holder};
#[allow(unused_imports)]
use crate::tokio::older::Blocks;
use crate::tokio::{blocked, unseen};
use crate::{On, TraceFutureExt};

/// tokio's, which it derefs to; it is reported who waits for it, who has permits of it, and when it is closed.
#[derive(Debug)]
#[repr(transparent)] // so that an Arc of it is one of tokio's
pub struct Semaphore(real::Semaphore);

/// tokio's, which says when it is given back, or forgotten.
pub type SemaphorePermit<'a> = Held<real::SemaphorePermit<'a>>;
/// tokio's, which says when it is given back, or forgotten; its holder is not reported, as of all that is owned.
pub type OwnedSemaphorePermit = Held<real::OwnedSemaphorePermit>;

impl Semaphore {
    /// How many permits there can be.
    pub const MAX_PERMITS: usize = real::Semaphore::MAX_PERMITS;

    /// As tokio's `new`.
    #[track_caller]
    pub fn new(permits: usize) -> Self {
        let _made_here = unseen();
        Self(real::Semaphore::new(permits))
    }

    /// As tokio's `const_new`.
    pub const fn const_new(permits: usize) -> Self {
        Self(real::Semaphore::const_new(permits))
    }

    pub(crate) fn on(&self) -> On {
        On::sem(self)
    }

    pub(crate) fn real(self: Arc<Self>) -> Arc<real::Semaphore> {
        // SAFETY: by repr(transparent) of the same size and alignment, and nothing happens when it is dropped.
        unsafe { Arc::from_raw(Arc::into_raw(self) as *const real::Semaphore) }
    }

    /// A permit that was got from the semaphore of which this is tokio's.
    #[cfg(feature = "tokio-util")]
    #[track_caller]
    pub(crate) fn got(&self, permit: real::OwnedSemaphorePermit) -> OwnedSemaphorePermit {
        Held::taken(permit, self.on(), Holder::Anybody, Location::caller())
    }

    /// As tokio's `acquire`: shows as waiting on `sem:ADDRESS`.
    #[track_caller]
    pub fn acquire(&self) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> + '_ {
        let (on, at) = (self.on(), Location::caller());
        let acquire = self.0.acquire().waiting_on(on);
        async move { Ok(Held::taken(acquire.await?, on, Holder::Running, at)) }
    }

    /// As tokio's `acquire_many`.
    #[track_caller]
    pub fn acquire_many(&self, n: u32) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> + '_ {
        let (on, at) = (self.on(), Location::caller());
        let acquire = self.0.acquire_many(n).waiting_on(on);
        async move { Ok(Held::taken(acquire.await?, on, Holder::Running, at)) }
    }

    /// As tokio's `blocking_acquire`.
    #[track_caller]
    pub fn blocking_acquire(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.blocking_acquire_many(1)
    }

    /// As tokio's `blocking_acquire_many`.
    #[track_caller]
    pub fn blocking_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, AcquireError> {
        let (on, at) = (self.on(), Location::caller());
        let permit = blocked::waits(on, &self.0, |all| all.acquire_many(n), |all| all.blocking_acquire_many(n));
        permit.map(|permit| Held::taken(permit, on, Holder::Running, at))
    }

    /// As tokio's `blocking_acquire_owned`.
    #[track_caller]
    pub fn blocking_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.blocking_acquire_many_owned(1)
    }

    /// As tokio's `blocking_acquire_many_owned`.
    #[track_caller]
    pub fn blocking_acquire_many_owned(self: Arc<Self>, n: u32) -> Result<OwnedSemaphorePermit, AcquireError> {
        let (on, at, all) = (self.on(), Location::caller(), self.real());
        let permit = blocked::waits(on, all, |all| all.acquire_many_owned(n), |all| all.blocking_acquire_many_owned(n));
        permit.map(|permit| Held::taken(permit, on, Holder::Anybody, at))
    }

    /// As tokio's `try_acquire`.
    #[track_caller]
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_acquire_many(1)
    }

    /// As tokio's `try_acquire_many`.
    #[track_caller]
    pub fn try_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        let at = Location::caller();
        self.0.try_acquire_many(n).map(|permit| Held::taken(permit, self.on(), Holder::Running, at))
    }

    /// As tokio's `acquire_owned`.
    #[track_caller]
    pub fn acquire_owned(self: Arc<Self>) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        let (on, at) = (self.on(), Location::caller());
        let acquire = self.real().acquire_owned().waiting_on(on);
        async move { Ok(Held::taken(acquire.await?, on, Holder::Anybody, at)) }
    }

    /// As tokio's `acquire_many_owned`.
    #[track_caller]
    pub fn acquire_many_owned(
        self: Arc<Self>,
        n: u32,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        let (on, at) = (self.on(), Location::caller());
        let acquire = self.real().acquire_many_owned(n).waiting_on(on);
        async move { Ok(Held::taken(acquire.await?, on, Holder::Anybody, at)) }
    }

    /// As tokio's `try_acquire_owned`.
    #[track_caller]
    pub fn try_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_acquire_many_owned(1)
    }

    /// As tokio's `try_acquire_many_owned`.
    #[track_caller]
    pub fn try_acquire_many_owned(self: Arc<Self>, n: u32) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        let (on, at) = (self.on(), Location::caller());
        self.real().try_acquire_many_owned(n).map(|permit| Held::taken(permit, on, Holder::Anybody, at))
    }

    /// As tokio's `add_permits`.
    #[track_caller]
    pub fn add_permits(&self, n: usize) {
        crate::notify(self.on(), n as u64);
        self.0.add_permits(n);
    }

    /// tokio's own.
    pub fn into_inner(self) -> real::Semaphore {
        self.0
    }

    /// As tokio's `close`.
    #[track_caller]
    pub fn close(&self) {
        crate::close(self.on());
        self.0.close();
    }
}

impl From<real::Semaphore> for Semaphore {
    fn from(inner: real::Semaphore) -> Self {
        Self(inner)
    }
}

impl From<Semaphore> for real::Semaphore {
    fn from(semaphore: Semaphore) -> Self {
        semaphore.into_inner()
    }
}

impl Deref for Semaphore {
    type Target = real::Semaphore;

    fn deref(&self) -> &real::Semaphore {
        &self.0
    }
}

macro_rules! permit {
    ([$($a:lifetime)?] $real:ty) => {
        impl$(<$a>)? Held<$real> {
            /// As tokio's `forget`. Nobody has it any more.
            pub fn forget(self) {
                self.give_back();
                self.open().2.forget();
            }

            /// As tokio's `merge`.
            #[track_caller]
            pub fn merge(&mut self, other: Self) {
                other.give_back();
                self.inner.merge(other.open().2);
            }

            /// As tokio's `split`.
            #[track_caller]
            pub fn split(&mut self, n: usize) -> Option<Self> {
                let at = Location::caller();
                self.inner.split(n).map(|permit| Held::taken(permit, self.on, self.holder, at))
            }

            /// As tokio's `num_permits`.
            pub fn num_permits(&self) -> usize {
                self.inner.num_permits()
            }
        }
    };
}
permit!(['a] real::SemaphorePermit<'a>);
permit!([] real::OwnedSemaphorePermit);
