//! `broadcast`. Who waits for a message waits on `chan:NUMBER`, who waits for the last receiver to go on `room:NUMBER`.

use core::future::Future;
use core::ops::{Deref, DerefMut};
use std::sync::{Arc, Weak};

use ::tokio::sync::broadcast as real;

use super::number;
use super::senders::{sender, Senders};
use crate::{On, TraceFutureExt};

#[doc(no_inline)]
pub use ::tokio::sync::broadcast::error;
use error::RecvError;

sender!(Sender, WeakSender);

/// As tokio's `channel`.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let ((sender, inner), number) = (real::channel(capacity), number());
    (Sender(Senders::new(sender, number)), Receiver { inner, number })
}

impl<T> Sender<T> {
    /// As tokio's `new`.
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self(Senders::new(real::Sender::new(capacity), number()))
    }

    /// As tokio's `subscribe`.
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver { inner: self.0.inner.subscribe(), number: self.0.number }
    }
}

/// tokio's, which it derefs to; it says what it waits on.
#[derive(Debug)]
pub struct Receiver<T> {
    inner: real::Receiver<T>,
    number: u64,
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
        Self { inner: self.inner.resubscribe(), number: self.number }
    }
}

impl<T> Receiver<T> {
    pub(crate) fn on(&self) -> On {
        On::chan_number(self.number)
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
