// snap: tasks of tokio that wait for ever, and what each is, for ct-snap's tests. Prints for each task: its id, a word for
// what it waits on, and the line of its innermost .await here; for each of several that it waits on "leg", its id, what
// that is on, and the line. argv: how many tasks more, that sleep.
#![allow(unexpected_cfgs)] // no_join_set: tokio before 1.21
use std::future::Future;
use std::mem::ManuallyDrop;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, mpsc, oneshot, watch, Mutex, Notify, RwLock, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

fn say(word: &str, line: u32) {
    println!("{} {} {}", tokio::task::id(), word, line);
}
macro_rules! at {
    ($word:expr) => {
        say($word, line!() + 1)
    };
}

const LONG: Duration = Duration::from_secs(100_000);

async fn leaf(n: Arc<Notify>) {
    at!("chain");
    n.notified().await;
}
async fn middle(n: Arc<Notify>) {
    let text = String::from("held");
    leaf(n).await;
    drop(text);
}
async fn outer(n: Arc<Notify>) {
    middle(n).await
}
fn boxed(n: Arc<Notify>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        at!("boxed");
        n.notified().await;
    })
}

// Stand-ins for libraries' futures that have one in them; std's and tokio's own.
macro_rules! wrapper {
    ($name:ident) => {
        wrapper!($name, future);
    };
    ($name:ident, $field:ident) => {
        struct $name<F> {
            _before: u64,
            $field: F,
        }
        impl<F: Future> Future for $name<F> {
            type Output = F::Output;
            fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
                unsafe { self.map_unchecked_mut(|me| &mut me.$field) }.poll(cx)
            }
        }
        impl<F> $name<F> {
            fn of($field: F) -> Self {
                Self { _before: 1, $field }
            }
        }
    };
}
wrapper!(WithDispatch, inner);
wrapper!(CatchUnwind);
wrapper!(Cancellable);
wrapper!(AsyncCallOnDrop);
wrapper!(SupportTaskLocals);
struct IntoFuture<F>(F);
impl<F: Future> Future for IntoFuture<F> {
    type Output = F::Output;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        unsafe { self.map_unchecked_mut(|me| &mut me.0) }.poll(cx)
    }
}
struct Instrumented<F> {
    inner: ManuallyDrop<F>,
}
impl<F: Future> Future for Instrumented<F> {
    type Output = F::Output;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        unsafe { self.map_unchecked_mut(|me| &mut *me.inner) }.poll(cx)
    }
}
tokio::task_local! {
    static LOCAL: u32;
}
async fn within_leaf(n: Arc<Notify>) {
    at!("wrapped");
    n.notified().await;
}
async fn wrapped(n: Arc<Notify>) {
    let inner = AsyncCallOnDrop::of(SupportTaskLocals::of(LOCAL.scope(1, tokio::task::unconstrained(within_leaf(n)))));
    let outer = IntoFuture(AssertUnwindSafe(Cancellable::of(inner)));
    let inner = ManuallyDrop::new(WithDispatch::of(CatchUnwind::of(outer)));
    Instrumented { inner }.await
}

fn say_leg(on: &str, line: u32) {
    println!("leg {} {} {}", tokio::task::id(), on, line);
}
async fn branch(n: Arc<Notify>) {
    say_leg("cond", line!() + 1);
    n.notified().await;
}
async fn two(n: Arc<Notify>) {
    branch(n).await
}
fn boxed_branch(n: Arc<Notify>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(two(n))
}
async fn fails(n: Arc<Notify>) -> Result<(), ()> {
    branch(n).await;
    Err(())
}

struct Forgets(u64);
impl Future for Forgets {
    type Output = ();
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

struct Idle;
impl Future for Idle {
    type Output = ();
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

fn spawn_all(keep: &mut Vec<Box<dyn std::any::Any + Send>>) -> Vec<JoinHandle<()>> {
    let mut all = Vec::new();
    let notify = Arc::new(Notify::new());
    keep.push(Box::new(notify.clone()));

    all.push(tokio::spawn(async {
        at!("sleep");
        sleep(LONG).await;
    }));
    let target = tokio::spawn(async {
        at!("sleep");
        sleep(LONG).await;
    });
    all.push(tokio::spawn(async move {
        at!("join");
        target.await.unwrap();
    }));
    let (tx, rx) = oneshot::channel::<u32>();
    keep.push(Box::new(tx));
    all.push(tokio::spawn(async move {
        at!("oneshot");
        let _ = rx.await;
    }));
    let (tx, mut rx) = mpsc::channel::<u32>(4);
    keep.push(Box::new(tx));
    all.push(tokio::spawn(async move {
        at!("recv");
        rx.recv().await;
    }));
    let (tx, rx) = mpsc::channel::<u32>(1);
    tx.try_send(1).unwrap();
    keep.push(Box::new(rx));
    all.push(tokio::spawn(async move {
        at!("send");
        let _ = tx.send(2).await;
    }));
    let (tx, mut rx) = mpsc::unbounded_channel::<u32>();
    keep.push(Box::new(tx));
    all.push(tokio::spawn(async move {
        at!("urecv");
        rx.recv().await;
    }));
    let mutex = Arc::new(Mutex::new(1u64));
    let guard = mutex.clone().try_lock_owned().unwrap();
    keep.push(Box::new(guard));
    all.push(tokio::spawn(async move {
        at!("mutex");
        let _ = mutex.lock().await;
    }));
    let sem = Arc::new(Semaphore::new(0));
    let s = sem.clone();
    keep.push(Box::new(sem));
    all.push(tokio::spawn(async move {
        at!("sem");
        let _ = s.acquire().await;
    }));
    let rw = Arc::new(RwLock::new(0u64));
    keep.push(Box::new(rw.clone().try_write_owned().unwrap()));
    all.push(tokio::spawn(async move {
        at!("rwlock");
        let _ = rw.read().await;
    }));
    let (tx, mut rx) = watch::channel(0u32);
    keep.push(Box::new(tx));
    all.push(tokio::spawn(async move {
        at!("watch");
        let _ = rx.changed().await;
    }));
    let (tx, mut rx) = broadcast::channel::<u32>(4);
    keep.push(Box::new(tx));
    all.push(tokio::spawn(async move {
        at!("broadcast");
        let _ = rx.recv().await;
    }));
    all.push(tokio::spawn(async {
        let l = TcpListener::bind("127.0.0.1:0").await.unwrap();
        at!("accept");
        let _ = l.accept().await;
    }));
    all.push(tokio::spawn(async {
        let l = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let a = TcpStream::connect(l.local_addr().unwrap()).await.unwrap();
        let (mut b, _) = l.accept().await.unwrap();
        let mut buf = [0u8; 16];
        at!("read");
        let _ = b.read(&mut buf).await;
        drop(a);
    }));
    all.push(tokio::spawn(outer(notify.clone())));
    all.push(tokio::spawn(wrapped(notify.clone())));
    let n = notify.clone();
    all.push(tokio::spawn(async move { boxed(n).await }));
    let n = notify.clone();
    all.push(tokio::spawn(async move {
        at!("select");
        tokio::select! { _ = n.notified() => {}, _ = sleep(LONG) => {} }
    }));
    let n = notify.clone();
    all.push(tokio::spawn(async move {
        at!("joins");
        tokio::join!(n.notified(), sleep(LONG));
    }));
    let n = notify.clone();
    all.push(tokio::spawn(async move {
        at!("timeout");
        let _ = timeout(LONG, n.notified()).await;
    }));
    let (n, (tx, mut rx)) = (notify.clone(), mpsc::channel::<u32>(4));
    keep.push(Box::new(tx));
    all.push(tokio::spawn(async move {
        at!("branches");
        tokio::select! {
            _ = async {} , if false => {}
            _ = branch(n.clone()) => {}
            _ = boxed_branch(n.clone()) => {}
            _ = rx.recv() => {}
            _ = Forgets(1) => {}
        }
    }));
    let n = notify.clone();
    all.push(tokio::spawn(async move {
        at!("all");
        tokio::join!(async {}, branch(n.clone()), async { tokio::join!(two(n.clone()), async {}) });
    }));
    #[cfg(not(no_join_set))]
    all.push(tokio::spawn(async {
        let mut set = tokio::task::JoinSet::new();
        for _ in 0..3 {
            set.spawn(async {
                at!("sleep");
                sleep(LONG).await;
            });
        }
        set.spawn(async {});
        set.join_next().await;
        for _ in 0..3 {
            say_leg("join", line!() + 3);
        }
        at!("set");
        set.join_next().await;
    }));
    let n = notify.clone();
    all.push(tokio::spawn(async move {
        at!("either");
        let _ = tokio::try_join!(fails(n.clone()), fails(n.clone()));
    }));
    let n = notify.clone();
    all.push(tokio::spawn(async move {
        at!("within");
        let _ = timeout(LONG, boxed_branch(n)).await;
    }));
    all.push(tokio::spawn(async {
        at!("forgets");
        Forgets(1).await;
    }));
    // Nothing can wake these, which is meant.
    all.push(tokio::spawn(async {
        at!("idle");
        Idle.await;
    }));
    all.push(tokio::spawn(async {
        at!("nevers");
        tokio::select! {
            _ = std::future::pending::<()>() => {}
            _ = std::future::pending::<()>() => {}
        }
    }));
    let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let (a2, b2) = (a.clone(), b.clone());
    let gate = Arc::new(tokio::sync::Barrier::new(2));
    let gate2 = gate.clone();
    all.push(tokio::spawn(async move {
        let one = a.lock().await;
        gate.wait().await;
        at!("abba");
        let two = b.lock().await;
        drop((one, two));
    }));
    all.push(tokio::spawn(async move {
        let one = b2.lock().await;
        gate2.wait().await;
        at!("abba");
        let two = a2.lock().await;
        drop((one, two));
    }));
    all
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut keep: Vec<Box<dyn std::any::Any + Send>> = Vec::new();
    let many: usize = std::env::args().nth(1).map_or(0, |s| s.parse().unwrap());
    let second = std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let local = tokio::task::LocalSet::new();
        local.spawn_local(async {
            at!("local");
            sleep(LONG).await;
        });
        local.block_on(&runtime, async {
            let h = tokio::spawn(async {
                at!("current");
                sleep(LONG).await;
            });
            let _ = h.await;
        });
    });
    runtime.block_on(async {
        let all = spawn_all(&mut keep);
        let mut more = Vec::new();
        for _ in 0..many {
            more.push(tokio::spawn(sleep(LONG)));
        }
        sleep(Duration::from_millis(500)).await;
        println!("ready");
        for h in all {
            let _ = h.await;
        }
    });
    drop(second);
}
