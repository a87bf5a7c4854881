//! A program that names corotrace's tokio, in which a library spawns with tokio's own: each task and each wait is told once.

use std::sync::Arc;

use corotrace::tokio;
use layer_zoo::ms;
use tokio::sync::{mpsc, Mutex, Notify};

async fn both(first: Arc<Mutex<u32>>, second: Arc<Mutex<u32>>) -> u32 {
    let a = first.lock().await; // locks
    tokio::time::sleep(ms(50)).await;
    let b = second.lock().await; // waits for the other
    *a + *b
}

/// A library's: plain tokio, but for what it was given.
fn library(notify: Arc<Notify>, mut queue: mpsc::Receiver<u32>) {
    ::tokio::spawn(async move { notify.notified().await }); // in the library: notified
    ::tokio::spawn(async move { while queue.recv().await.is_some() {} }); // in the library: queue
}

#[tokio::main]
async fn serve() {
    let (a, b) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::default()));
    let first = tokio::spawn(both(a.clone(), b.clone())); // first
    tokio::spawn_as("second", both(b, a));
    let (sender, queue) = mpsc::channel(1);
    let notify = Arc::new(Notify::new());
    library(notify.clone(), queue);
    sender.send(1).await.unwrap();
    tokio::spawn(async move { first.await.unwrap() }); // joins
    tokio::task::spawn_blocking(|| ()).await.unwrap();
    tokio::time::sleep(ms(300)).await;
    drop(notify);
    std::process::exit(0);
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => corotrace::layer().init(),
        Some("refused") => {
            corotrace::init();
            tracing::subscriber::set_global_default(tracing::subscriber::NoSubscriber::default()).unwrap();
            assert!(tracing::subscriber::set_global_default(corotrace::layer()).is_err());
        }
        _ => {}
    }
    serve();
}
