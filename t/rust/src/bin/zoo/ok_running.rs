//! An executor that polls a task again which was woken while it ran; on tokio, too.
//! expect: nothing proven
use std::sync::Arc;

use rust_zoo::{Bug, Flag, Pool};

async fn wait(flag: Arc<Flag>, never: Arc<Flag>) {
    let other = flag.clone();
    let mut first = true;
    std::future::poll_fn(|cx| {
        let r = flag.poll(cx);
        if std::mem::take(&mut first) {
            let other = other.clone();
            rust_zoo::elsewhere(move || other.set());
        }
        r
    })
    .await;
    never.wait().await
}

pub fn main() {
    let never: Arc<Flag> = Arc::default();
    let pool = Pool::start(Bug::None);
    for _ in 0..3 {
        pool.spawn(wait(Arc::default(), never.clone()));
    }
    rust_zoo::settle();
}
