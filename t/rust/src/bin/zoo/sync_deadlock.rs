//! Two tasks take two of tokio's locks, each in another order, and readers go round.
//! expect: deadlock 1
use corotrace::tokio;
use std::sync::Arc;
use tokio::sync::{Barrier, Mutex, RwLock};

async fn both(first: Arc<Mutex<u32>>, second: Arc<Mutex<u32>>, have_one: Arc<Barrier>) {
    let mut a = first.lock().await;
    have_one.wait().await;
    let b = second.lock().await;
    *a += *b;
}

pub fn main() {
    let (a, b) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
    let (seen, have_one) = (Arc::new(RwLock::new(0)), Arc::new(Barrier::new(2)));
    rust_zoo::on_tokio(|| {
        tokio::spawn(both(a.clone(), b.clone(), have_one.clone()));
        tokio::spawn(both(b, a, have_one));
        for _ in 0..4 {
            let seen = seen.clone();
            tokio::spawn(async move {
                loop {
                    let n = *seen.read().await;
                    *seen.write().await = n + 1;
                    tokio::time::sleep(rust_zoo::ms(5)).await;
                }
            });
        }
    });
}
