//! Version 1, as coroTracer's SDKs write.

use core::sync::atomic::{fence, Ordering::*};

use crate::ctp::*;
use crate::flag;
use crate::writer::{Coro, Writer};

impl Writer {
    /// An event of a coroutine, to its station: slot n % 8, odd seq, payload, even seq, fence.
    #[cold]
    pub(crate) fn v1(&self, c: &mut Coro, addr: u64, kind: u8) {
        if kind == Kind::Create as u8 {
            let i = self.header.allocated_count.fetch_add(1, Relaxed);
            let Some(s) = self.region.v1_stations().get(i as usize) else { return };
            c.station = i + 1;
            s.probe_id.store(c.id, Relaxed);
            s.is_dead.store(0, Relaxed);
            s.birth_ts.store(c.last_ts, Release);
            return;
        }
        let Some(s) = c.station.checked_sub(1).map(|i| &self.region.v1_stations()[i as usize]) else { return };
        if kind == Kind::Destroy as u8 {
            return s.is_dead.store(1, Release);
        }
        if flag::is_stopped() {
            return;
        }
        let slot = &s.slots[(c.n as usize - 2) % 8];
        let seq = slot.word[SEQ].load(Relaxed);
        slot.word[SEQ].store(seq + 1, Relaxed);
        fence(Release); // whoever sees the payload sees that seq is odd
        slot.word[ADDR].store(addr, Relaxed);
        slot.word[TID].store(self.tid, Relaxed);
        slot.word[TIMESTAMP].store(c.last_ts, Relaxed);
        slot.word[KINDS].store(((kind == Kind::Resume as u8) as u64) << 56, Relaxed);
        slot.word[SEQ].store(seq + 2, Release);
        fence(SeqCst); // version 1 recorders have no membarrier
    }
}
