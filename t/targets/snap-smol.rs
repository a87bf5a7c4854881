// snap-smol: tasks of smol and of async-std that wait for ever, and what each is, for ct-snap's tests. Prints a line for each: a
// word, and the line of its innermost .await here. argv: async-std.
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

macro_rules! at {
    ($word:expr) => {
        println!("{} {}", $word, line!() + 1)
    };
}
const LONG: Duration = Duration::from_secs(100_000);
type Any = Vec<Box<dyn std::any::Any + Send>>;

#[allow(dead_code)]
struct Forgets(u64); // with data: else it may be meant
impl Future for Forgets {
    type Output = ();
    fn poll(self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<()> {
        std::task::Poll::Pending
    }
}

async fn leaf(lock: Arc<smol::lock::Mutex<u32>>) {
    at!("lock");
    let held = lock.lock().await;
    drop(held);
}
async fn outer(lock: Arc<smol::lock::Mutex<u32>>) {
    let text = String::from("held");
    leaf(lock).await;
    drop(text);
}
fn boxed(rx: smol::channel::Receiver<u32>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        at!("recv");
        let _ = rx.recv().await;
    })
}

fn of_smol(keep: &mut Any) {
    let lock = Arc::new(smol::lock::Mutex::new(1));
    keep.push(Box::new(lock.try_lock_arc().unwrap()));
    smol::spawn(outer(lock)).detach();
    let (tx, rx) = smol::channel::bounded::<u32>(1);
    keep.push(Box::new(tx));
    smol::spawn(async move { boxed(rx).await }).detach();
    let sleeps = smol::spawn(async {
        at!("timer");
        smol::Timer::after(LONG).await;
    });
    smol::spawn(async move {
        at!("join");
        sleeps.await;
    })
    .detach();
    smol::spawn(async {
        at!("forgets");
        Forgets(1).await;
    })
    .detach();
    smol::spawn(async {
        let l = smol::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        at!("accept");
        let _ = l.accept().await;
    })
    .detach();
}

fn of_async_std() {
    use async_std::task;
    let sleeps = task::spawn(async {
        at!("sleep");
        task::sleep(LONG).await;
    });
    task::spawn(async move {
        at!("handle");
        sleeps.await;
    });
    task::spawn(async {
        at!("forgets");
        Forgets(1).await;
    });
    task::spawn(async {
        let (_a, b) = async_std::channel::unbounded::<u32>();
        at!("recv");
        let _ = b.recv().await;
    });
}

fn main() {
    let mut keep = Any::new();
    if std::env::args().nth(1).is_some() {
        of_async_std();
    } else {
        of_smol(&mut keep);
    }
    std::thread::sleep(Duration::from_millis(500));
    println!("ready");
    std::thread::sleep(LONG);
}
