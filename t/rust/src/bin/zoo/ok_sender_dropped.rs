//! tokio's one-shot channel: its receiver is woken when the sender is dropped.
//! expect: nothing proven
use corotrace::{On, TraceFutureExt};
use rust_zoo::ms;
use tokio::sync::oneshot;

pub fn main() {
    let (sender, receiver) = oneshot::channel::<u32>();
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn(async move {
            let on = On::chan(&receiver);
            assert!(receiver.waiting_on(on).await.is_err());
            corotrace::tokio::sleep(ms(60_000)).await;
        });
        corotrace::tokio::spawn(async move {
            corotrace::tokio::sleep(ms(20)).await;
            drop(sender);
        });
    });
}
