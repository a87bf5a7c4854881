//! An executor that takes a wake of the running task for done.
//! expect: missed-wake 1
use std::sync::Arc;

use rust_zoo::{Bug, Flag, Pool};

async fn wait(flag: Arc<Flag>, early: bool) {
    let other = flag.clone();
    let mut first = early;
    std::future::poll_fn(|cx| {
        let r = flag.poll(cx);
        if std::mem::take(&mut first) {
            let other = other.clone();
            rust_zoo::elsewhere(move || other.set());
        }
        r
    })
    .await
}

pub fn main() {
    let pool = Pool::start(Bug::ForgetsWakesOfTheRunning);
    pool.spawn(wait(Arc::default(), true));
    pool.spawn(wait(Arc::default(), false));
    rust_zoo::settle();
}
