//! Walks up the stack that this thread has made before, known again by the return addresses that they passed.
//!
//! The unwinder asks tables where each frame's return address lies. These tables go by the return address below it, so where
//! all that were passed then lie where they lay then, seen from the same function, the next does, too: looking at them in that
//! order reads nothing but frames that are there, and at the end the walk is known to be the same.

use core::cell::Cell;
use core::ops::Deref;
use core::ptr;

const SETS: usize = 8;
const WAYS: usize = 16;
/// Return addresses of a path; longer ones are walked each time.
const DEPTH: usize = 48;

/// How a walk went: where each return address lay, and what it was.
pub(crate) struct Path {
    /// None: it cannot be known again.
    len: Option<usize>,
    before: usize,
    slots: [u32; DEPTH],
    addresses: [usize; DEPTH],
}

/// All zero is a value of it, which holds none.
pub(crate) struct Walks {
    busy: Cell<bool>,
    next: Cell<u8>,
    key: [[Cell<u32>; WAYS]; SETS],
    known: [[Known; WAYS]; SETS],
}

struct Known {
    number: Cell<u32>,
    len: Cell<u32>,
    /// Seen from the base.
    inner: Cell<usize>,
    outer: Cell<usize>,
    slots: [Cell<u32>; DEPTH],
    addresses: [Cell<usize>; DEPTH],
}

/// Nobody else of this thread is amid them: no signal handler.
pub(crate) struct Entered<'a>(&'a Walks);

impl Path {
    pub(crate) fn new() -> Self {
        Self { len: Some(0), before: 0, slots: [0; DEPTH], addresses: [0; DEPTH] }
    }

    /// The frame whose callee's frame ends at `at` goes on at `ip`; or, `interrupted`, it called nobody.
    pub(crate) fn add(&mut self, base: usize, at: usize, ip: usize, interrupted: bool) {
        let least = if self.before == 0 { base } else { self.before };
        self.before = at;
        // On x86-64 it is the last word of the callee's frame, elsewhere the callee has put it somewhere.
        let few = if cfg!(target_arch = "x86_64") { 1 } else { 64 };
        // SAFETY: words of a frame that the unwinder has just walked over.
        let holds = |slot: &usize| unsafe { ptr::read_volatile(*slot as *const usize) } == ip;
        let slot = (1..=few).map(|i| at - 8 * i).take_while(|&slot| slot >= least).find(holds);
        self.len = self.len.filter(|&n| n < DEPTH && !interrupted && at % 8 == 0).zip(slot).and_then(|(n, slot)| {
            self.slots[n] = u32::try_from(slot - base).ok()?;
            self.addresses[n] = ip;
            Some(n + 1)
        });
    }
}

/// Seen from the base; or there is none.
fn from(base: usize, outer: usize) -> usize {
    if outer == usize::MAX {
        outer
    } else {
        outer.wrapping_sub(base)
    }
}

/// Where to look, and what for: never 0.
fn key(inner: usize, outer: usize) -> (usize, u32) {
    let h = (inner ^ outer.rotate_left(20)).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize);
    (h >> 40 & (SETS - 1), (h >> 8) as u32 | 1)
}

impl Walks {
    #[cfg(test)]
    pub(crate) fn new() -> Box<Self> {
        // SAFETY: all zero is a value of it.
        unsafe { Box::new_zeroed().assume_init() }
    }

    pub(crate) fn enter(&self) -> Option<Entered<'_>> {
        (!self.busy.replace(true)).then_some(Entered(self))
    }
}

impl Deref for Entered<'_> {
    type Target = Walks;

    fn deref(&self) -> &Walks {
        self.0
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.busy.set(false);
    }
}

impl Entered<'_> {
    /// The number of that walk, if it was made before.
    ///
    /// # Safety
    /// `base` is the stack pointer of the function for whose calls alone walks are kept here, which is under way.
    pub(crate) unsafe fn find(&self, base: usize, inner: usize, outer: usize) -> Option<u32> {
        let (inner, outer) = (inner - base, from(base, outer));
        let (set, key) = key(inner, outer);
        let at = |i: usize| &self.known[set][i];
        let same = |k: &&Known| k.inner.get() == inner && k.outer.get() == outer;
        let holds = |k: &Known, i: usize| {
            let slot = (base + k.slots[i].get() as usize) as *const usize;
            // SAFETY: of a frame that is there, as those before it in the path were found to be.
            unsafe { ptr::read_volatile(slot) == k.addresses[i].get() }
        };
        (0..WAYS)
            .filter(|&i| self.key[set][i].get() == key)
            .map(at)
            .filter(same)
            .find(|k| (0..k.len.get() as usize).all(|i| holds(k, i)))
            .map(|k| k.number.get())
    }

    pub(crate) fn keep(&self, base: usize, inner: usize, outer: usize, path: &Path, number: u32) {
        let Some(len @ 1..) = path.len else { return };
        let (inner, outer) = (inner - base, from(base, outer));
        let (set, key) = key(inner, outer);
        let ways = &self.key[set];
        let way = ways.iter().position(|k| k.get() == 0).unwrap_or(self.next.get() as usize % WAYS);
        self.next.set(self.next.get().wrapping_add(1));
        let known = &self.known[set][way];
        for i in 0..len {
            known.slots[i].set(path.slots[i]);
            known.addresses[i].set(path.addresses[i]);
        }
        known.number.set(number);
        known.len.set(len as u32);
        known.inner.set(inner);
        known.outer.set(outer);
        ways[way].set(key);
    }
}
