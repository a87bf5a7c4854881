//! The runtime of one thread whose tasks stay on it, which tokio has from 1.51 on.

use core::future::Future;
use core::ops::Deref;
use core::time::Duration;
use std::io;

use super::older;
use super::runtime::{block_on, Builder, Handle};
use super::task::{block, joined, numbered, spawn_by, JoinHandle};

/// tokio's, which it derefs to; its tasks and what it blocks on are traced.
#[derive(Debug)]
pub struct LocalRuntime {
    inner: older::LocalRuntime,
    handle: Handle,
}

impl LocalRuntime {
    /// As tokio's `new`.
    pub fn new() -> io::Result<Self> {
        Builder::new_current_thread().enable_all().build_local(Default::default())
    }

    /// As tokio's `handle`.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// As tokio's `spawn_local`.
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        joined(spawn_by(None, future, |task| numbered(self.inner.spawn_local(task))))
    }

    /// As tokio's `spawn_blocking`.
    #[track_caller]
    pub fn spawn_blocking<T: Send + 'static>(&self, f: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
        block(f, |f| self.inner.spawn_blocking(f))
    }

    /// As tokio's `block_on`; the future shows as a coroutine named `block_on`, on this thread.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        block_on(&self.handle, future, |future| self.inner.block_on(future))
    }

    /// As tokio's `shutdown_timeout`.
    pub fn shutdown_timeout(self, duration: Duration) {
        self.inner.shutdown_timeout(duration);
    }

    /// As tokio's `shutdown_background`.
    pub fn shutdown_background(self) {
        self.inner.shutdown_background();
    }

    /// tokio's own.
    pub fn into_inner(self) -> older::LocalRuntime {
        self.inner
    }
}

impl From<older::LocalRuntime> for LocalRuntime {
    fn from(inner: older::LocalRuntime) -> Self {
        Self { handle: Handle::from(inner.handle().clone()), inner }
    }
}

impl Deref for LocalRuntime {
    type Target = older::LocalRuntime;

    fn deref(&self) -> &older::LocalRuntime {
        &self.inner
    }
}
