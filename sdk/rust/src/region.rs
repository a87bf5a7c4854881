//! The shared memory and the socket: attaching, the bell, forks.

use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::ptr;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, AtomicU8, Ordering::*};

use crate::bell;
use crate::ctp::*;
use crate::part::{self, Part};
use crate::sys;
use crate::writer;

/// Whether events go to a recorder: not known before the first `init`.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN_YET);
const UNKNOWN_YET: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

/// Hashes of the tables in which a process keeps in mind what it wrote.
pub(crate) const TABLE: usize = 1 << 16;

/// What a process shares. Written once, before `STATE` is `ON` (release), read after that is seen (acquire).
pub(crate) struct Region {
    base: *mut u8,
    pub(crate) v1: bool,
    pub(crate) v1_max: u32,
    pub(crate) flags: u32,
    pub(crate) ring_count: u32,
    pub(crate) ring_slots: u32,
    pub(crate) station_count: u32,
    pub(crate) site_count: u32,
    pub(crate) strings_size: u64,
    rings_at: *mut u8,
    slot_part: Part,
    station_part: Part,
    site_part: Part,
    string_part: Part,
    pub(crate) texts: *const AtomicU64,
    pub(crate) key: u32,
    socket: sys::SockaddrUn,
}

// SAFETY: what the pointers lead to is shared memory, accessed by atomics, and never unmapped.
unsafe impl Sync for Region {}

struct Cell(UnsafeCell<Region>);
// SAFETY: written once before it is published, see Region.
unsafe impl Sync for Cell {}

impl Region {
    const fn none() -> Self {
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
            rings_at: ptr::null_mut(),
            slot_part: Part::none(),
            station_part: Part::none(),
            site_part: Part::none(),
            string_part: Part::none(),
            texts: ptr::null(),
            key: 0,
            socket: sys::SockaddrUn { family: 0, path: [0; 108] },
        }
    }
}
static REGION: Cell = Cell(UnsafeCell::new(Region::none()));
/// `DONE`, or the owner() of the thread that attaches, 0: nobody did.
static INIT: AtomicU64 = AtomicU64::new(0);
const DONE: u64 = u64::MAX;
/// Who we are; another: a child, not by fork().
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// The hooks of threads and forks are there, by this key.
static HOOKED: AtomicU64 = AtomicU64::new(u64::MAX);
static SOCK: AtomicI32 = AtomicI32::new(-1);
static SOCK_DEV: AtomicU64 = AtomicU64::new(0);
static SOCK_INO: AtomicU64 = AtomicU64::new(0);
/// This process could not register for membarrier, or the recorder has none.
static FENCE: AtomicU32 = AtomicU32::new(0);
/// Ids up to here are those of a process that forked this one.
static FLOOR: AtomicU64 = AtomicU64::new(0);
/// This process, as the trace names it: ctp(7), "Numbers of processes and threads".
static PID: AtomicU32 = AtomicU32::new(0);
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Acquire: who sees it may look at the region.
#[inline(always)]
pub(crate) fn on() -> bool {
    STATE.load(Acquire) == ON
}

fn switch_off() {
    STATE.store(OFF, Relaxed);
}

/// The region, once `on` has been seen.
#[inline(always)]
pub(crate) fn region() -> &'static Region {
    // SAFETY: not written any more.
    unsafe { &*REGION.0.get() }
}

/// Not traced, or a coroutine of the process that forked this one: there it lives, here it is a copy.
#[inline(always)]
pub(crate) fn foreign(id: u64) -> bool {
    id <= FLOOR.load(Relaxed)
}

/// How often this process is a fork of the one that attached: what was kept in mind before is another's.
#[cfg(feature = "tokio")]
pub(crate) fn forks() -> u64 {
    FORKS.load(Relaxed)
}

impl Region {
    #[inline(always)]
    pub(crate) fn header(&self) -> &Header {
        // SAFETY: the mapping begins with it and is never unmapped.
        unsafe { &*self.base.cast::<Header>() }
    }

    fn table<T>(&self, at: *mut u8, count: usize) -> &[T] {
        // SAFETY: `map` has found and mapped the table, and its fields are atomics. Not all may be used yet, see Part.
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

    /// All of them; those up to `i` may be used when `open_station(i)` has said so.
    pub(crate) fn stations(&self) -> &[Event] {
        self.table(self.station_part.at, self.station_count as usize)
    }

    pub(crate) fn open_station(&self, i: u32) -> bool {
        self.station_part.open((i as u64 + 1) * 64)
    }

    /// Entry `i`, below 2 * `TABLE`, of what this process keeps in mind.
    pub(crate) fn kept(&self, i: usize) -> &AtomicU64 {
        // SAFETY: `checked` has mapped so many, for good.
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

    /// Whoever swaps tracer_sleeping from 1 to 0 rings; acq_rel only so that two do not.
    #[cold]
    pub(crate) fn bell(&self) {
        let _keep = sys::KeepErrno::new();
        if !bell::take(&self.header().tracer_sleeping) || !sock_is_ours() {
            return;
        }
        // SAFETY: sends one byte.
        let sent = unsafe { sys::send(SOCK.load(Relaxed), b"1".as_ptr().cast(), 1, sys::MSG_NOSIGNAL_DONTWAIT) };
        if sent < 0 && matches!(sys::errno(), sys::EPIPE | sys::ECONNRESET) {
            switch_off(); // nobody reads any more
        }
    }

    /// Looks whether the recorder has gone, and stops writing if so. False: there is no socket that would show it.
    #[cold]
    pub(crate) fn look_for_recorder(&self) -> bool {
        let _keep = sys::KeepErrno::new();
        if !sock_is_ours() {
            // Without a connection: a number of our namespace may be asked about.
            let pid = self.header().recorder_pid;
            if !self.v1 && PID.load(Relaxed) < NUMBERS && pid != 0
                // SAFETY: signal 0 asks only.
                && unsafe { sys::kill(pid as c_int, 0) } != 0 && sys::errno() == sys::ESRCH
            {
                switch_off();
            }
            return false;
        }
        let mut p = sys::Pollfd { fd: SOCK.load(Relaxed), events: 0, revents: 0 };
        // SAFETY: one Pollfd.
        if unsafe { sys::poll(&mut p, 1, 0) } > 0 && p.revents & sys::POLLERR_POLLHUP != 0 {
            switch_off();
        }
        true
    }
}

/// A program may close any descriptor and get its number for something else, which must not be written to.
fn sock_is_ours() -> bool {
    let fd = SOCK.load(Relaxed);
    fd >= 0 && identity(fd) == Some((SOCK_DEV.load(Relaxed), SOCK_INO.load(Relaxed)))
}

/// The descriptor as a file that does not close it.
fn borrowed(fd: c_int) -> std::mem::ManuallyDrop<std::fs::File> {
    // SAFETY: never closed.
    std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd) })
}

fn identity(fd: c_int) -> Option<(u64, u64)> {
    borrowed(fd).metadata().ok().map(|m| (m.dev(), m.ino()))
}

/// This process, as the trace names it.
pub(crate) fn pid() -> u32 {
    PID.load(Relaxed)
}

/// This thread, as the trace names it; another number at each call where the pid namespace is not the recorder's.
pub(crate) fn tid() -> u32 {
    let (pid, tid) = (PID.load(Relaxed), sys::tid() as u32);
    match pid {
        _ if pid < NUMBERS => tid,
        _ if tid == sys::pid() => pid,
        _ => region().header().next_number.fetch_add(1, Relaxed),
    }
}

/// Which number this process goes by: its own, or one of the region's where the recorder would take it for a stranger's.
fn take_number(region: &Region, sock: Option<c_int>) {
    let h = region.header();
    let mut peer = sys::Ucred { pid: 0, uid: 0, gid: 0 };
    let mut size = size_of::<sys::Ucred>() as u32;
    let before = PID.swap(sys::pid(), Relaxed);
    if region.v1 || h.recorder_pid == 0 {
        return;
    }
    // SAFETY: writes one Ucred; takes nothing.
    let inner = unsafe {
        match sock {
            Some(s) if sys::getsockopt(s, sys::SOL_SOCKET, sys::SO_PEERCRED, &mut peer, &mut size) == 0 => {
                peer.pid as u32 != h.recorder_pid
            }
            _ => before >= NUMBERS || sys::getppid() == 0, // there is no connection to ask
        }
    };
    if !inner {
        return;
    }
    let number = h.next_number.fetch_add(1, Relaxed) & 0x7fff_ffff;
    PID.store(number, Relaxed);
    let mut bytes = [b'N'; 5];
    bytes[1..].copy_from_slice(&number.to_le_bytes());
    if let Some(sock) = sock {
        // SAFETY: sends five bytes.
        unsafe { sys::send(sock, bytes.as_ptr().cast(), bytes.len(), sys::MSG_NOSIGNAL_DONTWAIT) };
    }
}

/// Waits until the recorder has seen where the code of this process lies: one that lives for milliseconds would be gone.
fn await_hello(fd: c_int) {
    let mut p = sys::Pollfd { fd, events: sys::POLLIN, revents: 0 };
    // SAFETY: one Pollfd.
    if unsafe { sys::poll(&mut p, 1, HELLO_MS) } > 0 {
        let _ = borrowed(fd).read(&mut [0; 8]);
    }
}

/// A connection to the recorder.
fn dial(addr: &sys::SockaddrUn) -> io::Result<c_int> {
    // SAFETY: plain calls on descriptors of our own and structures that live here.
    unsafe {
        let mut fd = sys::socket(sys::AF_UNIX, sys::SOCK_STREAM_NONBLOCK_CLOEXEC, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let high = sys::fcntl(fd, sys::F_DUPFD_CLOEXEC, 200 as c_int); // programs expect low numbers to be theirs
        if high >= 0 {
            sys::close(fd);
            fd = high;
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
            sys::nanosleep(&sys::Timespec { sec: 0, nsec: 5_000_000 }, ptr::null_mut());
        }
        Ok(fd)
    }
}

/// Makes it this process's.
fn greet(region: &Region, fd: c_int) -> io::Result<()> {
    let Some((dev, ino)) = identity(fd) else {
        // SAFETY: our own descriptor.
        unsafe { sys::close(fd) };
        return Err(io::Error::from_raw_os_error(sys::EPIPE));
    };
    take_number(region, Some(fd));
    if region.flags & F_STACKS != 0 {
        await_hello(fd);
    }
    SOCK_DEV.store(dev, Relaxed);
    SOCK_INO.store(ino, Relaxed);
    SOCK.store(fd, Relaxed);
    Ok(())
}

/// The recorder's memory, where its path leads nowhere from here (another pid namespace with a /proc of its own): by the
/// connection.
fn ask_memory(sock: c_int) -> Option<std::fs::File> {
    let mut byte = b'F';
    let mut p = sys::Pollfd { fd: sock, events: sys::POLLIN, revents: 0 };
    let mut control = sys::OneDescriptor::default();
    let mut io = sys::Iovec { base: ptr::from_mut(&mut byte).cast(), len: 1 };
    // SAFETY: what the calls are given lives here.
    unsafe {
        if sys::send(sock, io.base, 1, sys::MSG_NOSIGNAL_DONTWAIT) != 1 || sys::poll(&mut p, 1, MEMORY_MS) <= 0 {
            return None;
        }
        let mut m = sys::Msghdr::new(&mut io, &mut control);
        let got = sys::recvmsg(sock, &mut m, sys::MSG_CMSG_CLOEXEC);
        (got == 1 && byte == b'F' && control.came()).then(|| std::fs::File::from_raw_fd(control.fd))
    }
}

/// Why there is no recorder, where one was named.
struct Failed(String);

fn failed(what: &OsStr, why: impl core::fmt::Display) -> Failed {
    Failed(format!("{}: {why}", what.to_string_lossy().escape_debug()))
}

/// Attaches, once; true while events are recorded.
pub(crate) fn init() -> bool {
    let _keep = sys::KeepErrno::new();
    if STATE.load(Acquire) != UNKNOWN_YET {
        return on();
    }
    // One thread attaches and the others wait; not for one of the process that forked this one, and not in a signal handler
    // that interrupted it.
    let me = owner(sys::pid(), sys::tid() as u32);
    let mut by = INIT.load(Acquire);
    while by != DONE && by != me {
        if by >> 32 == me >> 32 {
            // SAFETY: one Timespec.
            unsafe { sys::nanosleep(&sys::Timespec { sec: 0, nsec: 1_000_000 }, ptr::null_mut()) };
            by = INIT.load(Acquire);
            continue;
        }
        match INIT.compare_exchange(by, me, Acquire, Acquire) {
            Err(seen) => by = seen,
            Ok(_) => {
                let found = attach().unwrap_or_else(|Failed(why)| {
                    // Not eprintln, which panics where nobody reads.
                    let _ = io::stderr().write_all(format!("corotrace: cannot attach: {why}\n").as_bytes());
                    false
                });
                STATE.store(if found { ON } else { OFF }, Release);
                INIT.store(DONE, Release);
                by = DONE;
            }
        }
    }
    on()
}

/// `init`, where that has not been called yet.
#[inline(always)]
pub(crate) fn ready() -> bool {
    match STATE.load(Acquire) {
        ON => true,
        OFF => false,
        _ => init(),
    }
}

fn attach() -> Result<bool, Failed> {
    // SAFETY: asks.
    if unsafe { sys::getauxval(sys::AT_SECURE) } != 0 && std::env::var_os(ENV_SHM).is_some() {
        return Err(failed(OsStr::new(ENV_SHM), "not followed by a program that runs with another user's rights"));
    }
    let (shm, sock) = match (std::env::var_os(ENV_SHM), std::env::var_os(ENV_SOCK)) {
        (None, None) => return Ok(false),
        (Some(shm), Some(sock)) => (shm, sock),
        (None, _) => return Err(failed(OsStr::new(ENV_SHM), "not set")),
        (_, None) => return Err(failed(OsStr::new(ENV_SOCK), "not set")),
    };
    let mut addr = sys::SockaddrUn { family: sys::AF_UNIX as u16, path: [0; 108] };
    if sock.len() >= addr.path.len() {
        return Err(failed(&sock, "path too long for a socket"));
    }
    for (to, from) in addr.path.iter_mut().zip(sock.as_bytes()) {
        *to = *from as _;
    }
    let stations = std::env::var(ENV_STATIONS).ok().map(|n| n.parse().unwrap_or(0));
    PROCESS.store(sys::pid(), Relaxed);
    let (region, dialed) = map(&shm, stations, addr)?;
    dialed.map_or_else(|| dial(&region.socket), Ok).and_then(|fd| greet(&region, fd)).map_err(|e| failed(&sock, e))?;
    let key = hook().ok_or_else(|| failed(OsStr::new("thread hooks"), "no memory"))?;
    register(&region);
    // SAFETY: under the lock, and nobody reads before STATE says so.
    unsafe { *REGION.0.get() = Region { key, ..region } };
    Ok(true)
}

/// Once: a child that was forked while another thread attached has them already.
fn hook() -> Option<u32> {
    if let Ok(key) = u32::try_from(HOOKED.load(Relaxed)) {
        return Some(key);
    }
    let mut key = 0;
    // SAFETY: the functions given are made for it and live as long as the process, see `stay`.
    let failed = unsafe {
        sys::pthread_key_create(&mut key, Some(writer::thread_end)) != 0
            || sys::pthread_atfork(None, None, Some(forked_hook)) != 0
    };
    if failed {
        return None;
    }
    HOOKED.store(key as u64, Relaxed);
    stay();
    Some(key)
}

/// Threads that end call into this code, and so do children: a plugin that has it stays where it is after dlclose().
fn stay() {
    let mut me = sys::DlInfo { name: ptr::null(), base: ptr::null(), symbol: ptr::null(), at: ptr::null() };
    // SAFETY: writes one DlInfo, whose name is a string.
    unsafe {
        if sys::dladdr(ptr::from_ref(&REGION).cast(), &mut me) != 0 && !me.name.is_null() {
            sys::dlopen(me.name, sys::RTLD_STAY);
        }
    }
}

/// The memory and its size, and the connection where one was needed for it.
fn open(path: &OsStr, socket: &sys::SockaddrUn) -> Result<(std::fs::File, u64, Option<c_int>), Failed> {
    let mut sock = None;
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).or_else(|e| {
        sock = dial(socket).ok();
        sock.and_then(ask_memory).ok_or_else(|| failed(path, e))
    })?;
    let size = file.metadata().map_err(|e| failed(path, e))?.len();
    if size < 1024 {
        return Err(failed(path, "too small to be a recorder's memory"));
    }
    Ok((file, size, sock))
}

/// The region in the file, if what its header says can be.
fn map(path: &OsStr, stations: Option<u64>, socket: sys::SockaddrUn) -> Result<(Region, Option<c_int>), Failed> {
    let (file, size, sock) = open(path, &socket)?;
    let fd = std::os::fd::AsRawFd::as_raw_fd(&file);
    let head =
        |size| part::map(fd, 0, size, sys::PROT_READ_WRITE).ok_or_else(|| failed(path, io::Error::last_os_error()));
    let base = head(1024)?;
    // SAFETY: at least 1024 bytes.
    let h = unsafe { &*base.cast::<Header>() };
    if h.magic != MAGIC || h.version != VERSION {
        return Err(failed(path, "not a recorder's memory"));
    }
    let mut region = Region { base, socket, ..Region::none() };
    region.v1 = h.v2_magic.load(Acquire) != MAGIC2 || h.v2_minor != MINOR2;
    if region.v1 {
        let max = h.max_stations as u64;
        region.v1_max = stations.unwrap_or(max).min(max).min((size - 1024) / 1024) as u32;
        region.base = head(1024 + region.v1_max as u64 * 1024)?;
        return Ok((region, sock));
    }
    if !tables_fit(h, size) {
        return Err(failed(path, "its tables do not lie within it"));
    }
    region.take_tables(fd).ok_or_else(|| failed(path, io::Error::last_os_error()))?;
    Ok((region, sock))
}

impl Region {
    /// Maps the tables, smaller ones where there is little room.
    fn take_tables(&mut self, fd: c_int) -> Option<()> {
        // SAFETY: mapped, for good.
        let h = unsafe { &*self.base.cast::<Header>() };
        let less = part::halvings(h.file_size);
        self.flags = h.flags;
        self.ring_slots = h.ring_slots;
        self.ring_count = (h.ring_count >> less).max(1);
        self.station_count = h.station_count >> less;
        self.site_count = h.site_count >> less;
        self.strings_size = h.strings_size >> less & !7;
        let rings = self.ring_count as u64;
        self.rings_at = part::map(fd, h.rings_off, rings * size_of::<Ring>() as u64, sys::PROT_READ_WRITE)?;
        self.slot_part = Part::map(fd, h.slots_off, rings * self.ring_slots as u64 * 64)?;
        self.station_part = Part::map(fd, h.stations_off, self.station_count as u64 * 64)?;
        self.site_part = Part::map(fd, h.sites_off, self.site_count as u64 * size_of::<SiteEntry>() as u64)?;
        self.string_part = Part::map(fd, h.strings_off, self.strings_size)?;
        self.texts = anonymous(2 * TABLE * 8)?.cast();
        Some(())
    }
}

fn tables_fit(h: &Header, size: u64) -> bool {
    let fits = |off: u64, count: u64, each: u64| {
        off >= 1024 && off.is_multiple_of(64) && off <= h.file_size && count <= (h.file_size - off) / each
    };
    h.file_size <= size
        && h.ring_slots >= 2
        && h.ring_slots.is_power_of_two()
        && h.station_count <= 1 << 24
        && h.strings_size <= u32::MAX as u64 * 8
        && fits(h.rings_off, h.ring_count as u64, size_of::<Ring>() as u64)
        && fits(h.slots_off, h.ring_count as u64, h.ring_slots as u64 * 64)
        && fits(h.stations_off, h.station_count as u64, 64)
        && fits(h.sites_off, h.site_count as u64, size_of::<SiteEntry>() as u64)
        && fits(h.strings_off, h.strings_size, 1)
}

/// Zeroed memory that does not come from the program's allocator, which may be what is traced.
pub(crate) fn anonymous(size: usize) -> Option<*mut c_void> {
    // SAFETY: a new mapping.
    let at = unsafe { sys::mmap(ptr::null_mut(), size, sys::PROT_READ_WRITE, sys::MAP_PRIVATE_ANONYMOUS, -1, 0) };
    (at != sys::MAP_FAILED).then_some(at)
}

/// For membarrier's GLOBAL_EXPEDITED; where it may not, this process fences for itself.
fn register(region: &Region) {
    if !region.v1 && region.flags & F_FENCE == 0 {
        // SAFETY: no memory is involved.
        let done = unsafe { sys::syscall(sys::SYS_MEMBARRIER, sys::MEMBARRIER_REGISTER, 0 as c_int, 0 as c_int) };
        if done == 0 {
            return;
        }
    }
    FENCE.store(F_FENCE, Relaxed);
}

/// Is this another process than the one that knows itself here: a child, not by fork()?
pub(crate) fn is_child() -> bool {
    PROCESS.load(Relaxed) != sys::pid()
}

unsafe extern "C" fn forked_hook() {
    forked();
}

/// In a child the ring, the stations and ids in store and the socket are its parent's. One that finds no connection (its
/// rights or its root are others, its descriptors all in use) records all the same, and is counted.
pub(crate) fn forked() {
    PROCESS.store(sys::pid(), Relaxed);
    if !on() {
        return;
    }
    let _keep = sys::KeepErrno::new();
    let region = region();
    writer::forget_thread();
    let inherited = if sock_is_ours() { SOCK.load(Relaxed) } else { -1 };
    SOCK.store(-1, Relaxed);
    let floor = if region.v1 { 0 } else { region.header().next_probe_id.load(Relaxed) - 1 };
    FLOOR.store(floor, Relaxed);
    FORKS.fetch_add(1, Relaxed);
    register(region);
    if let Err(e) = dial(&region.socket).and_then(|fd| greet(region, fd)) {
        region.look_for_recorder();
        if region.v1 || e.raw_os_error() == Some(sys::ECONNREFUSED) {
            switch_off(); // nobody reads any more, or there is no place to count it
        } else if on() {
            take_number(region, None);
            region.header().unconnected.fetch_add(1, Relaxed);
        }
    }
    if inherited >= 0 {
        // Not before: a recorder that follows children must at no time see nobody.
        // SAFETY: our own descriptor.
        unsafe { sys::close(inherited) };
    }
}

/// For tests: a region in memory of this process, with neither recorder nor socket.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    pub(crate) const SLOTS: u32 = 256;

    /// Attaches to it, whatever the environment says; the same for all tests of the process.
    pub(crate) fn attach() -> &'static Region {
        static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _one = LOCK.lock().unwrap_or_else(|e| e.into_inner());
        if STATE.load(Acquire) == ON {
            return region();
        }
        let rings = 32;
        let size = 1 << 20;
        let base = anonymous(size).unwrap().cast::<u8>();
        // SAFETY: fresh memory of that size; nobody else knows of it.
        unsafe {
            let h = &mut *base.cast::<Header>();
            h.magic = MAGIC;
            h.version = VERSION;
            h.v2_minor = MINOR2;
            h.file_size = size as u64;
            (h.ring_count, h.ring_slots) = (rings, SLOTS);
            (h.rings_off, h.stations_off, h.sites_off, h.strings_off) = (4096, 16384, 65536, 81920);
            h.slots_off = 1 << 18;
            (h.station_count, h.site_count, h.strings_size) = (256, 256, 65536);
            h.next_probe_id = crate::sync::AtomicU64::new(1);
            PID.store(sys::pid(), Relaxed);
            PROCESS.store(sys::pid(), Relaxed);
            h.sites_used = crate::sync::AtomicU32::new(1);
            h.strings_used = crate::sync::AtomicU64::new(8);
            h.v2_magic = crate::sync::AtomicU64::new(MAGIC2);
            let opened = |off: u64| Part::opened(base.add(off as usize), size as u64 - off);
            let mut key = 0;
            sys::pthread_key_create(&mut key, Some(writer::thread_end));
            *REGION.0.get() = Region {
                base,
                key,
                ring_count: rings,
                ring_slots: SLOTS,
                station_count: 256,
                site_count: 256,
                strings_size: 65536,
                rings_at: base.add(h.rings_off as usize),
                slot_part: opened(h.slots_off),
                station_part: opened(h.stations_off),
                site_part: opened(h.sites_off),
                string_part: opened(h.strings_off),
                texts: anonymous(2 * TABLE * 8).unwrap().cast(),
                ..Region::none()
            };
        }
        FENCE.store(F_FENCE, Relaxed);
        STATE.store(ON, Release);
        region()
    }
}
