//! A set of tasks.

use core::future::Future;
use core::ops::{Deref, DerefMut};
use core::task::{Context, Poll};
use std::panic::Location;

use ::tokio::runtime::Handle;
use ::tokio::task::{self as real, AbortHandle, Id, JoinError};

use super::super::is_told;
use super::super::runtime::declare_local;
use super::{blocking, describe, spawn_by, LocalSet, Spawned};
use crate::{On, TraceFutureExt};

/// tokio's, which it derefs to; its tasks are traced, and who waits for the next one waits on `join:`.
#[derive(Debug)]
pub struct JoinSet<T>(real::JoinSet<T>);

fn numbered(handle: AbortHandle) -> Spawned<AbortHandle> {
    let id = handle.id();
    (handle, id)
}

/// One of several, it is not known which.
fn any() -> On {
    On::join(0).any()
}

impl<T> JoinSet<T> {
    /// As tokio's `new`.
    pub fn new() -> Self {
        Self(real::JoinSet::new())
    }
}

impl<T> JoinSet<T> {
    /// tokio's own.
    pub fn into_inner(self) -> real::JoinSet<T> {
        self.0
    }
}

impl<T> From<real::JoinSet<T>> for JoinSet<T> {
    fn from(inner: real::JoinSet<T>) -> Self {
        Self(inner)
    }
}

impl<T> From<JoinSet<T>> for real::JoinSet<T> {
    fn from(set: JoinSet<T>) -> Self {
        set.into_inner()
    }
}

impl<T: 'static> JoinSet<T> {
    /// As tokio's `spawn`.
    #[track_caller]
    pub fn spawn<F>(&mut self, task: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        spawn_by(None, task, |task| numbered(self.0.spawn(task))).0
    }

    /// As tokio's `spawn_on`.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, task: F, handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        spawn_by(None, task, |task| numbered(self.0.spawn_on(task, handle))).0
    }

    /// As tokio's `spawn_local`.
    #[track_caller]
    pub fn spawn_local(&mut self, task: impl Future<Output = T> + 'static) -> AbortHandle {
        declare_local();
        spawn_by(None, task, |task| numbered(self.0.spawn_local(task))).0
    }

    /// As tokio's `spawn_local_on`.
    #[track_caller]
    pub fn spawn_local_on(&mut self, task: impl Future<Output = T> + 'static, local: &LocalSet) -> AbortHandle {
        declare_local();
        spawn_by(None, task, |task| numbered(self.0.spawn_local_on(task, local))).0
    }

    /// As tokio's `spawn_blocking`.
    #[track_caller]
    pub fn spawn_blocking(&mut self, f: impl FnOnce() -> T + Send + 'static) -> AbortHandle
    where
        T: Send,
    {
        match is_told() {
            true => describe(Location::caller(), "", None, || self.0.spawn_blocking(f)),
            false => self.0.spawn_blocking(blocking(f).0),
        }
    }

    /// As tokio's `join_next`.
    #[track_caller]
    pub fn join_next(&mut self) -> impl Future<Output = Option<Result<T, JoinError>>> + '_ {
        self.0.join_next().waiting_on(any())
    }

    /// As tokio's `join_next_with_id`.
    #[track_caller]
    pub fn join_next_with_id(&mut self) -> impl Future<Output = Option<Result<(Id, T), JoinError>>> + '_ {
        self.0.join_next_with_id().waiting_on(any())
    }

    /// As tokio's `poll_join_next`.
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        self.0.poll_join_next(cx)
    }

    /// As tokio's `shutdown`.
    #[track_caller]
    pub fn shutdown(&mut self) -> impl Future<Output = ()> + '_ {
        self.0.shutdown().waiting_on(any())
    }

    /// As tokio's `join_all`.
    #[track_caller]
    pub fn join_all(self) -> impl Future<Output = Vec<T>> {
        self.0.join_all().waiting_on(any())
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for JoinSet<T> {
    type Target = real::JoinSet<T>;

    fn deref(&self) -> &real::JoinSet<T> {
        &self.0
    }
}

impl<T> DerefMut for JoinSet<T> {
    fn deref_mut(&mut self) -> &mut real::JoinSet<T> {
        &mut self.0
    }
}

impl<T: Send + 'static, F: Future<Output = T> + Send + 'static> FromIterator<F> for JoinSet<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = F>>(tasks: I) -> Self {
        let mut set = Self::new();
        set.extend(tasks);
        set
    }
}

impl<T: Send + 'static, F: Future<Output = T> + Send + 'static> Extend<F> for JoinSet<T> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = F>>(&mut self, tasks: I) {
        for task in tasks {
            self.spawn(task);
        }
    }
}
