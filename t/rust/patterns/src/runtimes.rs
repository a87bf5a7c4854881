//! Runtimes, and what stands outside of one.
use corotrace::tokio;

use std::panic::{catch_unwind, AssertUnwindSafe};

use tokio::sync::{mpsc, oneshot, Mutex};
use tokio::task::LocalSet;
use tokio::time::Duration;

pub const ALL: [(&str, fn()); 5] = [
    ("blocking", blocking),
    ("built", built),
    ("local", local),
    ("paused", paused),
    ("current_thread", current_thread),
];

fn blocking() {
    let (sender, mut receiver) = mpsc::channel::<u32>(4);
    sender.blocking_send(1).unwrap();
    assert_eq!(receiver.blocking_recv(), Some(1));
    let (reply, answer) = oneshot::channel::<u32>();
    reply.send(2).unwrap();
    assert_eq!(answer.blocking_recv(), Ok(2));
    assert_eq!(*Mutex::new(3).blocking_lock(), 3);
    let runtime = tokio::runtime::Builder::new_current_thread().name("one").build().unwrap();
    let amid_a_task = AssertUnwindSafe(|| runtime.block_on(async { sender.blocking_send(1) }));
    assert!(catch_unwind(amid_a_task).is_err());
    assert_eq!(tokio::task::block_in_place(|| 4), 4);
}

fn built() {
    let runtime: tokio::runtime::Runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("built")
        .max_blocking_threads(3)
        .on_thread_start(|| {})
        .on_thread_park(|| {})
        .enable_all()
        .build()
        .unwrap();
    assert_eq!(runtime.block_on(async { 1 }), 1);
    let handle: &tokio::runtime::Handle = runtime.handle();
    handle.spawn(async {});
    let entered = runtime.enter();
    drop(entered);
    runtime.shutdown_timeout(Duration::from_secs(1));
}

fn local() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let local = LocalSet::new();
    local.spawn_local(async {});
    local.block_on(&runtime, async { tokio::task::spawn_local(async {}).await.unwrap() });
    assert_eq!(runtime.block_on(local.run_until(async { 1 })), 1);
    let runtime = tokio::runtime::LocalRuntime::new().unwrap();
    let task = runtime.spawn_local(async { tokio::task::spawn_local(async { 2 }).await.unwrap() });
    assert_eq!(runtime.block_on(task).unwrap(), 2);
    assert_eq!(runtime.block_on(runtime.spawn_blocking(|| 3)).unwrap(), 3);
    main();

    #[tokio::main(flavor = "local")]
    async fn main() {
        tokio::task::spawn_local(async {}).await.unwrap();
    }
}

fn paused() {
    #[tokio::main(flavor = "current_thread", start_paused = true)]
    async fn ahead() {
        tokio::time::sleep(Duration::from_secs(100)).await;
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    ahead();
}

#[tokio::main(flavor = "current_thread")]
async fn current_thread() {}
