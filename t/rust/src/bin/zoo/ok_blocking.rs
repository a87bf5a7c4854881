//! Tasks on blocking threads wait for locks, messages, room and answers, get them, and rest.
//! expect: nothing suspected
use corotrace::tokio;

use rust_zoo::ms;
use std::sync::Arc;
use tokio::sync::{broadcast, mpsc, oneshot, Mutex, RwLock, Semaphore};
use tokio::time::sleep;

pub fn main() {
    rust_zoo::on_tokio(|| {
        let (sum, seen) = (Arc::new(Mutex::new(0)), Arc::new(RwLock::new(0)));
        let (items, mut queue) = mpsc::channel(2);
        let (more, mut all) = mpsc::channel(2);
        let (total, saw) = (sum.clone(), seen.clone());
        tokio::task::spawn_blocking(move || {
            while let Some(n) = queue.blocking_recv() {
                *total.blocking_lock() += n;
                *saw.clone().blocking_write() += *total.clone().blocking_lock_owned();
                more.blocking_send(n + *saw.blocking_read()).unwrap();
            }
        });
        let handle = tokio::runtime::Handle::current();
        tokio::spawn(async move {
            for n in 0..50 {
                let guard = sum.lock().await;
                items.send(n).await.unwrap();
                sleep(ms(1)).await;
                drop(guard);
                drop(seen.read().await);
                all.recv().await.unwrap();
            }
            let (reply, answer) = oneshot::channel();
            let asks = tokio::task::spawn_blocking(move || answer.blocking_recv().unwrap());
            sleep(ms(5)).await;
            reply.send(7).unwrap();
            assert_eq!(asks.await.unwrap(), 7);
            let ((news, mut hears), few) = (broadcast::channel(1), Arc::new(Semaphore::new(0)));
            let its = few.clone();
            let asks = tokio::task::spawn_blocking(move || {
                let _both = (its.blocking_acquire().unwrap(), its.clone().blocking_acquire_owned().unwrap());
                hears.blocking_recv().unwrap()
            });
            sleep(ms(5)).await;
            few.add_permits(2);
            sleep(ms(5)).await;
            news.send(7).unwrap();
            assert_eq!(asks.await.unwrap(), 7);
            let long = tokio::task::spawn_blocking(move || handle.block_on(sleep(ms(60_000))));
            long.await.unwrap();
            drop(items);
        });
    });
}
