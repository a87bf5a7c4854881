//! The shared memory as this process has mapped it.

use core::cell::UnsafeCell;
use core::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};

use crate::ctp::*;
use crate::part::{self, Part};
use crate::reader::Reader;
use crate::sys;
use crate::threads::Mine;

pub(crate) use crate::attach::ready;
pub(crate) use crate::flag::on;
pub(crate) use crate::process::foreign;

/// Hashes of the tables in which a process remembers what it wrote.
pub(crate) const TABLE: usize = 1 << 16;

/// What a process shares. Written once, before the flag is on (release), read after that is seen (acquire).
pub(crate) struct Region {
    pub(crate) base: *mut u8,
    pub(crate) v1: bool,
    pub(crate) v1_max: u32,
    pub(crate) flags: u32,
    pub(crate) ring_count: u32,
    pub(crate) ring_slots: u32,
    pub(crate) station_count: u32,
    pub(crate) site_count: u32,
    pub(crate) strings_size: u64,
    /// Minor 3: rings do, while nobody reads.
    pub(crate) overwrites: bool,
    /// It is this process's own, or that of the process that forked it.
    pub(crate) boxed: bool,
    /// The program ran already when it was made: coroutines that nobody recorded are first seen when they move.
    pub(crate) late: bool,
    pub(crate) rings_at: *mut u8,
    pub(crate) slot_part: Part,
    pub(crate) station_part: Part,
    /// None where births are not kept.
    pub(crate) birth_part: Option<Part>,
    pub(crate) site_part: Part,
    pub(crate) string_part: Part,
    pub(crate) texts: *const AtomicU64,
    /// `F_QUIET`: a writer for each ring, made at once; else null.
    pub(crate) store: *const Mine,
    pub(crate) socket: sys::SockaddrUn,
}

// SAFETY: what the pointers lead to is shared memory, accessed by atomics, and never unmapped.
unsafe impl Sync for Region {}

struct Cell(UnsafeCell<Region>);
// SAFETY: written once before it is published, see Region.
unsafe impl Sync for Cell {}

static REGION: Cell = Cell(UnsafeCell::new(Region::none()));
/// This process could not register for membarrier, or the recorder has none.
static FENCE: AtomicU32 = AtomicU32::new(0);
/// A bit for each ring whose slots may be read here.
static READ: [AtomicU32; 2048] = [const { AtomicU32::new(0) }; 2048];
/// `Reader::gone`.
static GONE: AtomicU32 = AtomicU32::new(0);

static THERE: AtomicBool = AtomicBool::new(false);

/// Is there one, and all of it?
pub(crate) fn is_there() -> bool {
    THERE.load(Acquire)
}

/// In a child: one that was not whole before the fork is none.
pub(crate) fn forget() {
    THERE.store(false, Relaxed);
}

/// The region, once `on` has been seen.
#[inline(always)]
pub(crate) fn region() -> &'static Region {
    // SAFETY: not written any more.
    unsafe { &*REGION.0.get() }
}

/// # Safety
/// Once, and before the flag says that it is there.
pub(crate) unsafe fn publish(region: Region) {
    // A child that makes a box of its own has its parent's.
    READ.iter().for_each(|word| word.store(0, Relaxed));
    // SAFETY: by contract nobody reads it.
    unsafe { *REGION.0.get() = region }
    THERE.store(true, Release);
}

impl Region {
    pub(crate) const fn none() -> Self {
        Self {
            base: ptr::null_mut(),
            v1: false,
            v1_max: 0,
            flags: 0,
            ring_count: 0,
            ring_slots: 0,
            station_count: 0,
            site_count: 0,
            strings_size: 0,
            overwrites: false,
            boxed: false,
            late: false,
            rings_at: ptr::null_mut(),
            slot_part: Part::none(),
            station_part: Part::none(),
            birth_part: None,
            site_part: Part::none(),
            string_part: Part::none(),
            texts: ptr::null(),
            store: ptr::null(),
            socket: sys::SockaddrUn { family: 0, path: [0; 108] },
        }
    }

    #[inline(always)]
    pub(crate) fn header(&self) -> &Header {
        // SAFETY: the mapping begins with it and is never unmapped.
        unsafe { &*self.base.cast::<Header>() }
    }

    fn table<T>(&self, at: *mut u8, count: usize) -> &[T] {
        // SAFETY: the table was found to lie within and mapped, and its fields are atomics. Not all may be used yet: Part.
        unsafe { core::slice::from_raw_parts(at.cast::<T>(), count) }
    }

    pub(crate) fn rings(&self) -> &[Ring] {
        self.table(self.rings_at, self.ring_count as usize)
    }

    /// The slots of a ring, None where they could not be opened.
    pub(crate) fn slots(&self, ring: u32) -> Option<*const Event> {
        let size = self.ring_slots as u64 * 64;
        let off = ring as u64 * size;
        // SAFETY: within the part.
        self.slot_part.open_piece(off, size).then(|| unsafe { self.slot_part.at.add(off as usize) }.cast_const().cast())
    }

    /// Those of a ring that another process may have used, to read them. What is open stays so: no thread that begins asks again,
    /// of each ring, what costs three system calls.
    pub(crate) fn read_slots(&self, ring: u32) -> Option<*const Event> {
        let (word, bit) = (&READ[ring as usize / 32 % READ.len()], 1 << (ring % 32));
        if word.load(Acquire) & bit == 0 {
            self.slots(ring)?;
            word.fetch_or(bit, Release);
        }
        // SAFETY: within the part.
        Some(unsafe { self.slot_part.at.add(ring as usize * self.ring_slots as usize * 64) }.cast_const().cast())
    }

    /// All of them; those up to `i` may be used when `open_station(i)` has said so.
    pub(crate) fn stations(&self) -> &[Event] {
        self.table(self.station_part.at, self.station_count as usize)
    }

    /// And what is kept of its coroutine's birth.
    pub(crate) fn open_station(&self, i: u32) -> bool {
        let count = i as u64 + 1;
        self.station_part.open(count * 64)
            && self.birth_part.as_ref().is_none_or(|b| b.open(count * size_of::<Birth>() as u64))
    }

    /// Of station `i`, where births are kept.
    pub(crate) fn birth(&self, i: u32) -> Option<&Birth> {
        let births = self.table::<Birth>(self.birth_part.as_ref()?.at, self.station_count as usize);
        Some(&births[i as usize])
    }

    /// Entry `i`, below 2 * `TABLE`, of what this process remembers.
    pub(crate) fn kept(&self, i: usize) -> &AtomicU64 {
        // SAFETY: `remember` has mapped so many, for good.
        unsafe { &*self.texts.add(i) }
    }

    /// As `stations`.
    pub(crate) fn sites(&self) -> &[SiteEntry] {
        self.table(self.site_part.at, self.site_count as usize)
    }

    pub(crate) fn open_site(&self, i: u32) -> bool {
        self.site_part.open((i as u64 + 1) * size_of::<SiteEntry>() as u64)
    }

    pub(crate) fn v1_stations(&self) -> &[V1Station] {
        // SAFETY: mapped behind the header.
        self.table(unsafe { self.base.add(1024) }, self.v1_max as usize)
    }

    /// Entry `number` of the strings and its text.
    pub(crate) fn string(&self, number: u32) -> (&StringEntry, *mut u8) {
        let at = number as usize * 8;
        // SAFETY: numbers are those that `text` took and opened within the arena.
        unsafe { (&*self.string_part.at.add(at).cast(), self.string_part.at.add(at + TEXT)) }
    }

    pub(crate) fn open_string(&self, end: u64) -> bool {
        self.string_part.open(end)
    }

    pub(crate) fn flags(&self) -> u32 {
        self.flags | FENCE.load(Relaxed)
    }

    /// No system call may be made any more.
    pub(crate) fn is_quiet(&self) -> bool {
        !self.store.is_null()
    }

    /// Who reads, where it has to be looked at.
    pub(crate) fn reader(&self) -> Option<Reader<'_>> {
        let h = self.header();
        self.overwrites.then_some(Reader { session: &h.session, gone: &GONE, look_slots: h.look_slots as u64 })
    }

    /// What the process writes down outside of it: strings and sites that it wrote before, and its writers where these have
    /// to be there at once.
    pub(crate) fn remember(&mut self) -> Option<()> {
        self.texts = part::anonymous(2 * TABLE * 8)?.cast();
        if self.flags & F_QUIET != 0 {
            self.store = part::sparse(self.ring_count as usize * size_of::<Mine>())?.cast();
        }
        Some(())
    }

    /// Counts events of a thread that has no ring. Version 1 has no place to count them.
    #[cold]
    pub(crate) fn lose(&self, events: u64) {
        if !self.v1 {
            self.header().lost_no_ring.fetch_add(events, Relaxed);
        }
    }

    /// Registers for membarrier's GLOBAL_EXPEDITED; where it may not, this process fences for itself.
    pub(crate) fn register(&self) {
        if !self.v1 && self.flags & F_FENCE == 0 {
            // SAFETY: no memory is involved.
            let done = unsafe { sys::syscall(sys::SYS_MEMBARRIER, sys::MEMBARRIER_REGISTER, 0i32, 0i32) };
            if done == 0 {
                return;
            }
        }
        FENCE.store(F_FENCE, Relaxed);
    }

    /// Writers of this process make the recorder's fence.
    #[cfg(test)]
    pub(crate) fn fence_always() {
        FENCE.store(F_FENCE, Relaxed);
    }

    /// A moment in both clocks, for who reads when all is over: at first soon after the birth, then ever more rarely. False:
    /// it is not due.
    pub(crate) fn store_moment(&self) -> bool {
        let h = self.header();
        let (now, last) = (sys::now(self.flags), h.late_ticks.load(Relaxed));
        let (since, age) = match last {
            0 => (now.wrapping_sub(h.birth_ticks), now.wrapping_sub(h.birth_ticks)),
            last => (now.wrapping_sub(last), last.wrapping_sub(h.birth_ticks)),
        };
        let due = since >= age.min(1 << 30);
        if due {
            let read = || (sys::now(self.flags), sys::monotonic_ns());
            crate::reader::store_moment(&h.late_lock, &h.late_ticks, &h.late_ns, read);
        }
        due
    }
}
