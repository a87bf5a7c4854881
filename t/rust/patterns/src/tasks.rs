//! Tasks, and what they are made of.
use corotrace::{tokio, tokio_util};

use std::future::Future;
use std::pin::Pin;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{Duration, Instant, Interval, Sleep};
use tower::ServiceExt;

tokio::task_local! { static NUMBER: u32; }

pub async fn select() {
    let (sender, mut receiver) = mpsc::channel::<u32>(1);
    tokio::spawn(async move { sender.send(7).await });
    tokio::select! {
        biased;
        got = receiver.recv() => assert_eq!(got, Some(7)),
        _ = tokio::time::sleep(Duration::from_secs(100)) => unreachable!(),
        else => unreachable!(),
    }
}

pub async fn join() {
    tokio::join!(async {}, tokio::time::sleep(Duration::from_millis(1)));
    let both: Result<((), u32), ()> = tokio::try_join!(async { Ok(()) }, async { Ok(7) });
    assert_eq!(both, Ok(((), 7)));
}

pub async fn set() {
    let mut set = JoinSet::new();
    set.spawn(async { 1 });
    set.spawn_blocking(|| 2);
    set.spawn_on(async { 3 }, &tokio::runtime::Handle::current());
    set.spawn_blocking_on(|| 4, &tokio::runtime::Handle::current());
    assert_eq!(set.join_next().await.unwrap().unwrap() % 4 / 4, 0);
    let rest: Vec<i32> = set.join_all().await;
    assert_eq!(rest.len(), 3);
}

pub async fn tracker() {
    let tracker = tokio_util::task::TaskTracker::new();
    let task: JoinHandle<u32> = tracker.spawn(async { 1 });
    tracker.spawn_blocking(|| 2);
    tracker.close();
    tracker.wait().await;
    assert_eq!((task.await.unwrap(), tracker.len()), (1, 0));
}

pub async fn token() {
    let token = tokio_util::sync::CancellationToken::new();
    let child = token.child_token();
    let task = tokio::spawn(async move { child.cancelled().await });
    assert_eq!(token.run_until_cancelled(async { 1 }).await, Some(1));
    token.cancel();
    task.await.unwrap();
}

pub async fn handles() {
    let handle = tokio::runtime::Handle::current();
    let task: JoinHandle<u32> = handle.spawn(async { 1 });
    assert_eq!((task.await.unwrap(), handle.spawn_blocking(|| 2).await.unwrap()), (1, 2));
    let thread = std::thread::spawn(move || handle.block_on(async { 3 }));
    assert_eq!(tokio::task::spawn_blocking(|| thread.join().unwrap()).await.unwrap(), 3);
}

pub async fn abort_on_drop() {
    let task = tokio::spawn(async { 1 });
    let id: tokio::task::Id = task.id();
    assert_eq!(task.abort_handle().id(), id);
    assert_eq!(tokio_util::task::AbortOnDropHandle::new(task).await.unwrap(), 1);
    let waits = tokio::spawn(std::future::pending::<()>());
    let aborts = waits.abort_handle();
    drop(tokio_util::task::AbortOnDropHandle::new(waits));
    while !aborts.is_finished() {
        tokio::task::yield_now().await;
    }
}

struct Held {
    sleep: Pin<Box<Sleep>>,
    task: JoinHandle<()>,
    aborts: AbortHandle,
    ticks: Interval,
}

pub async fn held() {
    let task = tokio::spawn(async { tokio::time::sleep(Duration::from_secs(100)).await });
    let mut held = Held {
        sleep: Box::pin(tokio::time::sleep(Duration::from_secs(100))),
        aborts: task.abort_handle(),
        task,
        ticks: tokio::time::interval(Duration::from_millis(1)),
    };
    let due = held.sleep.deadline();
    held.sleep.as_mut().reset(due - Duration::from_secs(100));
    held.sleep.as_mut().await;
    assert!(held.sleep.is_elapsed());
    held.ticks.tick().await;
    held.aborts.abort();
    assert!(held.task.await.unwrap_err().is_cancelled());
}

pub async fn boxed() {
    fn limited() -> Pin<Box<dyn Future<Output = u32> + Send>> {
        async {
            let in_time: Result<u32, tokio::time::error::Elapsed> =
                tokio::time::timeout(Duration::from_secs(1), async { 1 }).await;
            let late = tokio::time::timeout_at(Instant::now(), std::future::pending::<u32>()).await;
            in_time.unwrap() + late.map_or(1, |n| n)
        }
        .boxed()
    }
    assert_eq!(NUMBER.scope(7, async { limited().await + NUMBER.get() }).await, 9);
}

pub async fn budget() {
    tokio::task::yield_now().await;
    tokio::task::unconstrained(async {}).await;
    tokio::task::coop::consume_budget().await;
}

pub async fn buffer() {
    let service =
        tower::ServiceBuilder::new().buffer::<u32>(3).concurrency_limit(1).timeout(Duration::from_secs(1)).service_fn(
            |n: u32| async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                Ok::<_, std::convert::Infallible>(n)
            },
        );
    assert_eq!(service.oneshot(1).await.unwrap(), 1);
}

pub async fn files() {
    assert!(tokio::fs::read("/dev/null").await.unwrap().is_empty());
    assert!(tokio::process::Command::new("true").status().await.unwrap().success());
    tokio::select! {
        biased;
        _ = tokio::signal::ctrl_c() => unreachable!(),
        _ = tokio::task::yield_now() => {}
    }
    let (reads, _writes) = std::io::pipe().unwrap();
    #[allow(deprecated)]
    let ready = tokio::io::unix::AsyncFd::new(reads).unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(1), ready.readable()).await.is_err());
}
