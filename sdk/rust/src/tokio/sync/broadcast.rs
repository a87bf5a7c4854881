//! `broadcast`. Who waits for a message waits on `chan:NUMBER`, who waits for the last receiver to go on `room:NUMBER`.

use core::future::Future;
use core::ops::{Deref, DerefMut};
use std::sync::{Arc, Weak};

use ::tokio::sync::broadcast as real;

use super::number;
use super::senders::{sender, Seen, Senders};
use crate::tokio::blocked;
#[allow(unused_imports)]
use crate::tokio::older::Counts;
use crate::{On, TraceFutureExt};

#[doc(no_inline)]
pub use ::tokio::sync::broadcast::error;
use error::RecvError;

sender!(Sender, WeakSender);

/// As tokio's `channel`.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let ((sender, inner), number) = (real::channel(capacity), number());
    let senders = Senders::new(sender, number);
    let seen = Seen::of(&senders);
    (Sender(senders), Receiver { inner, number, seen })
}

impl<T> Sender<T> {
    /// As tokio's `new`.
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self(Senders::new(real::Sender::new(capacity), number()))
    }

    /// As tokio's `subscribe`.
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver { inner: self.0.inner.subscribe(), number: self.0.number, seen: Seen::of(&self.0) }
    }
}

/// tokio's, which it derefs to; it says what it waits on.
#[derive(Debug)]
pub struct Receiver<T> {
    inner: real::Receiver<T>,
    number: u64,
    seen: Seen<real::Sender<T>>,
}

impl<T: Clone> Receiver<T> {
    /// As tokio's `recv`.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, RecvError>> + '_ {
        let on = self.on();
        self.inner.recv().waiting_on(on)
    }

    /// As tokio's `resubscribe`.
    pub fn resubscribe(&self) -> Self {
        Self { inner: self.inner.resubscribe(), number: self.number, seen: self.seen.another() }
    }

    /// As tokio's `blocking_recv`.
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        blocked::waits(self.on(), &mut self.inner, |inner| inner.recv(), |inner| inner.blocking_recv())
    }
}

impl<T> Receiver<T> {
    pub(crate) fn on(&self) -> On {
        On::chan_number(self.number)
    }

    /// As tokio's `sender_strong_count`.
    pub fn sender_strong_count(&self) -> usize {
        self.seen.strong(self.inner.sender_strong_count())
    }

    /// As tokio's `sender_weak_count`.
    pub fn sender_weak_count(&self) -> usize {
        self.seen.weak(self.inner.sender_weak_count())
    }

    /// tokio's own.
    pub fn into_inner(self) -> real::Receiver<T> {
        self.inner
    }
}

impl<T> From<Receiver<T>> for real::Receiver<T> {
    fn from(receiver: Receiver<T>) -> Self {
        receiver.into_inner()
    }
}

impl<T> Deref for Receiver<T> {
    type Target = real::Receiver<T>;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

impl<T> DerefMut for Receiver<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.inner
    }
}
