//! `notify_one` before anybody waits: the permit is kept. The second wait is for one that nobody is left to send.
//! expect: nothing proven, or inconclusive
use std::sync::Arc;

use corotrace::{On, TraceFutureExt};
use tokio::sync::Notify;

pub fn main() {
    let notify = Arc::new(Notify::new());
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn(async move {
            let other = notify.clone();
            rust_zoo::elsewhere(move || {
                other.notify_one();
                corotrace::level(On::cond(&*other), 1);
            });
            notify.notified().waiting_on(On::cond(&*notify)).await;
            corotrace::level(On::cond(&*notify), 0);
            notify.notified().waiting_on(On::cond(&*notify)).await
        });
    });
}
