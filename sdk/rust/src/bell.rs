//! Behind an event: does the recorder sleep, and who rings? ctp(7) argues the memory orders.

use crate::sync::Ordering::{AcqRel, Relaxed, SeqCst};
use crate::sync::{fence, AtomicU32};

/// Either this sees that the recorder sleeps, or the recorder, which looks once more, sees the head that was stored before:
/// by its membarrier, or where it has none, by a fence here.
#[inline(always)]
pub(crate) fn sleeps(tracer_sleeping: &AtomicU32, fenced: bool) -> bool {
    if fenced {
        fence(SeqCst);
    }
    tracer_sleeping.load(Relaxed) == 1
}

/// True for one of those who found the recorder asleep. Acq_rel only so that it is one.
pub(crate) fn take(tracer_sleeping: &AtomicU32) -> bool {
    tracer_sleeping.compare_exchange(1, 0, AcqRel, Relaxed).is_ok()
}
