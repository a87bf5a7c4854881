//! An executor that pushes a woken task and tells no worker.
//! expect: asleep-workers 1
use std::sync::Arc;

use rust_zoo::{Bug, Flag, Pool};

pub fn main() {
    let pool = Pool::start(Bug::TellsNobody);
    let flag: Arc<Flag> = Arc::default();
    let waits = flag.clone();
    pool.spawn(async move { waits.wait().await });
    rust_zoo::settle();
    flag.set();
    rust_zoo::settle();
}
