//! All senders of a channel, of which the last one to be dropped closes it.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;

use crate::On;

/// tokio's sender, and what is reported when there is none any more.
#[derive(Debug)]
pub(super) struct Senders<S> {
    pub(super) inner: S,
    pub(super) number: u64,
    /// How many there are is reported; 0: not known.
    counted: bool,
    /// One of tokio's own was given away: when the last of those is dropped, nobody reports.
    given: AtomicBool,
}

impl<S> Senders<S> {
    pub(super) fn new(inner: S, number: u64) -> Arc<Self> {
        Arc::new(Self { inner, number, counted: false, given: AtomicBool::new(false) })
    }

    /// Those of a channel that has a number where anybody asks.
    pub(super) fn counted(inner: S, number: u64) -> Arc<Self> {
        let new = Arc::new(Self { inner, number, counted: number != 0, given: AtomicBool::new(false) });
        new.count(1);
        new
    }

    /// There are so many, as far as is known.
    pub(super) fn count(&self, senders: usize) {
        if self.counted && !self.given.load(Relaxed) {
            crate::level(On::senders_number(self.number), senders as u64);
        }
    }

    /// What who waits for a message waits on.
    pub(super) fn on(&self) -> On {
        On::chan_number(self.number)
    }

    /// And who waits for room, or for receivers.
    pub(super) fn room(&self) -> On {
        On::room_number(self.number)
    }

    /// There is something in it, in a moment.
    pub(super) fn fill(&self) {
        crate::level(self.on(), 1);
    }

    /// One of tokio's own: how many there are nobody knows from now on.
    pub(super) fn give(&self) -> S
    where
        S: Clone,
    {
        self.count(0);
        self.given.store(true, Relaxed);
        self.inner.clone()
    }
}

impl<S> Drop for Senders<S> {
    fn drop(&mut self) {
        if !*self.given.get_mut() {
            crate::close(self.on());
        }
    }
}

/// What senders of a channel have, whichever it is, and their weak ones: counts of their own, for all share one of tokio's.
macro_rules! sender {
    ($name:ident $(, $weak:ident)?) => {
        /// tokio's, which it derefs to; it says when the last one is dropped.
        #[derive(Debug)]
        pub struct $name<T>(Arc<Senders<real::$name<T>>>);

        impl<T> $name<T> {
            /// As tokio's `closed`.
            #[track_caller]
            pub fn closed(&self) -> impl Future<Output = ()> + '_ {
                #[allow(unused_imports)]
                use crate::tokio::older::Closed;
                self.0.inner.closed().waiting_on(self.0.room())
            }

            /// As tokio's `same_channel`.
            pub fn same_channel(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.0, &other.0)
            }

            /// tokio's own. That the last sender is dropped is not reported from now on.
            pub fn into_inner(self) -> real::$name<T> {
                self.0.give()
            }
        }

        impl<T> From<$name<T>> for real::$name<T> {
            fn from(sender: $name<T>) -> Self {
                sender.into_inner()
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                let new = self.0.clone();
                new.count(Arc::strong_count(&new));
                Self(new)
            }
        }

        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                self.0.count(Arc::strong_count(&self.0) - 1);
            }
        }

        impl<T> Deref for $name<T> {
            type Target = real::$name<T>;

            fn deref(&self) -> &Self::Target {
                &self.0.inner
            }
        }

        $(
        impl<T> $name<T> {
            /// As tokio's `downgrade`.
            #[must_use = "downgrade creates a weak sender and does not close the channel"]
            pub fn downgrade(&self) -> $weak<T> {
                $weak(Arc::downgrade(&self.0))
            }

            /// As tokio's `strong_count`.
            pub fn strong_count(&self) -> usize {
                Arc::strong_count(&self.0)
            }

            /// As tokio's `weak_count`.
            pub fn weak_count(&self) -> usize {
                Arc::weak_count(&self.0)
            }
        }

        /// tokio's.
        #[derive(Debug)]
        pub struct $weak<T>(Weak<Senders<real::$name<T>>>);

        impl<T> $weak<T> {
            /// As tokio's `upgrade`.
            pub fn upgrade(&self) -> Option<$name<T>> {
                let all = self.0.upgrade()?;
                all.count(Arc::strong_count(&all));
                Some($name(all))
            }

            /// As tokio's `strong_count`.
            pub fn strong_count(&self) -> usize {
                self.0.strong_count()
            }

            /// As tokio's `weak_count`.
            pub fn weak_count(&self) -> usize {
                self.0.weak_count()
            }
        }

        impl<T> Clone for $weak<T> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }
        )?
    };
}
pub(super) use sender;
