//! Who reads the rings of a box: nobody, and they overwrite their oldest events, or a recorder, and they keep what it has
//! not read. ctp(7), "Who reads a box", argues the memory orders.

use crate::ctp::Ring;
use crate::sync::Ordering::{Acquire, Relaxed, Release, SeqCst};
use crate::sync::{fence, AtomicU32, AtomicU64};

/// What a writer of a box has to look at.
pub(crate) struct Reader<'a> {
    /// Odd: a recorder reads. It only rises.
    pub(crate) session: &'a AtomicU32,
    /// The session whose recorder is dead.
    pub(crate) gone: &'a AtomicU32,
    /// While nobody reads, so many events are written until the next look.
    pub(crate) look_slots: u64,
}

impl Reader<'_> {
    /// Acquire: the tails that the recorder stored before it.
    pub(crate) fn session(&self) -> u32 {
        self.session.load(Acquire)
    }

    pub(crate) fn reads(&self, session: u32) -> bool {
        session % 2 != 0 && session != self.gone.load(Relaxed)
    }

    /// How many events may be written at `head` until the next look; `free` counts the slots that a recorder has read.
    ///
    /// What may be written is declared in the ring's limit first, and fenced: against the session, so that a recorder which
    /// makes it odd, fences and reads the limit sees this one, or its session is seen here; and against the slots, so that
    /// whoever copies a slot that is written below that limit, fences and reads the limit, sees it.
    pub(crate) fn room(&self, ring: &Ring, head: u64, free: impl Fn() -> u64) -> u64 {
        let mut session = self.session();
        loop {
            let room = if self.reads(session) { free() } else { self.look_slots };
            if head + room > ring.limit.load(Relaxed) {
                ring.limit.store(head + room, Relaxed);
                fence(SeqCst);
            }
            let again = self.session();
            if again == session {
                return room;
            }
            session = again;
        }
    }

    /// Whoever finds no room asks whether the recorder lives, by its lock: `is_held`. The session is looked at first: where
    /// nobody holds the lock after that, the recorder of that session is gone, whoever comes next.
    pub(crate) fn ask(&self, is_held: impl FnOnce() -> bool) {
        let session = self.session();
        if session % 2 != 0 && !is_held() {
            self.gone.store(session, Relaxed);
        }
    }
}

/// A moment by both clocks, behind a lock that nobody waits for: who finds another at it goes on. `read` gives ticks and ns.
pub(crate) fn store_moment(lock: &AtomicU32, ticks: &AtomicU64, ns: &AtomicU64, read: impl FnOnce() -> (u64, u64)) {
    let before = lock.load(Relaxed);
    if before % 2 != 0 || lock.compare_exchange(before, before + 1, Acquire, Relaxed).is_err() {
        return;
    }
    fence(Release); // whoever sees the times sees that the lock is odd
    let now = read();
    ticks.store(now.0, Relaxed);
    ns.store(now.1, Relaxed);
    lock.store(before.wrapping_add(2), Release);
}
