//! What is kept of a span of tokio's: in slots that are reused and never freed, for a waker may name its task's long after that
//! has ended. No lock; memory is allocated for many at a time.

use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::*};

use super::fields::Operation;
use super::resource::Resource;
use super::task::Task;

/// A slot in use for the generation's time has one of these.
pub(super) enum Thing {
    Nothing,
    /// In a box, for it is many times as large as the others, of which many more come and go.
    Task(Box<Task>),
    Resource(Resource),
    /// As long as it is under way, ready or not, until it is dropped.
    Operation(Operation),
}

pub(super) struct Slot {
    /// The generation, which an id must name, and below it how many clones of the task's waker are held.
    word: AtomicU64,
    /// Handles of the span.
    refs: AtomicU32,
    /// The free slot after this one, its number plus one.
    next: AtomicU32,
    /// Of a task: its number in the trace.
    pub(super) coro: AtomicU64,
    /// Of a task: clones and drops of its waker so far, about.
    pub(super) traffic: AtomicU32,
    /// Of a task: of these the drops of a waker that woke nobody, about.
    pub(super) drops: AtomicU32,
    /// Of a task: woken since it was last polled.
    pub(super) woken: AtomicBool,
    thing: UnsafeCell<Thing>,
}

// SAFETY: `thing` is written by who takes the slot and by who closes the span's last handle; in between a resource is only read,
// and a task is used by who enters its span: tokio does that where it polls or drops the task, which one thread does at a time.
unsafe impl Sync for Slot {}

const FIRST: usize = 64;
const CHUNKS: usize = 24;
/// Of 64 slots, 128, 256, ...
static CHUNK: [AtomicPtr<Slot>; CHUNKS] = [const { AtomicPtr::new(ptr::null_mut()) }; CHUNKS];
/// Slots that were ever used.
static USED: AtomicU32 = AtomicU32::new(0);
/// The first free one's number plus one, and above it how often this changed, so that a slot that was taken and given back
/// meanwhile is not mistaken for one that stayed.
static FREE: AtomicU64 = AtomicU64::new(0);

/// An id of ours, which names a number and a generation. No id of tracing-subscriber's registry has this bit: it stands in
/// the number of a thread, of which the registry has fewer.
const OURS: u64 = 1 << 50;
const LOW: u64 = (1 << 18) - 1;
const GENERATIONS: u64 = 1 << 31;

fn id_of(number: u32, generation: u64) -> u64 {
    (number as u64 + 1) | (generation & LOW) << 32 | OURS | generation >> 18 << 51
}

fn generation_of(id: u64) -> u64 {
    id >> 32 & LOW | id >> 51 << 18
}

pub(super) fn is_ours(id: u64) -> bool {
    id & OURS != 0
}

/// That of spans of which nothing is kept.
pub(super) const NOTHING: u64 = OURS;

fn chunk_of(number: u32) -> (usize, usize) {
    let n = number as usize + FIRST;
    let chunk = n.ilog2() as usize - FIRST.ilog2() as usize;
    (chunk, n - (FIRST << chunk))
}

fn at(number: u32) -> Option<&'static Slot> {
    let (chunk, i) = chunk_of(number);
    let at = CHUNK.get(chunk)?.load(Acquire);
    // SAFETY: a chunk that is there is whole, has that many, and stays.
    unsafe { at.add(i).as_ref() }.filter(|_| !at.is_null())
}

fn make(number: u32) -> Option<&'static Slot> {
    let (chunk, _) = chunk_of(number);
    let place = CHUNK.get(chunk)?;
    if place.load(Acquire).is_null() {
        let slots: Box<[Slot]> = (0..FIRST << chunk).map(|_| Slot::empty()).collect();
        let new = Box::into_raw(slots).cast::<Slot>();
        if place.compare_exchange(ptr::null_mut(), new, Release, Relaxed).is_err() {
            // SAFETY: just made, and not published: another thread was faster.
            drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(new, FIRST << chunk)) });
        }
    }
    at(number)
}

fn pop() -> Option<u32> {
    let mut head = FREE.load(Acquire);
    while let Some(number) = (head as u32).checked_sub(1) {
        let next = at(number)?.next.load(Relaxed);
        match FREE.compare_exchange_weak(head, ((head >> 32) + 1) << 32 | next as u64, Acquire, Acquire) {
            Ok(_) => return Some(number),
            Err(seen) => head = seen,
        }
    }
    None
}

fn push(number: u32, slot: &Slot) {
    let mut head = FREE.load(Relaxed);
    loop {
        slot.next.store(head as u32, Relaxed);
        let new = ((head >> 32) + 1) << 32 | (number + 1) as u64;
        // Release: pairs with `pop`, so that who takes the slot finds it as it was left.
        match FREE.compare_exchange_weak(head, new, Release, Relaxed) {
            Ok(_) => return,
            Err(seen) => head = seen,
        }
    }
}

/// A slot with one handle, which is shown its id and fills it in. `NOTHING` where there is no room.
pub(super) fn take(fill: impl FnOnce(&'static Slot, u64) -> Thing) -> u64 {
    let number = pop().unwrap_or_else(|| USED.fetch_add(1, Relaxed));
    let Some(slot) = make(number) else { return NOTHING };
    let generation = slot.word.load(Relaxed) >> 32;
    let id = id_of(number, generation);
    slot.refs.store(1, Relaxed);
    slot.woken.store(false, Relaxed);
    let thing = fill(slot, id);
    // SAFETY: the slot was just taken from those that nobody uses.
    unsafe { *slot.thing.get() = thing };
    id
}

/// The slot of a span of which there is a handle.
pub(super) fn held(id: u64) -> Option<&'static Slot> {
    at((id as u32).checked_sub(1)?)
}

/// The slot of a task that may have ended.
pub(super) fn live(id: u64) -> Option<&'static Slot> {
    held(id).filter(|slot| slot.is_of(id))
}

/// Another handle.
pub(super) fn share(id: u64) {
    if let Some(slot) = held(id) {
        slot.refs.fetch_add(1, Relaxed);
    }
}

/// One handle less; with the last one the span is closed.
pub(super) fn close(id: u64) -> bool {
    let Some(slot) = held(id) else { return false };
    if slot.refs.fetch_sub(1, Release) != 1 {
        return false;
    }
    core::sync::atomic::fence(Acquire);
    // SAFETY: the last handle is gone.
    drop(unsafe { ptr::replace(slot.thing.get(), Thing::Nothing) });
    let generation = (generation_of(id) + 1) % GENERATIONS;
    slot.word.store(generation << 32, Release);
    push(id as u32 - 1, slot);
    true
}

impl Slot {
    fn empty() -> Self {
        Self {
            word: AtomicU64::new(0),
            refs: AtomicU32::new(0),
            next: AtomicU32::new(0),
            coro: AtomicU64::new(0),
            traffic: AtomicU32::new(0),
            drops: AtomicU32::new(0),
            woken: AtomicBool::new(false),
            thing: UnsafeCell::new(Thing::Nothing),
        }
    }

    fn is_of(&self, id: u64) -> bool {
        self.word.load(Acquire) >> 32 == generation_of(id)
    }

    /// What it holds, for who has a handle of a resource's span.
    pub(super) fn resource(&self) -> Option<&Resource> {
        // SAFETY: see Sync; a handle keeps the slot as it is.
        match unsafe { &*self.thing.get() } {
            Thing::Resource(r) => Some(r),
            _ => None,
        }
    }

    /// As `resource`, of an operation's span.
    pub(super) fn operation(&self) -> Option<Operation> {
        // SAFETY: see Sync; a handle keeps the slot as it is.
        match unsafe { &*self.thing.get() } {
            Thing::Operation(o) => Some(*o),
            _ => None,
        }
    }

    /// What it holds, for who enters or leaves a task's span.
    #[allow(clippy::mut_from_ref)] // see Sync
    pub(super) fn task(&self) -> Option<&mut Task> {
        // SAFETY: see Sync. The kind is looked at by a shared reference first, for a resource may be read by others.
        match unsafe { &*self.thing.get() } {
            // SAFETY: as above.
            Thing::Task(_) => match unsafe { &mut *self.thing.get() } {
                Thing::Task(t) => Some(t),
                _ => None,
            },
            _ => None,
        }
    }

    /// Clones of the task's waker that are held.
    pub(super) fn clones(&self) -> u32 {
        self.word.load(Acquire) as u32
    }

    /// One more, or one less, as long as it is that task's.
    pub(super) fn count(&self, id: u64, more: bool) {
        self.traffic.fetch_add(1, Relaxed);
        let change = |w: u64| match (w >> 32 == generation_of(id), more, w as u32) {
            (false, ..) | (_, false, 0) => None,
            (_, true, _) => Some(w + 1),
            (_, false, _) => Some(w - 1),
        };
        // Release: who sees that none is held sees, too, whom the last one woke.
        let _ = self.word.fetch_update(AcqRel, Acquire, change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_a_slot_and_its_time() {
        for (number, generation) in [(0, 0), (5, 1), (u32::MAX - 1, GENERATIONS - 1), (7, LOW + 1)] {
            let id = id_of(number, generation);
            assert!(is_ours(id));
            assert_eq!((id as u32 - 1, generation_of(id)), (number, generation));
        }
        assert!(is_ours(NOTHING) && held(NOTHING).is_none());
    }

    #[test]
    fn a_slot_of_before_is_known_to_be() {
        let new = || take(|_, _| Thing::Nothing);
        let first = new();
        live(first).unwrap().count(first, true);
        assert_eq!(live(first).unwrap().clones(), 1);
        share(first);
        assert!(!close(first));
        assert!(close(first));
        assert!(live(first).is_none());
        held(first).unwrap().count(first, true); // a waker of one that is gone
        let all: Vec<u64> = (0..1000).map(|_| new()).collect();
        assert!(all.iter().all(|&id| id != first && live(id).unwrap().clones() == 0));
        all.into_iter().for_each(|id| assert!(close(id)));
    }

    #[test]
    fn slots_are_taken_by_one_thread_each() {
        let owner: &[AtomicU32] = Box::leak((0..100_000).map(|_| AtomicU32::new(0)).collect());
        let threads: Vec<_> = (1..=4)
            .map(|me| {
                std::thread::spawn(move || {
                    for _ in 0..20_000 {
                        let id = take(|_, _| Thing::Nothing);
                        let owner = &owner[id as u32 as usize];
                        assert_eq!(owner.swap(me, Relaxed), 0);
                        assert_eq!(owner.swap(0, Relaxed), me);
                        close(id);
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
    }
}
