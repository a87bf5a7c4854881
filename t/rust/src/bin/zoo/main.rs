//! Programs of one bug each, or of none and looking so, linked once: it is the one by whose name it is called.

mod asleep;
mod blocking_joined;
mod blocking_locks;
mod cell_itself;
mod closed_sender;
mod dead_owner;
mod deadlock_join;
mod dequeued;
mod dropped_push;
mod full_mailboxes;
mod futurelock;
mod join_with_lock;
mod lost_forgets;
mod lost_spawned;
mod lost_stale;
mod missed_running;
mod notify_early;
mod ok_blocked_worker;
mod ok_blocking;
mod ok_blocking_polls;
mod ok_guard;
mod ok_handed_over;
mod ok_join_timeout;
mod ok_legacy_select;
mod ok_notify_one;
mod ok_pending;
mod ok_remembers;
mod ok_running;
mod ok_select_locks;
mod ok_sender_dropped;
mod ok_server;
mod ok_sets;
mod ok_shutdown;
mod ok_sync;
mod ok_told;
mod select_closed;
mod select_locks;
mod set_with_lock;
mod sync_deadlock;
mod sync_early;
mod sync_forgotten;
mod timer_moved;

macro_rules! called {
    ($name:ident: $($program:ident)*) => { match $name { $(stringify!($program) => $program::main(),)* _ => panic!("no program {}", $name) } };
}

fn main() {
    let path = std::env::args().next().unwrap();
    let name = path.rsplit('/').next().unwrap();
    called!(name:
        asleep blocking_joined blocking_locks cell_itself closed_sender dead_owner deadlock_join dequeued dropped_push full_mailboxes
        futurelock join_with_lock lost_forgets lost_spawned lost_stale missed_running notify_early
        ok_blocked_worker ok_blocking ok_blocking_polls ok_guard ok_handed_over ok_join_timeout ok_legacy_select ok_notify_one
        ok_pending ok_remembers ok_running ok_select_locks ok_sender_dropped ok_server ok_sets
        ok_shutdown ok_sync ok_told select_closed select_locks set_with_lock sync_deadlock sync_early
        sync_forgotten timer_moved
    )
}
