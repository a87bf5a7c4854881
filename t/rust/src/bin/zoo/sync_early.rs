//! tokio's Notify as it is wrapped: `notify_waiters` comes while the waiter has looked, but made no future yet.
//! expect: hint missed-wake 1
use corotrace::tokio;
use std::sync::Arc;
use tokio::sync::Notify;

pub fn main() {
    let notify = Arc::new(Notify::new());
    rust_zoo::on_tokio(|| {
        tokio::spawn(async move {
            let other = notify.clone();
            rust_zoo::elsewhere(move || other.notify_waiters());
            notify.notified().await
        });
    });
}
