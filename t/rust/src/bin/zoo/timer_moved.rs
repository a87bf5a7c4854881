//! A timer is brought forward, and stays in the wheel where it was.
//! expect: suspected ready-resource 1
use rust_zoo::told::{scene, timer_moved};
use rust_zoo::Bug;

pub fn main() {
    scene(Bug::None, |pool| timer_moved(pool, false));
}
