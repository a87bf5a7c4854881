//! What an older tokio lacks, for those who have one. These are taken only where tokio has none: a method of its own goes before
//! that of a trait, and a name of an inner scope before that of an outer one. Where there is nothing to do for it, a call panics: no
//! program calls it that was written for that tokio.
#![allow(dead_code, unused_imports)]

use core::fmt::{self, Display};
use core::future::{Future, Pending};
use std::sync::Arc;

use ::tokio::runtime::RuntimeMetrics;
use ::tokio::sync::{broadcast, mpsc, oneshot, AcquireError, OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use ::tokio::task::{AbortHandle, JoinError, JoinHandle, JoinSet};

mod unnumbered {
    /// The number of a task, which tokio tells from 1.41 on.
    #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
    pub struct Id;

    pub fn try_id() -> Option<Id> {
        None
    }
}

mod unlocal {
    use core::convert::Infallible;
    use core::future::Future;
    use core::time::Duration;

    use ::tokio::runtime::Handle;
    use ::tokio::task::JoinHandle;

    /// A runtime whose tasks stay on its thread, which tokio has from 1.51 on.
    #[derive(Debug)]
    pub struct LocalRuntime(Infallible);
    #[derive(Debug, Default)]
    pub struct LocalOptions;

    impl LocalRuntime {
        pub fn handle(&self) -> &Handle {
            match self.0 {}
        }
        pub fn spawn_local<F: Future>(&self, _: F) -> JoinHandle<F::Output> {
            match self.0 {}
        }
        pub fn spawn_blocking<T>(&self, _: impl FnOnce() -> T) -> JoinHandle<T> {
            match self.0 {}
        }
        pub fn block_on<F: Future>(&self, _: F) -> F::Output {
            match self.0 {}
        }
        pub fn shutdown_timeout(self, _: Duration) {}
        pub fn shutdown_background(self) {}
    }
}

impl Display for unnumbered::Id {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

pub trait Numbers {
    type Id;
    fn current() -> Option<Self::Id>;
}
pub struct OfTasks;

const _: () = {
    use self::unnumbered::*;
    const _: () = {
        use ::tokio::task::*;

        impl Numbers for OfTasks {
            type Id = Id;

            fn current() -> Option<Id> {
                try_id()
            }
        }
    };
};

pub trait Locals {
    type Runtime;
    type Options;
}

const _: () = {
    use self::unlocal::*;
    const _: () = {
        use ::tokio::runtime::*;

        impl Locals for OfTasks {
            type Runtime = LocalRuntime;
            type Options = LocalOptions;
        }
    };
};

/// tokio's, where it has one.
pub type LocalRuntime = <OfTasks as Locals>::Runtime;
/// And how it is to be.
pub type LocalOptions = <OfTasks as Locals>::Options;

pub(super) trait Builds {
    fn build_local(&mut self, _options: unlocal::LocalOptions) -> std::io::Result<unlocal::LocalRuntime> {
        panic!("tokio has this from 1.51 on")
    }
    fn name(&mut self, _name: impl Into<String>) -> &mut Self {
        panic!("tokio has this from 1.51 on")
    }
}
impl Builds for ::tokio::runtime::Builder {}

/// tokio's, where it has one.
pub(crate) type Id = <OfTasks as Numbers>::Id;

/// That of the task which is polled here.
pub(crate) fn current() -> Option<Id> {
    OfTasks::current()
}

/// Does tokio number its tasks?
pub(crate) fn is_numbered() -> bool {
    core::any::TypeId::of::<Id>() != core::any::TypeId::of::<unnumbered::Id>()
}

pub(super) trait Numbered {
    fn id(&self) -> unnumbered::Id {
        unnumbered::Id
    }
}
impl<T> Numbered for JoinHandle<T> {}
impl Numbered for AbortHandle {}

/// A handle that may be cloned, or may not (before 1.39): `(&Handle(h)).another()`.
pub(super) struct Handle<'a, H>(pub(super) &'a H);

pub(super) trait Clones<H> {
    fn another(&self) -> Option<H>;
}
impl<H: Clone> Clones<H> for Handle<'_, H> {
    fn another(&self) -> Option<H> {
        Some(self.0.clone())
    }
}

pub(super) trait Single<H> {
    fn another(&self) -> Option<H>;
}
impl<H> Single<H> for &Handle<'_, H> {
    fn another(&self) -> Option<H> {
        None
    }
}

pub(super) trait Joined<T> {
    fn join_next_with_id(&mut self) -> impl Future<Output = Option<Result<(unnumbered::Id, T), JoinError>>>;
    fn join_all(self) -> impl Future<Output = Vec<T>>;
}
impl<T: 'static> Joined<T> for JoinSet<T> {
    async fn join_next_with_id(&mut self) -> Option<Result<(unnumbered::Id, T), JoinError>> {
        Some(self.join_next().await?.map(|done| (unnumbered::Id, done)))
    }

    async fn join_all(mut self) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        while let Some(done) = self.join_next().await {
            match done {
                Ok(done) => all.push(done),
                Err(e) if e.is_panic() => std::panic::resume_unwind(e.into_panic()),
                Err(e) => panic!("{e}"),
            }
        }
        all
    }
}

/// The length of a queue, which tokio tells from 1.41 on.
pub(super) struct Uncounted;

pub(super) trait Queue {
    fn global_queue_depth(&self) -> Uncounted {
        Uncounted
    }
}
impl Queue for RuntimeMetrics {}

pub(super) trait Depth {
    fn known(self) -> Option<usize>;
}
impl Depth for usize {
    fn known(self) -> Option<usize> {
        Some(self)
    }
}
impl Depth for Uncounted {
    fn known(self) -> Option<usize> {
        None
    }
}

/// Not known.
pub(super) fn worker_index() -> Option<usize> {
    Some(usize::MAX)
}

/// Who blocks for permits; from 1.54 on.
pub(super) trait Blocks {
    fn blocking_acquire_many(&self, _n: u32) -> Result<SemaphorePermit<'_>, AcquireError> {
        panic!("tokio has this from 1.54 on")
    }
    fn blocking_acquire_many_owned(self: Arc<Self>, _n: u32) -> Result<OwnedSemaphorePermit, AcquireError> {
        panic!("tokio has this from 1.54 on")
    }
}
impl Blocks for Semaphore {}

/// Methods that cannot be had without tokio's. Not a panic of the compiler's: in release builds that comes uncalled.
macro_rules! newer {
    ($trait:ident, $since:literal, [$($type:ty),+], $($name:ident($($arg:ident: $arg_type:ty),*) -> $returns:ty),+) => {
        pub(super) trait $trait<T> {
            $(fn $name(&self, $($arg: $arg_type),*) -> $returns {
                panic!(concat!("tokio has this from ", $since, " on"))
            })+
        }
        $(impl<T> $trait<T> for $type {})+
    };
}
newer!(Closed, "1.44", [broadcast::Sender<T>], closed() -> Pending<()>);
newer!(
    RecvMany,
    "1.41",
    [mpsc::Receiver<T>, mpsc::UnboundedReceiver<T>],
    blocking_recv_many(_buffer: &mut Vec<T>, _limit: usize) -> usize
);
newer!(
    Counts,
    "1.44",
    [mpsc::Receiver<T>, mpsc::UnboundedReceiver<T>, broadcast::Receiver<T>],
    sender_strong_count() -> usize,
    sender_weak_count() -> usize
);
newer!(Looks, "1.44", [oneshot::Receiver<T>], is_terminated() -> bool, is_empty() -> bool);
