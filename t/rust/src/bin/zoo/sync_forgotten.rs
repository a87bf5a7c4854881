//! A task ends with a guard that was forgotten, not dropped: nobody gets the lock any more. The second waits behind the first.
//! expect: dead-owner 1
use corotrace::tokio;
use std::sync::Arc;
use tokio::sync::Mutex;

pub fn main() {
    let lock = Arc::new(Mutex::new(()));
    rust_zoo::on_tokio(|| {
        let first = lock.clone();
        tokio::spawn(async move {
            let guard = first.lock().await;
            tokio::time::sleep(rust_zoo::ms(20)).await;
            std::mem::forget(guard);
        });
        for _ in 0..2 {
            let lock = lock.clone();
            tokio::spawn(async move {
                tokio::time::sleep(rust_zoo::ms(10)).await;
                let _guard = lock.lock().await;
            });
        }
    });
}
