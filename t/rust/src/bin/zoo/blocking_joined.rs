//! A task keeps a lock while it joins one on a blocking thread, whose `block_on` wants it.
//! expect: deadlock 1
use corotrace::tokio;

use std::sync::Arc;
use tokio::sync::Mutex;

pub fn main() {
    rust_zoo::on_tokio(|| {
        let lock = Arc::new(Mutex::new(0));
        tokio::spawn(async move {
            let _guard = lock.lock().await;
            let (its, handle) = (lock.clone(), tokio::runtime::Handle::current());
            let write = tokio::task::spawn_blocking(move || handle.block_on(async { *its.lock().await += 1 }));
            write.await.unwrap();
        });
    });
}
