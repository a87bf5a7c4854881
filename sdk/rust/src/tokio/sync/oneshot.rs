//! `oneshot`.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use ::tokio::sync::oneshot as real;

use super::number;
use crate::tokio::answer::Answer;
#[allow(unused_imports)]
use crate::tokio::older::Looks;
use crate::tokio::{blocked, unseen};
use crate::{On, TraceFutureExt, WaitingOn};

#[doc(no_inline)]
pub use ::tokio::sync::oneshot::error;

/// tokio's, which says when it is dropped unused.
#[derive(Debug)]
pub struct Sender<T> {
    inner: Option<real::Sender<T>>,
    on: On,
}

/// tokio's, which says what it waits on: `chan:NUMBER`.
#[derive(Debug)]
pub struct Receiver<T> {
    inner: WaitingOn<real::Receiver<T>>,
    on: On,
    answer: Answer,
    is_done: bool,
}

/// As tokio's `channel`.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let _made_here = unseen();
    let (sender, receiver) = real::channel();
    let on = On::chan_number(number());
    let inner = WaitingOn::anywhere(receiver, on);
    (Sender { inner: Some(sender), on }, Receiver { inner, on, answer: Answer::made_here(), is_done: false })
}

impl<T> Sender<T> {
    fn inner(&self) -> &real::Sender<T> {
        self.inner.as_ref().expect("only `send` takes it")
    }

    /// As tokio's `send`.
    pub fn send(mut self, value: T) -> Result<(), T> {
        self.inner.take().expect("only `send` takes it").send(value)
    }

    /// As tokio's `closed`.
    #[track_caller]
    pub fn closed(&mut self) -> impl Future<Output = ()> + '_ {
        let on = self.on;
        self.inner.as_mut().expect("only `send` takes it").closed().waiting_on(on)
    }

    /// As tokio's `is_closed`.
    pub fn is_closed(&self) -> bool {
        self.inner().is_closed()
    }

    /// As tokio's `poll_closed`.
    pub fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.inner.as_mut().expect("only `send` takes it").poll_closed(cx)
    }

    /// tokio's own. That it is dropped is not reported.
    pub fn into_inner(mut self) -> real::Sender<T> {
        self.inner.take().expect("only `send` takes it")
    }
}

impl<T> From<Sender<T>> for real::Sender<T> {
    fn from(sender: Sender<T>) -> Self {
        sender.into_inner()
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.inner.is_some() {
            crate::close(self.on);
        }
    }
}

impl<T> Receiver<T> {
    fn real(&mut self) -> &mut real::Receiver<T> {
        self.inner.get_mut()
    }

    /// As tokio's `close`.
    #[track_caller]
    pub fn close(&mut self) {
        crate::close(self.on);
        self.real().close();
    }

    /// As tokio's `is_terminated`.
    pub fn is_terminated(&self) -> bool {
        self.inner.get_ref().is_terminated()
    }

    /// As tokio's `is_empty`.
    pub fn is_empty(&self) -> bool {
        self.inner.get_ref().is_empty()
    }

    /// As tokio's `try_recv`.
    pub fn try_recv(&mut self) -> Result<T, error::TryRecvError> {
        let r = self.real().try_recv();
        self.is_done |= !matches!(r, Err(error::TryRecvError::Empty));
        r
    }

    /// As tokio's `blocking_recv`.
    #[track_caller]
    pub fn blocking_recv(mut self) -> Result<T, error::RecvError> {
        let inner = self.take();
        self.answer.polled(self.on, false);
        let r = blocked::waits(self.on, inner, |inner| inner, |inner| inner.blocking_recv());
        self.answer.polled(self.on, true);
        r
    }

    /// tokio's own. What becomes of it is not reported.
    pub fn into_inner(mut self) -> real::Receiver<T> {
        self.take()
    }

    fn take(&mut self) -> real::Receiver<T> {
        let (_, none) = real::channel();
        self.is_done = true;
        core::mem::replace(self.real(), none)
    }
}

impl<T> From<Receiver<T>> for real::Receiver<T> {
    fn from(receiver: Receiver<T>) -> Self {
        receiver.into_inner()
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, error::RecvError>;

    #[track_caller]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let r = Pin::new(&mut self.inner).poll(cx);
        self.is_done |= r.is_ready();
        let on = self.on;
        self.answer.polled(on, r.is_ready());
        r
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        // One that waits for this to be dropped is woken for it.
        self.answer.polled(self.on, true);
        if !self.is_done {
            crate::close(self.on);
        }
    }
}
