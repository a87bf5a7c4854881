//! `notify_waiters` before anybody waits: tokio's Notify keeps no permit for that.
//! expect: hint missed-wake 1
use std::sync::Arc;

use corotrace::{On, TraceFutureExt};
use tokio::sync::Notify;

pub fn main() {
    let notify = Arc::new(Notify::new());
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn(async move {
            let other = notify.clone();
            rust_zoo::elsewhere(move || {
                other.notify_waiters();
                corotrace::notify(On::cond(&*other), 0);
            });
            notify.notified().waiting_on(On::cond(&*notify)).await
        });
    });
}
