//! This process, as the trace names it, and what a child of it does first.

use core::cell::Cell;
use core::ffi::c_int;
use core::ptr::{self, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::ctp::{FLAG_ON, NUMBERS};
use crate::region::{self, region, Region};
use crate::{attach, boxes, copy, flag, link, part, sys, threads};

/// Who we are; another: a child, not by fork().
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// As the trace names it: ctp(7), "Numbers of processes and threads".
static PID: AtomicU32 = AtomicU32::new(0);
/// Ids up to here are those of a process that forked this one.
static FLOOR: AtomicU64 = AtomicU64::new(0);
/// The recorder's pid namespace, where it was ours once; 0: not known.
static PID_NS: AtomicU64 = AtomicU64::new(0);
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Not traced, or a coroutine of the process that forked this one: there it lives, here it is a copy.
#[inline(always)]
pub(crate) fn foreign(id: u64) -> bool {
    id <= FLOOR.load(Relaxed)
}
/// An id of nobody's, which is not foreign.
pub(crate) const ANY: u64 = u64::MAX;

/// How often this process is a fork of the one that attached: what was remembered before is another's.
#[cfg(feature = "tokio")]
pub(crate) fn forks() -> u64 {
    FORKS.load(Relaxed)
}

/// 0, by the kernel, where this memory is a copy (MADV_WIPEONFORK); null: nobody knows.
static ORIGINAL: AtomicPtr<AtomicU32> = AtomicPtr::new(null_mut());

/// So that a child by vfork(), which has our memory until it executes something, is told from one by a raw clone(2), which
/// has a copy.
fn mark() {
    if !ORIGINAL.load(Relaxed).is_null() || cfg!(miri) {
        return;
    }
    let Some(at) = part::anonymous(threads::PAGE) else { return };
    // SAFETY: advice about a mapping of our own, that nobody else knows.
    unsafe {
        if sys::madvise(at, threads::PAGE, sys::MADV_WIPEONFORK) != 0 {
            sys::munmap(at, threads::PAGE);
            return;
        }
        (*at.cast::<AtomicU32>()).store(1, Relaxed);
    }
    ORIGINAL.store(at.cast(), Relaxed);
}

fn original() -> Option<&'static AtomicU32> {
    // SAFETY: null, or a mapping that stays.
    unsafe { ORIGINAL.load(Relaxed).as_ref() }
}

/// This process is about to attach.
pub(crate) fn begin() {
    PROCESS.store(sys::pid(), Relaxed);
    PID.store(sys::pid(), Relaxed);
    mark();
}

/// As the trace names it.
pub(crate) fn pid() -> u32 {
    PID.load(Relaxed)
}

/// This thread, as the trace names it; another number at each call where it may not be asked for, or where the pid namespace
/// is not the recorder's.
pub(crate) fn new_tid(region: &Region) -> u32 {
    let number = || region.header().next_number.fetch_add(1, Relaxed);
    if region.is_quiet() {
        return number();
    }
    let (pid, tid) = (pid(), sys::tid() as u32);
    match pid {
        _ if pid < NUMBERS => tid,
        _ if tid == sys::pid() => pid,
        _ => number(),
    }
}

/// Another number than the kernel's, where others would take that for a stranger's.
fn renumber(region: &Region) -> u32 {
    let number = region.header().next_number.fetch_add(1, Relaxed) & 0x7fff_ffff;
    PID.store(number, Relaxed);
    number
}

/// Without a connection to ask: does the recorder live in another pid namespace? So /proc says; or its parent did, or is not
/// in ours, as the group that it comes from, and neither is the recorder.
fn is_inner(recorder: u32, before: u32) -> bool {
    let there = PID_NS.load(Relaxed);
    let here = if there != 0 { boxes::pid_ns() } else { 0 };
    // SAFETY: three calls that only ask.
    unsafe {
        (here != 0 && here != there)
            || before >= NUMBERS
            || sys::getppid() == 0
            || (sys::getpgrp() == 0 && sys::kill(recorder as c_int, 0) != 0 && sys::errno() == sys::ESRCH)
    }
}

/// Which number this process goes by: its own, or one of the region's where the recorder would take it for a stranger's.
pub(crate) fn take_number(region: &Region, sock: Option<c_int>) {
    let h = region.header();
    let mut peer = sys::Ucred { pid: 0, uid: 0, gid: 0 };
    let mut size = size_of::<sys::Ucred>() as u32;
    let before = PID.swap(sys::pid(), Relaxed);
    if region.v1 || h.recorder_pid == 0 {
        return;
    }
    // SAFETY: writes one Ucred; takes nothing.
    let asked = |s| unsafe { sys::getsockopt(s, sys::SOL_SOCKET, sys::SO_PEERCRED, &mut peer, &mut size) == 0 };
    if sock.is_some_and(asked) {
        if peer.pid as u32 == h.recorder_pid {
            PID_NS.store(boxes::pid_ns(), Relaxed);
            return;
        }
    } else if !is_inner(h.recorder_pid, before) {
        return;
    }
    let mut bytes = [b'N'; 5];
    bytes[1..].copy_from_slice(&renumber(region).to_le_bytes());
    if let Some(sock) = sock {
        // SAFETY: sends five bytes.
        unsafe { sys::send(sock, bytes.as_ptr().cast(), bytes.len(), sys::MSG_NOSIGNAL_DONTWAIT) };
    }
}

/// Is this another process than the one that knows itself here: a child, not by fork()? In another pid namespace its number
/// may be its parent's.
pub(crate) fn is_child() -> bool {
    PROCESS.load(Relaxed) != sys::pid() || original().is_some_and(|o| o.load(Relaxed) == 0)
}

/// One by vfork(): all is still its parent's.
pub(crate) fn shares_memory() -> bool {
    original().is_some_and(|o| o.load(Relaxed) != 0)
}

thread_local! {
    /// While this thread forks: 1, and 1 more where a region was there before; else 0.
    static FORKING: Cell<u32> = const { Cell::new(0) };
}

/// This thread, in a child by fork(), too: by where it has what is its own. Never 0.
pub(crate) fn here() -> u32 {
    FORKING.with(|f| (ptr::from_ref(f).addr() >> 4) as u32 | 1)
}

/// Behind the fork nobody can tell: what others store while it is under way may be in the copy of one page, and what they
/// stored before not in that of another.
pub(crate) unsafe extern "C" fn forking() {
    FORKING.set(1 + region::is_there() as u32);
}

pub(crate) unsafe extern "C" fn has_forked() {
    FORKING.set(0);
}

pub(crate) unsafe extern "C" fn forked_hook() {
    forked();
}

/// One that finds no connection (its rights or its root are others, its descriptors all in use) records all the same, and is
/// counted.
fn connect_child(region: &Region) {
    let Err(e) = link::dial(&region.socket).and_then(|fd| link::greet(region, fd)) else { return };
    if !region.v1 && e.raw_os_error() != Some(sys::ECONNREFUSED) {
        take_number(region, None); // first: a recorder of another namespace cannot be asked about
        if !region.recorder_gone().0 {
            region.header().unconnected.fetch_add(1, Relaxed);
            return;
        }
    }
    link::switch_off(); // nobody reads any more, or there is no place to count it
}

/// One in another pid namespace than the box was made in goes by numbers that nobody has there.
fn number_in_box(region: &Region) {
    let (ns, made_in) = (boxes::pid_ns(), region.header().pid_ns);
    PID.store(sys::pid(), Relaxed);
    if ns != 0 && made_in != 0 && ns != made_in {
        renumber(region);
    }
}

/// In a child the ring, the stations and ids in store and the socket are its parent's.
pub(crate) fn forked() {
    let _aside = sys::Aside::new();
    PROCESS.store(sys::pid(), Relaxed);
    if let Some(original) = original() {
        original.store(1, Relaxed);
    }
    flag::forked();
    attach::end_turn(match FORKING.replace(0) {
        0 => region::is_there(),
        forking => forking == 2,
    });
    copy::forked();
    if flag::get() != FLAG_ON && !flag::is_stopped() {
        return;
    }
    let region = region();
    threads::forget(region);
    let inherited = link::inherited().filter(|_| !region.boxed);
    let floor = if region.v1 { 0 } else { region.header().next_probe_id.load(Relaxed) - 1 };
    FLOOR.store(floor, Relaxed);
    FORKS.fetch_add(1, Relaxed);
    region.register();
    match region.boxed {
        true => number_in_box(region),
        false => connect_child(region),
    }
    if let Some(fd) = inherited {
        // Not before: a recorder that follows children must at no time see nobody.
        // SAFETY: our own descriptor.
        unsafe { sys::close(fd) };
    }
    threads::anew();
}
