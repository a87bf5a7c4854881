//! `mpsc`. Who waits for a message waits on `chan:NUMBER`, who waits for room on `room:NUMBER`, with the same number.
//!
//! Of the channel is reported whether there is something in it: before a message is put there, and after one was taken, so that
//! it is never said to hold something that nobody was woken for.

use core::future::Future;
use core::ops::Deref;
use core::task::{Context, Poll};
use core::time::Duration;
use std::sync::{Arc, Weak};

use ::tokio::sync::mpsc as real;

use super::number;
use super::senders::{sender, Seen, Senders};
use crate::future::{future_of, WaitingOn};
#[allow(unused_imports)]
use crate::tokio::older::{Counts, RecvMany};
use crate::tokio::{blocked, unseen};
use crate::{On, TraceFutureExt};

#[doc(no_inline)]
pub use ::tokio::sync::mpsc::error;
use error::{SendError, SendTimeoutError, TryRecvError, TrySendError};

/// As tokio's `channel`.
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    let _made_here = unseen();
    let ((sender, inner), number) = (real::channel(buffer), number());
    let senders = Senders::counted(sender, number);
    let seen = Seen::of(&senders);
    (Sender(senders), Receiver { inner, number, seen })
}

/// As tokio's `unbounded_channel`.
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let ((sender, inner), number) = (real::unbounded_channel(), number());
    let senders = Senders::counted(sender, number);
    let seen = Seen::of(&senders);
    (UnboundedSender(senders), UnboundedReceiver { inner, number, seen })
}

sender!(Sender, WeakSender);
sender!(UnboundedSender, WeakUnboundedSender);

#[cfg(feature = "tokio-util")]
impl<T> Sender<T> {
    /// What who waits for room waits on.
    pub(crate) fn room(&self) -> On {
        self.0.room()
    }

    /// There is something in it, in a moment.
    pub(crate) fn fill(&self) {
        self.0.fill();
    }
}

impl<T> Sender<T> {
    /// As tokio's `send`.
    #[track_caller]
    pub fn send(&self, value: T) -> impl Future<Output = Result<(), SendError<T>>> + '_ {
        let room = WaitingOn::named(self.0.inner.reserve(), self.0.room(), future_of(real::Sender::<T>::send));
        async move { self.put(room.await, value) }
    }

    /// Sends where there is room: not before is there anything to be received, for others may have reserved all that there is.
    fn put<E>(&self, room: Result<real::Permit<'_, T>, E>, value: T) -> Result<(), SendError<T>> {
        let Ok(permit) = room else { return Err(SendError(value)) };
        self.0.fill();
        permit.send(value);
        Ok(())
    }

    /// As tokio's `try_send`.
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let room = self.0.inner.try_reserve();
        let is_full = matches!(room, Err(TrySendError::Full(())));
        self.put(room, value).map_err(|SendError(value)| match is_full {
            true => TrySendError::Full(value),
            false => TrySendError::Closed(value),
        })
    }

    /// As tokio's `send_timeout`.
    pub async fn send_timeout(&self, value: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        match ::tokio::time::timeout(timeout, self.0.inner.reserve()).await {
            Ok(room) => self.put(room, value).map_err(|SendError(value)| SendTimeoutError::Closed(value)),
            Err(_) => Err(SendTimeoutError::Timeout(value)),
        }
    }

    /// As tokio's `blocking_send`.
    #[track_caller]
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        drop(::tokio::sync::Mutex::const_new(()).blocking_lock()); // panics where a thread may not block
        blocked::waits(
            self.0.room(),
            value,
            |value| async { self.put(self.0.inner.reserve().await, value) },
            |value| match self.try_send(value) {
                Ok(()) => Ok(()),
                // That this one comes is not reported.
                Err(TrySendError::Full(value)) => self.0.inner.blocking_send(value),
                Err(TrySendError::Closed(value)) => Err(SendError(value)),
            },
        )
    }

    /// As tokio's `reserve`.
    #[track_caller]
    pub fn reserve(&self) -> impl Future<Output = Result<Permit<'_, T>, SendError<()>>> + '_ {
        let (room, on) = (self.0.inner.reserve().waiting_on(self.0.room()), self.0.on());
        async move { Ok(Permit { inner: room.await?, on }) }
    }

    /// As tokio's `reserve_many`.
    #[track_caller]
    pub fn reserve_many(&self, n: usize) -> impl Future<Output = Result<PermitIterator<'_, T>, SendError<()>>> + '_ {
        let (room, on) = (self.0.inner.reserve_many(n).waiting_on(self.0.room()), self.0.on());
        async move { Ok(PermitIterator { inner: room.await?, on }) }
    }

    /// As tokio's `try_reserve`.
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        Ok(Permit { inner: self.0.inner.try_reserve()?, on: self.0.on() })
    }

    /// As tokio's `try_reserve_many`.
    pub fn try_reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, TrySendError<()>> {
        Ok(PermitIterator { inner: self.0.inner.try_reserve_many(n)?, on: self.0.on() })
    }

    /// As tokio's `reserve_owned`.
    #[track_caller]
    pub fn reserve_owned(self) -> impl Future<Output = Result<OwnedPermit<T>, SendError<()>>> {
        let room = self.0.inner.clone().reserve_owned().waiting_on(self.0.room());
        async move { room.await.map(|inner| OwnedPermit { inner, sender: self }) }
    }

    /// As tokio's `try_reserve_owned`.
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T>, TrySendError<Self>> {
        match self.0.inner.clone().try_reserve_owned() {
            Ok(inner) => Ok(OwnedPermit { inner, sender: self }),
            Err(TrySendError::Full(_)) => Err(TrySendError::Full(self)),
            Err(TrySendError::Closed(_)) => Err(TrySendError::Closed(self)),
        }
    }
}

/// tokio's.
#[derive(Debug)]
pub struct Permit<'a, T> {
    inner: real::Permit<'a, T>,
    on: On,
}

impl<T> Permit<'_, T> {
    /// As tokio's `send`.
    pub fn send(self, value: T) {
        crate::level(self.on, 1);
        self.inner.send(value);
    }
}

/// tokio's.
#[derive(Debug)]
pub struct PermitIterator<'a, T> {
    inner: real::PermitIterator<'a, T>,
    on: On,
}

impl<'a, T> Iterator for PermitIterator<'a, T> {
    type Item = Permit<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(Permit { inner: self.inner.next()?, on: self.on })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}

impl<T> ExactSizeIterator for PermitIterator<'_, T> {}
impl<T> core::iter::FusedIterator for PermitIterator<'_, T> {}

/// tokio's.
#[derive(Debug)]
pub struct OwnedPermit<T> {
    inner: real::OwnedPermit<T>,
    sender: Sender<T>,
}

impl<T> OwnedPermit<T> {
    /// As tokio's `send`.
    pub fn send(self, value: T) -> Sender<T> {
        self.sender.0.fill();
        self.inner.send(value);
        self.sender
    }

    /// As tokio's `release`.
    pub fn release(self) -> Sender<T> {
        self.inner.release();
        self.sender
    }

    /// As tokio's `same_channel`.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.sender.same_channel(&other.sender)
    }

    /// As tokio's `same_channel_as_sender`.
    pub fn same_channel_as_sender(&self, sender: &Sender<T>) -> bool {
        self.sender.same_channel(sender)
    }
}

impl<T> UnboundedSender<T> {
    /// As tokio's `send`.
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.0.fill();
        self.0.inner.send(value)
    }
}

macro_rules! receiver {
    ($name:ident, $sender:ident) => {
        /// tokio's, which it derefs to; it says what it waits on, and whether there is more.
        #[derive(Debug)]
        pub struct $name<T> {
            inner: real::$name<T>,
            number: u64,
            seen: Seen<real::$sender<T>>,
        }

        impl<T> $name<T> {
            pub(crate) fn on(&self) -> On {
                On::chan_number(self.number)
            }

            fn took<R>(&self, r: R) -> R {
                crate::level(self.on(), !self.inner.is_empty() as u64);
                r
            }

            /// As tokio's `recv`.
            #[track_caller]
            pub fn recv(&mut self) -> impl Future<Output = Option<T>> + '_ {
                let on = self.on();
                let next = async { core::future::poll_fn(|cx| self.poll_recv(cx)).await }; // named `recv` by its type
                next.waiting_on(on)
            }

            /// As tokio's `recv_many`.
            #[track_caller]
            pub fn recv_many<'a>(
                &'a mut self,
                buffer: &'a mut Vec<T>,
                limit: usize,
            ) -> impl Future<Output = usize> + 'a {
                let on = self.on();
                let next = async move { core::future::poll_fn(|cx| self.poll_recv_many(cx, buffer, limit)).await };
                next.waiting_on(on)
            }

            /// As tokio's `poll_recv`.
            pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
                self.inner.poll_recv(cx).map(|r| self.took(r))
            }

            /// As tokio's `poll_recv_many`.
            pub fn poll_recv_many(&mut self, cx: &mut Context<'_>, buffer: &mut Vec<T>, limit: usize) -> Poll<usize> {
                self.inner.poll_recv_many(cx, buffer, limit).map(|r| self.took(r))
            }

            /// As tokio's `try_recv`.
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                let r = self.inner.try_recv();
                self.took(r)
            }

            /// As tokio's `blocking_recv`.
            #[track_caller]
            pub fn blocking_recv(&mut self) -> Option<T> {
                let r = blocked::waits(self.on(), &mut self.inner, |inner| inner.recv(), |inner| inner.blocking_recv());
                self.took(r)
            }

            /// As tokio's `blocking_recv_many`.
            #[track_caller]
            pub fn blocking_recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
                let r = blocked::waits(
                    self.on(),
                    (&mut self.inner, buffer),
                    |(inner, buffer)| core::future::poll_fn(move |cx| inner.poll_recv_many(cx, buffer, limit)),
                    |(inner, buffer)| inner.blocking_recv_many(buffer, limit),
                );
                self.took(r)
            }

            /// As tokio's `close`.
            #[track_caller]
            pub fn close(&mut self) {
                crate::close(On::room_number(self.number));
                self.inner.close();
            }

            /// As tokio's `sender_strong_count`.
            pub fn sender_strong_count(&self) -> usize {
                self.seen.strong(self.inner.sender_strong_count())
            }

            /// As tokio's `sender_weak_count`.
            pub fn sender_weak_count(&self) -> usize {
                self.seen.weak(self.inner.sender_weak_count())
            }

            /// tokio's own. What becomes of it is not reported.
            pub fn into_inner(self) -> real::$name<T> {
                let mut this = core::mem::ManuallyDrop::new(self);
                // SAFETY: `this` is neither dropped nor used again: what is not taken is dropped here.
                unsafe {
                    core::ptr::drop_in_place(&mut this.seen);
                    core::ptr::read(&this.inner)
                }
            }
        }

        impl<T> From<$name<T>> for real::$name<T> {
            fn from(receiver: $name<T>) -> Self {
                receiver.into_inner()
            }
        }

        impl<T> Deref for $name<T> {
            type Target = real::$name<T>;

            fn deref(&self) -> &Self::Target {
                &self.inner
            }
        }

        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                crate::close(On::room_number(self.number));
            }
        }
    };
}
receiver!(Receiver, Sender);
receiver!(UnboundedReceiver, UnboundedSender);
