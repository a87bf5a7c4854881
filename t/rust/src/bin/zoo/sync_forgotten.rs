//! A task ends with a guard that was forgotten, not dropped: nobody gets the lock any more. The second waits behind the first.
//! expect: dead-owner 1
use corotrace::tokio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use tokio::sync::Mutex;

pub fn main() {
    let lock = Arc::new(Mutex::new(()));
    let taken = Arc::new(AtomicBool::new(false));
    rust_zoo::on_tokio(|| {
        let (first, is_taken) = (lock.clone(), taken.clone());
        tokio::spawn(async move {
            let guard = first.lock().await;
            is_taken.store(true, Ordering::Relaxed);
            tokio::time::sleep(rust_zoo::ms(20)).await;
            std::mem::forget(guard);
        });
        for _ in 0..2 {
            let (lock, taken) = (lock.clone(), taken.clone());
            tokio::spawn(async move {
                while !taken.load(Ordering::Relaxed) {
                    tokio::time::sleep(rust_zoo::ms(1)).await;
                }
                let _guard = lock.lock().await;
            });
        }
    });
}
