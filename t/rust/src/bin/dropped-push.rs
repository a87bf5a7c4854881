//! An executor whose queue loses a push.
//! expect: dropped-wake 1
use std::sync::Arc;

use rust_zoo::{ms, Bug, Flag, Pool};

fn main() {
    let pool = Pool::start(Bug::LosesSecondPush);
    let flags: [Arc<Flag>; 4] = Default::default();
    for flag in flags.clone() {
        pool.spawn(async move { flag.wait().await });
    }
    std::thread::sleep(ms(50));
    flags[..3].iter().for_each(|f| f.set());
    std::thread::sleep(ms(350));
}
