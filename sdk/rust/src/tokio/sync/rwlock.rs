//! `RwLock`.

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
pub struct RwLock<T: ?Sized>(real::RwLock<T>);

/// tokio's, which says when it unlocks.
pub type RwLockReadGuard<'a, T> = Held<real::RwLockReadGuard<'a, T>>;
/// tokio's, which says when it unlocks.
pub type RwLockWriteGuard<'a, T> = Held<real::RwLockWriteGuard<'a, T>>;
/// As [`RwLockWriteGuard`], of a part.
pub type RwLockMappedWriteGuard<'a, T> = Held<real::RwLockMappedWriteGuard<'a, T>>;
/// tokio's, which says when it unlocks; its holder is not reported, as of all owned guards.
pub type OwnedRwLockReadGuard<T, U = T> = Held<real::OwnedRwLockReadGuard<T, U>>;
/// tokio's, which says when it unlocks; its holder is not reported, as of all owned guards.
pub type OwnedRwLockWriteGuard<T> = Held<real::OwnedRwLockWriteGuard<T>>;
/// As [`OwnedRwLockWriteGuard`], of a part.
pub type OwnedRwLockMappedWriteGuard<T, U = T> = Held<real::OwnedRwLockMappedWriteGuard<T, U>>;

impl<T> RwLock<T> {
    /// As tokio's `new`.
    #[track_caller]
    pub fn new(value: T) -> Self {
        let _made_here = unseen();
        Self(real::RwLock::new(value))
    }

    /// As tokio's `const_new`.
    pub const fn const_new(value: T) -> Self {
        Self(real::RwLock::const_new(value))
    }

    /// As tokio's `const_with_max_readers`.
    pub const fn const_with_max_readers(value: T, max_reads: u32) -> Self {
        Self(real::RwLock::const_with_max_readers(value, max_reads))
    }

    /// As tokio's `with_max_readers`.
    #[track_caller]
    pub fn with_max_readers(value: T, max_reads: u32) -> Self {
        let _made_here = unseen();
        Self(real::RwLock::with_max_readers(value, max_reads))
    }

    /// As tokio's `into_inner`.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

/// The ways to one side of the lock.
macro_rules! side {
    ($word:literal: $lock:ident $owned:ident $blocking:ident $try:ident $try_owned:ident $guard:ident $owned_guard:ident) => {
        impl<T: ?Sized> RwLock<T> {
            #[doc = concat!("As tokio's `", $word, "`: shows as waiting on `mutex:ADDRESS`.")]
            #[track_caller]
            pub fn $lock(&self) -> impl Future<Output = $guard<'_, T>> + '_ {
                let (on, at) = (self.on(), Location::caller());
                let lock = self.0.$lock().waiting_on(on);
                async move { Held::taken(lock.await, on, Holder::Running, at) }
            }

            #[doc = concat!("As tokio's `", $word, "_owned`.")]
            #[track_caller]
            pub fn $owned(self: Arc<Self>) -> impl Future<Output = $owned_guard<T>> {
                let (on, at) = (self.on(), Location::caller());
                let lock = self.real().$owned().waiting_on(on);
                async move { Held::taken(lock.await, on, Holder::Anybody, at) }
            }

            #[doc = concat!("As tokio's `blocking_", $word, "`.")]
            #[track_caller]
            pub fn $blocking(&self) -> $guard<'_, T> {
                let guard = blocked::waits(self.on(), &self.0, |lock| lock.$lock(), |lock| lock.$blocking());
                Held::taken(guard, self.on(), Holder::Running, Location::caller())
            }

            #[doc = concat!("As tokio's `try_", $word, "`.")]
            #[track_caller]
            pub fn $try(&self) -> Result<$guard<'_, T>, TryLockError> {
                let at = Location::caller();
                self.0.$try().map(|guard| Held::taken(guard, self.on(), Holder::Running, at))
            }

            #[doc = concat!("As tokio's `try_", $word, "_owned`.")]
            #[track_caller]
            pub fn $try_owned(self: Arc<Self>) -> Result<$owned_guard<T>, TryLockError> {
                let (on, at) = (self.on(), Location::caller());
                self.real().$try_owned().map(|guard| Held::taken(guard, on, Holder::Anybody, at))
            }
        }
    };
}
side!("read": read read_owned blocking_read try_read try_read_owned RwLockReadGuard OwnedRwLockReadGuard);
side!("write": write write_owned blocking_write try_write try_write_owned RwLockWriteGuard OwnedRwLockWriteGuard);

impl<T: ?Sized> RwLock<T> {
    fn on(&self) -> On {
        On::mutex(self)
    }

    fn real(self: Arc<Self>) -> Arc<real::RwLock<T>> {
        // SAFETY: by repr(transparent) of the same size and alignment, and nothing happens when it is dropped.
        unsafe { Arc::from_raw(Arc::into_raw(self) as *const real::RwLock<T>) }
    }

    /// As tokio's `get_mut`.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

map!(['a, T: ?Sized] RwLockReadGuard, real::RwLockReadGuard<'a, T> => real::RwLockReadGuard<'a, U>, T, [] [?Sized]);
map!(['a, T: ?Sized] RwLockWriteGuard, real::RwLockWriteGuard<'a, T> => real::RwLockMappedWriteGuard<'a, U>, T, [mut] [?Sized]);
map!(['a, T: ?Sized] RwLockMappedWriteGuard,
    real::RwLockMappedWriteGuard<'a, T> => real::RwLockMappedWriteGuard<'a, U>, T, [mut] [?Sized]);
map!([T: ?Sized, V: ?Sized] OwnedRwLockReadGuard,
    real::OwnedRwLockReadGuard<T, V> => real::OwnedRwLockReadGuard<T, U>, V, [] [?Sized]);
map!([T: ?Sized] OwnedRwLockWriteGuard,
    real::OwnedRwLockWriteGuard<T> => real::OwnedRwLockMappedWriteGuard<T, U>, T, [mut] [?Sized]);
map!([T: ?Sized, V: ?Sized] OwnedRwLockMappedWriteGuard,
    real::OwnedRwLockMappedWriteGuard<T, V> => real::OwnedRwLockMappedWriteGuard<T, U>, V, [mut] [?Sized]);

impl<'a, T: ?Sized> Held<real::RwLockWriteGuard<'a, T>> {
    /// As tokio's `downgrade`.
    pub fn downgrade(self) -> RwLockReadGuard<'a, T> {
        self.same(real::RwLockWriteGuard::downgrade)
    }

    /// As tokio's `into_mapped`.
    pub fn into_mapped(this: Self) -> RwLockMappedWriteGuard<'a, T> {
        this.same(real::RwLockWriteGuard::into_mapped)
    }
}

impl<T: ?Sized> Held<real::OwnedRwLockWriteGuard<T>> {
    /// As tokio's `downgrade`.
    pub fn downgrade(self) -> OwnedRwLockReadGuard<T> {
        self.same(real::OwnedRwLockWriteGuard::downgrade)
    }

    /// As tokio's `into_mapped`.
    pub fn into_mapped(this: Self) -> OwnedRwLockMappedWriteGuard<T> {
        this.same(real::OwnedRwLockWriteGuard::into_mapped)
    }
}
