//! Tasks of tokio's own `spawn`, as a library has them, which wait for what is traced: for a lock, a message, a time, and for what
//! comes. Nothing is known of who could wake them, so nobody is accused; nor is the program called healthy.
use corotrace::tokio;
use rust_zoo::ms;

use std::sync::Arc;
use tokio::sync::{mpsc, Mutex};
use tokio::time::{sleep, Duration};

fn main() {
    let ends = std::env::args().nth(1).is_some();
    let runtime = ::tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let lock = Arc::new(Mutex::new(0));
    let (sender, mut receiver) = mpsc::channel::<u32>(1);
    let (same, guard) = (lock.clone(), lock.try_lock().unwrap());
    let locks = runtime.spawn(async move { drop(same.lock().await) }); // for the lock
    let receives = runtime.spawn(async move { while receiver.recv().await.is_some() {} }); // for a message
    let sleeps = runtime.spawn(async { sleep(Duration::from_secs(100)).await }); // for a time
    let raced = runtime.spawn(async move {
        tokio::select! {
            _ = sleep(ms(1)) => {}
            _ = sleep(Duration::from_secs(100)) => unreachable!(),
        }
    });
    runtime.block_on(async {
        raced.await.unwrap();
        sender.send(1).await.unwrap();
        sender.send(2).await.unwrap();
        sleep(ms(50)).await;
    });
    if ends {
        drop((guard, sender));
        sleeps.abort();
        runtime.block_on(async { locks.await.and(receives.await).unwrap() });
        assert!(runtime.block_on(sleeps).is_err());
    } else {
        std::mem::forget((guard, sender, runtime));
    }
}
