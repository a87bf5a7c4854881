//! A future keeps the waker of its first poll; handed to another task, it wakes the wrong one.
//! expect: lost-waker 1
use std::future::{poll_fn, Future};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use rust_zoo::lock;

type Kept = Arc<Mutex<Option<Waker>>>;

fn reply(kept: Kept) -> Pin<Box<impl Future<Output = ()> + Send>> {
    Box::pin(poll_fn(move |cx| {
        lock(&kept).get_or_insert_with(|| cx.waker().clone());
        Poll::Pending
    }))
}

pub fn main() {
    let kept = Kept::default();
    let wakes = kept.clone();
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn(async move {
            let mut reply = reply(kept);
            let _ = poll_fn(|cx| Poll::Ready(reply.as_mut().poll(cx))).await;
            corotrace::tokio::spawn(reply);
        });
        rust_zoo::settle();
        lock(&wakes).take().unwrap().wake();
    });
}
