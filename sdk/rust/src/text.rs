//! Strings and source locations, interned: append-only, and each process keeps in mind what it wrote.

use core::ptr;
use std::sync::atomic::Ordering::*;

use crate::ctp::stacks_end;
use crate::region::{region, Region, TABLE};
use crate::station::{take32, take64};

const TEXT_MAX: usize = 4000;
const PROBES: usize = 64;

fn mix(mut h: u64) -> u64 {
    h ^= h >> 29;
    h = h.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ (h >> 32)
}

fn hash(data: &[u8]) -> u64 {
    mix(data.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3)))
}

/// Looks an entry up in one of two tables of `hash high half | number`, or enters what `write` makes. Where another thread was
/// faster there are two copies, which are as good; full tables cost a copy, not an error.
fn find_or(r: &Region, table: usize, h: u64, same: impl Fn(u32) -> bool, write: impl Fn() -> u32) -> u32 {
    for i in 0..PROBES {
        let at = r.kept(table * TABLE + (h as usize).wrapping_add(i) % TABLE);
        let entry = at.load(Acquire);
        if entry == 0 {
            let number = write();
            if number != 0 {
                let _ = at.compare_exchange(0, h >> 32 << 32 | number as u64, Release, Relaxed);
            }
            return number;
        }
        if entry >> 32 == h >> 32 && same(entry as u32) {
            return entry as u32;
        }
    }
    write()
}

/// 0 where it would begin behind `end`.
fn write_text(r: &Region, text: &[u8], end: u64) -> u32 {
    let size = (text.len() as u64 + 4 + 7) & !7;
    let end = end.saturating_add(size).min(r.strings_size);
    let number = take64(&r.header().strings_used, size, end).and_then(|at| u32::try_from(at / 8).ok());
    let opened = |n: u32| n != 0 && r.open_string(n as u64 * 8 + size);
    let Some(number) = number.filter(|&n| opened(n)) else { return 0 };
    let (entry, at) = r.string(number);
    // SAFETY: `size` bytes from the entry on were just taken for it.
    unsafe { ptr::copy_nonoverlapping(text.as_ptr(), at, text.len()) };
    // Pairs with the recorder's acquire: the text is whole.
    entry.len.store(text.len() as u32 + 1, Release);
    number
}

fn same_text(r: &Region, number: u32, text: &[u8]) -> bool {
    let (entry, at) = r.string(number);
    // SAFETY: a text whose length is there is whole, and never written again.
    entry.len.load(Acquire) as usize == text.len() + 1 && unsafe { core::slice::from_raw_parts(at, text.len()) } == text
}

/// The number of a text; 0 where there is no room.
pub(crate) fn intern(text: &str) -> u32 {
    let mut end = text.len().min(TEXT_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    intern_bytes(&text.as_bytes()[..end])
}

/// As `intern`, of a few bytes.
pub(crate) fn intern_bytes(text: &[u8]) -> u32 {
    let r = region();
    if r.v1 {
        return 0;
    }
    let write = || {
        let number = write_text(r, text, r.strings_size);
        if number == 0 {
            r.header().lost_no_string.fetch_add(1, Relaxed);
        }
        number
    };
    find_or(r, 0, hash(text), |n| same_text(r, n, text), write)
}

/// The number of a call stack; 0 where there is no room.
pub(crate) fn stack(frames: &[u64]) -> u32 {
    let r = region();
    let h = mix(frames
        .iter()
        .fold(frames.len() as u64, |h, &f| (h ^ f).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31)));
    // SAFETY: the bytes of integers.
    let bytes = unsafe { core::slice::from_raw_parts(frames.as_ptr().cast::<u8>(), size_of_val(frames)) };
    find_or(r, 0, h, |n| same_text(r, n, bytes), || write_text(r, bytes, stacks_end(r.strings_size)))
}

/// The number of a source location, `func` empty where it is not known; 0 where there is no room.
pub(crate) fn site(func: &str, file: &str, line: u32) -> u32 {
    let r = region();
    if r.v1 {
        return 0;
    }
    let func = if func.is_empty() { 0 } else { intern(func) };
    let key = [func, intern(file), line];
    let h = mix(key.iter().fold(0x9e37_79b9_7f4a_7c15, |h, &k| (h ^ k as u64).wrapping_mul(0xff51_afd7_ed55_8ccd)));
    let same = |n: u32| {
        let s = &r.sites()[n as usize];
        key == [s.func.load(Relaxed), s.file.load(Relaxed), s.line.load(Relaxed)]
    };
    find_or(r, 1, h, same, || {
        let Some(i) = take32(&r.header().sites_used, 1, r.site_count).filter(|&i| i != 0 && r.open_site(i)) else {
            r.header().lost_no_string.fetch_add(1, Relaxed);
            return 0;
        };
        let s = &r.sites()[i as usize];
        s.line.store(line, Relaxed);
        s.func.store(key[0], Relaxed);
        s.file.store(key[1], Relaxed);
        s.ready.store(1, Release);
        i
    })
}
