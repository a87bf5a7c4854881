//! An executor of one's own, the smallest there is, and a task that loses its wakeup on it: a future that forgets its waker.
//!
//! ```text
//! cargo build --example executor
//! ct-record -o trace.jsonl target/debug/examples/executor
//! ct-lostwake trace.jsonl
//! ```
//!
//! says `lost-waker (proven)`, with the line of `reply().traced()` below.

use std::future::{poll_fn, Future};
use std::sync::{mpsc, Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use corotrace::{Role, TraceFutureExt};

type Root = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

struct Task {
    future: Mutex<Option<Root>>,
    queue: mpsc::Sender<Arc<Task>>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let _ = self.queue.clone().send(self);
    }
}

/// A reply that never comes: it keeps no waker, so nobody can ever wake its task.
fn reply() -> impl Future<Output = ()> + Send {
    poll_fn(|_| Poll::Pending)
}

fn main() {
    corotrace::thread(Role::Worker, "main");
    let (queue, runnable) = mpsc::channel::<Arc<Task>>();
    let mut tasks = vec![];
    let mut spawn = |future: Root| {
        let task = Arc::new(Task { future: Mutex::new(Some(future)), queue: queue.clone() });
        tasks.push(task.clone());
        task.wake();
    };
    spawn(Box::pin(reply().traced())); // at the root of each task
    spawn(Box::pin(async { println!("done") }.traced_as("greeter")));
    // A worker: it says when it goes to sleep.
    while let Ok(task) = runnable.recv_timeout(Duration::from_millis(600)) {
        let mut future = task.future.lock().unwrap();
        if let Some(mut polled) = future.take() {
            let waker = Waker::from(task.clone());
            if polled.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                *future = Some(polled);
            }
        }
    }
    corotrace::park(Some(0));
    std::process::exit(0); // a program would sleep here for ever
}
