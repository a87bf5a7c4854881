//! The rings and stations that a writer takes and gives back.

use core::ffi::c_int;
use std::sync::atomic::Ordering::*;

use crate::ctp::*;
use crate::region::Region;
use crate::ring::Offer;
use crate::writer::{Writer, STATIONS};
use crate::{process, station, sys};

/// Threads that have ended and keep their history in a box, as long as there is memory for others.
const KEEP: usize = 8;

/// Those that were ever used.
fn used_rings(r: &Region) -> &[Ring] {
    let rings = r.rings();
    &rings[..rings.len().min(r.header().rings_used.load(Acquire) as usize)]
}

/// Threads of processes that were killed end without a word. In another pid namespace than the box was made in their
/// numbers are nobody's.
pub(crate) fn reap_rings(r: &Region) {
    if process::pid() >= NUMBERS {
        return;
    }
    for ring in used_rings(r) {
        let by = ring.owner.load(Relaxed);
        let (pid, tid) = (owner_pid(by), by as u32);
        if by == RING_FREE || by & RING_RETIRED != 0 || pid >= NUMBERS || tid >= NUMBERS {
            continue;
        }
        // SAFETY: signal 0 asks only.
        let there = unsafe { sys::syscall(sys::SYS_TGKILL, pid as c_int, tid as c_int, 0 as c_int) } == 0;
        if !there && sys::errno() == sys::ESRCH {
            let _ = ring.owner.compare_exchange(by, by | RING_RETIRED, AcqRel, Relaxed);
        }
    }
}

impl Writer {
    /// A ring for this thread.
    pub(crate) fn claim(&self) -> bool {
        let _aside = sys::Aside::new();
        if !self.region.overwrites {
            return self.claim_free();
        }
        if self.claim_retired(KEEP) || self.claim_free() || self.claim_retired(0) {
            return true;
        }
        reap_rings(self.region);
        self.claim_retired(0)
    }

    fn claim_free(&self) -> bool {
        for (i, ring) in self.region.rings().iter().enumerate() {
            if ring.owner.load(Relaxed) != RING_FREE {
                continue;
            }
            let Some(slots) = self.region.slots(i as u32) else { return false };
            if self.take_ring(i, RING_FREE, slots) {
                return true;
            }
        }
        false
    }

    /// Ring `i`, whose owner word was `from`, and whose slots these are: open.
    fn take_ring(&self, i: usize, from: u64, slots: *const Event) -> bool {
        let r = self.region;
        let ring = &r.rings()[i];
        let offer = Offer { ring, from, slots, count: r.ring_slots, overwrites: r.overwrites };
        // SAFETY: the slots are this ring's, and the mapping stays.
        let Some(last) = (unsafe { self.ring.claim(&offer, owner(process::pid(), self.tid as u32)) }) else {
            return false;
        };
        // The ring's times never fall, whoever owns it; but no garbage may send our clock into the future.
        if last > self.last_ts.get() && last < sys::now(self.flags) + 1_000_000 {
            self.last_ts.set(last);
        }
        self.header.rings_used.fetch_max(i as u32 + 1, AcqRel);
        true
    }

    /// Of a thread that is gone, the one that is silent for the longest; the last `keep` keep their history.
    fn claim_retired(&self, keep: usize) -> bool {
        let r = self.region;
        let Some(reader) = r.reader() else { return false };
        let session = reader.session();
        self.ask_for_recorder();
        if reader.reads(session) {
            return false; // it frees them when it has read them
        }
        let mut count = 0;
        let mut oldest = (u64::MAX, 0, 0, core::ptr::null());
        for (i, ring) in used_rings(r).iter().enumerate() {
            let from = ring.owner.load(Acquire);
            if from & RING_RETIRED == 0 {
                continue;
            }
            let Some(slots) = r.read_slots(i as u32) else { continue };
            count += 1;
            let last = match ring.head.load(Acquire) {
                0 => 0,
                // SAFETY: one of the slots.
                head => unsafe { &*slots.add((head - 1) as usize & (r.ring_slots as usize - 1)) }.word[TIMESTAMP]
                    .load(Relaxed),
            };
            if last < oldest.0 {
                oldest = (last, i, from, slots);
            }
        }
        count > keep && self.take_ring(oldest.1, oldest.2, oldest.3)
    }

    pub(crate) fn give_stations(&self, count: usize) {
        for _ in 0..count {
            let k = self.station_count.get() - 1;
            self.station_count.set(k);
            // Not by a child that a signal handler forked meanwhile: it is its parent's.
            let may = || self.ring.is_ours();
            station::push(&self.header.stations_free, self.region.stations(), self.station[k].get(), may);
        }
    }

    fn keep_station(&self, i: u32) {
        self.station[self.station_count.get()].set(i);
        self.station_count.set(self.station_count.get() + 1);
    }

    /// A coroutine that had it is gone.
    pub(crate) fn return_station(&self, i: u32) {
        if self.station_count.get() == STATIONS {
            self.give_stations(STATIONS / 2);
        }
        self.keep_station(i);
    }

    /// 1 + index of a station, 0 where there is none.
    pub(crate) fn new_station(&self) -> u32 {
        let (r, h) = (self.region, self.header);
        if let Some(k) = self.station_count.get().checked_sub(1) {
            self.station_count.set(k);
            return self.station[k].get() + 1;
        }
        if let Some(i) = station::pop(&h.stations_free, r.stations(), |i| r.open_station(i)) {
            return i + 1;
        }
        let mut want = 16;
        while want != 0 {
            let Some(i) = station::take32(&h.stations_used, want, r.station_count) else {
                want /= 2;
                continue;
            };
            if !r.open_station(i + want - 1) {
                break;
            }
            (1..want).rev().for_each(|k| self.keep_station(i + k));
            return i + 1;
        }
        h.lost_no_station.fetch_add(1, Relaxed);
        0
    }
}
