//! The file behind a box: a descriptor by which others find it in /proc and ask for the recorder's lock, and its blocks.

use core::ffi::c_int;
use std::os::fd::FromRawFd;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, Ordering::Relaxed};

use crate::{part, sys};

static FD: AtomicI32 = AtomicI32::new(-1);
static DEV: AtomicU64 = AtomicU64::new(0);
static INO: AtomicU64 = AtomicU64::new(0);
/// It lies in a directory of the user's.
static NAMED: AtomicBool = AtomicBool::new(false);
static BASE: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
/// When its disk had no room for so much.
static FULL_AT: AtomicU64 = AtomicU64::new(0);
static FULL_LEN: AtomicU64 = AtomicU64::new(0);

/// The descriptor as a file that does not close it.
pub(crate) fn borrowed(fd: c_int) -> std::mem::ManuallyDrop<std::fs::File> {
    // SAFETY: never closed.
    std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd) })
}

/// Device and inode.
pub(crate) fn identity(fd: c_int) -> Option<(u64, u64)> {
    borrowed(fd).metadata().ok().map(|m| (m.dev(), m.ino()))
}

/// The box is in this file from now on, and mapped from `base` on. False: the descriptor is none.
pub(crate) fn begin(fd: c_int, named: bool, base: *mut u8) -> bool {
    let Some((dev, ino)) = identity(fd) else { return false };
    DEV.store(dev, Relaxed);
    INO.store(ino, Relaxed);
    NAMED.store(named, Relaxed);
    BASE.store(base, Relaxed);
    FD.store(fd, Relaxed);
    true
}

/// It could not be made.
pub(crate) fn give_up() {
    FD.store(-1, Relaxed);
}

/// In a child: what its parent had begun.
pub(crate) fn close() {
    let fd = FD.swap(-1, Relaxed);
    if is_ours(fd) {
        // SAFETY: our own.
        unsafe { sys::close(fd) };
    }
}

/// The file that holds the box?
pub(crate) fn is_same(file: &std::fs::Metadata) -> bool {
    (file.dev(), file.ino()) == (DEV.load(Relaxed), INO.load(Relaxed))
}

/// A program may close any descriptor and get its number for something else.
fn is_ours(fd: c_int) -> bool {
    fd >= 0 && identity(fd) == Some((DEV.load(Relaxed), INO.load(Relaxed)))
}

/// The file itself, as one that does not close it.
pub(crate) fn file() -> Option<std::mem::ManuallyDrop<std::fs::File>> {
    let fd = FD.load(Relaxed);
    is_ours(fd).then(|| borrowed(fd))
}

/// Not by posix_fallocate(3): where a file system has no such call it reads and writes a byte of each block, among what another
/// thread stores there, which asked first. There, as where memory is short, the pages are asked for (`part::allow`).
pub(crate) fn allocate(fd: c_int, off: i64, len: i64) -> bool {
    // SAFETY: takes no memory of ours.
    let call = || unsafe { sys::fallocate(fd, 0, off, len) } == 0;
    // Older kernels' tmpfs gives up for any signal, as of a profiler's timer, and so may FUSE.
    if call() || (0..100).any(|_| sys::errno() == sys::EINTR && call()) {
        return true;
    }
    let unknown = matches!(sys::errno(), sys::EOPNOTSUPP | sys::ENOSYS);
    if unknown {
        part::ask_for_pages();
    }
    unknown
}

/// To be refused costs as much as what room there is, which others lack meanwhile: once a second.
fn blocks(off: usize, len: u64) -> bool {
    let (fd, full) = (FD.load(Relaxed), FULL_LEN.load(Relaxed));
    if full != 0 && len >= full && sys::monotonic_ns().wrapping_sub(FULL_AT.load(Relaxed)) < 1_000_000_000 {
        return false;
    }
    let _quiet = sys::NoXfsz::new();
    let got = is_ours(fd) && allocate(fd, off as i64, len as i64);
    if !got {
        FULL_AT.store(sys::monotonic_ns(), Relaxed);
        FULL_LEN.store(len, Relaxed);
    }
    got
}

/// Has this part of the box in a core, which holds no other, and in a file gives it blocks: on a full disk a store would raise
/// SIGBUS. False: there is no room. It may be done twice at once.
pub(crate) fn take_in(at: *mut u8, len: u64) -> bool {
    if NAMED.load(Relaxed) && !blocks(at as usize - BASE.load(Relaxed) as usize, len) {
        return false;
    }
    // SAFETY: advice about a mapping of our own.
    unsafe {
        let before = at as usize % sys::page_size();
        sys::madvise(at.sub(before).cast(), before + len as usize, sys::MADV_DODUMP);
    }
    true
}

/// Does a recorder hold its lock, by which it lives? It is taken to where that cannot be known.
pub(crate) fn is_locked() -> bool {
    let fd = FD.load(Relaxed);
    let mut lock = sys::Flock::first_byte();
    // SAFETY: writes one Flock.
    !is_ours(fd) || unsafe { sys::fcntl(fd, sys::F_OFD_GETLK, &mut lock) } != 0 || lock.kind != sys::F_UNLCK
}
