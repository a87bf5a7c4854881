//! What a task waits for that somebody owes it, of whom tokio does not tell: an answer on a channel that it made itself, or room.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::ctp::Kind;
use crate::on::On;
use crate::probe;

/// Reported as an end that anybody may have, as long as it is waited for: so ct-lostwake knows that too little is told. Whose
/// channel another made may wait for ever by design, as for the word to shut down; and so may `main`.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// That task, by its number in the trace; 0: none that waits for it like this, or `ANY`.
    maker: u64,
    is_owed: AtomicBool,
}

const ANY: u64 = u64::MAX;

impl Answer {
    /// To whoever waits for it.
    #[cfg(feature = "layer")]
    pub(crate) fn to_anybody() -> Self {
        Self { maker: ANY, is_owed: AtomicBool::new(false) }
    }

    /// Its channel is just made.
    pub(crate) fn made_here() -> Self {
        let maker = super::older::current().map_or(0, |_| crate::current());
        Self { maker, is_owed: AtomicBool::new(false) }
    }

    /// It is waited for, or is not any more.
    #[inline]
    pub(crate) fn polled(&self, on: On, is_over: bool) {
        let owes_here = || is_over || self.maker == crate::current() || self.maker == ANY;
        if self.maker == 0 || self.is_owed.load(Relaxed) != is_over || !owes_here() {
            return;
        }
        if self.is_owed.swap(!is_over, Relaxed) != is_over {
            return;
        }
        probe::hold(if is_over { Kind::Release } else { Kind::Acquire }, on, false, None);
    }
}
