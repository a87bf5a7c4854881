//! Joins two tasks and has the lock that one of them wants; it was handed to it.
//! expect: deadlock 1
use rust_zoo::told::{join_with_lock, scene};
use rust_zoo::Bug;

pub fn main() {
    scene(Bug::None, |pool| join_with_lock(pool, false));
}
