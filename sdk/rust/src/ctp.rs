//! The layout of the shared memory, as `ctp.h` has it and ctp(7) specifies it. Names and numbers only.
//!
//! Events are eight words: integers are little-endian, so that the fields smaller than a word are parts of one, which is
//! written with a single store. `layout.rs` holds all of it against the C header.

use crate::sync::{AtomicU32, AtomicU64};

pub(crate) const MAGIC: u64 = 0x434F_524F_5452_4352;
pub(crate) const VERSION: u32 = 1;
pub(crate) const MAGIC2: u64 = 0x3250_4354_524F_4F43;
pub(crate) const MINOR2: u32 = 2;
/// `CTP2_MINOR_BOX`: rings overwrite while nobody reads.
pub(crate) const MINOR_BOX: u32 = 3;

pub(crate) const ENV_SHM: &str = "CTP_SHM_PATH";
pub(crate) const ENV_SOCK: &str = "CTP_SOCK_PATH";
pub(crate) const ENV_STATIONS: &str = "CTP_MAX_STATIONS";
pub(crate) const ENV_BOX: &str = "CTP_BOX";
/// `CTP_BOX_NAME`: of its memfd; of its file, before .PID.XXXXXX.
pub(crate) const BOX_NAME: &str = "corotrace-box";
/// `CTP_FLAG_NAME`: of the memfd that holds the flag.
pub(crate) const FLAG_NAME: &str = "corotrace-flag";

/// `enum ctp_asked`, in the flag.
pub(crate) const FLAG_OFF: u32 = 0;
pub(crate) const FLAG_ON: u32 = 1;
/// By a recorder: the next event makes a box.
pub(crate) const FLAG_ASKED: u32 = 2;

/// `enum ctp_kind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    Create = 1,
    Resume,
    Suspend,
    Wake,
    Destroy,
    Name,
    Open,
    Close,
    Notify,
    Level,
    Acquire,
    Release,
    WakerClone,
    WakerDrop,
    Park,
    Unpark,
    Thread,
    Lost,
    /// From here on: where the header's `kinds` says that the recorder knows them.
    Dequeue,
    Deadline,
    Stop,
    Start,
    Leg,
}
/// `CTP_KINDS` and `CTP_ON_KINDS`.
pub(crate) const ALL_KINDS: u32 = Kind::Leg as u32 + 1;
#[cfg(not(loom))]
pub(crate) const ON_KINDS: u32 = crate::on::KINDS as u32;

/// `CTP_ON_ANY`: the kind is known, the object is not.
pub(crate) const ON_ANY: u8 = 0x80;
/// `CTP_UNKNOWN`: no queue length known; as a parent: born before anything was recorded.
pub(crate) const UNKNOWN: u64 = !0;
/// `CTP_UNTRACED`: as a parent, of a wait of a task that is not traced.
pub(crate) const UNTRACED: u64 = !0 - 1;

pub(crate) const F_TSC: u32 = 1;
pub(crate) const F_BLOCK: u32 = 2;
pub(crate) const F_FENCE: u32 = 4;
pub(crate) const F_STACKS: u32 = 8;
/// Writers make no system call once they are attached.
pub(crate) const F_QUIET: u32 = 16;

/// `CTP_HELLO_MS`: how long to wait, where `F_STACKS` is set, for the byte that says that the recorder saw where code lies.
pub(crate) const HELLO_MS: core::ffi::c_int = 250;

/// `CTP_MEMORY_MS`: how long to wait for the descriptor of the memory.
pub(crate) const MEMORY_MS: core::ffi::c_int = 2000;

/// `CTP_STACK_MAX`: return addresses of a call stack.
pub(crate) const STACK_MAX: usize = 128;

/// `CTP_STACKS_END`: no call stack begins in the last quarter of the strings.
pub(crate) const fn stacks_end(strings_size: u64) -> u64 {
    strings_size - strings_size / 4
}

/// `CTP_ROLE_ENDED`: the thread's last event.
pub(crate) const ROLE_ENDED: u64 = 3;

/// Words of an event.
pub(crate) const TIMESTAMP: usize = 0;
pub(crate) const TID: usize = 1;
pub(crate) const ADDR: usize = 2;
pub(crate) const SEQ: usize = 3;
pub(crate) const PROBE_ID: usize = 4;
pub(crate) const ARG: usize = 5;
/// n in the low half, site in the high one.
#[cfg(test)]
pub(crate) const N_SITE: usize = 6;
/// kind in the lowest byte, arg_kind in the next, stack in the four above, is_active in the highest.
pub(crate) const KINDS: usize = 7;

pub(crate) const fn kinds(kind: Kind, arg_kind: u8, active: bool) -> u64 {
    kind as u64 | (arg_kind as u64) << 8 | (active as u64) << 56
}

/// The call stack, for the same word.
pub(crate) const fn stacked(stack: u32) -> u64 {
    (stack as u64) << 16
}

pub(crate) const fn n_site(n: u32, site: u32) -> u64 {
    n as u64 | (site as u64) << 32
}

#[repr(C, align(64))]
pub(crate) struct Event {
    pub(crate) word: [AtomicU64; 8],
}

#[repr(C)]
pub(crate) struct V1Station {
    pub(crate) probe_id: AtomicU64,
    pub(crate) birth_ts: AtomicU64,
    /// is_dead in the lowest byte, the rest is padding.
    pub(crate) is_dead: AtomicU64,
    pub(crate) pad: [u8; 40],
    pub(crate) slots: [Event; 8],
    pub(crate) reserved: [u8; 448],
}

#[repr(C)]
pub(crate) struct Header {
    pub(crate) magic: u64,
    pub(crate) version: u32,
    pub(crate) max_stations: u32,
    pub(crate) allocated_count: AtomicU32,
    pub(crate) tracer_sleeping: AtomicU32,
    pub(crate) pad0: [u8; 0x28],
    pub(crate) v2_magic: AtomicU64,
    pub(crate) v2_minor: u32,
    pub(crate) flags: u32,
    pub(crate) file_size: u64,
    pub(crate) ring_count: u32,
    pub(crate) ring_slots: u32,
    pub(crate) rings_off: u64,
    pub(crate) slots_off: u64,
    pub(crate) stations_off: u64,
    pub(crate) sites_off: u64,
    pub(crate) strings_off: u64,
    pub(crate) strings_size: u64,
    pub(crate) station_count: u32,
    pub(crate) site_count: u32,
    pub(crate) look_slots: u32,
    pub(crate) box_pid: u32,
    pub(crate) birth_ticks: u64,
    pub(crate) birth_ns: u64,
    pub(crate) birth_wall: u64,
    pub(crate) boot_id: [u8; 16],
    pub(crate) births_off: u64,
    pub(crate) pid_ns: u64,
    pub(crate) born_late: u32,
    pub(crate) pad9: u32,
    pub(crate) recorder_pid: u32,
    pub(crate) pad8: [u8; 0x14],
    /// Of who reads: how many kinds of events, and of things, it knows; 0: those of before these fields.
    pub(crate) kinds: u32,
    pub(crate) on_kinds: u32,
    pub(crate) next_probe_id: AtomicU64,
    pub(crate) pad2: [u8; 0x38],
    pub(crate) stations_free: AtomicU64,
    pub(crate) stations_used: AtomicU32,
    pub(crate) pad3: [u8; 0x34],
    pub(crate) sites_used: AtomicU32,
    pub(crate) pad4: [u8; 0x3C],
    pub(crate) strings_used: AtomicU64,
    pub(crate) pad5: [u8; 0x38],
    pub(crate) rings_used: AtomicU32,
    pub(crate) pad6: [u8; 0x3C],
    pub(crate) lost_no_ring: AtomicU64,
    pub(crate) lost_no_station: AtomicU64,
    pub(crate) lost_no_string: AtomicU64,
    pub(crate) lost_no_stack: AtomicU64,
    pub(crate) next_number: AtomicU32,
    pub(crate) unconnected: AtomicU32,
    pub(crate) pad7: [u8; 0x18],
    pub(crate) session: AtomicU32,
    pub(crate) reader_pid: AtomicU32,
    pub(crate) leave: AtomicU32,
    pub(crate) pad10: [u8; 0x34],
    pub(crate) late_lock: AtomicU32,
    pub(crate) pad11: u32,
    pub(crate) late_ticks: AtomicU64,
    pub(crate) late_ns: AtomicU64,
    pub(crate) forget_ids: AtomicU64,
    pub(crate) forget_ticks: AtomicU64,
    pub(crate) dump_ticks: AtomicU64,
    pub(crate) pad12: [u8; 0x110],
}

pub(crate) const RING_FREE: u64 = 0;
/// Beside the owner: it has ended.
pub(crate) const RING_RETIRED: u64 = 1 << 63;

/// `CTP_OWNER`: whose a ring is, in one word.
pub(crate) const fn owner(pid: u32, tid: u32) -> u64 {
    (pid as u64) << 32 | tid as u64
}

pub(crate) const fn owner_pid(owner: u64) -> u32 {
    (owner >> 32) as u32 & 0x7fff_ffff
}

/// From here on processes of another pid namespace than the recorder's take their numbers.
pub(crate) const NUMBERS: u32 = 1 << 22;

#[repr(C)]
pub(crate) struct Ring {
    pub(crate) head: AtomicU64,
    pub(crate) dropped: AtomicU64,
    pub(crate) drop_first: AtomicU64,
    pub(crate) drop_last: AtomicU64,
    pub(crate) owner: AtomicU64,
    pub(crate) callback: AtomicU64,
    pub(crate) limit: AtomicU64,
    pub(crate) reported: AtomicU64,
    pub(crate) tail: AtomicU64,
    pub(crate) role: AtomicU32,
    pub(crate) name: AtomicU32,
    pub(crate) pad1: [u8; 0x30],
}

/// `CTP_KEPT`: the process keeps its box, whoever asked for it.
pub(crate) const KEPT: u32 = 3;
/// `CTP_BIRTH_UNSEEN`, in a birth's site: born while recording was stopped.
pub(crate) const BIRTH_UNSEEN: u32 = 1 << 31;

/// What a create and a name say, for who comes when they are overwritten.
#[repr(C)]
pub(crate) struct Birth {
    pub(crate) id: AtomicU64,
    pub(crate) ts: AtomicU64,
    pub(crate) parent: AtomicU64,
    pub(crate) site: AtomicU32,
    pub(crate) name: AtomicU32,
}

#[repr(C)]
pub(crate) struct SiteEntry {
    pub(crate) ready: AtomicU32,
    pub(crate) line: AtomicU32,
    pub(crate) func: AtomicU32,
    pub(crate) file: AtomicU32,
}

/// At `strings_off + 8 * number`; the bytes follow the length.
#[repr(C)]
pub(crate) struct StringEntry {
    pub(crate) len: AtomicU32,
}
/// Where in an entry the text begins.
pub(crate) const TEXT: usize = 4;
