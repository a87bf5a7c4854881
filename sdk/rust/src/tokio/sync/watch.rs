//! `watch`. Who waits for another value waits on `chan:NUMBER`, who waits for the last receiver to go on `room:NUMBER`.

use core::future::Future;
use core::ops::{Deref, DerefMut};
use std::sync::Arc;

use ::tokio::sync::watch as real;

use super::number;
use super::senders::{sender, Senders};
use crate::{On, TraceFutureExt};

#[doc(no_inline)]
pub use ::tokio::sync::watch::{error, Ref};
use error::RecvError;

sender!(Sender);

/// As tokio's `channel`.
pub fn channel<T>(init: T) -> (Sender<T>, Receiver<T>) {
    let ((sender, inner), number) = (real::channel(init), number());
    (Sender(Senders::new(sender, number)), Receiver { inner, number })
}

impl<T> Sender<T> {
    /// As tokio's `new`.
    pub fn new(init: T) -> Self {
        Self(Senders::new(real::Sender::new(init), number()))
    }

    /// As tokio's `subscribe`.
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver { inner: self.0.inner.subscribe(), number: self.0.number }
    }

    /// As tokio's `sender_count`.
    pub fn sender_count(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

impl<T: Default> Default for Sender<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// tokio's, which it derefs to; it says what it waits on.
#[derive(Debug)]
pub struct Receiver<T> {
    inner: real::Receiver<T>,
    number: u64,
}

impl<T> Receiver<T> {
    pub(crate) fn on(&self) -> On {
        On::chan_number(self.number)
    }

    /// As tokio's `changed`.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), RecvError>> + '_ {
        let on = self.on();
        self.inner.changed().waiting_on(on)
    }

    /// As tokio's `wait_for`.
    #[track_caller]
    pub fn wait_for<'a, F: FnMut(&T) -> bool>(
        &'a mut self,
        f: F,
    ) -> impl Future<Output = Result<Ref<'a, T>, RecvError>> + use<'a, T, F> {
        let on = self.on();
        self.inner.wait_for(f).waiting_on(on)
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

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), number: self.number }
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
