//! An executor whose queue loses a push.
//! expect: dropped-wake 1
use std::sync::Arc;

use rust_zoo::{Bug, Flag, Pool};

pub fn main() {
    let pool = Pool::start(Bug::LosesSecondPush);
    let flags: [Arc<Flag>; 4] = Default::default();
    for flag in flags.clone() {
        pool.spawn(async move { flag.wait().await });
    }
    rust_zoo::settle();
    flags[..3].iter().for_each(|f| f.set());
    rust_zoo::settle();
}
