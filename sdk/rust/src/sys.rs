//! The calls of the C library that the probe needs, so that the crate has no dependencies.
//!
//! Numbers are those of Linux on x86-64 and aarch64, where they are the same but for those of system calls.

use core::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

pub(crate) const PROT_READ_WRITE: c_int = 3;
pub(crate) const PROT_NONE: c_int = 0;
pub(crate) const MAP_SHARED_NORESERVE: c_int = 1 | 0x4000;
pub(crate) const MADV_WIPEONFORK: c_int = 18;
pub(crate) const MADV_DONTDUMP: c_int = 16;
pub(crate) const MADV_DODUMP: c_int = 17;
pub(crate) const MADV_POPULATE_WRITE: c_int = 23;
/// MFD_CLOEXEC and MFD_ALLOW_SEALING.
pub(crate) const MFD_SEALABLE: c_uint = 1 | 2;
pub(crate) const F_ADD_SEALS: c_int = 1033;
/// F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL.
pub(crate) const SEALS: c_int = 2 | 4 | 1;
pub(crate) const F_OFD_GETLK: c_int = 36;
pub(crate) const F_WRLCK: i16 = 1;
pub(crate) const F_UNLCK: i16 = 2;
pub(crate) const O_CLOEXEC: c_int = 0o2000000;
pub(crate) const O_NOCTTY: c_int = 0o400;
pub(crate) const O_NONBLOCK: c_int = 0o4000;
pub(crate) const MAP_SHARED_FIXED: c_int = 1 | 0x10;
pub(crate) const MAP_PRIVATE_ANONYMOUS_FIXED: c_int = 0x22 | 0x10;
pub(crate) const MAP_PRIVATE_ANONYMOUS_NORESERVE: c_int = 0x22 | 0x4000;
pub(crate) const FUTEX_WAKE: c_int = 1;
pub(crate) const SC_PAGESIZE: c_int = 30;
pub(crate) const RLIMIT_AS: c_int = 9;
pub(crate) const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
pub(crate) const MAP_FAILED: *mut c_void = !0usize as *mut c_void;
pub(crate) const AF_UNIX: c_int = 1;
pub(crate) const SOCK_STREAM_NONBLOCK_CLOEXEC: c_int = 1 | 0o4000 | 0o2000000;
pub(crate) const F_DUPFD_CLOEXEC: c_int = 1030;
pub(crate) const MSG_NOSIGNAL_DONTWAIT: c_int = 0x4000 | 0x40;
pub(crate) const POLLIN: i16 = 1;
pub(crate) const POLLERR_POLLHUP: i16 = 8 | 16;
pub(crate) const SOL_SOCKET: c_int = 1;
pub(crate) const SO_PEERCRED: c_int = 17;
pub(crate) const PR_GET_NAME: c_int = 16;
pub(crate) const CLOCK_REALTIME: c_int = 0;
pub(crate) const CLOCK_MONOTONIC: c_int = 1;
const SIG_BLOCK: c_int = 0;
const SIG_SETMASK: c_int = 2;
const PTHREAD_CANCEL_DISABLE: c_int = 1;
pub(crate) const EINTR: c_int = 4;
pub(crate) const EAGAIN: c_int = 11;
pub(crate) const ESRCH: c_int = 3;
pub(crate) const ENOENT: c_int = 2;
pub(crate) const ENXIO: c_int = 6;
pub(crate) const EBUSY: c_int = 16;
pub(crate) const EINVAL: c_int = 22;
pub(crate) const ENOSPC: c_int = 28;
pub(crate) const ENOSYS: c_int = 38;
pub(crate) const EOPNOTSUPP: c_int = 95;
pub(crate) const SEEK_DATA: c_int = 3;
pub(crate) const EPIPE: c_int = 32;
pub(crate) const ECONNREFUSED: c_int = 111;
pub(crate) const MSG_CMSG_CLOEXEC: c_int = 0x4000_0000;
pub(crate) const SCM_RIGHTS: c_int = 1;
pub(crate) const AT_SECURE: c_ulong = 23;
pub(crate) const AT_RANDOM: c_ulong = 25;
/// RTLD_NOW, RTLD_NOLOAD and RTLD_NODELETE.
pub(crate) const RTLD_STAY: c_int = 2 | 4 | 0x1000;
pub(crate) const ECONNRESET: c_int = 104;

#[cfg(target_arch = "x86_64")]
pub(crate) const SYS_GETTID: c_long = 186;
#[cfg(target_arch = "x86_64")]
pub(crate) const SYS_MEMBARRIER: c_long = 324;
#[cfg(target_arch = "x86_64")]
pub(crate) const SYS_FUTEX: c_long = 202;
#[cfg(target_arch = "x86_64")]
pub(crate) const SYS_TGKILL: c_long = 234;
#[cfg(target_arch = "aarch64")]
pub(crate) const SYS_GETTID: c_long = 178;
#[cfg(target_arch = "aarch64")]
pub(crate) const SYS_MEMBARRIER: c_long = 283;
#[cfg(target_arch = "aarch64")]
pub(crate) const SYS_FUTEX: c_long = 98;
#[cfg(target_arch = "aarch64")]
pub(crate) const SYS_TGKILL: c_long = 131;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("corotrace runs on x86-64 and aarch64");
#[cfg(not(target_os = "linux"))]
compile_error!("corotrace runs on Linux");
#[cfg(not(target_endian = "little"))]
compile_error!("the shared memory is little-endian");

/// `MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED`.
pub(crate) const MEMBARRIER_REGISTER: c_int = 4;

#[repr(C)]
pub(crate) struct Timespec {
    pub(crate) sec: i64,
    pub(crate) nsec: c_long,
}

#[repr(C)]
pub(crate) struct Ucred {
    pub(crate) pid: c_int,
    pub(crate) uid: c_uint,
    pub(crate) gid: c_uint,
}

#[repr(C)]
pub(crate) struct Rlimit {
    pub(crate) now: u64,
    pub(crate) most: u64,
}

#[repr(C)]
pub(crate) struct Iovec {
    pub(crate) base: *mut c_void,
    pub(crate) len: usize,
}

/// A control message with room for one descriptor.
#[repr(C)]
#[derive(Default)]
pub(crate) struct OneDescriptor {
    len: usize,
    level: c_int,
    kind: c_int,
    pub(crate) fd: c_int,
    pad: c_int,
}

impl OneDescriptor {
    /// Has it been written to?
    pub(crate) fn came(&self) -> bool {
        self.len == size_of::<Self>() - size_of::<c_int>() && (self.level, self.kind) == (SOL_SOCKET, SCM_RIGHTS)
    }
}

#[repr(C)]
pub(crate) struct Msghdr {
    name: *mut c_void,
    name_len: c_uint,
    io: *mut Iovec,
    io_len: usize,
    control: *mut OneDescriptor,
    control_len: usize,
    flags: c_int,
}

impl Msghdr {
    pub(crate) fn new(io: &mut Iovec, control: &mut OneDescriptor) -> Self {
        let (name, control_len) = (core::ptr::null_mut(), size_of::<OneDescriptor>());
        Self { name, name_len: 0, io, io_len: 1, control, control_len, flags: 0 }
    }
}

#[repr(C)]
pub(crate) struct DlInfo {
    pub(crate) name: *const c_char,
    pub(crate) base: *const c_void,
    pub(crate) symbol: *const c_char,
    pub(crate) at: *const c_void,
}

#[repr(C)]
pub(crate) struct Flock {
    pub(crate) kind: i16,
    whence: i16,
    start: i64,
    len: i64,
    pid: c_int,
}

impl Flock {
    /// Of the first byte.
    pub(crate) fn first_byte() -> Self {
        Self { kind: F_WRLCK, whence: 0, start: 0, len: 1, pid: 0 }
    }
}

#[repr(C)]
pub(crate) struct Pollfd {
    pub(crate) fd: c_int,
    pub(crate) events: i16,
    pub(crate) revents: i16,
}

#[repr(C)]
pub(crate) struct SockaddrUn {
    pub(crate) family: u16,
    pub(crate) path: [c_char; 108],
}

extern "C" {
    pub(crate) fn mmap(at: *mut c_void, len: usize, prot: c_int, flags: c_int, fd: c_int, off: i64) -> *mut c_void;
    pub(crate) fn mprotect(at: *mut c_void, len: usize, prot: c_int) -> c_int;
    pub(crate) fn madvise(at: *mut c_void, len: usize, advice: c_int) -> c_int;
    pub(crate) fn sysconf(name: c_int) -> c_long;
    pub(crate) fn getrlimit(what: c_int, limit: *mut Rlimit) -> c_int;
    pub(crate) fn munmap(at: *mut c_void, len: usize) -> c_int;
    pub(crate) fn clock_gettime(clock: c_int, t: *mut Timespec) -> c_int;
    pub(crate) fn nanosleep(t: *const Timespec, left: *mut Timespec) -> c_int;
    pub(crate) fn socket(family: c_int, kind: c_int, protocol: c_int) -> c_int;
    pub(crate) fn connect(fd: c_int, addr: *const SockaddrUn, len: c_uint) -> c_int;
    pub(crate) fn fcntl(fd: c_int, cmd: c_int, ...) -> c_int;
    pub(crate) fn close(fd: c_int) -> c_int;
    pub(crate) fn memfd_create(name: *const c_char, flags: c_uint) -> c_int;
    pub(crate) fn mkostemp(template: *mut c_char, flags: c_int) -> c_int;
    pub(crate) fn unlink(path: *const c_char) -> c_int;
    pub(crate) fn lseek(fd: c_int, off: i64, whence: c_int) -> i64;
    pub(crate) fn ftruncate(fd: c_int, size: i64) -> c_int;
    pub(crate) fn fallocate(fd: c_int, how: c_int, off: i64, len: i64) -> c_int;
    pub(crate) fn send(fd: c_int, data: *const c_void, len: usize, flags: c_int) -> isize;
    pub(crate) fn getsockopt(fd: c_int, level: c_int, name: c_int, value: *mut Ucred, size: *mut c_uint) -> c_int;
    pub(crate) fn poll(fds: *mut Pollfd, count: c_ulong, timeout_ms: c_int) -> c_int;
    pub(crate) fn getpid() -> c_int;
    pub(crate) fn getppid() -> c_int;
    pub(crate) fn getpgrp() -> c_int;
    pub(crate) fn kill(pid: c_int, signal: c_int) -> c_int;
    pub(crate) fn getauxval(what: c_ulong) -> c_ulong;
    pub(crate) fn recvmsg(fd: c_int, message: *mut Msghdr, flags: c_int) -> isize;
    pub(crate) fn dladdr(at: *const c_void, info: *mut DlInfo) -> c_int;
    pub(crate) fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    pub(crate) fn syscall(number: c_long, ...) -> c_long;
    pub(crate) fn prctl(option: c_int, ...) -> c_int;
    pub(crate) fn pthread_key_create(key: *mut c_uint, end: Option<unsafe extern "C" fn(*mut c_void)>) -> c_int;
    fn pthread_sigmask(how: c_int, set: *const Sigset, was: *mut Sigset) -> c_int;
    fn sigtimedwait(set: *const Sigset, info: *mut c_void, wait: *const Timespec) -> c_int;
    pub(crate) fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int;
    pub(crate) fn pthread_atfork(
        before: Option<unsafe extern "C" fn()>,
        parent: Option<unsafe extern "C" fn()>,
        child: Option<unsafe extern "C" fn()>,
    ) -> c_int;
    #[cfg(not(miri))]
    fn pthread_setcancelstate(state: c_int, was: *mut c_int) -> c_int;
    fn __errno_location() -> *mut c_int;
}

pub(crate) fn errno() -> c_int {
    // SAFETY: the C library's own, valid for this thread.
    unsafe { *__errno_location() }
}

pub(crate) fn set_errno(to: c_int) {
    // SAFETY: as above.
    unsafe { *__errno_location() = to }
}

/// Around what is asked of the system: the program's errno stays what it was, and its thread is not cancelled here, where it
/// may have a lock, and where others may wait for what it is at.
pub(crate) struct Aside {
    errno: c_int,
    cancel: c_int,
}

/// Returns what it was.
fn set_cancel(state: c_int) -> c_int {
    let mut was = state;
    // SAFETY: writes one integer.
    #[cfg(not(miri))] // which does not know the call
    unsafe {
        pthread_setcancelstate(state, &mut was)
    };
    was
}

impl Aside {
    pub(crate) fn new() -> Self {
        Self { errno: errno(), cancel: set_cancel(PTHREAD_CANCEL_DISABLE) }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        set_cancel(self.cancel);
        set_errno(self.errno)
    }
}

/// While it lives, a limit of files' sizes is an error like a full disk, and no signal.
pub(crate) struct NoXfsz {
    was: Sigset,
    /// The thread did not block it by itself.
    ours: bool,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Sigset([u64; 16]);
const XFSZ: Sigset = Sigset({
    const SIGXFSZ: usize = 25;
    let mut bits = [0; 16];
    bits[0] = 1 << (SIGXFSZ - 1);
    bits
});

impl NoXfsz {
    pub(crate) fn new() -> Self {
        let mut was = Sigset([0; 16]);
        // SAFETY: reads one set and writes one.
        let done = unsafe { pthread_sigmask(SIG_BLOCK, &XFSZ, &mut was) } == 0;
        Self { ours: done && was.0[0] & XFSZ.0[0] == 0, was }
    }
}

impl Drop for NoXfsz {
    fn drop(&mut self) {
        if self.ours {
            let _aside = Aside::new();
            let none = Timespec { sec: 0, nsec: 0 };
            // SAFETY: reads two sets and a time. What came of it is this thread's, and goes no further.
            unsafe {
                while sigtimedwait(&XFSZ, core::ptr::null_mut(), &none) > 0 {}
                pthread_sigmask(SIG_SETMASK, &self.was, core::ptr::null_mut());
            }
        }
    }
}

fn clock_ns(clock: c_int) -> u64 {
    let mut t = Timespec { sec: 0, nsec: 0 };
    // SAFETY: writes one Timespec.
    unsafe { clock_gettime(clock, &mut t) };
    t.sec as u64 * 1_000_000_000 + t.nsec as u64
}

pub(crate) fn monotonic_ns() -> u64 {
    clock_ns(CLOCK_MONOTONIC)
}

pub(crate) fn wall_ns() -> u64 {
    clock_ns(CLOCK_REALTIME)
}

pub(crate) fn page_size() -> usize {
    // SAFETY: takes nothing.
    unsafe { sysconf(SC_PAGESIZE) as usize }
}

pub(crate) fn nap(ns: c_long) {
    // SAFETY: reads one Timespec.
    unsafe { nanosleep(&Timespec { sec: 0, nsec: ns }, core::ptr::null_mut()) };
}

pub(crate) fn pid() -> u32 {
    // SAFETY: cannot fail.
    unsafe { getpid() as u32 }
}

pub(crate) fn tid() -> u64 {
    // SAFETY: takes nothing, cannot fail.
    unsafe { syscall(SYS_GETTID) as u64 }
}

/// Ticks of the region's clock.
#[inline(always)]
pub(crate) fn now(flags: u32) -> u64 {
    if flags & crate::ctp::F_TSC != 0 {
        return ticks();
    }
    monotonic_ns()
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ticks() -> u64 {
    // SAFETY: every x86-64 has it. No fence: the recorder holds back the newest 50 us, which no reordering comes near.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn ticks() -> u64 {
    let t: u64;
    // SAFETY: reads a counter that user space may read.
    unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) t, options(nomem, nostack)) };
    t
}

/// Runs it on a thread with so large a stack: what the standard library does around one needs some itself.
#[cfg(all(test, not(miri)))]
pub(crate) fn on_stack_of(size: usize, run: extern "C" fn(*mut c_void) -> *mut c_void) {
    extern "C" {
        fn pthread_attr_init(attr: *mut [u64; 8]) -> c_int;
        fn pthread_attr_setstacksize(attr: *mut [u64; 8], size: usize) -> c_int;
        fn pthread_create(
            t: *mut c_ulong,
            attr: *const [u64; 8],
            run: extern "C" fn(*mut c_void) -> *mut c_void,
            arg: *mut c_void,
        ) -> c_int;
        fn pthread_join(t: c_ulong, got: *mut *mut c_void) -> c_int;
    }
    let (mut attr, mut thread) = ([0; 8], 0);
    // SAFETY: as POSIX has them; an attribute takes 56 bytes, 64 on aarch64.
    unsafe {
        assert_eq!(pthread_attr_init(&mut attr), 0);
        assert_eq!(pthread_attr_setstacksize(&mut attr, size), 0);
        assert_eq!(pthread_create(&mut thread, &attr, run, core::ptr::null_mut()), 0);
        assert_eq!(pthread_join(thread, core::ptr::null_mut()), 0);
    }
}
