//! As lost-forgets, spawned by a task that lives on, and waits for one of them.
//! expect: lost-waker 1
use std::future::poll_fn;
use std::task::Poll;

pub fn main() {
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn(async {
            let first = corotrace::tokio::spawn(poll_fn(|_| Poll::<()>::Pending));
            corotrace::tokio::spawn(async {
                corotrace::tokio::sleep(rust_zoo::ms(20)).await;
                poll_fn(|_| Poll::<()>::Pending).await
            });
            first.await.unwrap()
        });
    });
}
