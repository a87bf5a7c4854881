//! Finding a recorder, or making a box: who does it, once, and what is mapped.

use core::ffi::{c_int, c_void};
use core::ptr;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};

use crate::ctp::*;
use crate::part::{self, Part};
use crate::region::{self, Region};
use crate::{backing, boxes, flag, link, process, sys, threads};

/// `DONE`, or the owner() of the thread that attaches, 0: nobody did.
static INIT: AtomicU64 = AtomicU64::new(0);
const DONE: u64 = u64::MAX;
/// We were forked by a process whose thread was attaching: locks of the C library's that it had, nobody gives back.
static TAKEN_OVER: AtomicBool = AtomicBool::new(false);
/// The hooks of threads and forks are there, by this key.
static HOOKED: AtomicU64 = AtomicU64::new(u64::MAX);

/// Why there is no recorder, or no box, where one was asked for.
pub(crate) struct Failed(String);

pub(crate) fn failed(what: impl AsRef<OsStr>, why: impl core::fmt::Display) -> Failed {
    Failed(format!("{}: {why}", what.as_ref().to_string_lossy().escape_debug()))
}

/// Whose turn is it to set up? One thread's at a time; the others wait, not for one of the process that forked this one, and
/// not in a signal handler that interrupted it. None: it is done; Some: ours, and whether somebody did it before, which only
/// `again` asks for.
fn turn(again: bool) -> Option<bool> {
    let mut by = INIT.load(Acquire);
    if by == DONE && !again {
        return None;
    }
    let me = owner(sys::pid(), process::here());
    while by != me && (by != DONE || again) {
        if by != 0 && by != DONE && by >> 32 == me >> 32 {
            sys::nap(1_000_000);
            by = INIT.load(Acquire);
            continue;
        }
        match INIT.compare_exchange(by, me, Acquire, Acquire) {
            Ok(before) => {
                TAKEN_OVER.store(before != 0 && before != DONE, Relaxed);
                return Some(before == DONE);
            }
            Err(seen) => by = seen,
        }
    }
    None
}

/// Attaches, or makes a box; `how`: what to do where the environment says nothing. True while events are recorded.
pub(crate) fn init(how: Option<&OsStr>, again: bool) -> bool {
    let _aside = sys::Aside::new();
    if let Some(late) = turn(again) {
        if flag::get() != FLAG_ON && !flag::is_stopped() {
            set_up(how, late);
        }
        INIT.store(DONE, Release);
    }
    flag::get() == FLAG_ON
}

/// Stops recording in this process, or goes on. The boundary goes into this thread's ring: the stop before anything is
/// dropped, the start before anything is recorded again, but for calls that were under way.
pub(crate) fn pause(stop: bool) {
    let _aside = sys::Aside::new();
    if !flag::on() || turn(true).is_none() {
        return;
    }
    if flag::on() && flag::is_stopped() != stop {
        if !region::region().v1 {
            threads::always(|w| w.record_boundary(stop));
        }
        flag::stop(stop);
    }
    INIT.store(DONE, Release);
}

/// Not eprintln, which panics where nobody reads.
pub(crate) fn complain(what: &str) {
    let _ = io::stderr().write_all(format!("corotrace: {what}\n").as_bytes());
}

fn or_complain(done: Result<bool, Failed>) -> bool {
    done.unwrap_or_else(|Failed(why)| {
        complain(&format!("cannot attach: {why}"));
        false
    })
}

fn set_up(how: Option<&OsStr>, late: bool) {
    // SAFETY: asks.
    let secure = unsafe { sys::getauxval(sys::AT_SECURE) } != 0;
    let asked = std::env::var_os(ENV_BOX).filter(|how| !secure && !how.is_empty());
    let how = asked.as_deref().or(how);
    let found = or_complain(attach(secure, how, late));
    if !found && !region::is_there() && how != Some(OsStr::new("0")) {
        flag::share();
    }
}

/// `init`, where that has not been called yet.
#[inline(always)]
pub(crate) fn ready() -> bool {
    flag::on() || (INIT.load(Acquire) != DONE && init(None, false))
}

/// A recorder asks for a box. One thread makes it, here, in the middle of the program's life; others lose their events until it
/// is made, rather than wait.
#[cold]
#[inline(never)]
pub(crate) fn asked() -> bool {
    let _aside = sys::Aside::new();
    if process::is_child() {
        if process::shares_memory() {
            return false; // it would be a box of its parent's
        }
        process::forked();
    }
    if INIT.compare_exchange(DONE, owner(sys::pid(), process::here()), Acquire, Relaxed).is_err() {
        return false;
    }
    let make = || if region::is_there() { Err(again()) } else { boxes::make(OsStr::new("1"), true) };
    if flag::get() == FLAG_ASKED && !or_complain(make()) {
        flag::set(FLAG_OFF);
    }
    INIT.store(DONE, Release);
    flag::get() == FLAG_ON
}

/// In a child: what a thread of its parent's had begun, which is not here to end it, never was; but it may have been this
/// thread's, whose signal handler forked: it goes back into it. `whole`: there was a region before the fork.
pub(crate) fn end_turn(whole: bool) {
    let by = INIT.load(Relaxed);
    if by != 0 && by != DONE && by as u32 == process::here() {
        return;
    }
    if !whole {
        backing::close();
        region::forget();
        flag::set(FLAG_OFF);
    }
    if whole || flag::is_shared() {
        INIT.store(DONE, Relaxed);
    } else if by == DONE {
        INIT.store(0, Relaxed); // without a flag nobody can ask: the next `init` is the first
    }
}

fn again() -> Failed {
    failed("a second time", "the recorder of this process is gone")
}

/// To the recorder that is named, else makes a box as is asked. Once: writers and coroutines have their places in that region.
fn attach(secure: bool, how: Option<&OsStr>, late: bool) -> Result<bool, Failed> {
    if late && region::is_there() {
        return Err(again());
    }
    process::begin();
    let (shm, sock) = match (std::env::var_os(ENV_SHM), std::env::var_os(ENV_SOCK)) {
        (None, None) => return how.map_or(Ok(false), |how| boxes::make(how, late)),
        _ if secure => {
            return Err(failed(ENV_SHM, "not followed by a program that runs with another user's rights"));
        }
        (Some(shm), Some(sock)) => (shm, sock),
        (None, _) => return Err(failed(ENV_SHM, "not set")),
        (_, None) => return Err(failed(ENV_SOCK, "not set")),
    };
    let mut addr = sys::SockaddrUn { family: sys::AF_UNIX as u16, path: [0; 108] };
    if sock.len() >= addr.path.len() {
        return Err(failed(&sock, "path too long for a socket"));
    }
    for (to, from) in addr.path.iter_mut().zip(sock.as_bytes()) {
        *to = *from as _;
    }
    let stations = std::env::var(ENV_STATIONS).ok().map(|n| n.parse().unwrap_or(0));
    let (region, dialed) = map(&shm, stations, addr)?;
    let greet = |fd| link::greet(&region, fd);
    dialed.map_or_else(|| link::dial(&region.socket), Ok).and_then(greet).map_err(|e| failed(&sock, e))?;
    begin(region)
}

/// The region is there.
pub(crate) fn begin(region: Region) -> Result<bool, Failed> {
    if !hook() {
        return Err(failed("thread hooks", "no memory"));
    }
    region.register();
    // SAFETY: it is this thread's turn, and nobody reads before the flag says so.
    unsafe { region::publish(region) };
    flag::set(FLAG_ON);
    Ok(true)
}

/// Once: a child that was forked while another thread attached has them already.
pub(crate) fn hook() -> bool {
    if HOOKED.load(Relaxed) != u64::MAX {
        return true;
    }
    let mut key = 0;
    // SAFETY: the functions given are made for it and live as long as the process, see `stay`.
    let failed = unsafe {
        sys::pthread_key_create(&mut key, Some(threads::thread_end)) != 0
            || (cfg!(not(miri))
                && sys::pthread_atfork(Some(process::forking), Some(process::has_forked), Some(process::forked_hook))
                    != 0)
    };
    if failed {
        return false;
    }
    HOOKED.store(key as u64, Relaxed);
    if !TAKEN_OVER.load(Relaxed) {
        stay();
    }
    true
}

/// Under the key of `hook`, this thread's writer, which is handed to `thread_end`.
pub(crate) fn set_specific(value: *const c_void) {
    // SAFETY: the key is there, since a region is.
    unsafe { sys::pthread_setspecific(HOOKED.load(Relaxed) as u32, value) };
}

/// Threads that end call into this code, and so do children: a plugin that has it stays where it is after dlclose(). Both
/// calls take the linker's lock, which fork(2) gives back, and clone(2) does not.
fn stay() {
    #[cfg(not(miri))]
    {
        let mut me = sys::DlInfo { name: ptr::null(), base: ptr::null(), symbol: ptr::null(), at: ptr::null() };
        // SAFETY: writes one DlInfo, whose name is a string.
        unsafe {
            if sys::dladdr(ptr::from_ref(&INIT).cast(), &mut me) != 0 && !me.name.is_null() {
                sys::dlopen(me.name, sys::RTLD_STAY);
            }
        }
    }
}

/// The memory and its size, and the connection where one was needed for it. What a path leads to that is older than its
/// recorder's end may be anything, as a terminal.
fn open(path: &OsStr, socket: &sys::SockaddrUn) -> Result<(std::fs::File, u64, Option<c_int>), Failed> {
    let mut sock = None;
    let flags = sys::O_NOCTTY | sys::O_NONBLOCK;
    let file = std::fs::OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).or_else(|e| {
        sock = link::dial(socket).ok();
        sock.and_then(link::ask_memory).ok_or_else(|| failed(path, e))
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
    let fd = file.as_raw_fd();
    let head =
        |size| part::map(fd, 0, size, sys::PROT_READ_WRITE).ok_or_else(|| failed(path, io::Error::last_os_error()));
    let base = head(1024)?;
    // SAFETY: at least 1024 bytes.
    let h = unsafe { &*base.cast::<Header>() };
    if h.magic != MAGIC || h.version != VERSION {
        return Err(failed(path, "not a recorder's memory"));
    }
    let mut region = Region { base, socket, ..Region::none() };
    region.v1 = h.v2_magic.load(Acquire) != MAGIC2 || !matches!(h.v2_minor, MINOR2 | MINOR_BOX);
    if region.v1 {
        let max = h.max_stations as u64;
        region.v1_max = stations.unwrap_or(max).min(max).min((size - 1024) / 1024) as u32;
        region.base = head(1024 + region.v1_max as u64 * 1024)?;
        return Ok((region, sock));
    }
    if !tables_fit(h, size) {
        return Err(failed(path, "its tables do not lie within it"));
    }
    region.overwrites = h.v2_minor == MINOR_BOX;
    region.take_tables(fd).ok_or_else(|| failed(path, io::Error::last_os_error()))?;
    Ok((region, sock))
}

impl Region {
    /// The recorder looked at its own cgroup. Where less is left of this program's, which pays for what it writes, it makes
    /// do as with a box.
    fn spare(&mut self, h: &Header, left: u64) {
        let within = |count: u64, used: u64, size: u64, room: u64| count.min(used + room / size);
        let used = |count: &AtomicU32| count.load(Relaxed) as u64;
        let ring = h.ring_slots as u64 * 64;
        self.ring_count = within(self.ring_count as u64, used(&h.rings_used), ring, left / 2).max(1) as u32;
        self.station_count = within(self.station_count as u64, used(&h.stations_used), 64, left / 8) as u32;
        self.strings_size = within(self.strings_size, h.strings_used.load(Relaxed), 1, left / 8) & !7;
    }

    /// Maps the tables, smaller ones where there is little room.
    fn take_tables(&mut self, fd: c_int) -> Option<()> {
        // SAFETY: mapped, for good.
        let h = unsafe { &*self.base.cast::<Header>() };
        let less = part::halvings(h.file_size);
        part::see_strict();
        self.flags = h.flags;
        self.ring_slots = h.ring_slots;
        self.ring_count = h.ring_count >> less;
        self.station_count = h.station_count >> less;
        self.site_count = h.site_count >> less;
        self.strings_size = h.strings_size >> less;
        self.spare(h, boxes::memory_left());
        let table = |off, size| Part::map(fd, off, size, h.flags & F_QUIET != 0);
        let (rings, stations) = (self.ring_count as u64, self.station_count as u64);
        let rings_size = rings * size_of::<Ring>() as u64;
        self.rings_at = part::map(fd, h.rings_off, rings_size, sys::PROT_READ_WRITE)?;
        if !part::allow(self.rings_at, rings_size) {
            return None;
        }
        self.slot_part = table(h.slots_off, rings * self.ring_slots as u64 * 64)?;
        self.station_part = table(h.stations_off, stations * 64)?;
        self.site_part = table(h.sites_off, self.site_count as u64 * size_of::<SiteEntry>() as u64)?;
        self.string_part = table(h.strings_off, self.strings_size)?;
        if self.overwrites && h.births_off != 0 {
            self.birth_part = Some(table(h.births_off, stations * size_of::<Birth>() as u64)?);
        }
        self.remember()
    }
}

fn tables_fit(h: &Header, size: u64) -> bool {
    let fits = |off: u64, count: u64, each: u64| {
        off >= 1024 && off % 64 == 0 && off <= h.file_size && count <= (h.file_size - off) / each
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
        && (h.v2_minor != MINOR_BOX
            || h.births_off == 0
            || fits(h.births_off, h.station_count as u64, size_of::<Birth>() as u64))
}

/// For tests: a region in memory of this process, with neither recorder nor socket.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::sync::{AtomicU32, AtomicU64};

    pub(crate) const SLOTS: u32 = 256;

    /// Attaches to it, whatever the environment says; the same for all tests of the process.
    pub(crate) fn attach() -> &'static Region {
        static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _one = LOCK.lock().unwrap_or_else(|e| e.into_inner());
        if flag::get() == FLAG_ON {
            return region::region();
        }
        let (rings, size) = (32, 1 << 20);
        let base = part::anonymous(size).unwrap().cast::<u8>();
        process::begin();
        assert!(hook());
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
            (h.kinds, h.on_kinds) = (ALL_KINDS, ON_KINDS);
            h.next_probe_id = AtomicU64::new(1);
            h.sites_used = AtomicU32::new(1);
            h.strings_used = AtomicU64::new(8);
            h.v2_magic = AtomicU64::new(MAGIC2);
            assert!(tables_fit(h, size as u64));
            let opened = |off: u64| Part::opened(base.add(off as usize), size as u64 - off);
            let mut region = Region {
                base,
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
                ..Region::none()
            };
            region.remember().unwrap();
            region::publish(region);
        }
        Region::fence_always();
        flag::set(FLAG_ON);
        INIT.store(DONE, Release);
        region::region()
    }
}
