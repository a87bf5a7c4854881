//! Several things at once, a lock that is handed over, room in a queue, a timer that moves: as they should be.
//! expect: nothing proven
use rust_zoo::told::{full_mailboxes, join_with_lock, scene, select_closed, timer_moved, wakes};
use rust_zoo::Bug;

pub fn main() {
    scene(Bug::None, |pool| {
        for play in [select_closed, join_with_lock, timer_moved, full_mailboxes] {
            play(pool, true);
        }
        wakes(pool);
    });
}
