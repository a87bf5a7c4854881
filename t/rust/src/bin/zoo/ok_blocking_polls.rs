//! A task on a blocking thread polls a future that blocks for a lock and keeps it, spawns that, and waits for who wants the lock.
//! expect: nothing suspected
use corotrace::{tokio, TraceFutureExt};

use rust_zoo::ms;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Waker};
use tokio::sync::Mutex;
use tokio::time::sleep;

pub fn main() {
    rust_zoo::on_tokio(|| {
        let lock = Arc::new(Mutex::new(0));
        let (first, its, handle) = (lock.clone(), lock.clone(), tokio::runtime::Handle::current());
        let keeps = async move {
            let _guard = its.blocking_lock();
            sleep(ms(60_000)).await;
        };
        tokio::spawn(async move {
            let guard = first.lock().await;
            let polls = tokio::task::spawn_blocking(move || {
                let mut keeps = Box::pin(keeps.traced());
                assert!(keeps.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
                tokio::spawn(keeps);
                let wants = tokio::spawn(async move { *lock.lock().await += 1 });
                handle.block_on(wants).unwrap();
            });
            sleep(ms(100)).await;
            drop(guard);
            polls.await.unwrap();
        });
    });
}
