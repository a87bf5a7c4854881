// snap_probed: tasks of a program that has a probe, and is not run under a recorder, for ct-snap's tests. Prints for each task: its id,
// the line where it waits, and a word for what it waits on.
use corotrace::tokio::sync::{mpsc, oneshot, Mutex, Notify};
use corotrace::tokio::{net::TcpListener, sleep, spawn, time::timeout};
use corotrace::{On, TraceFutureExt};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Barrier;

const LONG: Duration = Duration::from_secs(100_000);

static SAID: AtomicU32 = AtomicU32::new(0);

fn say(line: u32, word: &str) {
    SAID.fetch_add(1, Relaxed);
    println!("{} {} {}", tokio::task::id(), line, word);
}

// Each has one and waits for the other.
fn crosswise() {
    let (a, b, gate) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)), Arc::new(Barrier::new(2)));
    for (one, two) in [(a.clone(), b.clone()), (b, a)] {
        let gate = gate.clone();
        spawn(async move {
            let mut first = one.lock().await;
            *first += 1;
            gate.wait().await;
            say(line!() + 1, "mutex");
            let second = two.lock().await;
            drop((first, second));
        });
    }
}

#[tokio::main]
async fn main() {
    let (items, mut inbox) = mpsc::channel::<u8>(1);
    let (answer, asked) = oneshot::channel::<u8>();
    let notify = Arc::new(Notify::new());
    let event = notify.clone();
    crosswise();
    spawn(async move {
        say(line!() + 1, "chan");
        inbox.recv().await
    });
    spawn(async move {
        say(line!() + 1, "chan");
        asked.await
    });
    spawn(async move {
        say(line!() + 1, "cond");
        event.notified().await
    });
    let sleeper = spawn(async {
        say(line!() + 1, "timer");
        sleep(LONG).await
    });
    spawn(async {
        say(line!() + 1, "join");
        sleeper.await
    });
    spawn(async {
        say(line!() + 1, "never");
        std::future::pending::<()>().waiting_on(On::user("what never comes")).await
    });
    spawn(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        say(line!() + 1, "fd");
        listener.accept().await.map(|_| ())
    });
    spawn(async {
        say(line!() + 1, "any of 2");
        timeout(LONG, std::future::pending::<()>()).await
    });
    while SAID.load(Relaxed) < 10 {
        sleep(Duration::from_millis(10)).await;
    }
    sleep(Duration::from_millis(100)).await;
    println!("ready");
    sleep(LONG).await;
    drop((items, answer, notify));
}
