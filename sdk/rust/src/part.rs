//! The tables of the shared memory in this process: mapped once, opened by need.
//!
//! Addresses are there from the beginning; the right to use them comes by need, for what may not be touched costs nothing
//! where a program locks all its memory. None of it goes into a core, which would have all that the file could hold.

use core::ptr;
use std::sync::atomic::{AtomicU64, Ordering::*};

use crate::sys;

/// No page is larger.
const ALIGN: u64 = 1 << 16;
/// Opened at a time.
const STEP: u64 = 1 << 20;

/// A table; `open` bytes from its beginning may be used.
pub(crate) struct Part {
    pub(crate) at: *mut u8,
    size: u64,
    open: AtomicU64,
}

impl Part {
    pub(crate) const fn none() -> Self {
        Self { at: ptr::null_mut(), size: 0, open: AtomicU64::new(0) }
    }

    /// Maps bytes `off` to `off + size` of the file, to be opened.
    pub(crate) fn map(fd: i32, off: u64, size: u64) -> Option<Self> {
        Some(Self { at: map(fd, off, size, sys::PROT_NONE)?, size, open: AtomicU64::new(0) })
    }

    /// Memory that may be used already.
    #[cfg(test)]
    pub(crate) fn opened(at: *mut u8, size: u64) -> Self {
        Self { at, size, open: AtomicU64::new(size) }
    }

    /// May its first `end` bytes be used? Each call allows what lies below its own end as well, so that two at once do no
    /// harm, and none is taken back.
    #[inline]
    pub(crate) fn open(&self, end: u64) -> bool {
        end <= self.open.load(Acquire) || self.open_more(end)
    }

    #[cold]
    fn open_more(&self, end: u64) -> bool {
        let end = end.next_multiple_of(STEP).min(self.size);
        if !allow(self.at, end) {
            return false;
        }
        self.open.fetch_max(end, Release);
        true
    }

    /// As `open`, for a piece somewhere in it.
    pub(crate) fn open_piece(&self, off: u64, size: u64) -> bool {
        // SAFETY: the callers' pieces lie within.
        off + size <= self.open.load(Acquire) || allow(unsafe { self.at.add(off as usize) }, size)
    }
}

/// Allows use of `size` bytes, and what else lies in their pages.
fn allow(at: *mut u8, size: u64) -> bool {
    // SAFETY: takes nothing; the pages are those of a mapping of our own, which begins with one.
    unsafe {
        let before = at.addr() % sys::sysconf(sys::SC_PAGESIZE) as usize;
        sys::mprotect(at.sub(before).cast(), before + size as usize, sys::PROT_READ_WRITE) == 0
    }
}

/// Maps bytes `off` to `off + size` of the file, and keeps them out of cores.
pub(crate) fn map(fd: i32, off: u64, size: u64, prot: i32) -> Option<*mut u8> {
    let before = off % ALIGN;
    let len = (size + before) as usize;
    // SAFETY: a new mapping of a file that its maker has sealed against shrinking.
    unsafe {
        let at = sys::mmap(ptr::null_mut(), len, prot, sys::MAP_SHARED_NORESERVE, fd, (off - before) as i64);
        if at == sys::MAP_FAILED {
            return None;
        }
        sys::madvise(at, len, sys::MADV_DONTDUMP);
        Some(at.cast::<u8>().add(before as usize))
    }
}

/// Where the address space is limited, no more than a quarter of it is for tables of `size` bytes: how often to halve them.
pub(crate) fn halvings(size: u64) -> u32 {
    let mut space = sys::Rlimit { now: u64::MAX, most: 0 };
    // SAFETY: writes one Rlimit.
    if unsafe { sys::getrlimit(sys::RLIMIT_AS, &mut space) } != 0 || space.now == u64::MAX {
        return 0;
    }
    (0..31).find(|n| size >> n <= space.now / 4).unwrap_or(31)
}
