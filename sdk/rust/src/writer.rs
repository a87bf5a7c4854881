//! What one thread writes with, and the events themselves.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering::*};
use std::panic::Location;

use crate::ctp::*;
use crate::on::{Leg, On};
use crate::poll_trace::Done;
use crate::polling::Polling;
use crate::region::{self, Region};
use crate::ring::RingWriter;
use crate::{bell, flag, link, process, station, sys, text};

const IDS: u64 = 64;
pub(crate) const STATIONS: usize = 64;
const SITES: usize = 256;

/// A location that this thread has interned before.
#[derive(Clone, Copy)]
struct CachedSite {
    key: (usize, usize),
    index: u32,
}

/// In memory of its own, so that thread-local storage holds one pointer. Cells, and never `&mut`: a signal handler may
/// come between any two statements, finds it not idle and leaves the rest alone.
pub(crate) struct Writer {
    pub(crate) ring: RingWriter,
    pub(crate) last_ts: Cell<u64>,
    pub(crate) tid: u64,
    /// The coroutine that this thread runs.
    pub(crate) current: Cell<u64>,
    /// The innermost poll of a traced future that is under way here, null: none.
    pub(crate) polling: Cell<*const Polling>,
    pub(crate) region: &'static Region,
    /// Of the region; here so that an event has them at hand.
    pub(crate) header: &'static Header,
    stations: *const Event,
    pub(crate) flags: u32,
    ids: Cell<(u64, u64)>,
    no_ring: Cell<u64>,
    /// When it was last seen whether the recorder of a box lives.
    asked: Cell<u64>,
    /// This event is recorded though others are stopped.
    passes: Cell<bool>,
    /// tokio's workers: this thread has said that it is one.
    #[cfg(feature = "tokio")]
    pub(crate) is_worker: Cell<bool>,
    /// And the length of its queue as it reported it last.
    #[cfg(tokio_unstable)]
    pub(crate) queue: Cell<u64>,
    pub(crate) station_count: Cell<usize>,
    pub(crate) station: [Cell<u32>; STATIONS],
    site: [Cell<CachedSite>; SITES],
}

/// What the probe keeps of a coroutine.
#[derive(Default)]
pub(crate) struct Coro {
    /// 0: not traced.
    pub(crate) id: u64,
    /// So that its times never fall, whichever threads it runs on.
    pub(crate) last_ts: u64,
    pub(crate) frame: u64,
    pub(crate) n: u64,
    /// 1 + index of its station, 0: none.
    pub(crate) station: u32,
}

impl Coro {
    /// Created on a thread that has no writer, which was counted: it has an id all the same, so that its later events are
    /// recorded where they can be, and counted where not.
    #[cold]
    pub(crate) fn unseen(id: Option<u64>) -> Self {
        if !region::on() || region::region().v1 {
            return Self::default();
        }
        let new = || region::region().header().next_probe_id.fetch_add(1, Relaxed);
        Self { id: id.unwrap_or_else(new), n: 1, ..Self::default() }
    }
}

impl Writer {
    /// In place: nothing of its 7 KB is on the stack, of which a thread may have little, and code that is not optimised much.
    ///
    /// # Safety
    /// It may be written there.
    pub(crate) unsafe fn begin(at: *mut Self, r: &'static Region) {
        // SAFETY: by contract; all zeros are a value of each that is not named here.
        unsafe {
            at.write_bytes(0, 1);
            (&raw mut (*at).ring).write(RingWriter::none());
            (&raw mut (*at).tid).write(process::new_tid(r) as u64);
            (&raw mut (*at).region).write(r);
            (&raw mut (*at).header).write(r.header());
            (&raw mut (*at).stations).write(if r.v1 { ptr::null() } else { r.stations().as_ptr() });
            (&raw mut (*at).flags).write(r.flags());
            #[cfg(tokio_unstable)]
            (&raw mut (*at).queue).write(Cell::new(UNKNOWN));
        }
    }

    /// The recorder stores tracer_sleeping, calls membarrier and reads the heads once more: the processor's fence is made
    /// there, and for the compiler the one before this is enough. Either it sees our head or we see tracer_sleeping.
    #[inline(always)]
    pub(crate) fn leave(&self) {
        if bell::sleeps(&self.header.tracer_sleeping, self.flags & F_FENCE != 0) {
            self.region.bell();
        }
    }

    /// Events of a signal handler that came into one of ours.
    #[cold]
    pub(crate) fn interrupted(&self, events: u64) {
        self.lose(events);
        self.ring.look_again();
    }

    #[cold]
    fn lose(&self, events: u64) {
        let ts = sys::now(self.flags).max(self.last_ts.get());
        if self.ring.drop_some(events, ts).is_none() {
            self.region.lose(events);
        }
    }

    /// There is no room: does the recorder live? Asked for the first event dropped, and then now and then.
    fn missed(&self, dropped: u64) {
        const TICKS: u64 = 1 << 24;
        let _aside = sys::Aside::new();
        if self.region.boxed {
            let now = sys::now(self.flags);
            if now.wrapping_sub(self.asked.get()) > TICKS {
                self.asked.set(now);
                self.ask_for_recorder();
            }
        } else if dropped % 1024 == 0 && self.region.recorder_gone().0 {
            link::switch_off();
        }
    }

    /// Of a box: whether a recorder that has not let go lives.
    pub(crate) fn ask_for_recorder(&self) {
        if let Some(reader) = self.region.reader().filter(|_| self.region.boxed) {
            reader.ask(crate::backing::is_locked);
        }
    }

    /// How many events may be written until the next look.
    fn look(&self) -> u64 {
        let reader = self.region.reader();
        let room = self.ring.look(reader.as_ref());
        if reader.is_some_and(|r| !r.reads(r.session())) {
            // Where a recorder made the region nobody reads as long as nothing happens to the program, and nothing else
            // would show that he has died.
            let _aside = sys::Aside::new();
            if self.region.store_moment() && !self.region.boxed && self.region.recorder_gone().0 {
                link::switch_off();
            }
        }
        room
    }

    /// No room by what was known. True: there is some now, and drops before it were reported. False: the event is lost, and
    /// counted.
    #[cold]
    #[inline(never)]
    fn room(&self) -> bool {
        if self.region.v1 {
            return false;
        }
        if !self.ring.is_ours() || (flag::is_stopped() && !self.passes.get()) {
            self.lose(1);
            return false;
        }
        if self.ring.ring().is_none() {
            self.no_ring.set(self.no_ring.get() + 1);
            if self.no_ring.get() % 1024 != 0 || !self.claim() {
                self.lose(1);
                return false;
            }
        }
        let dropped = self.ring.dropped();
        let need = self.ring.need(dropped);
        let mut room = self.look();
        if room < need && self.flags & F_BLOCK != 0 {
            room = self.wait(need);
        }
        if room < need {
            self.ring.head_again();
            self.lose(1);
            self.missed(dropped);
            return false;
        }
        if let Some(unreported) = self.ring.refill(room, dropped) {
            let ts = unreported.last.max(self.last_ts.get());
            self.last_ts.set(ts);
            self.ring.report(&unreported, ts, self.tid);
        }
        true
    }

    /// What `f` records is recorded though others are stopped.
    pub(crate) fn pass(&self, f: impl FnOnce(&Self)) {
        self.passes.set(true);
        f(self);
        self.passes.set(false);
        if flag::is_stopped() {
            self.ring.look_again();
        }
    }

    /// Waits for room, no longer than the recorder lives. A quarter of the ring, so as not to come back for each slot:
    /// the processor is better used by the recorder.
    fn wait(&self, need: u64) -> u64 {
        let _aside = sys::Aside::new();
        let want = need.max(self.ring.slots() / 4);
        let mut pause = 50_000;
        loop {
            let free = self.ring.free();
            if free >= want || !region::on() || !self.ring.is_ours() {
                return free;
            }
            self.ring.head_again();
            if self.header.tracer_sleeping.load(Relaxed) == 1 {
                self.region.bell();
            }
            match self.region.recorder_gone() {
                (gone, false) => {
                    if gone {
                        link::switch_off();
                    }
                    return free;
                }
                (true, true) => link::switch_off(),
                (false, true) => {}
            }
            sys::nap(pause);
            pause = (pause + 50_000).min(1_000_000);
        }
    }

    pub(crate) fn end(&self) {
        if self.ring.ring().is_some() {
            self.passes.set(true);
            if self.look() > 1 {
                self.record_thread(ROLE_ENDED, b"");
            }
            if self.ring.need(self.ring.dropped()) > 1 && self.ring.free() > 1 {
                self.room();
            }
            self.ring.retire();
        }
        self.give_stations(self.station_count.get());
    }

    fn new_id(&self) -> u64 {
        static V1_IDS: AtomicU32 = AtomicU32::new(0);
        let (next, end) = self.ids.get();
        if next < end {
            self.ids.set((next + 1, end));
            return next;
        }
        if self.region.v1 {
            return (sys::pid() as u64) << 32 | (V1_IDS.fetch_add(1, Relaxed).wrapping_add(1)) as u64;
        }
        let next = self.header.next_probe_id.fetch_add(IDS, Relaxed);
        self.ids.set((next + 1, next + IDS));
        next
    }

    /// What a child ends of its parent's is counted as lost.
    #[inline(always)]
    fn push(&self, words: [u64; 8]) {
        if !self.ring.push(words) {
            self.region.lose(1);
        }
    }

    /// Everybody's event.
    #[inline(always)]
    pub(crate) fn event(&self, addr: u64, id: u64, arg: u64, n_site: u64, kinds: u64) {
        if !self.ring.ready() && !self.room() {
            return;
        }
        let ts = sys::now(self.flags).max(self.last_ts.get());
        self.last_ts.set(ts);
        self.push([ts, self.tid, addr, 0, id, arg, n_site, kinds]);
    }

    /// A coroutine's own event. False: it was dropped.
    #[inline(always)]
    pub(crate) fn own(&self, c: &mut Coro, addr: u64, arg: u64, site: u32, kinds: u64) -> bool {
        let room = self.ring.ready() || self.room();
        // A hybrid logical clock: a coroutine's times rise, a ring's never fall, whatever the clocks of two cores say.
        let ts = sys::now(self.flags).max(c.last_ts + 1).max(self.last_ts.get());
        c.last_ts = ts;
        self.last_ts.set(ts);
        c.n += 1;
        let mut words = [ts, self.tid, addr, 2 * c.n, c.id, arg, n_site(c.n as u32, site), kinds];
        if room {
            self.push(words);
        } else if self.region.v1 {
            self.v1(c, addr, kinds as u8);
            return true;
        }
        if c.station == 0 || !self.ring.is_ours() {
            return room;
        }
        if kinds as u8 == Kind::Destroy as u8 {
            (words[ADDR], words[PROBE_ID], words[ARG], words[KINDS]) = (0, 0, 0, 0);
        }
        // SAFETY: `new_station` gives what `pop` or `take32` found to be below the count of the table.
        let at = unsafe { &*self.stations.add(c.station as usize - 1) };
        station::write(at, c.n, &words);
        room
    }

    pub(crate) fn create(&self, id: Option<u64>, parent: u64, site: u32, frame: u64, name: Option<u32>) -> Coro {
        let id = id.unwrap_or_else(|| self.new_id());
        let mut c = Coro { id, frame, ..Coro::default() };
        if !self.region.v1 {
            c.station = self.new_station();
        }
        let mut stopped = flag::is_stopped();
        let is_seen = self.own(&mut c, frame, parent, site, kinds(Kind::Create, 0, false));
        stopped |= flag::is_stopped();
        if let Some(birth) = c.station.checked_sub(1).and_then(|i| self.region.birth(i)).filter(|_| self.ring.is_ours())
        {
            let site = if is_seen || !stopped { site } else { site | BIRTH_UNSEEN };
            station::write_birth(birth, c.id, [c.last_ts, parent], [site, name.unwrap_or(0)]);
        }
        if let Some(name) = name.filter(|_| !self.region.v1) {
            self.event(0, c.id, name as u64, 0, kinds(Kind::Name, 0, false));
        }
        c
    }

    /// It runs from now on; who ran here before.
    #[inline(always)]
    pub(crate) fn resume(&self, c: &mut Coro) -> u64 {
        let before = self.current.replace(c.id);
        self.own(c, 0, 0, 0, kinds(Kind::Resume, 0, true));
        before
    }

    /// Does who reads know events of that kind?
    pub(crate) fn knows(&self, kind: Kind) -> bool {
        self.header.kinds > kind as u32
    }

    /// Each of several that a suspend waits for, right before it; what it waits on then. Not where who reads does not know.
    pub(crate) fn legs(&self, c: &Coro, all: bool, legs: &[Leg]) -> On {
        if self.region.v1 || !self.knows(Kind::Leg) || self.header.on_kinds < ON_KINDS {
            return On::nothing();
        }
        for leg in legs {
            let site = leg.at.map_or(leg.site, |at| self.site(at, ""));
            let n = c.n + 1;
            let n_site = n_site(n as u32, site);
            self.event(n >> 32, c.id, leg.on.value, n_site, kinds(Kind::Leg, leg.on.kind, false));
        }
        On::several(all, legs.len())
    }

    /// It waits, and `back` runs here again.
    #[inline(always)]
    pub(crate) fn suspend(&self, c: &mut Coro, site: u32, on: On, stack: u32, back: u64) {
        let on = on.as_known(self.header.on_kinds);
        self.own(c, c.frame, on.value, site, kinds(Kind::Suspend, on.kind, false) | stacked(stack));
        if self.current.get() == c.id {
            self.current.set(back);
        }
    }

    pub(crate) fn destroy(&self, c: &mut Coro, done: Done, back: u64) {
        self.own(c, c.frame, done as u64, 0, kinds(Kind::Destroy, 0, false));
        if c.station != 0 && !self.region.v1 && self.ring.is_ours() {
            self.return_station(c.station - 1);
        }
        if self.current.get() == c.id {
            self.current.set(back);
        }
        *c = Coro::default();
    }

    pub(crate) fn wake(&self, id: u64, on: On, site: u32, stack: u32) {
        let on = on.as_known(self.header.on_kinds);
        let kinds = kinds(Kind::Wake, on.kind, false) | stacked(stack);
        self.event(on.value, id, self.current.get(), n_site(0, site), kinds);
    }

    /// An event about a thing.
    pub(crate) fn thing(&self, kind: Kind, on: On, addr: u64, site: u32) {
        let on = on.as_known(self.header.on_kinds);
        self.event(addr, self.current.get(), on.value, n_site(0, site), kinds(kind, on.kind, false));
    }

    pub(crate) fn waker(&self, kind: Kind, id: u64) {
        self.event(0, id, self.current.get(), 0, kinds(kind, 0, false));
    }

    pub(crate) fn record_thread(&self, role: u64, name: &[u8]) {
        let name = if role == ROLE_ENDED { 0 } else { text::intern_bytes(name) };
        if role != ROLE_ENDED {
            self.ring.describe(role as u32, name);
        }
        self.event(name as u64, 0, role, n_site(process::pid(), 0), kinds(Kind::Thread, 0, false));
    }

    /// From here on this process records nothing, or does again.
    pub(crate) fn record_boundary(&self, stop: bool) {
        let kind = if stop { Kind::Stop } else { Kind::Start };
        self.event(0, 0, 0, n_site(process::pid(), 0), kinds(kind, 0, false));
    }

    /// The number of a site in the source; `func` is what stands there, as far as that is known.
    pub(crate) fn site(&self, at: &'static Location<'static>, func: &'static str) -> u32 {
        self.cached_site(at, func.as_ptr().addr() + func.len(), || func)
    }

    /// As `site`, for a name that takes time to make: asked once.
    pub(crate) fn site_of(&self, at: &'static Location<'static>, func: fn() -> &'static str) -> u32 {
        self.cached_site(at, func as usize, func)
    }

    fn cached_site(&self, at: &'static Location<'static>, key: usize, func: impl FnOnce() -> &'static str) -> u32 {
        self.cached((ptr::from_ref(at).addr(), key), || text::site(func(), at.file(), at.line()))
    }

    /// As `site`, of a file whose name lies where it lies for good.
    #[cfg(feature = "layer")]
    pub(crate) fn site_in(&self, func: &'static str, file: &str, line: u32) -> u32 {
        let key = (file.as_ptr().addr(), func.as_ptr().addr() + func.len() + ((line as usize) << 40));
        self.cached(key, || text::site(func, file, line))
    }

    fn cached(&self, key: (usize, usize), site: impl FnOnce() -> u32) -> u32 {
        let cached = &self.site[(key.0 >> 3 ^ key.1 >> 2 ^ key.1 >> 40) % SITES];
        if cached.get().key == key {
            return cached.get().index;
        }
        let index = site();
        if index != 0 {
            cached.set(CachedSite { key, index });
        }
        index
    }
}
