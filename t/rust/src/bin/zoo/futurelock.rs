//! A lock's future that is kept, and not polled any more, is given the lock; who kept it waits for that lock.
//! expect: ready-resource 1
use corotrace::tokio;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;
use tokio::sync::Mutex;

/// However slow the machine is.
async fn until(it_is: &AtomicBool) {
    while !it_is.load(SeqCst) {
        tokio::time::sleep(rust_zoo::ms(2)).await;
    }
}

static HELD: AtomicBool = AtomicBool::new(false);
static LATE: AtomicBool = AtomicBool::new(false);

pub fn main() {
    let lock = Arc::new(Mutex::new(()));
    rust_zoo::on_tokio(|| {
        let first = lock.clone();
        tokio::spawn(async move {
            let _guard = first.lock().await;
            HELD.store(true, SeqCst);
            until(&LATE).await;
        });
        tokio::spawn(async move {
            until(&HELD).await;
            let mut waits = std::pin::pin!(lock.lock());
            tokio::select! {
                biased;
                _ = &mut waits => {}
                _ = tokio::time::sleep(rust_zoo::ms(10)) => {
                    LATE.store(true, SeqCst);
                    drop(lock.lock().await)
                }
            }
        });
    });
}
