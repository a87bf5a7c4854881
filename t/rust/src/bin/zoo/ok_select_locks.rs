//! Waits for the first of two locks, one of which will come; who has the other waits for a lock of its own.
//! expect: nothing
use corotrace::tokio;
use std::sync::Arc;
use tokio::sync::{Barrier, Mutex};

pub fn main() {
    let locks = [0, 1, 2].map(|_| Arc::new(Mutex::new(())));
    let all = Arc::new(Barrier::new(3)); // have their first locks
    rust_zoo::on_tokio(|| {
        let [own, one, other] = locks.clone();
        let barrier = all.clone();
        tokio::spawn(async move {
            let _own = own.lock().await;
            barrier.wait().await;
            tokio::select! {
                _ = one.lock() => {}
                _ = other.lock() => {}
            }
        });
        let [theirs, one, other] = locks.clone();
        let barrier = all.clone();
        tokio::spawn(async move {
            let _other = other.lock().await;
            barrier.wait().await;
            tokio::time::sleep(rust_zoo::ms(60_000)).await;
        });
        tokio::spawn(async move {
            let _one = one.lock().await;
            all.wait().await;
            drop(theirs.lock().await);
        });
    });
}
