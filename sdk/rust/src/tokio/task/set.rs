//! A set of tasks.

use core::future::Future;
use core::ops::{Deref, DerefMut};
use core::task::{Context, Poll};
use std::panic::Location;
use std::sync::Arc;

use ::tokio::runtime::Handle;
use ::tokio::task::{self as real, AbortHandle, JoinError};

use super::super::is_told;
use super::super::older::{Handle as Old, *};
use super::super::runtime::declare_local;
use super::{blocking, describe, spawn_by, LocalSet, Spawned};
use crate::on::Leg;
use crate::{region, On, TraceFutureExt, WaitingOn};

/// So many tasks are named by who waits for the next one of a set; of more it is not said which.
const NAMED: usize = 32;

/// tokio's, which it derefs to; its tasks are traced, and who waits for the next one waits on `join:ID` of any of them.
pub struct JoinSet<T> {
    set: real::JoinSet<T>,
    /// Its tasks, and some that have left it. Not all, where some were spawned past this type or while nobody recorded.
    tasks: Vec<(AbortHandle, On)>,
}

impl<T> core::fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.set.fmt(f)
    }
}

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
        Self::from(real::JoinSet::new())
    }

    /// tokio's own.
    pub fn into_inner(self) -> real::JoinSet<T> {
        self.set
    }
}

impl<T> From<real::JoinSet<T>> for JoinSet<T> {
    fn from(inner: real::JoinSet<T>) -> Self {
        Self { set: inner, tasks: Vec::new() }
    }
}

impl<T> From<JoinSet<T>> for real::JoinSet<T> {
    fn from(set: JoinSet<T>) -> Self {
        set.into_inner()
    }
}

impl<T: 'static> JoinSet<T> {
    #[allow(clippy::needless_borrow)] // of Old: by it an older tokio's handle, which is no Clone, finds its own `another`
    fn keep(&mut self, (task, on): (AbortHandle, On)) -> AbortHandle {
        if region::ready() {
            if self.tasks.len() > 2 * (self.set.len() + NAMED) {
                self.tasks.retain(|(t, _)| !t.is_finished());
            }
            self.tasks.extend((&Old(&task)).another().map(|task| (task, on)));
        }
        task
    }

    /// The end of any of its tasks, each by its number: where these are all that it has. Who waits for all of them is named as
    /// waiting for any, too: it goes on at once where one panics.
    fn legs(&mut self) -> Arc<[Leg]> {
        if !region::ready() || self.set.len() > NAMED {
            return Arc::new([]);
        }
        self.tasks.retain(|(t, _)| !t.is_finished());
        if self.tasks.len() != self.set.len() {
            return Arc::new([]);
        }
        self.tasks.iter().map(|&(_, on)| Leg::from(on)).collect()
    }

    #[track_caller]
    fn waiting<F: Future>(legs: Arc<[Leg]>, wait: F) -> WaitingOn<F> {
        match &*legs {
            [] => wait.waiting_on(any()),
            [one] => wait.waiting_on(one.on),
            _ => wait.waiting_on_any(legs),
        }
    }

    /// As tokio's `spawn`.
    #[track_caller]
    pub fn spawn<F>(&mut self, task: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        let task = spawn_by(None, task, |task| numbered(self.set.spawn(task)));
        self.keep(task)
    }

    /// As tokio's `spawn_on`.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, task: F, handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        let task = spawn_by(None, task, |task| numbered(self.set.spawn_on(task, handle)));
        self.keep(task)
    }

    /// As tokio's `spawn_local`.
    #[track_caller]
    pub fn spawn_local(&mut self, task: impl Future<Output = T> + 'static) -> AbortHandle {
        declare_local();
        let task = spawn_by(None, task, |task| numbered(self.set.spawn_local(task)));
        self.keep(task)
    }

    /// As tokio's `spawn_local_on`.
    #[track_caller]
    pub fn spawn_local_on(&mut self, task: impl Future<Output = T> + 'static, local: &LocalSet) -> AbortHandle {
        declare_local();
        let task = spawn_by(None, task, |task| numbered(self.set.spawn_local_on(task, local)));
        self.keep(task)
    }

    /// As tokio's `spawn_blocking`.
    #[track_caller]
    pub fn spawn_blocking(&mut self, f: impl FnOnce() -> T + Send + 'static) -> AbortHandle
    where
        T: Send,
    {
        // Not kept: it is in the trace under a number of its own.
        match is_told() {
            true => describe(Location::caller(), "", None, || self.set.spawn_blocking(f)),
            false => self.set.spawn_blocking(blocking(f).0),
        }
    }

    /// As tokio's `spawn_blocking_on`.
    #[track_caller]
    pub fn spawn_blocking_on(&mut self, f: impl FnOnce() -> T + Send + 'static, handle: &Handle) -> AbortHandle
    where
        T: Send,
    {
        match is_told() {
            true => describe(Location::caller(), "", None, || self.set.spawn_blocking_on(f, handle)),
            false => self.set.spawn_blocking_on(blocking(f).0, handle),
        }
    }

    /// As tokio's `join_next`.
    #[track_caller]
    pub fn join_next(&mut self) -> impl Future<Output = Option<Result<T, JoinError>>> + '_ {
        let legs = self.legs();
        Self::waiting(legs, self.set.join_next())
    }

    /// As tokio's `join_next_with_id`.
    #[track_caller]
    pub fn join_next_with_id(&mut self) -> impl Future<Output = Option<Result<(Id, T), JoinError>>> + '_ {
        let legs = self.legs();
        Self::waiting(legs, self.set.join_next_with_id())
    }

    /// As tokio's `detach_all`.
    pub fn detach_all(&mut self) {
        self.set.detach_all();
        self.tasks.clear();
    }

    /// As tokio's `poll_join_next`.
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        self.set.poll_join_next(cx)
    }

    /// As tokio's `shutdown`.
    #[track_caller]
    pub fn shutdown(&mut self) -> impl Future<Output = ()> + '_ {
        let legs = self.legs();
        Self::waiting(legs, self.set.shutdown())
    }

    /// As tokio's `join_all`.
    #[track_caller]
    pub fn join_all(mut self) -> impl Future<Output = Vec<T>> {
        let legs = self.legs();
        Self::waiting(legs, self.set.join_all())
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
        &self.set
    }
}

impl<T> DerefMut for JoinSet<T> {
    fn deref_mut(&mut self) -> &mut real::JoinSet<T> {
        &mut self.set
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
