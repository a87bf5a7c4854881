//! A healthy tokio server of which nobody asks for a recording: everything in it is older than whoever attaches, and goes on
//! moving. It writes its pid into `pid`, and ends when there is a file `stop`, or after a minute.
use corotrace::tokio;

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch, Mutex, Notify, Semaphore};
use tokio::time::{interval, sleep, timeout};

const TICK: Duration = Duration::from_millis(10);

async fn consume(mut queue: mpsc::Receiver<u32>, sum: Arc<Mutex<u32>>) {
    while let Some(n) = queue.recv().await {
        let mut sum = sum.lock().await;
        tokio::task::yield_now().await;
        *sum = sum.wrapping_add(n);
    }
}

async fn wait_long(mut stop: watch::Receiver<bool>, bell: Arc<Notify>) {
    let mut long = Box::pin(sleep(Duration::from_secs(100)));
    loop {
        ::tokio::select! {
            _ = &mut long => break,
            _ = stop.changed() => break,
            _ = bell.notified() => {}
        }
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let sum = Arc::new(Mutex::new(0));
    let (bell, permits) = (Arc::new(Notify::new()), Arc::new(Semaphore::new(2)));
    let (stop, stopped) = watch::channel(false);
    let mut queues = Vec::new();
    for _ in 0..4 {
        let (queue, consumer) = mpsc::channel(2);
        queues.push(queue);
        tokio::spawn(consume(consumer, sum.clone()));
    }
    for _ in 0..3 {
        tokio::spawn(wait_long(stopped.clone(), bell.clone()));
        let (permits, mut ticks) = (permits.clone(), interval(TICK));
        tokio::spawn(async move {
            loop {
                let _permit = permits.acquire().await.unwrap();
                ticks.tick().await;
            }
        });
    }
    // Of these a sender is dropped now and then, for which its receiver is woken.
    let mut replies = Vec::new();
    for _ in 0..500 {
        let (reply, answer) = oneshot::channel::<u32>();
        replies.push(reply);
        tokio::spawn(async move { answer.await.is_err() });
    }
    sleep(5 * TICK).await;
    std::fs::write("pid.part", format!("{}\n", std::process::id())).unwrap();
    std::fs::rename("pid.part", "pid").unwrap();
    for i in 0..6000 {
        for queue in &queues {
            queue.send(i).await.unwrap();
        }
        bell.notify_waiters();
        replies.pop();
        let _ = timeout(TICK, std::future::pending::<()>()).await;
        if std::path::Path::new("stop").exists() {
            break;
        }
    }
    stop.send(true).unwrap();
    println!("ended");
}
