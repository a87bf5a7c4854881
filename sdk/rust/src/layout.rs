//! The layout, held against the C header by a C compiler.

use core::fmt::Write;
use core::mem::offset_of;
use std::process::{Command, Stdio};

use crate::ctp::*;
use crate::probe::Role;

macro_rules! fields {
    ($out:ident, $rust:ident, $c:literal: $($field:ident)*) => {
        writeln!($out, "_Static_assert(sizeof(struct {}) == {}, \"\");", $c, size_of::<$rust>()).unwrap();
        $(writeln!($out, "_Static_assert(offsetof(struct {}, {}) == {}, \"\");",
            $c, stringify!($field), offset_of!($rust, $field)).unwrap();)*
    };
}

fn equal(out: &mut String, c: &str, rust: impl core::fmt::Display) {
    writeln!(out, "_Static_assert({c} == {rust}, \"\");").unwrap();
}

/// What has to be true in C.
fn claims() -> String {
    let mut out = String::from("#include \"ctp.h\"\n");
    let o = &mut out;
    fields!(o, Header, "ctp_header": magic version max_stations allocated_count tracer_sleeping pad0 v2_magic v2_minor flags
        file_size ring_count ring_slots rings_off slots_off stations_off sites_off strings_off strings_size station_count
        site_count look_slots box_pid birth_ticks birth_ns birth_wall boot_id births_off pid_ns born_late recorder_pid pad8 kinds on_kinds
        next_probe_id pad2 stations_free stations_used pad3 sites_used pad4 strings_used pad5 rings_used
        pad6 lost_no_ring lost_no_station lost_no_string lost_no_stack next_number unconnected session reader_pid
        leave late_lock late_ticks late_ns forget_ids forget_ticks dump_ticks);
    fields!(o, Ring, "ctp_ring": head dropped drop_first drop_last owner callback limit reported tail role name);
    fields!(o, Birth, "ctp_birth": id ts parent site name);
    fields!(o, SiteEntry, "ctp_site": ready line func file);
    fields!(o, V1Station, "ctp_v1_station": probe_id birth_ts is_dead slots reserved);
    equal(o, "sizeof(struct ctp_event)", size_of::<Event>());
    equal(o, "offsetof(struct ctp_string, text)", TEXT);
    equal(o, "sizeof(((struct ctp_string *)0)->len)", size_of::<StringEntry>());
    for (field, word, byte) in [
        ("timestamp", TIMESTAMP, 0),
        ("tid", TID, 0),
        ("addr", ADDR, 0),
        ("seq", SEQ, 0),
        ("probe_id", PROBE_ID, 0),
        ("arg", ARG, 0),
        ("n", N_SITE, n_site(1, 0).trailing_zeros() / 8),
        ("site", N_SITE, n_site(0, 1).trailing_zeros() / 8),
        ("kind", KINDS, kinds(Kind::Create, 0, false).trailing_zeros() / 8),
        ("arg_kind", KINDS, (kinds(Kind::Create, 1, false) & !0xff).trailing_zeros() / 8),
        ("stack", KINDS, stacked(1).trailing_zeros() / 8),
        ("is_active", KINDS, (kinds(Kind::Create, 0, true) & !0xff).trailing_zeros() / 8),
    ] {
        equal(o, &format!("offsetof(struct ctp_event, {field})"), 8 * word + byte as usize);
    }
    for (name, value) in [
        ("CTP_MAGIC", MAGIC),
        ("CTP_VERSION", VERSION as u64),
        ("CTP2_MAGIC", MAGIC2),
        ("CTP2_MINOR", MINOR2 as u64),
        ("CTP2_MINOR_BOX", MINOR_BOX as u64),
        ("CTP_FLAG_OFF", FLAG_OFF as u64),
        ("CTP_FLAG_ON", FLAG_ON as u64),
        ("CTP_FLAG_ASKED", FLAG_ASKED as u64),
        ("CTP_KEPT", KEPT as u64),
        ("CTP_BIRTH_UNSEEN", BIRTH_UNSEEN as u64),
        ("CTP_KINDS", ALL_KINDS as u64),
        ("CTP_OWNER_PID(CTP_OWNER(3, 4) | CTP_RING_RETIRED)", owner_pid(owner(3, 4) | RING_RETIRED) as u64),
        ("CTP_F_TSC", F_TSC as u64),
        ("CTP_F_BLOCK", F_BLOCK as u64),
        ("CTP_F_FENCE", F_FENCE as u64),
        ("CTP_F_STACKS", F_STACKS as u64),
        ("CTP_F_QUIET", F_QUIET as u64),
        ("CTP_HELLO_MS", HELLO_MS as u64),
        ("CTP_MEMORY_MS", MEMORY_MS as u64),
        ("CTP_STACK_MAX", STACK_MAX as u64),
        ("CTP_STACKS_END(4099)", stacks_end(4099)),
        ("CTP_ON_ANY", ON_ANY as u64),
        ("CTP_UNKNOWN", UNKNOWN),
        ("CTP_RING_FREE", RING_FREE),
        ("CTP_RING_RETIRED", RING_RETIRED),
        ("CTP_OWNER(3, 4)", owner(3, 4)),
        ("CTP_NUMBERS", NUMBERS as u64),
        ("CTP_ROLE_WORKER", Role::Worker as u64),
        ("CTP_ROLE_BLOCKING", Role::Blocking as u64),
        ("CTP_ROLE_ENDED", ROLE_ENDED),
        ("CTP_ON_KINDS", ON_KINDS as u64),
    ] {
        equal(o, name, format!("{value}ull"));
    }
    let kinds =
        "CREATE RESUME SUSPEND WAKE DESTROY NAME OPEN CLOSE NOTIFY LEVEL ACQUIRE RELEASE WAKER_CLONE WAKER_DROP PARK \
        UNPARK THREAD LOST DEQUEUE DEADLINE STOP START LEG";
    for (i, name) in kinds.split_whitespace().enumerate() {
        equal(o, &format!("CTP_{name}"), Kind::Create as usize + i);
    }
    for (i, name) in
        "NONE CORO FD TIMER MUTEX COND SEM CHAN JOIN USER ROOM ANY_OF ALL_OF".split_whitespace().enumerate()
    {
        equal(o, &format!("CTP_ON_{name}"), i);
    }
    for (name, value) in [
        ("CTP_ENV_SHM", ENV_SHM),
        ("CTP_ENV_SOCK", ENV_SOCK),
        ("CTP_ENV_STATIONS", ENV_STATIONS),
        ("CTP_ENV_BOX", ENV_BOX),
        ("CTP_BOX_NAME", BOX_NAME),
        ("CTP_FLAG_NAME", FLAG_NAME),
    ] {
        equal(o, &format!("__builtin_strcmp({name}, \"{value}\")"), 0);
    }
    out
}

fn compiles(program: &str, messages: Stdio) -> Option<bool> {
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../ctp");
    if !std::path::Path::new(header).join("ctp.h").exists() {
        return None;
    }
    let cc = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut cc = Command::new(cc)
        .args(["-std=gnu11", "-fsyntax-only", "-I", header, "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stderr(messages)
        .spawn()
        .ok()?;
    std::io::Write::write_all(&mut cc.stdin.take()?, program.as_bytes()).ok()?;
    Some(cc.wait().ok()?.success())
}

/// `Kind` is numbered by position; here so that the numbers of `claims` are those of the names.
#[test]
fn kinds_are_in_the_order_of_the_header() {
    assert_eq!((Kind::Create as u8, Kind::WakerClone as u8, Kind::Thread as u8), (1, 13, 17));
}

#[test]
#[cfg_attr(miri, ignore)]
fn layout_is_that_of_the_c_header() {
    match compiles(&claims(), Stdio::inherit()) {
        Some(good) => assert!(good, "see the compiler's messages"),
        None => println!("skipped: no C compiler, or not in corotrace's source tree"),
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn a_wrong_layout_would_be_found() {
    let wrong = claims().replacen("== 64,", "== 65,", 1);
    assert_ne!(compiles(&wrong, Stdio::null()), Some(true));
}
