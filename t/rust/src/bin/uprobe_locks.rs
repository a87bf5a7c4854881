// uprobe_locks: tasks of tokio that never heard of a probe, busy with locks, and two or three of them that wait for one another
// from the line "go" on, for ct-uprobe's tests. argv: "abba": each has one of two locks and wants the other; "readers": likewise,
// of RwLocks; "itself": one wants the lock that it has; "legs": as abba, within select! and join!; "joined": each joins the
// next; "none": as abba, but the second lock is waited for with a timeout. Prints "ID" of each of these, and "happened". From
// the line "rest" to the line "on" the others rest, and have none of their locks, once it has printed "rests". Ends with its input.
use std::io::BufRead;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, Barrier, Mutex, RwLock};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

static GATE: RwLock<()> = RwLock::const_new(());
const LONG: Duration = Duration::from_secs(100_000);

fn say() {
    println!("ID {}", tokio::task::id());
}

// Has a lock across each .await, and gives it back.
async fn busy(locks: Arc<[Mutex<u64>; 2]>, room: Arc<RwLock<u64>>, n: usize) {
    loop {
        let _may = GATE.read().await;
        let mut first = locks[n % 2].lock().await;
        *first += 1;
        sleep(Duration::from_millis(2)).await;
        drop(first);
        if n % 3 == 0 {
            let mut all = room.write().await;
            *all += 1;
            tokio::task::yield_now().await;
        } else {
            let one = room.read().await;
            sleep(Duration::from_millis(1 + *one % 2)).await;
        }
        tokio::spawn(brief());
        sleep(Duration::from_millis(1)).await;
    }
}

// Nobody keeps its handle: its memory is given back as it ends.
async fn brief() {
    tokio::task::yield_now().await;
}

async fn crosswise(one: Arc<Mutex<u8>>, two: Arc<Mutex<u8>>, gate: Arc<Barrier>, patience: Option<Duration>) {
    say();
    let first = one.lock().await;
    gate.wait().await;
    if let Some(patience) = patience {
        let _ = timeout(patience, two.lock()).await;
    } else {
        let mut second = two.lock().await;
        *second += *first;
    }
}

async fn readers(one: Arc<RwLock<u8>>, two: Arc<RwLock<u8>>, gate: Arc<Barrier>) {
    say();
    let first = one.read().await;
    gate.wait().await;
    let mut second = two.write().await;
    *second += *first;
}

async fn itself(lock: Arc<Mutex<u8>>) {
    say();
    let first = lock.lock().await;
    let second = lock.lock().await;
    drop((first, second));
}

// One wants either of two locks that the other has, that one both of two: its own, free, and this one's.
async fn either(one: Arc<Mutex<u8>>, two: [Arc<Mutex<u8>>; 2], gate: Arc<Barrier>) {
    say();
    let first = one.lock().await;
    gate.wait().await;
    tokio::select! {
        second = two[0].lock() => drop(second),
        second = two[1].lock() => drop(second),
    }
    drop(first);
}

async fn both(one: [Arc<Mutex<u8>>; 2], two: Arc<Mutex<u8>>, free: Arc<Mutex<u8>>, gate: Arc<Barrier>) {
    say();
    let (first, other) = (one[0].lock().await, one[1].lock().await);
    gate.wait().await;
    let (second, third) = tokio::join!(two.lock(), free.lock());
    drop((first, other, second, third));
}

async fn joins(next: oneshot::Receiver<JoinHandle<()>>) {
    say();
    let _ = next.await.unwrap().await;
}

fn go(bug: &str) {
    let gate = Arc::new(Barrier::new(2));
    match bug {
        "abba" | "none" => {
            let (a, b) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
            let patience = (bug == "none").then_some(LONG);
            tokio::spawn(crosswise(a.clone(), b.clone(), gate.clone(), patience));
            tokio::spawn(crosswise(b, a, gate, patience));
        }
        "readers" => {
            let (a, b) = (Arc::new(RwLock::new(1)), Arc::new(RwLock::new(2)));
            tokio::spawn(readers(a.clone(), b.clone(), gate.clone()));
            tokio::spawn(readers(b, a, gate));
        }
        "itself" => {
            tokio::spawn(itself(Arc::default()));
        }
        "legs" => {
            let (a, b): (Arc<Mutex<u8>>, [Arc<Mutex<u8>>; 2]) = Default::default();
            tokio::spawn(either(a.clone(), b.clone(), gate.clone()));
            tokio::spawn(both(b, a, Arc::default(), gate));
        }
        "joined" => {
            let ((one, mine), (two, yours)) = (oneshot::channel(), oneshot::channel());
            let (a, b) = (tokio::spawn(joins(mine)), tokio::spawn(joins(yours)));
            let _ = (one.send(b), two.send(a));
        }
        _ => {}
    }
}

// Lines of standard input; the thread that reads them has nothing of the tasks.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (tx, rx) = mpsc::unbounded_channel();

    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let _ = tx.send(line.unwrap());
        }
        std::process::exit(0);
    });
    rx
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let bug = std::env::args().nth(1).unwrap_or_default();
    let (locks, room): (Arc<[Mutex<u64>; 2]>, Arc<RwLock<u64>>) = Default::default();
    let mut lines = lines();

    for n in 0..6 {
        tokio::spawn(busy(locks.clone(), room.clone(), n));
    }
    println!("ready");
    let mut closed = None;
    while let Some(line) = lines.recv().await {
        match line.as_str() {
            "go" => {
                go(&bug);
                sleep(Duration::from_millis(500)).await;
                println!("happened");
            }
            "rest" => {
                closed = Some(GATE.write().await);
                println!("rests");
            }
            _ => closed = None,
        }
    }
    drop(closed);
}
