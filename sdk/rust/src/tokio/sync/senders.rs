//! All senders of a channel, of which the last one to be dropped closes it.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

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
    /// One of these is each receiver's.
    receivers: Arc<()>,
}

impl<S> Senders<S> {
    fn all(inner: S, number: u64, counted: bool) -> Arc<Self> {
        Arc::new(Self { inner, number, counted, given: AtomicBool::new(false), receivers: Arc::default() })
    }

    pub(super) fn new(inner: S, number: u64) -> Arc<Self> {
        Self::all(inner, number, false)
    }

    /// Those of a channel that has a number where anybody asks.
    pub(super) fn counted(inner: S, number: u64) -> Arc<Self> {
        let new = Self::all(inner, number, number != 0);
        new.count(1);
        new
    }

    /// How many weak ones there are: what the receivers have is none, and one may be leaving.
    pub(super) fn weak(self: &Arc<Self>) -> usize {
        Arc::weak_count(self).saturating_sub(Arc::strong_count(&self.receivers) - 1)
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

/// What a receiver knows of them: to tokio they are one.
#[derive(Debug)]
pub(super) struct Seen<S> {
    senders: Weak<Senders<S>>,
    receivers: Arc<()>,
}

impl<S> Seen<S> {
    pub(super) fn of(all: &Arc<Senders<S>>) -> Self {
        Self { senders: Arc::downgrade(all), receivers: all.receivers.clone() }
    }

    pub(super) fn another(&self) -> Self {
        Self { senders: self.senders.clone(), receivers: self.receivers.clone() }
    }

    /// Where tokio knows of so many, among them those that were given away.
    pub(super) fn strong(&self, known: usize) -> usize {
        self.senders.upgrade().map_or(known, |all| match all.given.load(Relaxed) {
            true => known - 1 + Arc::strong_count(&all) - 1,
            false => Arc::strong_count(&all) - 1,
        })
    }

    pub(super) fn weak(&self, known: usize) -> usize {
        known + self.senders.upgrade().map_or(0, |all| all.weak())
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
                self.0.weak()
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
