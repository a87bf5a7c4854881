//! Waits for the first of two channels, whose senders are both dropped without a word.
//! expect: closed-resource 1
use rust_zoo::told::{scene, select_closed};
use rust_zoo::Bug;

pub fn main() {
    scene(Bug::None, |pool| select_closed(pool, false));
}
