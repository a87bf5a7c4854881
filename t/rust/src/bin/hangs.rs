//! A tokio server that hangs in the wild, and goes on ticking: two tasks lock two mutexes in two orders, five wait for an answer
//! that nobody gives. It writes its pid into `pid` when they hang, and ends when there is a file `stop`, or after a minute.
//! Where there is a file `dump`, it writes its box into `dumped`. With the argument `asks`, its code asks for a black box.
use corotrace::tokio;

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, Mutex};

const TICK: Duration = Duration::from_millis(10);

async fn both(first: Arc<Mutex<()>>, second: Arc<Mutex<()>>) {
    let _a = first.lock().await;
    tokio::time::sleep(5 * TICK).await;
    let _b = second.lock().await;
}

async fn ask(answer: oneshot::Receiver<u32>) {
    let _ = answer.await;
}

async fn tick() {
    for _ in 0..6000 {
        tokio::time::sleep(TICK).await;
        if std::path::Path::new("dump").exists() {
            corotrace::dump("dumped").unwrap();
            std::fs::remove_file("dump").unwrap();
        }
        if std::path::Path::new("stop").exists() {
            break;
        }
    }
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("asks") {
        corotrace::blackbox();
    }
    serve();
}

#[tokio::main(worker_threads = 2)]
async fn serve() {
    let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    tokio::spawn(both(a.clone(), b.clone()));
    tokio::spawn(both(b, a));
    let mut kept = Vec::new();
    for _ in 0..5 {
        let (reply, answer) = oneshot::channel();
        kept.push(reply);
        tokio::spawn(ask(answer));
    }
    let ticks = tokio::spawn(tick());
    tokio::time::sleep(20 * TICK).await;
    std::fs::write("pid.part", format!("{}\n", std::process::id())).unwrap();
    std::fs::rename("pid.part", "pid").unwrap();
    ticks.await.unwrap();
    println!("ended");
    std::process::exit(0); // the others wait for ever
}
