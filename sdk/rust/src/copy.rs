//! The box written into a file, as `ct-record --box` reads it. By system calls, and a buffer that one caller has at a time.
//! ctp(7), "Snapshot", says what of a copy is whole; the header is written last, so that a file that was cut is no box.

use core::cell::UnsafeCell;
use core::mem::offset_of;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{fence, AtomicU32, Ordering::*};

use crate::ctp::*;
use crate::region::{self, region};
use crate::{backing, claim, process, sys};

const CHUNK: usize = 1 << 14;
type Chunk = [u64; CHUNK / 8];

/// `process::here` of who is at it; 0: nobody.
static BUSY: AtomicU32 = AtomicU32::new(0);
struct Buffer(UnsafeCell<[Chunk; 3]>);
// SAFETY: used by whoever BUSY says.
unsafe impl Sync for Buffer {}
static BUFFER: Buffer = Buffer(UnsafeCell::new([[0; CHUNK / 8]; 3]));

fn bytes(chunk: &mut Chunk) -> &mut [u8] {
    // SAFETY: integers, seen as their bytes.
    unsafe { core::slice::from_raw_parts_mut(chunk.as_mut_ptr().cast(), CHUNK) }
}

/// What may change while it is copied: so many words each, of which those at `keys` are the same before and behind, or else
/// `spoil` marks it as one that is being written.
struct Entry {
    words: usize,
    keys: &'static [usize],
    spoil: fn(&mut [u64]),
}
/// Its writer stores seq, the rest and seq.
const STATION: Entry = Entry { words: 8, keys: &[SEQ, PROBE_ID], spoil: |e| e[SEQ] |= 1 };
/// Its writer stores 0, the rest and the id.
const BIRTH: Entry = Entry { words: 4, keys: &[0], spoil: |b| b[0] = 0 };

fn settle([first, copy, last]: &mut [Chunk; 3], entry: &Entry) {
    for (i, e) in copy.chunks_exact_mut(entry.words).enumerate() {
        let is_same = |k: &usize| {
            let at = i * entry.words + k;
            first[at] == e[*k] && last[at] == e[*k]
        };
        if !entry.keys.iter().all(is_same) {
            (entry.spoil)(e);
        }
    }
}

struct Copier<'a> {
    from: &'a File,
    to: &'a File,
    chunks: &'a mut [Chunk; 3],
}

impl Copier<'_> {
    /// Copies what was ever written of the box from `at` on; by three looks where it is of entries.
    fn part(&mut self, mut at: u64, size: u64, entry: Option<&Entry>) -> io::Result<()> {
        let end = at + size;
        while at < end {
            // SAFETY: no memory is involved.
            let data = unsafe { sys::lseek(self.from.as_raw_fd(), at as i64, sys::SEEK_DATA) };
            if data < 0 {
                let e = io::Error::last_os_error();
                return if e.raw_os_error() == Some(sys::ENXIO) { Ok(()) } else { Err(e) };
            }
            if data as u64 >= end {
                return Ok(());
            }
            at = at.max(data as u64 / 4096 * 4096);
            let len = CHUNK.min((end - at) as usize);
            for (i, chunk) in self.chunks.iter_mut().enumerate() {
                if entry.is_some() || i == 1 {
                    self.from.read_exact_at(&mut bytes(chunk)[..len], at)?;
                }
                fence(Acquire);
            }
            if let Some(entry) = entry {
                settle(self.chunks, entry);
            }
            self.to.write_all_at(&bytes(&mut self.chunks[1])[..len], at)?;
            at += len as u64;
        }
        Ok(())
    }

    /// Behind the copy of the slots: how far their writers may have come meanwhile.
    fn limits(&self, h: &Header) -> io::Result<()> {
        fence(Acquire);
        let rings = region().rings();
        for (i, ring) in rings.iter().enumerate().take(h.rings_used.load(Acquire) as usize) {
            let at = h.rings_off + (i * size_of::<Ring>() + offset_of!(Ring, limit)) as u64;
            self.to.write_all_at(&ring.limit.load(Relaxed).to_le_bytes(), at)?;
        }
        Ok(())
    }

    /// Heads, then slots, then limits; what they name behind them.
    fn all(&mut self) -> io::Result<()> {
        let h = region().header();
        claim::reap_rings(region()); // so that the copy shows which processes have ended
        let until = sys::now(h.flags);
        // Heads are loaded one after another while others write, and before them how many rings there are: until then all is
        // there, once those have published what they were about to.
        sys::nap(100_000);
        let mut head = [0; size_of::<Header>()];
        self.from.read_exact_at(&mut head, 0)?;
        let at = offset_of!(Header, dump_ticks);
        head[at..at + 8].copy_from_slice(&until.to_le_bytes());
        self.to.set_len(h.file_size)?;
        self.part(h.rings_off, h.ring_count as u64 * size_of::<Ring>() as u64, None)?;
        self.part(h.slots_off, h.ring_count as u64 * h.ring_slots as u64 * size_of::<Event>() as u64, None)?;
        self.limits(h)?;
        self.part(h.stations_off, h.station_count as u64 * size_of::<Event>() as u64, Some(&STATION))?;
        self.part(h.births_off, h.station_count as u64 * size_of::<Birth>() as u64, Some(&BIRTH))?;
        self.part(h.sites_off, h.site_count as u64 * size_of::<SiteEntry>() as u64, None)?;
        self.part(h.strings_off, h.strings_size, None)?;
        self.to.write_all_at(&head, 0)
    }
}

pub(crate) fn dump(path: &Path) -> io::Result<()> {
    let from = backing::file().filter(|_| region::on() && region().boxed);
    let Some(from) = from else { return Err(io::Error::from_raw_os_error(sys::ENOENT)) };
    if BUSY.compare_exchange(0, process::here(), Acquire, Relaxed).is_err() {
        return Err(io::Error::from_raw_os_error(sys::EBUSY));
    }
    let _aside = sys::Aside::new();
    let quiet = sys::NoXfsz::new();
    // A FIFO would be waited for, and what is no file is not to be removed where it cannot be written. The box itself, by whatever
    // name, would be cut under who writes into it.
    let open = File::options().write(true).create(true).custom_flags(sys::O_NONBLOCK).mode(0o600).open(path);
    let done = open.and_then(|to| {
        let is = to.metadata()?;
        if !is.is_file() || backing::is_same(&is) {
            return Err(io::Error::from_raw_os_error(sys::EINVAL));
        }
        // SAFETY: BUSY is ours.
        let chunks = unsafe { &mut *BUFFER.0.get() };
        let done = to.set_len(0).and_then(|()| Copier { from: &from, to: &to, chunks }.all());
        if done.is_err() {
            let _ = std::fs::remove_file(path);
        }
        done
    });
    drop(quiet);
    BUSY.store(0, Release);
    done
}

/// In a child: no other thread is at it, whoever was; but where a signal handler forked, this one is.
pub(crate) fn forked() {
    if BUSY.load(Relaxed) != process::here() {
        BUSY.store(0, Relaxed);
    }
}
