//! An executor that takes a woken task from its queue and does not run it.
//! expect: dropped-wake 1
use rust_zoo::told::{scene, wakes};
use rust_zoo::Bug;

pub fn main() {
    scene(Bug::Dequeues, wakes);
}
