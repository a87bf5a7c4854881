//! A hand-written future returns Pending and keeps no waker: a task of its own, and awaited by one, where `std::future::pending()` may be.
//! expect: lost-waker 1
use std::future::{poll_fn, Future};
use std::task::Poll;

fn reply() -> impl Future<Output = ()> {
    poll_fn(|_| Poll::Pending)
}

pub fn main() {
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn(reply());
        corotrace::tokio::spawn(async {
            corotrace::tokio::sleep(rust_zoo::ms(20)).await;
            reply().await
        });
    });
}
