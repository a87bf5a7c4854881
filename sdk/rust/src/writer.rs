//! What one thread writes with, and the events themselves.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{compiler_fence, fence, Ordering::*};
use std::panic::Location;

use crate::bell;
use crate::ctp::*;
use crate::on::On;
use crate::polling::Polling;
use crate::region::{self, region, Region};
use crate::ring::RingWriter;
use crate::{station, sys, text};

const IDS: u64 = 64;
const STATIONS: usize = 64;
const SITES: usize = 256;

/// A location that this thread has interned before.
#[derive(Clone, Copy)]
struct CachedSite {
    key: (usize, usize),
    index: u32,
}

/// A writer behind a page that the kernel zeroes in a child, be it made by `fork` or without (MADV_WIPEONFORK).
#[repr(C)]
struct Mine {
    /// False: a probe call is under way, which one from a signal handler finds; or this is a child.
    idle: Cell<bool>,
    /// False: this is a child.
    ours: Cell<bool>,
    page: [u8; PAGE - 2],
    writer: Writer,
}
/// No page is larger.
const PAGE: usize = 1 << 16;

/// In memory of its own, so that thread-local storage holds one pointer. Cells, and never `&mut`: a signal handler may
/// come between any two statements, finds it not idle and leaves the rest alone.
pub(crate) struct Writer {
    ring: RingWriter,
    last_ts: Cell<u64>,
    tid: u64,
    /// The coroutine that this thread runs.
    pub(crate) current: Cell<u64>,
    /// The innermost poll of a traced future that is under way here, null: none.
    pub(crate) polling: Cell<*const Polling>,
    region: &'static Region,
    /// Of the region; here so that an event has them at hand.
    header: &'static Header,
    stations: *const Event,
    flags: u32,
    ids: Cell<(u64, u64)>,
    no_ring: Cell<u64>,
    /// tokio's workers: this thread has said that it is one.
    #[cfg(feature = "tokio")]
    pub(crate) is_worker: Cell<bool>,
    /// And the length of its queue as it reported it last.
    #[cfg(tokio_unstable)]
    pub(crate) queue: Cell<u64>,
    station_count: Cell<usize>,
    station: [Cell<u32>; STATIONS],
    site: [Cell<CachedSite>; SITES],
}

/// What the probe keeps of a coroutine.
#[derive(Default)]
pub(crate) struct Coro {
    /// 0: not traced.
    pub(crate) id: u64,
    /// So that its times never fall, whichever threads it runs on.
    last_ts: u64,
    pub(crate) frame: u64,
    n: u32,
    /// 1 + index of its station, 0: none.
    station: u32,
}

thread_local! {
    static ME: Cell<*const Mine> = const { Cell::new(ptr::null()) };
}
/// Stands for the writer of a thread that is just getting one.
const STARTING: *const Mine = ptr::without_provenance(1);

/// What `f` does with this thread's writer; None: not this time, and counted.
#[inline(always)]
pub(crate) fn with<R>(f: impl FnOnce(&Writer) -> R) -> Option<R> {
    let me = ME.get();
    if me.addr() <= STARTING.addr() {
        return begin_and(f);
    }
    // SAFETY: neither null nor the mark, so this thread's, which lives as long as it.
    let me = unsafe { &*me };
    if !me.idle.get() {
        return not_idle(me, f);
    }
    Some(me.call(f))
}

/// Called by a signal handler that interrupted a probe; or in a child whose writer was its parent's.
#[cold]
#[inline(never)]
fn not_idle<R>(me: &Mine, f: impl FnOnce(&Writer) -> R) -> Option<R> {
    if me.ours.get() {
        me.writer.interrupted();
        return None;
    }
    ME.set(ptr::null());
    begin_and(f)
}

#[cold]
#[inline(never)]
fn begin_and<R>(f: impl FnOnce(&Writer) -> R) -> Option<R> {
    if !thread_begin() {
        return None;
    }
    // SAFETY: thread_begin has set it.
    let me = unsafe { &*ME.get() };
    Some(me.call(f))
}

/// As `with`, for everybody's events: version 1 knows none of them.
#[inline(always)]
pub(crate) fn with2(f: impl FnOnce(&Writer)) {
    if !region().v1 {
        with(f);
    }
}

/// A look at this thread's writer that records nothing.
#[inline(always)]
pub(crate) fn peek<R>(f: impl FnOnce(&Writer) -> R) -> Option<R> {
    let me = ME.get();
    // SAFETY: as in `with`.
    (me.addr() > STARTING.addr()).then(|| f(unsafe { &(*me).writer }))
}

fn no_ring(r: &Region) {
    if !r.v1 {
        // Version 1 has no place to count it.
        r.header().lost_no_ring.fetch_add(1, Relaxed);
    }
}

/// This thread's first event. A signal handler that comes in between finds the mark.
fn thread_begin() -> bool {
    if ME.get() == STARTING || !region::on() {
        if ME.get() == STARTING {
            no_ring(region());
        }
        return false;
    }
    let _keep = sys::KeepErrno::new();
    let r = region();
    if region::is_child() {
        // Its parent's thread's writer stays its parent's. Of whose coroutine this call is, nobody has looked.
        region::forked();
        if region::on() {
            no_ring(r);
        }
        return false;
    }
    ME.set(STARTING);
    let Some(at) = region::anonymous(size_of::<Mine>()) else {
        no_ring(r);
        ME.set(ptr::null());
        return false;
    };
    // SAFETY: advice about a page of our own.
    #[cfg(not(miri))] // which does not know the call
    unsafe {
        sys::madvise(at, PAGE, sys::MADV_WIPEONFORK)
    };
    let at = at.cast::<Mine>();
    // SAFETY: new memory of that size, aligned to a page; all of it but the writer may be zero.
    let me = unsafe {
        ptr::addr_of_mut!((*at).writer).write(Writer::new(r));
        &*at
    };
    if !r.v1 && me.writer.claim() {
        me.writer.say_thread(0, &thread_name());
    }
    // SAFETY: the key was made in `init`.
    unsafe { sys::pthread_setspecific(r.key, at.cast()) };
    me.ours.set(true);
    me.idle.set(true);
    compiler_fence(SeqCst);
    ME.set(at);
    true
}

fn thread_name() -> String {
    #[cfg_attr(miri, allow(unused_mut))]
    let mut name = [0u8; 17];
    // SAFETY: writes at most 16 bytes.
    #[cfg(not(miri))] // which does not know the call
    unsafe {
        sys::prctl(sys::PR_GET_NAME, name.as_mut_ptr())
    };
    let end = name.iter().position(|&b| b == 0).unwrap_or(16);
    String::from_utf8_lossy(&name[..end]).into_owned()
}

pub(crate) unsafe extern "C" fn thread_end(me: *mut c_void) {
    let at = me.cast::<Mine>();
    ME.set(ptr::null());
    // SAFETY: the key's value, set in `thread_begin`; this thread will get another if it writes once more.
    unsafe {
        (*at).idle.set(false);
        (*at).writer.end();
        sys::munmap(me, size_of::<Mine>());
    }
}

/// In a forked child: what the parent's thread wrote with is not the child's.
pub(crate) fn forget_thread() {
    ME.set(ptr::null());
    // SAFETY: the key is there.
    unsafe { sys::pthread_setspecific(region().key, ptr::null()) };
}

impl Mine {
    #[inline(always)]
    fn call<R>(&self, f: impl FnOnce(&Writer) -> R) -> R {
        self.idle.set(false);
        compiler_fence(SeqCst);
        let r = f(&self.writer);
        compiler_fence(SeqCst);
        self.idle.set(true);
        self.writer.leave();
        r
    }
}

impl Writer {
    fn new(r: &'static Region) -> Self {
        Self {
            ring: RingWriter::none(),
            last_ts: Cell::new(0),
            tid: region::tid() as u64,
            current: Cell::new(0),
            polling: Cell::new(ptr::null()),
            region: r,
            header: r.header(),
            stations: if r.v1 { ptr::null() } else { r.stations().as_ptr() },
            flags: r.flags(),
            ids: Cell::new((0, 0)),
            no_ring: Cell::new(0),
            #[cfg(feature = "tokio")]
            is_worker: Cell::new(false),
            #[cfg(tokio_unstable)]
            queue: Cell::new(UNKNOWN),
            station_count: Cell::new(0),
            station: [const { Cell::new(0) }; STATIONS],
            site: [const { Cell::new(CachedSite { key: (0, 0), index: 0 }) }; SITES],
        }
    }

    /// The recorder stores tracer_sleeping, calls membarrier and reads the heads once more: the processor's fence is made
    /// there, and for the compiler the one here is enough. Either it sees our head or we see tracer_sleeping.
    #[inline(always)]
    fn leave(&self) {
        if bell::sleeps(&self.header.tracer_sleeping, self.flags & F_FENCE != 0) {
            self.region.bell();
        }
    }

    /// An event of a signal handler that came into one of ours.
    #[cold]
    fn interrupted(&self) {
        self.lose();
        self.ring.look_again();
    }

    #[cold]
    fn lose(&self) {
        let ts = sys::now(self.flags).max(self.last_ts.get());
        match self.ring.drop_one(ts) {
            Some(before) if before % 1024 == 0 => _ = self.region.look_for_recorder(),
            Some(_) => {}
            None => no_ring(self.region),
        }
    }

    fn claim(&self) -> bool {
        let r = self.region;
        let used = &r.header().rings_used;
        let owner = owner(region::pid(), self.tid as u32);
        for (i, ring) in r.rings().iter().enumerate() {
            let mut last = 0;
            if ring.owner.load(Relaxed) != RING_FREE {
                continue;
            }
            let Some(slots) = r.slots(i as u32) else { return false };
            // SAFETY: the slots are this ring's, and the mapping stays.
            if !unsafe { self.ring.claim(ring, owner, slots, r.ring_slots, &mut last) } {
                continue;
            }
            // The ring's times never fall, whoever owns it; but no garbage may send our clock into the future.
            if last > self.last_ts.get() && last < sys::now(self.flags) + 1_000_000 {
                self.last_ts.set(last);
            }
            used.fetch_max(i as u32 + 1, AcqRel);
            return true;
        }
        false
    }

    /// No room by what was known. True: there is some now, and drops before it were reported. False: the event is lost, and
    /// counted.
    #[cold]
    #[inline(never)]
    fn room(&self) -> bool {
        if self.region.v1 {
            return false;
        }
        if self.ring.ring().is_none() {
            self.no_ring.set(self.no_ring.get() + 1);
            if !self.no_ring.get().is_multiple_of(1024) || !self.claim() {
                self.lose();
                return false;
            }
        }
        let need = self.ring.need();
        let mut free = self.ring.free();
        if free < need && self.flags & F_BLOCK != 0 {
            free = self.wait(need);
        }
        if free < need {
            self.lose();
            return false;
        }
        if let Some(untold) = self.ring.refill(free) {
            let ts = untold.last.max(self.last_ts.get());
            self.last_ts.set(ts);
            self.ring.tell(&untold, ts, self.tid);
        }
        true
    }

    /// Waits for room, no longer than the recorder lives. A quarter of the ring, so as not to come back for each slot:
    /// the processor is better used by the recorder.
    fn wait(&self, need: u64) -> u64 {
        let _keep = sys::KeepErrno::new();
        let want = need.max(self.ring.slots() / 4);
        let mut pause = sys::Timespec { sec: 0, nsec: 50_000 };
        loop {
            let free = self.ring.free();
            if free >= want || !region::on() {
                return free;
            }
            if self.header.tracer_sleeping.load(Relaxed) == 1 {
                self.region.bell();
            }
            if !self.region.look_for_recorder() {
                return free;
            }
            // SAFETY: one Timespec.
            unsafe { sys::nanosleep(&pause, ptr::null_mut()) };
            pause.nsec = (pause.nsec + 50_000).min(1_000_000);
        }
    }

    fn end(&self) {
        if self.ring.free() > 2 {
            self.event(0, 0, ROLE_ENDED, n_site(region::pid(), 0), kinds(Kind::Thread, 0, false));
        } else if self.ring.need() > 1 && self.ring.free() > 1 {
            self.room();
        }
        self.ring.retire();
        self.give_stations(self.station_count.get());
    }

    fn give_stations(&self, count: usize) {
        for _ in 0..count {
            let k = self.station_count.get() - 1;
            self.station_count.set(k);
            station::push(&self.header.stations_free, self.region.stations(), self.station[k].get());
        }
    }

    fn new_station(&self) -> u32 {
        let r = self.region;
        if let Some(k) = self.station_count.get().checked_sub(1) {
            self.station_count.set(k);
            return self.station[k].get() + 1;
        }
        if let Some(i) = station::pop(&r.header().stations_free, r.stations(), |i| r.open_station(i)) {
            return i + 1;
        }
        let mut want = 16;
        loop {
            if let Some(i) = station::take32(&r.header().stations_used, want, r.station_count) {
                if !r.open_station(i + want - 1) {
                    r.header().lost_no_station.fetch_add(1, Relaxed);
                    return 0;
                }
                for k in (1..want).rev() {
                    self.station[self.station_count.get()].set(i + k);
                    self.station_count.set(self.station_count.get() + 1);
                }
                return i + 1;
            }
            want /= 2;
            if want == 0 {
                r.header().lost_no_station.fetch_add(1, Relaxed);
                return 0;
            }
        }
    }

    fn new_id(&self) -> u64 {
        static V1_IDS: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(0);
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

    /// Everybody's event.
    #[inline(always)]
    pub(crate) fn event(&self, addr: u64, id: u64, arg: u64, n_site: u64, kinds: u64) {
        if !self.ring.ready() && !self.room() {
            return;
        }
        let ts = sys::now(self.flags).max(self.last_ts.get());
        self.last_ts.set(ts);
        self.ring.push([ts, self.tid, addr, 0, id, arg, n_site, kinds]);
    }

    /// A coroutine's own event.
    #[inline(always)]
    pub(crate) fn own(&self, c: &mut Coro, addr: u64, arg: u64, site: u32, kinds: u64) {
        let room = self.ring.ready() || self.room();
        // A hybrid logical clock: a coroutine's times rise, a ring's never fall, whatever the clocks of two cores say.
        let ts = sys::now(self.flags).max(c.last_ts + 1).max(self.last_ts.get());
        c.last_ts = ts;
        self.last_ts.set(ts);
        c.n = c.n.wrapping_add(1);
        let mut words = [ts, self.tid, addr, 2 * c.n as u64, c.id, arg, n_site(c.n, site), kinds];
        if room {
            self.ring.push(words);
        } else if self.region.v1 {
            return self.v1(c, addr, kinds as u8);
        }
        if c.station == 0 {
            return;
        }
        if kinds as u8 == Kind::Destroy as u8 {
            (words[ADDR], words[PROBE_ID], words[ARG], words[KINDS]) = (0, 0, 0, 0);
        }
        // SAFETY: `new_station` gives what `pop` or `take32` found to be below the count of the table.
        let at = unsafe { &*self.stations.add(c.station as usize - 1) };
        station::write(at, c.n, &words);
    }

    pub(crate) fn create(&self, id: Option<u64>, parent: u64, site: u32, frame: u64, name: Option<u32>) -> Coro {
        let id = id.unwrap_or_else(|| self.new_id());
        let mut c = Coro { id, frame, ..Coro::default() };
        if !self.region.v1 {
            c.station = self.new_station();
        }
        self.own(&mut c, frame, parent, site, kinds(Kind::Create, 0, false));
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

    /// It waits, and `back` runs here again.
    #[inline(always)]
    pub(crate) fn suspend(&self, c: &mut Coro, site: u32, on: On, stack: u32, back: u64) {
        self.own(c, c.frame, on.value, site, kinds(Kind::Suspend, on.kind, false) | stacked(stack));
        if self.current.get() == c.id {
            self.current.set(back);
        }
    }

    pub(crate) fn destroy(&self, c: &mut Coro, done: bool, back: u64) {
        self.own(c, c.frame, done as u64, 0, kinds(Kind::Destroy, 0, false));
        if c.station != 0 && !self.region.v1 {
            if self.station_count.get() == STATIONS {
                self.give_stations(STATIONS / 2);
            }
            self.station[self.station_count.get()].set(c.station - 1);
            self.station_count.set(self.station_count.get() + 1);
        }
        if self.current.get() == c.id {
            self.current.set(back);
        }
        *c = Coro::default();
    }

    pub(crate) fn wake(&self, id: u64, on: On, site: u32, stack: u32) {
        let kinds = kinds(Kind::Wake, on.kind, false) | stacked(stack);
        self.event(on.value, id, self.current.get(), n_site(0, site), kinds);
    }

    /// An event about a thing.
    pub(crate) fn thing(&self, kind: Kind, on: On, addr: u64, site: u32) {
        self.event(addr, self.current.get(), on.value, n_site(0, site), kinds(kind, on.kind, false));
    }

    pub(crate) fn waker(&self, kind: Kind, id: u64) {
        self.event(0, id, self.current.get(), 0, kinds(kind, 0, false));
    }

    pub(crate) fn say_thread(&self, role: u64, name: &str) {
        let name = text::intern(name) as u64;
        self.event(name, 0, role, n_site(region::pid(), 0), kinds(Kind::Thread, 0, false));
    }

    /// The number of a place in the source; `func` is what stands there, as far as that is known.
    pub(crate) fn site(&self, at: &'static Location<'static>, func: &'static str) -> u32 {
        self.cached_site(at, func.as_ptr().addr() + func.len(), || func)
    }

    /// As `site`, for a name that takes time to make: asked once.
    pub(crate) fn site_of(&self, at: &'static Location<'static>, func: fn() -> &'static str) -> u32 {
        self.cached_site(at, func as usize, func)
    }

    fn cached_site(&self, at: &'static Location<'static>, key: usize, func: impl FnOnce() -> &'static str) -> u32 {
        let key = (ptr::from_ref(at).addr(), key);
        let cached = &self.site[(key.0 >> 3 ^ key.1 >> 2) % SITES];
        if cached.get().key == key {
            return cached.get().index;
        }
        let index = text::site(func(), at.file(), at.line());
        if index != 0 {
            cached.set(CachedSite { key, index });
        }
        index
    }

    /// Version 1, as coroTracer's SDKs write.
    #[cold]
    fn v1(&self, c: &mut Coro, addr: u64, kind: u8) {
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
