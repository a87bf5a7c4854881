//! Traced futures inside of untraced tasks that poll them at will, keep them unpolled, and drop them.
//! expect: nothing proven
use std::future::{poll_fn, Future};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::task::Poll;

use corotrace::TraceFutureExt;
use rust_zoo::{ms, Flag};

pub fn main() {
    let flag: Arc<Flag> = Arc::default();
    let set = flag.clone();
    rust_zoo::on_tokio(|| {
        // Polls one that keeps no waker, whenever a timer wakes the task.
        tokio::spawn(async {
            let ready = AtomicBool::new(false);
            let mut lazy = std::pin::pin!(poll_fn(|_| match ready.load(Relaxed) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            })
            .traced());
            for _ in 0..100 {
                let mut tick = std::pin::pin!(tokio::time::sleep(ms(10)));
                poll_fn(|cx| {
                    let _ = lazy.as_mut().poll(cx);
                    tick.as_mut().poll(cx)
                })
                .await;
            }
        });
        // Woken, while the task awaits something else.
        tokio::spawn(async {
            let mut kept = std::pin::pin!(async { tokio::time::sleep(ms(10)).await }.traced());
            let _ = poll_fn(|cx| Poll::Ready(kept.as_mut().poll(cx))).await;
            tokio::time::sleep(ms(60_000)).await;
            kept.await
        });
        // Dropped while pending.
        tokio::spawn(async { tokio::time::timeout(ms(20), std::future::pending::<()>().traced()).await });
        // A directly awaited part.
        tokio::spawn(async move { flag.wait().traced().await });
        rust_zoo::settle();
        set.set();
    });
}
