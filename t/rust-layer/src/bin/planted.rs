//! Bugs in plain tokio, one a run: what the layer tells is enough to name each.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex as Std};
use std::task::{Context, Poll, Wake, Waker};

use layer_zoo::ms;
use tokio::sync::{mpsc, oneshot, Barrier, Mutex, Notify, RwLock, Semaphore};

/// A future of somebody's own, which drops its waker when it is asked for the second time.
#[derive(Clone, Default)]
struct Reply(Arc<Std<Option<Waker>>>);

impl Future for Reply {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        *self.0.lock().unwrap() = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// Polls with a waker of its own, as combinators do.
struct Combined<F>(Pin<Box<F>>);

struct Wakes(Waker);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.wake_by_ref();
    }
}

impl<F: Future> Future for Combined<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let waker = Arc::new(Wakes(cx.waker().clone())).into();
        self.0.as_mut().poll(&mut Context::from_waker(&waker))
    }
}

/// Polls, and puts the task's waker in the place of that of the last poll, as a stream of h2 does for its reset.
struct Stream<F>(Pin<Box<F>>, Arc<Std<Option<Waker>>>);

impl<F: Future> Future for Stream<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let polled = self.0.as_mut().poll(cx);
        if polled.is_pending() {
            let _last = self.1.lock().unwrap().replace(cx.waker().clone());
        }
        polled
    }
}

/// A task of these, which is woken for its reset, too, three times.
fn stream<F: Future<Output: Send> + Send + 'static>(handler: F) {
    let reset = Arc::<Std<Option<Waker>>>::default();
    tokio::spawn(Stream(Box::pin(handler), reset.clone()));
    tokio::spawn(async move {
        for _ in 0..3 {
            tokio::time::sleep(ms(20)).await;
            let waker = reset.lock().unwrap().clone();
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    });
}

/// Polls those alone that were woken, each with a waker of its own, as `FuturesUnordered` does.
struct Unordered(Vec<(Pin<Box<dyn Future<Output = ()> + Send>>, Arc<Child>)>);

#[derive(Default)]
struct Child {
    woken: AtomicBool,
    task: Std<Option<Waker>>,
}

impl Wake for Child {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, SeqCst);
        let task = self.task.lock().unwrap().take();
        task.into_iter().for_each(Waker::wake);
    }
}

impl Future for Unordered {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        for (future, child) in &mut self.0 {
            *child.task.lock().unwrap() = Some(cx.waker().clone());
            if child.woken.swap(false, SeqCst) {
                let _ = future.as_mut().poll(&mut Context::from_waker(&child.clone().into()));
            }
        }
        Poll::Pending
    }
}

/// One branch has the lock until it is notified, by nobody so far, and another wants it.
async fn branches(lock: &Mutex<u32>) {
    let keep = async {
        let _guard = lock.lock().await;
        Notify::new().notified().await;
    };
    tokio::join!(keep, async { *lock.lock().await });
}

/// As `both`, but it gives up some time.
async fn patient(locks: Arc<[Mutex<u32>; 2]>, first: usize, all: Arc<Barrier>) {
    let _guard = locks[first].lock().await;
    all.wait().await;
    tokio::select! {
        biased;
        () = tokio::time::sleep(ms(60000)) => {}
        _ = locks[1 - first].lock() => {}
    }
}

async fn both(first: Arc<Mutex<u32>>, second: Arc<Mutex<u32>>, all: Arc<Barrier>) -> u32 {
    let a = first.lock().await;
    all.wait().await;
    let b = second.lock().await;
    *a + *b
}

/// Three locks in a circle.
fn circle() {
    let locks: Vec<_> = [
        Arc::new(Mutex::new(1)), // the first lock
        Arc::new(Mutex::new(2)), // the second lock
        Arc::new(Mutex::new(3)), // the third lock
    ]
    .into();
    let all = Arc::new(Barrier::new(3));
    for i in 0..3 {
        tokio::spawn(both(locks[i].clone(), locks[(i + 1) % 3].clone(), all.clone()));
    }
}

/// Two, in streams.
fn streams() {
    let locks = [
        Arc::new(Mutex::new(1)), // a lock of streams
        Arc::new(Mutex::new(2)), // another lock of streams
    ];
    let all = Arc::new(Barrier::new(2));
    for i in 0..2 {
        stream(both(locks[i].clone(), locks[1 - i].clone(), all.clone()));
    }
}

/// One locks twice, in a stream.
fn twice() {
    stream(async {
        let lock = Mutex::new(1);
        let guard = lock.lock().await;
        println!("{}", *guard + *lock.lock().await);
    });
}

/// Two, each beside a future that has nothing to do with it and runs later.
fn unordered() {
    let locks = [Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2))];
    let all = Arc::new(Barrier::new(2));
    for i in 0..2 {
        let handler = both(locks[i].clone(), locks[1 - i].clone(), all.clone());
        let later = async {
            tokio::time::sleep(ms(50)).await;
            Notify::new().notified().await
        };
        let futures: [Pin<Box<dyn Future<Output = ()> + Send>>; 2] =
            [Box::pin(async move { println!("{}", handler.await) }), Box::pin(later)];
        let woken = || Arc::new(Child { woken: AtomicBool::new(true), ..Default::default() });
        tokio::spawn(Unordered(futures.into_iter().map(|f| (f, woken())).collect()));
    }
}

/// No permit is left for a stream, and another is not answered.
async fn served() {
    let permits = Arc::new(Semaphore::new(1));
    let other = permits.clone();
    tokio::spawn(async move { std::mem::forget(other.acquire().await) }).await.unwrap();
    stream(async move { permits.acquire().await.is_ok() });
    stream(async {
        let (reply, answer) = oneshot::channel::<u32>(); // no answer
        tokio::time::sleep(ms(1)).await;
        std::mem::forget(reply);
        answer.await
    });
}

/// Two actors whose mailboxes are full of what the other has sent.
fn mailboxes() {
    let [(to_one, one), (to_other, other)] = [mpsc::channel::<()>(1), mpsc::channel::<()>(1)];
    for (mut mail, to) in [(one, to_other), (other, to_one)] {
        tokio::spawn(async move {
            loop {
                for _ in 0..3 {
                    let _ = to.send(()).await;
                }
                mail.recv().await;
            }
        });
    }
}

/// Its request is kept, and never answered.
fn asks() {
    let (requests, mut queue) = mpsc::channel(4);
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Some(request) = queue.recv().await {
            kept.push(request);
        }
    });
    tokio::spawn(async move {
        let (reply, answer) = oneshot::channel::<u32>(); // asked
        let _ = requests.send(reply).await;
        answer.await
    });
}

/// They wait for the word to stop, which another has made; for one of their own; for a slow reader.
async fn served_well() {
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(stopped);
    let asks = || async {
        let (reply, answer) = oneshot::channel::<()>();
        tokio::spawn(async move {
            tokio::time::sleep(ms(60000)).await;
            let _ = reply.send(());
        });
        answer.await
    };
    tokio::spawn(asks());
    let (to, mut from) = mpsc::channel::<()>(1);
    tokio::spawn(async move { while to.send(()).await.is_ok() {} });
    tokio::spawn(async move {
        while from.recv().await.is_some() {
            tokio::time::sleep(ms(20)).await;
        }
    });
    tokio::time::sleep(ms(1000)).await;
    drop(stop);
}

/// The guard of a lock that may be handed on goes with a task that is leaked.
async fn kept() {
    let lock = Arc::new(Mutex::new(1));
    let other = lock.clone();
    tokio::spawn(async move { std::mem::forget(other.lock_owned().await) }).await.unwrap();
    let (one, two) = (lock.clone(), lock);
    tokio::spawn(async move { *one.lock().await });
    stream(async move { *two.lock().await });
}

/// Streams that wait for each other's locks no more: they gave up, and wait for something else.
async fn gave_up() {
    let pair = Arc::new([Mutex::new(0), Mutex::new(0)]);
    let all = Arc::new(Barrier::new(2));
    for first in 0..2 {
        let (pair, all) = (pair.clone(), all.clone());
        stream(async move {
            let _guard = pair[first].lock().await;
            all.wait().await;
            tokio::select! {
                biased;
                _ = pair[1 - first].lock() => {}
                () = std::future::ready(()) => {}
            }
            Notify::new().notified().await // gave up
        });
    }
}

/// The guard of a lock goes with a task that is leaked.
async fn leaked() {
    let lock = Arc::new(RwLock::new(1)); // the leaked lock
    let other = lock.clone();
    tokio::spawn(async move { std::mem::forget(other.write().await) }).await.unwrap();
    tokio::spawn(async move { *lock.read().await });
}

static ONE: Mutex<u32> = Mutex::const_new(1);
static OTHER: RwLock<u32> = RwLock::const_new(2);

/// Two locks of which tokio tells nothing, in two orders.
async fn statics() {
    let all = Arc::new(Barrier::new(2));
    let other = all.clone();
    tokio::spawn(async move {
        let one = ONE.lock().await;
        all.wait().await;
        *one + *OTHER.read().await
    });
    tokio::spawn(async move {
        let two = OTHER.write().await;
        other.wait().await;
        *two + *ONE.lock().await
    });
}

/// The only permit goes with a task that is leaked.
async fn permit() {
    let permits = Arc::new(Semaphore::new(1)); // the permits
    let other = permits.clone();
    tokio::spawn(async move { std::mem::forget(other.acquire().await) }).await.unwrap();
    tokio::spawn(async move { permits.acquire().await.is_ok() });
}

/// Locks of which tokio tells nothing, taken and given back, alone, in a select and with a time limit.
async fn quick_statics() {
    let tasks: Vec<_> = (0..20)
        .map(|i| {
            tokio::spawn(async move {
                for _ in 0..20 {
                    *ONE.lock().await += 1;
                    tokio::select! {
                        one = ONE.lock() => drop(one),
                        other = OTHER.write() => drop(other),
                    }
                    if let Ok(one) = tokio::time::timeout(ms(i), ONE.lock()).await {
                        tokio::task::yield_now().await;
                        drop(one);
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// A lock whose guard goes with a task that is leaked is asked for again and again, with a limit.
async fn limited() {
    let lock = Arc::new(Mutex::new(1)); // asked for again
    let other = lock.clone();
    tokio::spawn(async move { std::mem::forget(other.lock().await) }).await.unwrap();
    tokio::spawn(async move { while tokio::time::timeout(ms(50), lock.lock()).await.is_err() {} });
}

/// Its waker is dropped by who should have kept it.
fn dropped() {
    let reply = Reply::default();
    let kept = reply.clone();
    tokio::spawn(reply); // the reply
    tokio::spawn(async move {
        while kept.0.lock().unwrap().is_none() {
            tokio::time::sleep(ms(1)).await;
        }
        kept.0.lock().unwrap().take();
    });
}

/// One is missing at a barrier; tasks that end, are cancelled, sleep, block and wait in a select or several branches, all
/// as they should.
async fn healthy() {
    let barrier = Arc::new(Barrier::new(3)); // the barrier
    let lock = Arc::new(Mutex::new(0));
    for _ in 0..2 {
        let barrier = barrier.clone();
        tokio::spawn(async move { barrier.wait().await.is_leader() });
    }
    tokio::spawn(async {
        let own = Mutex::new(0); // in branches
        branches(&own).await;
    });
    tokio::spawn(async {
        let own = Mutex::new(0); // in a combinator
        Combined(Box::pin(branches(&own))).await;
    });
    let pair = Arc::new([Mutex::new(0), Mutex::new(0)]); // with a time limit
    let all = Arc::new(Barrier::new(2));
    for first in 0..2 {
        tokio::spawn(patient(pair.clone(), first, all.clone()));
    }
    for i in 0..50 {
        let lock = lock.clone();
        let task = tokio::spawn(async move {
            tokio::select! {
                mut guard = lock.lock() => {
                    *guard += 1;
                    tokio::time::sleep(ms(1)).await;
                }
                () = tokio::time::sleep(ms(20)) => {}
            }
            tokio::task::yield_now().await;
        });
        if i % 5 == 0 {
            task.abort();
        }
    }
    tokio::spawn(tokio::time::sleep_until(tokio::time::Instant::now() + ms(1 << 45))); // for a thousand years
    let owned = lock.clone().lock_owned().await;
    let handed = tokio::spawn(async move { *owned });
    tokio::task::spawn_blocking(|| std::thread::sleep(ms(5))).await.unwrap();
    let _ = handed.await;
    tokio::time::sleep(ms(200)).await;
}

fn main() {
    corotrace::layer().init();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let bug = std::env::args().nth(1).unwrap();
    runtime.block_on(async {
        match bug.as_str() {
            "circle" => circle(),
            "streams" => streams(),
            "twice" => twice(),
            "kept" => kept().await,
            "unordered" => unordered(),
            "served" => served().await,
            "mailboxes" => mailboxes(),
            "asks" => asks(),
            "served_well" => served_well().await,
            "gave_up" => gave_up().await,
            "leaked" => leaked().await,
            "dropped" => dropped(),
            "statics" => statics().await,
            "permit" => permit().await,
            "limited" => limited().await,
            "quick_statics" => quick_statics().await,
            _ => healthy().await,
        }
        tokio::time::sleep(ms(1000)).await;
    });
    std::process::exit(0);
}
