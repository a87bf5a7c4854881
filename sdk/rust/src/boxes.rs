//! The black box: a region that the process makes itself, and whose rings overwrite their oldest events as long as nobody
//! reads. A recorder may come at any time, and read what is left when the process is dead. ctp(7), "Boxes".

use core::ffi::{c_char, c_int, CStr};
use std::ffi::{CString, OsStr};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::Ordering::Release;

use crate::attach::{begin, failed, Failed};
use crate::ctp::*;
use crate::part::{self, Part, ALIGN};
use crate::region::Region;
use crate::sync::{AtomicU32, AtomicU64};
use crate::{backing, link, sys};

/// What the beginning of a small file says.
fn peek<const N: usize>(path: &str) -> ([u8; N], usize) {
    let mut text = [0; N];
    let len = std::fs::File::open(path).and_then(|mut f| f.read(&mut text)).unwrap_or(0);
    (text, len)
}

/// The kernel uses the TSC as its clocksource only where it found it invariant and the same on every core.
fn clock() -> u32 {
    let source = if cfg!(target_arch = "x86_64") { &b"tsc\n"[..] } else { b"arch_sys_counter\n" };
    let (text, len) = peek::<32>("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if text[..len] == *source {
        F_TSC
    } else {
        0
    }
}

fn boot_id() -> [u8; 16] {
    let (text, len) = peek::<64>("/proc/sys/kernel/random/boot_id");
    let mut digits = text[..len].iter().filter_map(|&c| (c as char).to_digit(16));
    let mut id = [0; 16];
    for byte in &mut id {
        let (Some(high), Some(low)) = (digits.next(), digits.next()) else { break };
        *byte = (high << 4 | low) as u8;
    }
    id
}

/// The pid namespace that this process lives in; 0: not known.
pub(crate) fn pid_ns() -> u64 {
    std::fs::metadata("/proc/self/ns/pid").map_or(0, |m| m.ino())
}

/// ",NAME=NUMBER" in a text such as CTP_BOX.
fn number(how: &[u8], name: &str, normal: u32, least: u32, most: u32) -> u32 {
    let digits = how.windows(name.len()).position(|w| w == name.as_bytes()).map(|at| &how[at + name.len()..]);
    let value = |v: u64, d: &u8| v.saturating_mul(10).saturating_add((d - b'0') as u64);
    let n = digits.map_or(normal as u64, |d| d.iter().take_while(|d| d.is_ascii_digit()).fold(0, value));
    n.clamp(least as u64, most as u64) as u32
}

/// Is that ",NAME=NUMBER" of those that there are? A word that is misspelt, or "1e3", would be a box of another size than was
/// asked for.
fn is_number(part: &[u8]) -> bool {
    let names: [&[u8]; 3] = [b"threads=", b"slots=", b"coroutines="];
    let digits = |name| part.strip_prefix(name).is_some_and(|d| !d.is_empty() && d.iter().all(u8::is_ascii_digit));
    names.into_iter().any(digits)
}

/// A path, without the allocator: it may be the one that is traced.
struct Path {
    text: [u8; 1024],
    len: usize,
}

impl Path {
    fn new(parts: [&str; 3]) -> Option<Path> {
        let mut path = Path { text: [0; 1024], len: 0 };
        for part in parts {
            path.text.get_mut(path.len..path.len + part.len())?.copy_from_slice(part.as_bytes());
            path.len += part.len();
        }
        Some(path)
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[..self.len]).unwrap_or("")
    }
}

/// The first number of DIR/FILE, or that behind `key`; None where there is none, as "max".
fn file_number(dir: &str, file: &str, key: &str) -> Option<u64> {
    let (text, len) = peek::<2048>(Path::new([dir, "/", file])?.as_str());
    let text = std::str::from_utf8(&text[..len]).ok()?;
    let behind = &text[text.find(key)? + key.len()..];
    behind[..behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len())].parse().ok()
}

/// What a cgroup and those above it leave of their memory: files' pages can be had back.
fn group_left(root: &str, path: &str, v1: bool) -> u64 {
    let (limit, used, inactive, active) = match v1 {
        true => ("memory.limit_in_bytes", "memory.usage_in_bytes", "\ntotal_inactive_file ", "\ntotal_active_file "),
        false => ("memory.max", "memory.current", "\ninactive_file ", "\nactive_file "),
    };
    let mut left = u64::MAX;
    let Some(mut dir) = Path::new([root, path.trim_end_matches('/'), ""]) else { return left };
    loop {
        let at = dir.as_str();
        let max = file_number(at, limit, "").unwrap_or(u64::MAX);
        // Who is beyond it is not killed, but hardly gets any further.
        let high = if v1 { None } else { file_number(at, "memory.high", "") };
        let limit = high.map_or(max, |high| high.min(max));
        if limit < 1 << 60 {
            let files = |key: &str| file_number(at, "memory.stat", key).unwrap_or(0);
            let used = file_number(at, used, "").unwrap_or(0).saturating_sub(files(inactive) + files(active));
            left = left.min(limit.saturating_sub(used));
        }
        if dir.len <= root.len() {
            return left;
        }
        dir.len = at.rfind('/').unwrap_or(0);
    }
}

/// Of cgroups(7), version 2 or 1; u64::MAX: there is no limit.
pub(crate) fn memory_left() -> u64 {
    let (text, len) = peek::<4096>("/proc/self/cgroup");
    let text = std::str::from_utf8(&text[..len]).unwrap_or("");
    let left = |line: &str| {
        let path = &line[line.find('/')?..];
        match (line.contains(":memory:"), line.starts_with("0::")) {
            (true, _) => Some(group_left("/sys/fs/cgroup/memory", path, true)),
            (_, true) => {
                Some(group_left("/sys/fs/cgroup", path, false).min(group_left("/sys/fs/cgroup/unified", path, false)))
            }
            _ => None,
        }
    };
    text.lines().filter_map(left).min().unwrap_or(u64::MAX)
}

/// Where so little memory is left a box must not be what the program is killed for: rings of 64 threads in a quarter of it,
/// all that there can be in a half, an eighth for stations and for texts each. What is asked for by name is made.
fn spare(h: &mut Header, how: &[u8], left: u64) {
    let free = |name: &str| !how.windows(name.len()).any(|w| w == name.as_bytes());
    let (few, each) = (h.ring_count.min(64) as u64, (size_of::<Event>() + size_of::<Birth>()) as u64);
    while free(",slots=") && h.ring_slots > 64 && few * h.ring_slots as u64 * 64 > left / 4 {
        h.ring_slots /= 2;
    }
    while free(",threads=") && h.ring_count > 1 && h.ring_count as u64 * h.ring_slots as u64 * 64 > left / 2 {
        h.ring_count -= h.ring_count / 2;
    }
    while free(",coroutines=") && h.station_count > 1024 && h.station_count as u64 * each > left / 8 {
        h.station_count /= 2;
    }
    while h.strings_size > 1 << 16 && h.strings_size > left / 8 {
        h.strings_size /= 2;
    }
}

fn zeroed() -> Header {
    // SAFETY: integers and atomics, for which zero is a value.
    unsafe { core::mem::zeroed() }
}

/// Behind the rings all comes into use piece by piece.
fn lay_out(how: &[u8], left: u64) -> Header {
    let mut h = zeroed();
    h.ring_count = number(how, ",threads=", 256, 1, 65536);
    h.ring_slots = 1 << number(how, ",slots=", 16384, 8, 1 << 24).ilog2();
    h.station_count = number(how, ",coroutines=", 1 << 22, 16, 1 << 24);
    h.site_count = 1 << 16;
    h.strings_size = 16 << 20;
    spare(&mut h, how, left);
    let each = (size_of::<Event>() + size_of::<Birth>()) as u64;
    let rings = h.ring_count as u64 * h.ring_slots as u64 * 64;
    let less = part::halvings(h.station_count as u64 * each + rings + h.strings_size);
    h.ring_count = (h.ring_count >> less).max(1);
    h.station_count >>= less;
    h.strings_size >>= less;
    h.look_slots = if h.ring_slots < 1024 { 2 } else { h.ring_slots / 16 };
    let mut end = 0;
    let mut lay = |size: u64| {
        let off = end;
        end = (off + size + ALIGN - 1) & !(ALIGN - 1);
        off
    };
    lay(size_of::<Header>() as u64);
    h.rings_off = lay(h.ring_count as u64 * size_of::<Ring>() as u64);
    h.sites_off = lay(h.site_count as u64 * size_of::<SiteEntry>() as u64);
    h.strings_off = lay(h.strings_size);
    h.stations_off = lay(h.station_count as u64 * size_of::<Event>() as u64);
    h.births_off = lay(h.station_count as u64 * size_of::<Birth>() as u64);
    h.slots_off = lay(h.ring_count as u64 * h.ring_slots as u64 * 64);
    h.file_size = end;
    h
}

fn fill_in(h: &mut Header, late: bool) {
    h.magic = MAGIC;
    h.version = VERSION;
    h.v2_minor = MINOR_BOX;
    h.flags = clock();
    h.box_pid = sys::pid();
    h.pid_ns = pid_ns();
    h.born_late = late as u32;
    (h.kinds, h.on_kinds) = (ALL_KINDS, ON_KINDS);
    h.next_number = AtomicU32::new(NUMBERS);
    h.next_probe_id = AtomicU64::new(1);
    h.sites_used = AtomicU32::new(1);
    h.strings_used = AtomicU64::new(8);
    h.leave = AtomicU32::new(KEPT);
    h.boot_id = boot_id();
    h.birth_wall = sys::wall_ns();
    h.birth_ns = sys::monotonic_ns();
    h.birth_ticks = sys::now(h.flags);
}

fn own(fd: c_int) -> Option<c_int> {
    Some(link::high(fd)).filter(|&fd| fd >= 0)
}

/// Memory of that name and size, which nobody can make smaller.
pub(crate) fn memory(name: &str, size: u64) -> Option<c_int> {
    let mut text = [0u8; 32];
    text[..name.len()].copy_from_slice(name.as_bytes());
    let _quiet = sys::NoXfsz::new();
    // SAFETY: the name ends with a zero; plain calls on a descriptor of our own.
    unsafe {
        let fd = own(sys::memfd_create(text.as_ptr().cast(), sys::MFD_SEALABLE))?;
        if sys::ftruncate(fd, size as i64) == 0 && sys::fcntl(fd, sys::F_ADD_SEALS, sys::SEALS) == 0 {
            return Some(fd);
        }
        sys::close(fd);
        None
    }
}

/// A file in that directory; its path is made longer.
fn file(path: &mut Vec<u8>, size: u64) -> Option<c_int> {
    path.extend(format!("/{BOX_NAME}.{}.XXXXXX\0", sys::pid()).bytes());
    let _quiet = sys::NoXfsz::new();
    // SAFETY: a path that ends with a zero; plain calls on a descriptor of our own.
    unsafe {
        let fd = own(sys::mkostemp(path.as_mut_ptr().cast(), sys::O_CLOEXEC))?;
        if sys::ftruncate(fd, size as i64) == 0 {
            return Some(fd);
        }
        let _aside = sys::Aside::new();
        sys::unlink(path.as_ptr().cast::<c_char>());
        sys::close(fd);
        None
    }
}

/// In one piece, so that a core shows it so. Used are the header and the rings now, the tables by need.
fn map(fd: c_int, named: bool, h: &Header) -> Option<Region> {
    part::see_strict();
    let base = part::map(fd, 0, h.file_size, sys::PROT_NONE)?;
    if !backing::begin(fd, named, base) {
        return None;
    }
    sys::set_errno(sys::ENOSPC);
    if !backing::take_in(base, h.sites_off) || !part::allow(base, h.sites_off) {
        return None;
    }
    let (slots, stations) = (h.ring_slots as u64 * 64, h.station_count as u64);
    let births = stations * size_of::<Birth>() as u64;
    // SAFETY: all within the mapping.
    let at = |off: u64| unsafe { base.add(off as usize) };
    let table = |off: u64, size: u64| Part::of_box(at(off), size, 0);
    let mut region = Region {
        base,
        flags: h.flags,
        ring_count: h.ring_count,
        ring_slots: h.ring_slots,
        station_count: h.station_count,
        site_count: h.site_count,
        strings_size: h.strings_size,
        overwrites: true,
        boxed: true,
        late: h.born_late != 0,
        rings_at: at(h.rings_off),
        slot_part: table(h.slots_off, h.ring_count as u64 * slots),
        station_part: table(h.stations_off, stations * size_of::<Event>() as u64),
        birth_part: Some(Part::of_box(at(h.births_off), births, 1 << 19)),
        site_part: table(h.sites_off, h.site_count as u64 * size_of::<SiteEntry>() as u64),
        string_part: table(h.strings_off, h.strings_size),
        ..Region::none()
    };
    region.remember()?;
    Some(region)
}

/// `how`: "1" or "/DIR", and ",NAME=NUMBER"s behind it; false for "0". `late`: the program runs already, and has coroutines
/// that nobody recorded.
pub(crate) fn make(how: &OsStr, late: bool) -> Result<bool, Failed> {
    let how = how.as_bytes();
    let mut parts = how.split(|&c| c == b',');
    let medium = parts.next().unwrap_or_default();
    let named = match medium {
        b"0" | b"" if medium.len() == how.len() => return Ok(false),
        b"1" => false,
        [b'/', ..] => true,
        _ => return Err(failed(ENV_BOX, "neither 0, nor 1, nor a directory's whole path")),
    };
    if !parts.all(is_number) {
        return Err(failed(ENV_BOX, "behind the first word come ,threads=N ,slots=N ,coroutines=N alone"));
    }
    let mut h = lay_out(how, memory_left());
    fill_in(&mut h, late);
    let mut path = if named { medium.to_vec() } else { Vec::new() };
    let fd = if named { file(&mut path, h.file_size) } else { memory(BOX_NAME, h.file_size) };
    let Some(region) = fd.and_then(|fd| map(fd, named, &h)) else {
        let why = io::Error::last_os_error();
        backing::give_up();
        return Err(no_box(fd, &path, why));
    };
    // SAFETY: mapped with that size, may be used, and nobody else does so far.
    unsafe { region.base.cast::<Header>().write(h) };
    region.header().v2_magic.store(MAGIC2, Release);
    begin(region)
}

fn no_box(fd: Option<c_int>, path: &[u8], why: io::Error) -> Failed {
    let named = CStr::from_bytes_with_nul(path).map(CString::from);
    // SAFETY: our own file and descriptor.
    unsafe {
        if let (Some(_), Ok(path)) = (fd, &named) {
            sys::unlink(path.as_ptr());
        }
        fd.map(|fd| sys::close(fd));
    }
    match named {
        Ok(path) => failed(OsStr::from_bytes(path.as_bytes()), why),
        Err(_) => failed("the memory for a box", why),
    }
}
