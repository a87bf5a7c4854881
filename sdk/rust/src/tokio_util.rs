//! tokio-util, whose helpers take what `corotrace::tokio` makes, and whose tasks are traced.
//!
//! ```
//! use corotrace::{tokio, tokio_util};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let tasks = tokio_util::task::TaskTracker::new();
//! tasks.spawn(async { /* a traced task */ });
//! tasks.close();
//! tasks.wait().await;
//! # }
//! ```
//!
//! The rest is re-exported as it is; `JoinMap`, `JoinQueue` and `LocalPoolHandle` spawn by tokio's own `spawn`, so that their tasks
//! are not traced.

#[doc(no_inline)]
pub use ::tokio_util::*;

/// Senders and semaphores to be polled.
pub mod sync {
    use core::pin::Pin;
    use core::task::{Context, Poll};
    use std::sync::Arc;

    use ::tokio_util::sync as real;
    use futures_core::Stream;
    use futures_sink::Sink;

    use crate::polling::polled;
    use crate::tokio::sync::mpsc::Sender;
    use crate::tokio::sync::{OwnedSemaphorePermit, Semaphore};

    #[doc(no_inline)]
    pub use ::tokio_util::sync::*;

    /// tokio-util's, which says that it waits for room.
    #[derive(Debug)]
    pub struct PollSender<T> {
        // Before `inner`, so that it is reported that the channel is closed before it is.
        sender: Option<Sender<T>>,
        inner: real::PollSender<T>,
        is_reserved: bool,
        closes: bool,
    }

    impl<T: Send> PollSender<T> {
        /// As tokio-util's `new`.
        pub fn new(sender: Sender<T>) -> Self {
            let inner = real::PollSender::new((*sender).clone());
            Self { sender: Some(sender), inner, is_reserved: false, closes: false }
        }

        /// As tokio-util's `poll_reserve`.
        pub fn poll_reserve(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), PollSendError<T>>> {
            let Some(sender) = &self.sender else { return self.inner.poll_reserve(cx) };
            let r = polled(sender.room(), cx, |cx| self.inner.poll_reserve(cx));
            self.is_reserved |= matches!(r, Poll::Ready(Ok(())));
            r
        }

        /// As tokio-util's `send_item`.
        #[track_caller]
        pub fn send_item(&mut self, value: T) -> Result<(), PollSendError<T>> {
            if let Some(sender) = self.sender.as_ref().filter(|_| self.is_reserved) {
                sender.fill();
            }
            self.unreserved();
            self.inner.send_item(value)
        }

        /// As tokio-util's `is_closed`.
        pub fn is_closed(&self) -> bool {
            self.inner.is_closed()
        }

        /// As tokio-util's `get_ref`.
        pub fn get_ref(&self) -> Option<&Sender<T>> {
            self.sender.as_ref().filter(|_| !self.closes)
        }

        /// As tokio-util's `close`.
        pub fn close(&mut self) {
            self.closes = true;
            if !self.is_reserved {
                self.sender = None;
            }
            self.inner.close();
        }

        /// As tokio-util's `abort_send`.
        pub fn abort_send(&mut self) -> bool {
            self.unreserved();
            self.inner.abort_send()
        }

        /// The last permit is used: one that was closed meanwhile is closed now.
        fn unreserved(&mut self) {
            self.is_reserved = false;
            if self.closes {
                self.sender = None;
            }
        }
    }

    impl<T> Clone for PollSender<T> {
        fn clone(&self) -> Self {
            let sender = self.sender.clone().filter(|_| !self.closes);
            Self { sender, inner: self.inner.clone(), is_reserved: false, closes: self.closes }
        }
    }

    impl<T: Send> Sink<T> for PollSender<T> {
        type Error = PollSendError<T>;

        fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
            self.get_mut().poll_reserve(cx)
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
            Poll::Ready(Ok(()))
        }

        fn start_send(self: Pin<&mut Self>, item: T) -> Result<(), Self::Error> {
            self.get_mut().send_item(item)
        }

        fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
            self.get_mut().close();
            Poll::Ready(Ok(()))
        }
    }

    /// tokio-util's, which says that it waits for the semaphore.
    #[derive(Clone, Debug)]
    pub struct PollSemaphore {
        inner: real::PollSemaphore,
        semaphore: Arc<Semaphore>,
    }

    impl PollSemaphore {
        /// As tokio-util's `new`.
        pub fn new(semaphore: Arc<Semaphore>) -> Self {
            Self { inner: real::PollSemaphore::new(semaphore.clone().real()), semaphore }
        }

        /// As tokio-util's `close`.
        #[track_caller]
        pub fn close(&self) {
            self.semaphore.close();
        }

        /// As tokio-util's `clone_inner`.
        pub fn clone_inner(&self) -> Arc<Semaphore> {
            self.semaphore.clone()
        }

        /// As tokio-util's `into_inner`.
        pub fn into_inner(self) -> Arc<Semaphore> {
            self.semaphore
        }

        /// As tokio-util's `poll_acquire`.
        #[track_caller]
        pub fn poll_acquire(&mut self, cx: &mut Context<'_>) -> Poll<Option<OwnedSemaphorePermit>> {
            self.poll_acquire_many(cx, 1)
        }

        /// As tokio-util's `poll_acquire_many`.
        #[track_caller]
        pub fn poll_acquire_many(&mut self, cx: &mut Context<'_>, n: u32) -> Poll<Option<OwnedSemaphorePermit>> {
            match polled(self.semaphore.on(), cx, |cx| self.inner.poll_acquire_many(cx, n)) {
                Poll::Ready(permit) => Poll::Ready(permit.map(|p| self.semaphore.got(p))),
                Poll::Pending => Poll::Pending,
            }
        }

        /// As tokio-util's `available_permits`.
        pub fn available_permits(&self) -> usize {
            self.semaphore.available_permits()
        }

        /// As tokio-util's `add_permits`.
        pub fn add_permits(&self, n: usize) {
            self.semaphore.add_permits(n);
        }
    }

    impl Stream for PollSemaphore {
        type Item = OwnedSemaphorePermit;

        fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<OwnedSemaphorePermit>> {
            self.get_mut().poll_acquire(cx)
        }
    }

    impl AsRef<Semaphore> for PollSemaphore {
        fn as_ref(&self) -> &Semaphore {
            &self.semaphore
        }
    }
}

/// Handles of tasks, and sets of them.
pub mod task {
    use core::future::Future;
    use core::mem::ManuallyDrop;
    use core::ops::Deref;
    use core::pin::Pin;
    use core::task::{Context, Poll};

    use ::tokio_util::task as real;

    use crate::tokio::runtime::declare_local;
    use crate::tokio::task::{block, joined, numbered, spawn_by, AbortHandle, JoinError, JoinHandle, LocalSet};
    use crate::{On, TraceFutureExt};

    #[doc(no_inline)]
    pub use ::tokio_util::task::*;

    /// tokio-util's, of a traced task: who awaits it waits on `join:ID`.
    #[derive(Debug)]
    #[must_use = "Dropping the handle aborts the task immediately"]
    pub struct AbortOnDropHandle<T>(JoinHandle<T>);

    impl<T> AbortOnDropHandle<T> {
        /// As tokio-util's `new`.
        pub fn new(handle: JoinHandle<T>) -> Self {
            Self(handle)
        }

        /// As tokio-util's `abort`.
        pub fn abort(&self) {
            self.0.abort();
        }

        /// As tokio-util's `is_finished`.
        pub fn is_finished(&self) -> bool {
            self.0.is_finished()
        }

        /// As tokio-util's `abort_handle`.
        pub fn abort_handle(&self) -> AbortHandle {
            self.0.abort_handle()
        }

        /// As tokio-util's `detach`.
        pub fn detach(self) -> JoinHandle<T> {
            let this = ManuallyDrop::new(self);
            // SAFETY: `this` is neither dropped nor used again.
            unsafe { core::ptr::read(&this.0) }
        }
    }

    impl<T> Drop for AbortOnDropHandle<T> {
        fn drop(&mut self) {
            self.abort();
        }
    }

    impl<T> Future for AbortOnDropHandle<T> {
        type Output = Result<T, JoinError>;

        #[track_caller]
        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
            Pin::new(&mut self.0).poll(cx)
        }
    }

    impl<T> AsRef<JoinHandle<T>> for AbortOnDropHandle<T> {
        fn as_ref(&self) -> &JoinHandle<T> {
            &self.0
        }
    }

    /// tokio-util's, which it derefs to; its tasks are traced.
    #[derive(Clone, Debug, Default)]
    pub struct TaskTracker(real::TaskTracker);

    impl TaskTracker {
        /// As tokio-util's `new`.
        pub fn new() -> Self {
            Self::default()
        }

        /// As tokio-util's `wait`.
        #[track_caller]
        pub fn wait(&self) -> impl Future<Output = ()> + '_ {
            self.0.wait().waiting_on(On::join(0).any())
        }

        /// As tokio-util's `spawn`.
        #[track_caller]
        pub fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
        where
            F: Future + Send + 'static,
            F::Output: Send + 'static,
        {
            joined(spawn_by(None, task, |task| numbered(self.0.spawn(task))))
        }

        /// As tokio-util's `spawn_on`.
        #[track_caller]
        pub fn spawn_on<F>(&self, task: F, handle: &::tokio::runtime::Handle) -> JoinHandle<F::Output>
        where
            F: Future + Send + 'static,
            F::Output: Send + 'static,
        {
            joined(spawn_by(None, task, |task| numbered(self.0.spawn_on(task, handle))))
        }

        /// As tokio-util's `spawn_local`.
        #[track_caller]
        pub fn spawn_local<F>(&self, task: F) -> JoinHandle<F::Output>
        where
            F: Future + 'static,
            F::Output: 'static,
        {
            declare_local();
            joined(spawn_by(None, task, |task| numbered(self.0.spawn_local(task))))
        }

        /// As tokio-util's `spawn_local_on`.
        #[track_caller]
        pub fn spawn_local_on<F>(&self, task: F, local: &LocalSet) -> JoinHandle<F::Output>
        where
            F: Future + 'static,
            F::Output: 'static,
        {
            declare_local();
            joined(spawn_by(None, task, |task| numbered(self.0.spawn_local_on(task, local))))
        }

        /// As tokio-util's `spawn_blocking`.
        #[track_caller]
        pub fn spawn_blocking<T: Send + 'static>(&self, f: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
            block(f, |f| self.0.spawn_blocking(f))
        }

        /// As tokio-util's `spawn_blocking_on`.
        #[track_caller]
        pub fn spawn_blocking_on<T: Send + 'static>(
            &self,
            f: impl FnOnce() -> T + Send + 'static,
            handle: &::tokio::runtime::Handle,
        ) -> JoinHandle<T> {
            block(f, |f| self.0.spawn_blocking_on(f, handle))
        }

        /// As tokio-util's `ptr_eq`.
        pub fn ptr_eq(left: &Self, right: &Self) -> bool {
            real::TaskTracker::ptr_eq(&left.0, &right.0)
        }
    }

    impl Deref for TaskTracker {
        type Target = real::TaskTracker;

        fn deref(&self) -> &real::TaskTracker {
            &self.0
        }
    }
}
