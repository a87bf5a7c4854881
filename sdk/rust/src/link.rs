//! The connection to the recorder: a bell for one that sleeps, and the sign that it lives.

use core::ffi::c_int;
use core::ptr;
use std::io::{self, Read};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

use crate::backing::{borrowed, identity};
use crate::ctp::*;
use crate::region::Region;
use crate::{bell, flag, process, sys};

static SOCK: AtomicI32 = AtomicI32::new(-1);
static DEV: AtomicU64 = AtomicU64::new(0);
static INO: AtomicU64 = AtomicU64::new(0);

/// A program may close any descriptor and get its number for something else, which must not be written to.
fn ours() -> Option<c_int> {
    let fd = SOCK.load(Relaxed);
    (fd >= 0 && identity(fd) == Some((DEV.load(Relaxed), INO.load(Relaxed)))).then_some(fd)
}

/// In a child: the connection was its parent's. It is given to be closed, later.
pub(crate) fn inherited() -> Option<c_int> {
    let fd = ours();
    SOCK.store(-1, Relaxed);
    fd
}

/// Nobody reads any more.
pub(crate) fn switch_off() {
    flag::set(FLAG_OFF);
}

impl Region {
    /// Whoever swaps tracer_sleeping from 1 to 0 rings; acq_rel only so that two do not.
    #[cold]
    #[inline(never)]
    pub(crate) fn bell(&self) {
        if self.is_quiet() {
            return; // it does not sleep
        }
        let _aside = sys::Aside::new();
        let sleeping = &self.header().tracer_sleeping;
        let socket = ours();
        if !self.boxed && socket.is_none() {
            SOCK.store(-1, Relaxed);
            return; // who has no bell leaves the word to those who have: else it would sleep on
        }
        if !bell::take(sleeping) {
            return;
        }
        if self.boxed {
            // Nobody's socket: the word itself is the bell, across namespaces too.
            // SAFETY: the word is mapped for good.
            unsafe { sys::syscall(sys::SYS_FUTEX, ptr::from_ref(sleeping), sys::FUTEX_WAKE, 1 as c_int, 0, 0, 0) };
            return;
        }
        let Some(fd) = socket else { return };
        // SAFETY: sends one byte.
        let sent = unsafe { sys::send(fd, b"1".as_ptr().cast(), 1, sys::MSG_NOSIGNAL_DONTWAIT) };
        if sent < 0 && matches!(sys::errno(), sys::EPIPE | sys::ECONNRESET) {
            switch_off();
        }
    }

    /// Is the recorder gone, as far as it can be known? And is there a connection that would show it?
    #[cold]
    pub(crate) fn recorder_gone(&self) -> (bool, bool) {
        if self.is_quiet() {
            return (false, false);
        }
        let Some(fd) = ours() else {
            // A number of our namespace may be asked about.
            let pid = self.header().recorder_pid;
            let ask = !self.v1 && process::pid() < NUMBERS && pid != 0;
            // SAFETY: signal 0 asks only.
            return (ask && unsafe { sys::kill(pid as c_int, 0) } != 0 && sys::errno() == sys::ESRCH, false);
        };
        let mut p = sys::Pollfd { fd, events: 0, revents: 0 };
        // SAFETY: one Pollfd.
        (unsafe { sys::poll(&mut p, 1, 0) } > 0 && p.revents & sys::POLLERR_POLLHUP != 0, true)
    }
}

/// Has the recorder answered, within so many milliseconds? Signals, as of a profiler's timer, end poll(2) before that.
fn answered(fd: c_int, ms: c_int) -> bool {
    let mut p = sys::Pollfd { fd, events: sys::POLLIN, revents: 0 };
    let (began, mut left) = (sys::monotonic_ns(), ms);
    loop {
        // SAFETY: one Pollfd.
        let got = unsafe { sys::poll(&mut p, 1, left) };
        if got >= 0 || sys::errno() != sys::EINTR || left == 0 {
            return got > 0;
        }
        let spent = (sys::monotonic_ns() - began) / 1_000_000;
        left = c_int::try_from(spent).map_or(0, |spent| (ms - spent).max(0));
    }
}

/// Waits until the recorder has seen where the code of this process lies: one that lives for milliseconds would be gone.
fn await_hello(fd: c_int) {
    if answered(fd, HELLO_MS) {
        let _ = borrowed(fd).read(&mut [0; 8]);
    }
}

/// Out of the way: programs expect low numbers to be theirs.
pub(crate) fn high(fd: c_int) -> c_int {
    // SAFETY: a descriptor of our own.
    unsafe {
        let high = if fd < 0 { -1 } else { sys::fcntl(fd, sys::F_DUPFD_CLOEXEC, 200 as c_int) };
        if high < 0 {
            return fd;
        }
        sys::close(fd);
        high
    }
}

/// A connection to the recorder.
pub(crate) fn dial(addr: &sys::SockaddrUn) -> io::Result<c_int> {
    // SAFETY: plain calls on descriptors of our own and structures that live here.
    unsafe {
        let fd = high(sys::socket(sys::AF_UNIX, sys::SOCK_STREAM_NONBLOCK_CLOEXEC, 0));
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        for tries in 0.. {
            if sys::connect(fd, addr, size_of::<sys::SockaddrUn>() as u32) == 0 {
                break;
            }
            let e = io::Error::last_os_error();
            if !matches!(e.raw_os_error(), Some(sys::EAGAIN | sys::EINTR)) || tries == 100 {
                sys::close(fd);
                return Err(e);
            }
            sys::nap(5_000_000);
        }
        Ok(fd)
    }
}

/// Which program this is since its last exec, by what the kernel gave it then, and that it had begun by now: ctp(7),
/// "Connection".
fn say_image(region: &Region, sock: c_int) {
    // SAFETY: takes a number.
    let random = unsafe { sys::getauxval(sys::AT_RANDOM) } as *const [u64; 2];
    if region.v1 || random.is_null() {
        return;
    }
    // SAFETY: sixteen bytes, for as long as the program runs.
    let [a, b] = unsafe { random.read_unaligned() };
    let words = [(a ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15), sys::now(region.flags)];
    let mut bytes = [b'B'; 33];
    for (i, letter) in bytes[1..].iter_mut().enumerate() {
        *letter = b'a' + (words[i / 16] >> (i % 16 * 4) & 15) as u8;
    }
    // SAFETY: sends what lives here.
    unsafe { sys::send(sock, bytes.as_ptr().cast(), bytes.len(), sys::MSG_NOSIGNAL_DONTWAIT) };
}

/// Makes it this process's.
pub(crate) fn greet(region: &Region, fd: c_int) -> io::Result<()> {
    let Some((dev, ino)) = identity(fd) else {
        // SAFETY: our own descriptor.
        unsafe { sys::close(fd) };
        return Err(io::Error::from_raw_os_error(sys::EPIPE));
    };
    process::take_number(region, Some(fd));
    say_image(region, fd);
    if region.flags & F_STACKS != 0 {
        await_hello(fd);
    }
    DEV.store(dev, Relaxed);
    INO.store(ino, Relaxed);
    SOCK.store(fd, Relaxed);
    Ok(())
}

/// The recorder's memory, where its path leads nowhere from here (another pid namespace with a /proc of its own): by the
/// connection.
pub(crate) fn ask_memory(sock: c_int) -> Option<std::fs::File> {
    let mut byte = b'F';
    let mut control = sys::OneDescriptor::default();
    let mut io = sys::Iovec { base: ptr::from_mut(&mut byte).cast(), len: 1 };
    // SAFETY: what the calls are given lives here.
    unsafe {
        if sys::send(sock, io.base, 1, sys::MSG_NOSIGNAL_DONTWAIT) != 1 {
            return None;
        }
        loop {
            let mut m = sys::Msghdr::new(&mut io, &mut control);
            if !answered(sock, MEMORY_MS) || sys::recvmsg(sock, &mut m, sys::MSG_CMSG_CLOEXEC) != 1 {
                return None;
            }
            // Its hello may have come first; it says it again.
            if byte != b'1' {
                return (byte == b'F' && control.came()).then(|| std::fs::File::from_raw_fd(control.fd));
            }
        }
    }
}
