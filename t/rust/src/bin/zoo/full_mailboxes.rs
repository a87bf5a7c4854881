//! Two who alone receive from their mailboxes send to each other, and both are full.
//! expect: deadlock 1
use rust_zoo::told::{full_mailboxes, scene};
use rust_zoo::Bug;

pub fn main() {
    scene(Bug::None, |pool| full_mailboxes(pool, false));
}
