//! The same, with a future that keeps the waker of its last poll.
//! expect: nothing proven
use std::future::{poll_fn, Future};
use std::sync::Arc;
use std::task::Poll;

use rust_zoo::Flag;

pub fn main() {
    let flag = Arc::new(Flag::default());
    let (soon, never) = (flag.clone(), Arc::new(Flag::default()));
    rust_zoo::on_tokio(|| {
        for flag in [soon, never] {
            corotrace::tokio::spawn(async move {
                let mut reply = Box::pin(async move { flag.wait().await });
                let _ = poll_fn(|cx| Poll::Ready(reply.as_mut().poll(cx))).await;
                corotrace::tokio::spawn(reply);
            });
        }
        rust_zoo::settle();
        flag.set();
    });
}
