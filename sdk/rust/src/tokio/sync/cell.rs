//! `OnceCell`.

use core::convert::Infallible;
use core::future::{poll_fn, Future};
use core::ops::{Deref, DerefMut};
use core::pin::pin;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::panic::Location;

use ::tokio::sync as real;

use super::{Held, Holder};
use crate::tokio::unseen;
use crate::{polling, On};

/// tokio's, which it derefs to. Who makes its value has it as a lock meanwhile, for which others wait: `mutex:ADDRESS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnceCell<T>(real::OnceCell<T>);

impl<T> OnceCell<T> {
    /// As tokio's `new`.
    pub fn new() -> Self {
        let _made_here = unseen();
        Self(real::OnceCell::new())
    }

    /// As tokio's `const_new`.
    pub const fn const_new() -> Self {
        Self(real::OnceCell::const_new())
    }

    /// As tokio's `new_with`.
    pub fn new_with(value: Option<T>) -> Self {
        let _made_here = unseen();
        Self(real::OnceCell::new_with(value))
    }

    /// As tokio's `const_new_with`.
    pub const fn const_new_with(value: T) -> Self {
        Self(real::OnceCell::const_new_with(value))
    }

    /// As tokio's `get_or_init`.
    #[track_caller]
    pub fn get_or_init<F, Fut>(&self, f: F) -> impl Future<Output = &T> + use<'_, T, F, Fut>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        let got = self.get_or_try_init(|| async move { Ok::<T, Infallible>(f().await) });
        async move {
            match got.await {
                Ok(value) => value,
                Err(never) => match never {},
            }
        }
    }

    /// As tokio's `get_or_try_init`.
    #[track_caller]
    pub fn get_or_try_init<E, F, Fut>(&self, f: F) -> impl Future<Output = Result<&T, E>> + use<'_, T, E, F, Fut>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let (on, at) = (On::mutex(self), Location::caller());
        async move {
            let makes = AtomicBool::new(false);
            let got = self.0.get_or_try_init(|| {
                makes.store(true, Relaxed);
                let held = Held::taken((), on, Holder::Running, at);
                async move {
                    let made = f().await;
                    drop(held);
                    made
                }
            });
            let mut got = pin!(got);
            let mut keeps = false;
            poll_fn(|cx| {
                let before = polling::before();
                let r = got.as_mut().poll(cx);
                // What it waits for to make the value, that says itself.
                if !makes.load(Relaxed) {
                    match r.is_ready() {
                        true => polling::ready(before),
                        false => {
                            keeps |= polling::clones() > before;
                            let site = polling::awaited_at(at, || "tokio::sync::OnceCell::get_or_init()");
                            polling::pending(on, site, before, keeps, cx.waker());
                        }
                    }
                }
                r
            })
            .await
        }
    }

    /// As tokio's `into_inner`.
    pub fn into_inner(self) -> Option<T> {
        self.0.into_inner()
    }
}

impl<T> Default for OnceCell<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceCell<T> {
    fn from(value: T) -> Self {
        Self(value.into())
    }
}

impl<T> Deref for OnceCell<T> {
    type Target = real::OnceCell<T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> DerefMut for OnceCell<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
