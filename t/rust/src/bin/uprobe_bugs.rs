// uprobe_bugs: tasks of tokio that never heard of a probe, and a bug, for ct-uprobe's tests. argv: "asleep": the thread of a
// runtime waits for what one of its tasks is to do, and runs it no more; "dropped": the same, but it goes to wait after that
// task was woken; "closed": a descriptor is closed under a task that waits for it; "none": all is well. A line "happened" is
// printed when that is so; the program ends with its input.
use std::io::BufRead;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::io::Interest;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

async fn answers(question: oneshot::Receiver<()>, done: mpsc::Sender<()>) {
    let _ = question.await;
    let _ = done.send(());
}

// register_with_interest() came later.
#[allow(deprecated)]
async fn receives(socket: UdpSocket) {
    let watched = AsyncFd::with_interest(socket, Interest::READABLE).unwrap();
    while let Ok(mut ready) = watched.readable().await {
        ready.clear_ready();
    }
}

async fn ticks() {
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn happened() {
    std::thread::sleep(Duration::from_millis(300));
    println!("happened");
}

fn main() {
    let bug = std::env::args().nth(1).unwrap_or_default();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let (ask, question) = oneshot::channel();
    let (done, result) = mpsc::channel();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let fd = socket.as_raw_fd();

    runtime.spawn(answers(question, done));
    runtime.spawn(receives(socket));
    // The tasks of the runtime run as long as that.
    runtime.block_on(async {
        let _ = tokio::spawn(ticks()).await;
    });
    let asked = Arc::new(AtomicBool::new(false));
    let seen = asked.clone();
    let how = bug.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        match how.as_str() {
            "asleep" | "dropped" => drop(ask.send(())),
            "closed" => drop(unsafe { libc::close(fd) }),
            _ => std::mem::forget(ask),
        }
        seen.store(true, Ordering::SeqCst);
        happened();
        for _ in std::io::stdin().lock().lines() {}
        std::process::exit(0);
    });
    while bug == "dropped" && !asked.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(20));
    }
    if bug == "asleep" || bug == "dropped" {
        let _ = result.recv();
    } else {
        runtime.block_on(async { std::future::pending::<()>().await });
    }
}
