//! `Mutex`.

use core::fmt;
use core::future::Future;
use std::panic::Location;
use std::sync::Arc;

use ::tokio::sync as real;
use ::tokio::sync::TryLockError;

use super::{map, Held, Holder};
use crate::tokio::{blocked, unseen};
use crate::{On, TraceFutureExt};

/// tokio's, of which is reported who waits for it and who has it.
#[repr(transparent)] // so that an Arc of it is one of tokio's
pub struct Mutex<T: ?Sized>(real::Mutex<T>);

/// tokio's, which says when it unlocks.
pub type MutexGuard<'a, T> = Held<real::MutexGuard<'a, T>>;
/// As [`MutexGuard`], of a part.
pub type MappedMutexGuard<'a, T> = Held<real::MappedMutexGuard<'a, T>>;
/// tokio's, which says when it unlocks. It may be handed to anybody, so its holder is not reported: a lock is seen to be taken,
/// but deadlocks through owned guards are not.
pub type OwnedMutexGuard<T> = Held<real::OwnedMutexGuard<T>>;
/// As [`OwnedMutexGuard`], of a part.
pub type OwnedMappedMutexGuard<T, U> = Held<real::OwnedMappedMutexGuard<T, U>>;

impl<T> Mutex<T> {
    /// As tokio's `new`.
    #[track_caller]
    pub fn new(value: T) -> Self {
        let _made_here = unseen();
        Self(real::Mutex::new(value))
    }

    /// As tokio's `const_new`.
    pub const fn const_new(value: T) -> Self {
        Self(real::Mutex::const_new(value))
    }

    /// As tokio's `into_inner`.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    fn on(&self) -> On {
        On::mutex(self)
    }

    fn real(self: Arc<Self>) -> Arc<real::Mutex<T>> {
        // SAFETY: by repr(transparent) of the same size and alignment, and nothing happens when it is dropped.
        unsafe { Arc::from_raw(Arc::into_raw(self) as *const real::Mutex<T>) }
    }

    /// As tokio's `lock`: shows as waiting on `mutex:ADDRESS`.
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = MutexGuard<'_, T>> + '_ {
        let (on, at) = (self.on(), Location::caller());
        let lock = self.0.lock().waiting_on(on);
        async move { Held::taken(lock.await, on, Holder::Running, at) }
    }

    /// As tokio's `lock_owned`.
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> impl Future<Output = OwnedMutexGuard<T>> {
        let (on, at) = (self.on(), Location::caller());
        let lock = self.real().lock_owned().waiting_on(on);
        async move { Held::taken(lock.await, on, Holder::Anybody, at) }
    }

    /// As tokio's `blocking_lock`.
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        let guard = blocked::waits(self.on(), &self.0, |lock| lock.lock(), |lock| lock.blocking_lock());
        Held::taken(guard, self.on(), Holder::Running, Location::caller())
    }

    /// As tokio's `blocking_lock_owned`.
    #[track_caller]
    pub fn blocking_lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        let on = self.on();
        let guard = blocked::waits(on, self.real(), |lock| lock.lock_owned(), |lock| lock.blocking_lock_owned());
        Held::taken(guard, on, Holder::Anybody, Location::caller())
    }

    /// As tokio's `try_lock`.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        let at = Location::caller();
        self.0.try_lock().map(|guard| Held::taken(guard, self.on(), Holder::Running, at))
    }

    /// As tokio's `try_lock_owned`.
    #[track_caller]
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        let (on, at) = (self.on(), Location::caller());
        self.real().try_lock_owned().map(|guard| Held::taken(guard, on, Holder::Anybody, at))
    }

    /// As tokio's `get_mut`.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a, T: ?Sized> Held<real::MutexGuard<'a, T>> {
    /// As tokio's `mutex`.
    pub fn mutex(this: &Self) -> &'a Mutex<T> {
        let lock: *const real::Mutex<T> = real::MutexGuard::mutex(&this.inner);
        // SAFETY: such guards come of a `Mutex`, which is the same by repr(transparent).
        unsafe { &*(lock as *const Mutex<T>) }
    }
}

map!(['a, T: ?Sized] MutexGuard, real::MutexGuard<'a, T> => real::MappedMutexGuard<'a, U>, T, [mut] [?Sized]);
map!(['a, T: ?Sized] MappedMutexGuard, real::MappedMutexGuard<'a, T> => real::MappedMutexGuard<'a, U>, T, [mut] [Sized]);
map!([T: ?Sized] OwnedMutexGuard, real::OwnedMutexGuard<T> => real::OwnedMappedMutexGuard<T, U>, T, [mut] [?Sized]);
map!([T: ?Sized, V: ?Sized] OwnedMappedMutexGuard,
    real::OwnedMappedMutexGuard<T, V> => real::OwnedMappedMutexGuard<T, U>, V, [mut] [Sized]);
