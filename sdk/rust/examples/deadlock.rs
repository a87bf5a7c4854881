//! Two tasks of tokio that lock two mutexes in two orders; all that is added is the first line.
//!
//! ```text
//! cargo build --example deadlock --features tokio
//! ct-record -o trace.jsonl target/debug/examples/deadlock
//! ct-lostwake trace.jsonl
//! ```
//!
//! says `deadlock (proven)`, at the line of the second lock.

use corotrace::tokio;

use std::sync::Arc;
use tokio::sync::Mutex;
use tokio::time::{sleep, Duration};

async fn both(first: Arc<Mutex<u32>>, second: Arc<Mutex<u32>>) -> u32 {
    let first = first.lock().await;
    sleep(Duration::from_millis(20)).await;
    let second = second.lock().await; // the other has it
    *first + *second
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (a, b) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
        tokio::spawn(both(a.clone(), b.clone()));
        tokio::spawn(both(b, a));
        sleep(Duration::from_millis(600)).await;
    });
    std::process::exit(0); // a server would go on
}
