//! The tables of the shared memory in this process: mapped once, opened by need.
//!
//! Addresses are there from the beginning; the right to use them comes by need, for what may not be touched costs nothing
//! where a program locks all its memory. None of it goes into a core, which would have all that the file could hold, but for
//! what has come into use of a box.

use core::ffi::c_void;
use core::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

use crate::{backing, sys};

/// No page is larger.
pub(crate) const ALIGN: u64 = 1 << 16;
/// Opened at a time.
const STEP: u64 = 1 << 20;

/// A table; `open` bytes from its beginning may be used.
pub(crate) struct Part {
    pub(crate) at: *mut u8,
    size: u64,
    open: AtomicU64,
    step: u64,
    /// A part of a box.
    boxed: bool,
}

impl Part {
    pub(crate) const fn none() -> Self {
        Self { at: ptr::null_mut(), size: 0, open: AtomicU64::new(0), step: STEP, boxed: false }
    }

    /// Maps bytes `off` to `off + size` of the file, to be opened by need, or open `at_once`.
    pub(crate) fn map(fd: i32, off: u64, size: u64, at_once: bool) -> Option<Self> {
        let (prot, open) = if at_once { (sys::PROT_READ_WRITE, size) } else { (sys::PROT_NONE, 0) };
        Some(Self { at: map(fd, off, size, prot)?, size, open: AtomicU64::new(open), ..Self::none() })
    }

    /// Of a box, which is mapped in one piece; opened so many bytes at a time, 0: as usual.
    pub(crate) fn of_box(at: *mut u8, size: u64, step: u64) -> Self {
        Self { at, size, step: if step != 0 { step } else { STEP }, boxed: true, ..Self::none() }
    }

    /// Memory that may be used already.
    #[cfg(test)]
    pub(crate) fn opened(at: *mut u8, size: u64) -> Self {
        Self { at, size, open: AtomicU64::new(size), ..Self::none() }
    }

    /// May its first `end` bytes be used? Each call allows what lies below its own end as well, so that two at once do no
    /// harm, and none is taken back.
    #[inline]
    pub(crate) fn open(&self, end: u64) -> bool {
        end <= self.open.load(Acquire) || self.open_more(end)
    }

    #[cold]
    fn open_more(&self, end: u64) -> bool {
        let _aside = sys::Aside::new();
        let before = self.open.load(Acquire);
        let end = end.div_ceil(self.step) * self.step;
        let end = end.min(self.size);
        if before < end && !self.use_piece(before, end - before) || !allow(self.at, end) {
            return false;
        }
        self.open.fetch_max(end, Release);
        true
    }

    /// As `open`, for a piece somewhere in it.
    pub(crate) fn open_piece(&self, off: u64, size: u64) -> bool {
        // SAFETY: the callers' pieces lie within.
        off + size <= self.open.load(Acquire)
            || self.use_piece(off, size) && allow(unsafe { self.at.add(off as usize) }, size)
    }

    fn use_piece(&self, off: u64, size: u64) -> bool {
        // SAFETY: as above.
        !self.boxed || backing::take_in(unsafe { self.at.add(off as usize) }, size)
    }
}

/// Does the kernel promise no more memory than it has, or cannot a box be given blocks?
static STRICT: AtomicBool = AtomicBool::new(false);

pub(crate) fn see_strict() {
    let how = std::fs::read("/proc/sys/vm/overcommit_memory");
    STRICT.store(how.is_ok_and(|how| how.first() == Some(&b'2')), Relaxed);
}

/// From now on.
pub(crate) fn ask_for_pages() {
    STRICT.store(true, Relaxed);
}

/// Allows use of `size` bytes, and what else lies in their pages. Where the kernel gives no more memory than it has, a store
/// that it has no page for raises SIGBUS: there it has to find them now (an older one cannot be asked).
pub(crate) fn allow(at: *mut u8, size: u64) -> bool {
    let before = at as usize % sys::page_size();
    let len = before + size as usize;
    // SAFETY: the pages are those of a mapping of our own, which begins with one.
    unsafe {
        let at = at.sub(before).cast();
        sys::mprotect(at, len, sys::PROT_READ_WRITE) == 0
            && (!STRICT.load(Relaxed)
                || sys::madvise(at, len, sys::MADV_POPULATE_WRITE) == 0
                || sys::errno() == sys::EINVAL)
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

fn anonymous_by(size: usize, flags: i32) -> Option<*mut c_void> {
    // SAFETY: a new mapping.
    let at = unsafe { sys::mmap(ptr::null_mut(), size, sys::PROT_READ_WRITE, flags, -1, 0) };
    (at != sys::MAP_FAILED).then_some(at)
}

/// Zeroed memory that does not come from the program's allocator, which may be what is traced.
pub(crate) fn anonymous(size: usize) -> Option<*mut c_void> {
    anonymous_by(size, sys::MAP_PRIVATE_ANONYMOUS)
}

/// As `anonymous`, of which little may come into use.
pub(crate) fn sparse(size: usize) -> Option<*mut c_void> {
    anonymous_by(size, sys::MAP_PRIVATE_ANONYMOUS_NORESERVE)
}

#[cfg(all(test, not(any(loom, miri))))]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn pages_are_asked_for_before_they_are_used_where_none_is_promised() {
        // SAFETY: a memory file of one page, mapped as two; nothing is stored there.
        unsafe {
            let page = sys::page_size();
            let fd = sys::memfd_create(c"part".as_ptr(), sys::MFD_SEALABLE);
            assert_eq!(sys::ftruncate(fd, page as i64), 0);
            let at = map(fd, 0, 2 * page as u64, sys::PROT_NONE).unwrap();
            for strict in [false, true] {
                STRICT.store(strict, Relaxed);
                assert!(allow(at, page as u64));
                assert_eq!(allow(at, 2 * page as u64), !strict);
            }
            STRICT.store(false, Relaxed);
            assert!(backing::allocate(fd, 0, 1) && !backing::allocate(-1, 0, 1) && !STRICT.load(Relaxed));
            let no_blocks = std::fs::OpenOptions::new().write(true).open("/proc/self/comm").unwrap();
            assert!(backing::allocate(no_blocks.as_raw_fd(), 0, 1) && STRICT.load(Relaxed));
            see_strict();
            sys::close(fd);
        }
    }
}
