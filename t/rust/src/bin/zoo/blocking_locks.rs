//! A task on a blocking thread and another one lock two mutexes in two orders.
//! expect: deadlock 1
use corotrace::tokio;

use std::sync::Arc;
use tokio::sync::{Barrier, Mutex};

pub fn main() {
    rust_zoo::on_tokio(|| {
        let (a, b, both) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)), Arc::new(Barrier::new(2)));
        let (first, second, all) = (a.clone(), b.clone(), both.clone());
        let handle = tokio::runtime::Handle::current();
        tokio::task::spawn_blocking(move || {
            let a = first.blocking_lock();
            handle.block_on(all.wait());
            *a + *second.blocking_lock()
        });
        tokio::spawn(async move {
            let b = b.lock().await;
            both.wait().await;
            *b + *a.lock().await
        });
    });
}
