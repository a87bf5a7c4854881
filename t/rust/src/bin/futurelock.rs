//! A lock's future that is kept, and not polled any more, is given the lock; who kept it waits for that lock.
//! expect: ready-resource 1
use corotrace::tokio;
use std::sync::Arc;
use tokio::sync::Mutex;

fn main() {
    let lock = Arc::new(Mutex::new(()));
    rust_zoo::on_tokio(|| {
        let first = lock.clone();
        tokio::spawn(async move {
            let _guard = first.lock().await;
            tokio::time::sleep(rust_zoo::ms(60)).await;
        });
        tokio::spawn(async move {
            tokio::time::sleep(rust_zoo::ms(10)).await;
            let mut waits = std::pin::pin!(lock.lock());
            tokio::select! {
                biased;
                _ = &mut waits => {}
                _ = tokio::time::sleep(rust_zoo::ms(10)) => drop(lock.lock().await),
            }
        });
    });
}
