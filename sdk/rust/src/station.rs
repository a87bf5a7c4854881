//! Stations: the last event of each live coroutine, what is kept of its birth, and the stack of the free ones. ctp(7) argues the memory orders.

use crate::ctp::{Birth, Event, ARG, SEQ};
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{fence, AtomicU32, AtomicU64};

/// Writes a coroutine's event number `n`: a seqlock with one writer at a time, ordered by the scheduler. `words` but the
/// seq.
#[inline(always)]
pub(crate) fn write(station: &Event, n: u64, words: &[u64; 8]) {
    station.word[SEQ].store(2 * n - 1, Relaxed);
    // Whoever sees a byte of the payload sees that seq is odd.
    fence(Release);
    for i in (0..8).filter(|&i| i != SEQ) {
        station.word[i].store(words[i], Relaxed);
    }
    station.word[SEQ].store(2 * n, Release);
}

/// What the station's coroutine is: its time and parent, its site and name. One writer at a time, as of the station.
pub(crate) fn write_birth(birth: &Birth, id: u64, [ts, parent]: [u64; 2], [site, name]: [u32; 2]) {
    birth.id.store(0, Relaxed);
    // Whoever sees a word of the rest sees the 0 as well, or the new id.
    fence(Release);
    birth.ts.store(ts, Relaxed);
    birth.parent.store(parent, Relaxed);
    birth.site.store(site, Relaxed);
    birth.name.store(name, Relaxed);
    birth.id.store(id, Release);
}

/// Puts station `i` on the stack, as long as it `may`. Release: whoever pops it sees the link.
pub(crate) fn push(top: &AtomicU64, stations: &[Event], i: u32, may: impl Fn() -> bool) {
    let mut old = top.load(Relaxed);
    while may() {
        stations[i as usize].word[ARG].store(old & 0xffff_ffff, Relaxed);
        match top.compare_exchange_weak(old, next_tag(old) | (i as u64 + 1), Release, Relaxed) {
            Ok(_) => return,
            Err(seen) => old = seen,
        }
    }
}

/// Takes one from the stack; `may` says whether a station may be looked at.
pub(crate) fn pop(top: &AtomicU64, stations: &[Event], may: impl Fn(u32) -> bool) -> Option<u32> {
    let mut old = top.load(Acquire);
    loop {
        let i = (old as u32).checked_sub(1)?;
        let station = stations.get(i as usize).filter(|_| may(i))?;
        let next = station.word[ARG].load(Relaxed) & 0xffff_ffff;
        match top.compare_exchange_weak(old, next_tag(old) | next, Acquire, Acquire) {
            Ok(_) => return Some(i),
            Err(seen) => old = seen,
        }
    }
}

/// The tag in the high half changes with every push and pop: a top that comes back is not taken for the old one.
fn next_tag(top: u64) -> u64 {
    ((top >> 32).wrapping_add(1)) << 32
}

/// Takes `want` of a bounded table whose fill stands at `used`. Never overshoots.
pub(crate) fn take32(used: &AtomicU32, want: u32, size: u32) -> Option<u32> {
    let mut at = used.load(Relaxed);
    loop {
        let end = at.checked_add(want).filter(|&end| end <= size)?;
        match used.compare_exchange_weak(at, end, Relaxed, Relaxed) {
            Ok(_) => return Some(at),
            Err(seen) => at = seen,
        }
    }
}

/// As `take32`.
pub(crate) fn take64(used: &AtomicU64, want: u64, size: u64) -> Option<u64> {
    let mut at = used.load(Relaxed);
    loop {
        let end = at.checked_add(want).filter(|&end| end <= size)?;
        match used.compare_exchange_weak(at, end, Relaxed, Relaxed) {
            Ok(_) => return Some(at),
            Err(seen) => at = seen,
        }
    }
}
