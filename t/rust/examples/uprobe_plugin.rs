//! A library with a tokio of its own, for ct-uprobe's tests: built as a cdylib, and loaded by a program that runs. `begin`: tasks
//! sleep, spawn and join; `lose`: a thread drops the last waker of another one, and prints "lost ID TID".
use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::sleep;

static KEPT: Mutex<Option<(Runtime, String)>> = Mutex::new(None);
static WAKER: Mutex<Option<Waker>> = Mutex::new(None);

async fn waits() {
    poll_fn(|cx| {
        *WAKER.lock().unwrap() = Some(cx.waker().clone());
        Poll::<()>::Pending
    })
    .await
}

async fn child(n: u32) -> u32 {
    sleep(Duration::from_millis(1)).await;
    n + 1
}

async fn parent() {
    let mut n = 0;
    loop {
        n = tokio::spawn(child(n)).await.unwrap();
    }
}

#[no_mangle]
pub extern "C" fn begin() -> *const u8 {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for _ in 0..3 {
        runtime.spawn(parent());
    }
    let victim = runtime.spawn(waits());
    *KEPT.lock().unwrap() = Some((runtime, victim.id().to_string()));
    std::ptr::null()
}

#[no_mangle]
pub extern "C" fn lose() {
    std::thread::spawn(|| {
        while WAKER.lock().unwrap().take().is_none() {
            std::thread::yield_now();
        }
        let kept = KEPT.lock().unwrap();
        println!("lost {} {}", kept.as_ref().unwrap().1, unsafe { libc::syscall(libc::SYS_gettid) });
    });
}
