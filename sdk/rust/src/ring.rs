//! A thread's ring: one writer, one reader in another process. ctp(7) argues the memory orders.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{compiler_fence, AtomicBool, Ordering::SeqCst};

use crate::ctp::{kinds, Event, Kind, Ring, ADDR, ARG, KINDS, RING_RETIRED, SEQ, TIMESTAMP};
use crate::reader::Reader;
use crate::sync::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// What the owner of a ring keeps in mind. Cells, because a signal handler may come between two of its statements.
pub(crate) struct RingWriter {
    /// False: this is a child, and the ring its parent's. A signal handler may fork, and the child end the call that was under
    /// way: so this is looked at before each store that others see.
    ours: Cell<*const AtomicBool>,
    ring: Cell<*const Ring>,
    owner: Cell<u64>,
    slots: Cell<*const Event>,
    mask: Cell<u64>,
    head: Cell<u64>,
    /// head may come up to here without a look at who has read; 0: no ring.
    limit: Cell<u64>,
    /// Of `dropped`, how many a `Lost` event has reported.
    reported: Cell<u64>,
    /// Nobody reads, or it might be so: the ring overwrites its oldest events then.
    overwrites: Cell<bool>,
}

/// Half as many stores take half of the time.
#[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
#[inline(always)]
fn fill(slot: &Event, words: [u64; 8]) {
    use core::arch::x86_64::{_mm_set_epi64x, _mm_store_si128};
    let at: *mut core::arch::x86_64::__m128i = core::ptr::from_ref(slot).cast_mut().cast();
    for i in 0..4 {
        // SAFETY: the slot is aligned, made of atomics and so may be written, and nobody reads it before head says so.
        unsafe { _mm_store_si128(at.add(i), _mm_set_epi64x(words[2 * i + 1] as i64, words[2 * i] as i64)) }
    }
}
#[cfg(not(all(target_arch = "x86_64", not(loom), not(miri))))]
#[inline(always)]
fn fill(slot: &Event, words: [u64; 8]) {
    for (to, from) in slot.word.iter().zip(words) {
        to.store(from, Relaxed);
    }
}

/// Drops that the next event has to report first.
pub(crate) struct Unreported {
    pub(crate) count: u64,
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Ever, in this ring.
    dropped: u64,
}

/// A ring to be had.
pub(crate) struct Offer {
    pub(crate) ring: *const Ring,
    /// As its owner word was seen: free or, where rings overwrite, retired.
    pub(crate) from: u64,
    pub(crate) slots: *const Event,
    /// A power of two.
    pub(crate) count: u32,
    pub(crate) overwrites: bool,
}

impl RingWriter {
    pub(crate) fn none() -> Self {
        static OURS: AtomicBool = AtomicBool::new(true);
        Self {
            ours: Cell::new(&raw const OURS),
            ring: Cell::new(ptr::null()),
            owner: Cell::new(0),
            slots: Cell::new(ptr::null()),
            mask: Cell::new(0),
            head: Cell::new(0),
            limit: Cell::new(0),
            reported: Cell::new(0),
            overwrites: Cell::new(false),
        }
    }

    /// The ring, where there is one.
    pub(crate) fn ring(&self) -> Option<&Ring> {
        // SAFETY: null or, by the contract of `claim`, valid for as long as this writer.
        unsafe { self.ring.get().as_ref() }
    }

    /// Where it is said, for as long as this writer lives, that this is no child.
    pub(crate) fn told_by(&self, ours: *const AtomicBool) {
        self.ours.set(ours);
    }

    #[inline(always)]
    pub(crate) fn is_ours(&self) -> bool {
        // SAFETY: by the contract of `told_by`.
        unsafe { &*self.ours.get() }.load(Relaxed)
    }

    /// Takes a ring for `owner`; None when somebody else did. Gives the time of its last event, or 0.
    ///
    /// # Safety
    /// What is offered belongs together and outlives the writer.
    pub(crate) unsafe fn claim(&self, offer: &Offer, owner: u64) -> Option<u64> {
        // SAFETY: by contract.
        let r = unsafe { &*offer.ring };
        // Acquire: the head, the tail and the slots as the last owner and the recorder left them. The swap names the owner,
        // so that the recorder can at no time take it for another.
        r.owner.compare_exchange(offer.from, owner, AcqRel, Relaxed).ok()?;
        self.owner.set(owner);
        self.slots.set(offer.slots);
        self.mask.set(offer.count as u64 - 1);
        // From what was read on, where head lies behind: a child that a handler forked within a call stored it when its
        // parent had ended.
        let (head, tail) = (r.head.load(Relaxed), r.tail.load(Relaxed));
        self.head.set(if tail.wrapping_sub(head) <= offer.count as u64 { tail } else { head });
        self.limit.set(self.head.get());
        self.overwrites.set(offer.overwrites);
        self.reported.set(if offer.overwrites { &r.reported } else { &r.dropped }.load(Relaxed));
        self.ring.set(offer.ring);
        Some(match self.head.get() {
            0 => 0,
            head => self.slot(head - 1).word[TIMESTAMP].load(Relaxed),
        })
    }

    #[inline(always)]
    fn slot(&self, position: u64) -> &Event {
        // SAFETY: masked, so below the count of slots that `claim` promised.
        unsafe { &*self.slots.get().add((position & self.mask.get()) as usize) }
    }

    /// Is there room for one event, by what is known?
    #[inline(always)]
    pub(crate) fn ready(&self) -> bool {
        self.head.get() < self.limit.get()
    }

    /// Makes the next event look at the tail, and so show what was dropped.
    pub(crate) fn look_again(&self) {
        self.limit.set(0);
    }

    /// Writes an event. Only where `ready`. False: this is a child, and it is not there.
    #[inline(always)]
    pub(crate) fn push(&self, words: [u64; 8]) -> bool {
        let slot = self.slot(self.head.get());
        let head = self.head.get() + 1;
        self.head.set(head);
        if !self.is_ours() {
            return false;
        }
        fill(slot, words);
        compiler_fence(SeqCst);
        if !self.is_ours() {
            return false;
        }
        // SAFETY: ready() is true only with a ring.
        let ring = unsafe { &*self.ring.get() };
        // Release: pairs with the recorder's acquire of head, so that it sees the slots below it whole.
        ring.head.store(head, Release);
        true
    }

    /// Where there is no room: a child that a handler forked within a call may have stored what it was then, and nobody would
    /// read on.
    pub(crate) fn head_again(&self) {
        if let Some(ring) = self.ring().filter(|_| self.is_ours()) {
            ring.head.store(self.head.get(), Release);
        }
    }

    /// How many events may be written now, as far as a look at who reads shows; `reader` where rings overwrite.
    pub(crate) fn look(&self, reader: Option<&Reader>) -> u64 {
        match (self.ring(), reader) {
            (Some(ring), Some(reader)) => reader.room(ring, self.head.get(), || self.free()),
            _ => self.free(),
        }
    }

    /// Slots whose events the recorder has read. Acquire: its reads came before what is written there.
    pub(crate) fn free(&self) -> u64 {
        let Some(ring) = self.ring() else { return 0 };
        let used = self.head.get().wrapping_sub(ring.tail.load(Acquire));
        (self.mask.get() + 1).saturating_sub(used)
    }

    pub(crate) fn slots(&self) -> u64 {
        self.mask.get() + 1
    }

    /// Events that this ring has ever dropped. Acquire: the times of the drops are there.
    pub(crate) fn dropped(&self) -> u64 {
        self.ring().map_or(0, |ring| ring.dropped.load(Acquire))
    }

    /// How many slots the next event needs: two where a `Lost` goes before it.
    pub(crate) fn need(&self, dropped: u64) -> u64 {
        1 + (dropped != self.reported.get()) as u64
    }

    /// Takes note of `room`, no less than what `need(dropped)` said; what has to be reported now, the caller gives to `report`.
    pub(crate) fn refill(&self, room: u64, dropped: u64) -> Option<Unreported> {
        let ring = self.ring()?;
        self.limit.set(self.head.get() + room);
        (dropped != self.reported.get()).then(|| Unreported {
            count: dropped - self.reported.get(),
            first: ring.drop_first.load(Relaxed),
            last: ring.drop_last.load(Relaxed),
            dropped,
        })
    }

    pub(crate) fn report(&self, unreported: &Unreported, ts: u64, tid: u64) {
        let mut words = [0; 8];
        words[TIMESTAMP] = ts;
        words[1] = tid;
        words[ADDR] = unreported.first;
        words[ARG] = unreported.count;
        words[KINDS] = kinds(Kind::Lost, 0, false);
        if self.overwrites.get() {
            words[SEQ] = unreported.dropped;
        }
        self.reported.set(unreported.dropped);
        self.push(words);
        if let Some(ring) = self.ring().filter(|_| self.overwrites.get() && self.is_ours()) {
            ring.reported.store(unreported.dropped, Relaxed); // for the next owner, and for who comes when the event is overwritten
        }
    }

    /// For who comes when its last `Thread` event is overwritten.
    pub(crate) fn describe(&self, role: u32, name: u32) {
        if let Some(ring) = self.ring().filter(|_| self.overwrites.get() && self.is_ours()) {
            ring.name.store(name, Relaxed);
            ring.role.store(role, Relaxed);
        }
    }

    /// Counts `n` events that found no room; how many before them. None: there is no ring of ours.
    pub(crate) fn drop_some(&self, n: u64, ts: u64) -> Option<u64> {
        let ring = self.ring().filter(|_| self.is_ours())?;
        if ring.dropped.load(Relaxed) == self.reported.get() {
            ring.drop_first.store(ts, Relaxed);
        }
        ring.drop_last.store(ts, Relaxed);
        // An atomic add, for a signal handler may come between; release: whoever sees the count sees the times.
        Some(ring.dropped.fetch_add(n, Release))
    }

    /// Gives the ring back. Release: the recorder that sees it retired sees the last head.
    pub(crate) fn retire(&self) {
        if let Some(ring) = self.ring().filter(|_| self.is_ours()) {
            let owner = self.owner.get();
            let _ = ring.owner.compare_exchange(owner, owner | RING_RETIRED, Release, Relaxed);
        }
        self.ring.set(ptr::null());
        self.limit.set(0);
    }
}
