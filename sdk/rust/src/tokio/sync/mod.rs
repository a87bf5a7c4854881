//! Locks, semaphores, notifications and channels that say who waits for them, who has them, and what becomes of them.
//!
//! What is not traced (`SetOnce`) is tokio's own.

use core::fmt;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::panic::Location;

use crate::ctp::Kind;
use crate::on::On;
use crate::{flag, probe, region};

mod barrier;
pub mod broadcast;
mod cell;
pub mod mpsc;
mod mutex;
mod notify;
pub mod oneshot;
mod rwlock;
mod semaphore;
mod senders;
pub mod watch;

pub use self::{
    barrier::Barrier,
    cell::OnceCell,
    mutex::{MappedMutexGuard, Mutex, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard},
    notify::Notify,
    rwlock::{
        OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, RwLockMappedWriteGuard,
        RwLockReadGuard, RwLockWriteGuard,
    },
    semaphore::{OwnedSemaphorePermit, Semaphore, SemaphorePermit},
};
#[doc(no_inline)]
pub use ::tokio::sync::*;

/// What tokio's futures of these are.
pub mod futures {
    pub use super::notify::{Notified, OwnedNotified};
}

/// A number that no other channel, notification or barrier of this process has, where anybody may ever ask.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    match region::ready() || flag::is_shared() {
        true => NEXT.fetch_add(1, Relaxed),
        false => 0,
    }
}

/// Who has a guard.
#[derive(Clone, Copy)]
enum Holder {
    /// Whoever runs here.
    Running,
    /// An owned guard may be handed to anybody, and kept where no task can be seen to have it. So nobody in particular.
    Anybody,
}

/// A guard or permit: tokio's, which it derefs to where that derefs to something. It says when it is taken and given back.
pub struct Held<G> {
    on: On,
    holder: Holder,
    inner: G,
}

impl<G> Held<G> {
    fn taken(inner: G, on: On, holder: Holder, at: &'static Location<'static>) -> Self {
        probe::hold(Kind::Acquire, on, matches!(holder, Holder::Running), Some(at));
        Self { on, holder, inner }
    }

    /// The guard itself; it is not given back.
    fn open(self) -> (On, Holder, G) {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither dropped nor used again.
        (this.on, this.holder, unsafe { core::ptr::read(&this.inner) })
    }

    /// What gives it back if it is dropped ahead of tokio's, as by a panic; else to be opened.
    fn in_doubt(&self) -> Held<()> {
        Held { on: self.on, holder: self.holder, inner: () }
    }

    /// Another guard of the same.
    fn same<H>(self, f: impl FnOnce(G) -> H) -> Held<H> {
        let (on, holder, inner) = self.open();
        Held { on, holder, inner: f(inner) }
    }

    /// Another guard of the same, if `f` makes one.
    fn try_same<H>(self, f: impl FnOnce(G) -> Result<H, G>) -> Result<Held<H>, Self> {
        let (on, holder, inner) = self.open();
        match f(inner) {
            Ok(inner) => Ok(Held { on, holder, inner }),
            Err(inner) => Err(Held { on, holder, inner }),
        }
    }

    fn give_back(&self) {
        probe::hold(Kind::Release, self.on, matches!(self.holder, Holder::Running), None);
    }
}

impl<G> Drop for Held<G> {
    fn drop(&mut self) {
        // Before it is, so that whoever is woken for it takes it afterwards.
        self.give_back();
    }
}

impl<G: Deref> Deref for Held<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.inner
    }
}

impl<G: DerefMut> DerefMut for Held<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.inner
    }
}

impl<G: fmt::Debug> fmt::Debug for Held<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<G: fmt::Display> fmt::Display for Held<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// `map` and `try_map` of a guard: `[lifetimes and types] guard => type of the value, mapped guard`.
macro_rules! map {
    ([$($g:tt)*] $real:ident, $from:ty => $mapped:ty, $value:ty, [$($mut:tt)?] [$($unsized:tt)*]) => {
        impl<$($g)*> $crate::tokio::sync::Held<$from> {
            /// As tokio's `map`.
            pub fn map<U: $($unsized)*>(
                this: Self,
                f: impl FnOnce(&$($mut)? $value) -> &$($mut)? U,
            ) -> $crate::tokio::sync::Held<$mapped> {
                let doubt = this.in_doubt();
                this.same(|guard| {
                    ::tokio::sync::$real::map(guard, |value| {
                        let part = f(value);
                        doubt.open();
                        part
                    })
                })
            }

            /// As tokio's `try_map`.
            pub fn try_map<U: $($unsized)*>(
                this: Self,
                f: impl FnOnce(&$($mut)? $value) -> Option<&$($mut)? U>,
            ) -> Result<$crate::tokio::sync::Held<$mapped>, Self> {
                let doubt = this.in_doubt();
                this.try_same(|guard| {
                    ::tokio::sync::$real::try_map(guard, |value| {
                        let part = f(value);
                        doubt.open();
                        part
                    })
                })
            }
        }
    };
}
use map;
