//! A one-shot channel whose sender, when dropped, wakes nobody.
//! expect: closed-resource 1
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use corotrace::{On, TraceFutureExt};
use rust_zoo::{lock, ms};

#[derive(Default)]
struct Shared {
    state: Mutex<(Option<u32>, Option<Waker>)>,
}
struct Sender(Arc<Shared>);
impl Drop for Sender {
    fn drop(&mut self) {
        corotrace::close(On::chan(&*self.0));
    }
}

async fn recv(shared: Arc<Shared>) -> u32 {
    let on = On::chan(&*shared);
    poll_fn(move |cx| {
        let mut state = lock(&shared.state);
        state.1 = Some(cx.waker().clone());
        state.0.take().map_or(Poll::Pending, Poll::Ready)
    })
    .waiting_on(on)
    .await
}

pub fn main() {
    let shared = Arc::new(Shared::default());
    let sender = Sender(shared.clone());
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn(recv(shared));
        corotrace::tokio::spawn(async move {
            corotrace::tokio::sleep(ms(20)).await;
            drop(sender);
        });
    });
}
