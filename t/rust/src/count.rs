//! A file that counts what was emitted, which outlives any death; as t/targets/rec.h has it, for record-count.

use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

const COUNTERS: usize = 64;
const LINE: usize = 64;
static AT: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

/// Not truncated: several programs may share it.
pub fn open(path: &str) {
    let file = std::fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).unwrap();
    let size = COUNTERS * LINE;
    file.set_len(size as u64).unwrap();
    let prot = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, kept for good.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), size, prot, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    assert_ne!(at, libc::MAP_FAILED);
    AT.store(at.cast(), Relaxed);
}

/// Said behind the probe: who dies between the two leaves the count one call short.
pub fn emitted(who: usize, n: u64) {
    // SAFETY: within the mapping, aligned, and accessed by atomics alone.
    let counter = unsafe { &*AT.load(Relaxed).add(who % COUNTERS * LINE).cast::<AtomicU64>() };
    counter.fetch_add(n, Relaxed);
}

/// Resumes and suspends once for each of `pairs`, between a create and a destroy; counts each.
pub fn live(who: usize, pairs: usize) {
    let mut co = corotrace::PollTrace::new();
    emitted(who, 1);
    for _ in 0..pairs {
        co.on_resume();
        co.on_pending_addr(3);
        emitted(who, 2);
    }
    co.on_ready();
    emitted(who, 1);
}
