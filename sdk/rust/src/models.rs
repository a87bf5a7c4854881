//! Every order of events that the memory model allows, tried by loom: `RUSTFLAGS='--cfg loom' cargo test --release --lib`.
//!
//! The other side of each protocol, the recorder's, stands here as ctp(7) specifies it.

use loom::sync::Arc;
use loom::thread;

use crate::bell;
use crate::ctp::{owner, Event, Ring, ARG, KINDS, PROBE_ID, RING_FREE, RING_RETIRED, SEQ, TIMESTAMP};
use crate::lent::{Hold, Lent};
use crate::reader::Reader;
use crate::ring::{Offer, RingWriter};
use crate::station;
use crate::sync::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use crate::sync::{fence, AtomicU32, AtomicU64, AtomicUsize};

/// A thread is taken the processor away three times at most, which finds what more would, and ends.
fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(f);
}

fn event() -> Event {
    Event { word: core::array::from_fn(|_| AtomicU64::new(0)) }
}

fn ring() -> Ring {
    let n = AtomicU64::new;
    let (head, dropped, drop_first, drop_last, owner, limit) = (n(0), n(0), n(0), n(0), n(RING_FREE), n(0));
    let (reported, tail, role, name) = (n(0), n(0), AtomicU32::new(0), AtomicU32::new(0));
    let (callback, pad1) = (n(0), [0; 48]);
    Ring { head, dropped, drop_first, drop_last, owner, callback, limit, reported, tail, role, name, pad1 }
}

/// As a writer takes a free ring.
fn claim(w: &RingWriter, s: &Shared, me: u64) -> bool {
    let (slots, count) = (s.slots.as_ptr(), s.slots.len() as u32);
    let offer = Offer { ring: &s.ring, from: RING_FREE, slots, count, overwrites: false };
    // SAFETY: the slots are the ring's, and the models keep both.
    unsafe { w.claim(&offer, me) }.is_some()
}

struct Shared {
    ring: Ring,
    slots: [Event; 2],
}

fn shared() -> Arc<Shared> {
    Arc::new(Shared { ring: ring(), slots: [event(), event()] })
}

/// As `Writer` does: an event, or a drop that is reported before the next one.
fn write(w: &RingWriter, i: u64) {
    if !w.ready() {
        let (free, dropped) = (w.free(), w.dropped());
        if free < w.need(dropped) {
            w.drop_some(1, i);
            return;
        }
        if let Some(unreported) = w.refill(free, dropped) {
            w.report(&unreported, unreported.last, 7);
        }
    }
    w.push([i, i, i, 0, i, i, i, i]);
}

/// The recorder: what is below head, then the tail. Gives how many events there were, or were reported to be lost.
fn harvest(s: &Shared) -> u64 {
    let (tail, head) = (s.ring.tail.load(Relaxed), s.ring.head.load(Acquire));
    let mut n = 0;
    for k in tail..head {
        let word = &s.slots[k as usize % 2].word;
        let kind = word[KINDS].load(Relaxed);
        if kind == 18 {
            n += word[ARG].load(Relaxed);
            continue;
        }
        let whole = [TIMESTAMP, PROBE_ID, ARG].iter().all(|&i| word[i].load(Relaxed) == kind);
        assert!(whole, "torn");
        n += 1;
    }
    s.ring.tail.store(head, Release);
    n
}

#[test]
fn events_are_whole_in_order_and_counted() {
    model(|| {
        let s = shared();
        let writer = {
            let s = s.clone();
            thread::spawn(move || {
                let w = RingWriter::none();
                assert!(claim(&w, &s, owner(1, 1)));
                (100..104).for_each(|i| write(&w, i));
                w.retire();
            })
        };
        let mut n = harvest(&s);
        writer.join().unwrap();
        n += harvest(&s);
        // What the last drops were, no event reported: the count less what was reported.
        let reported = n - (s.ring.head.load(Relaxed) - losts(&s)).min(n);
        assert_eq!(n + s.ring.dropped.load(Relaxed) - reported, 4);
    });
}

/// Slots in which a loss is reported; both are still there to be seen, for the last harvest emptied the ring.
fn losts(s: &Shared) -> u64 {
    s.slots.iter().filter(|e| e.word[KINDS].load(Relaxed) == 18).count() as u64
}

#[test]
fn a_ring_goes_from_hand_to_hand_whole() {
    model(|| {
        let s = shared();
        let writers: Vec<_> = [100, 200]
            .map(|i| {
                let s = s.clone();
                thread::spawn(move || {
                    let w = RingWriter::none();
                    if !claim(&w, &s, owner(1, i as u32)) {
                        return 0;
                    }
                    write(&w, i);
                    w.retire();
                    1
                })
            })
            .into();
        let mut n = 0;
        for _ in 0..2 {
            if s.ring.owner.load(Acquire) & RING_RETIRED != 0 {
                n += harvest(&s);
                s.ring.owner.store(RING_FREE, Release);
            }
        }
        let wrote: u64 = writers.into_iter().map(|w| w.join().unwrap()).sum();
        let last = s.ring.owner.load(Acquire);
        assert!(last == RING_FREE || last & RING_RETIRED != 0);
        assert_eq!(n + harvest(&s), wrote);
    });
}

/// One writer dies with the ring in its hands, the other comes after it: the recorder takes the ring from the dead one only.
#[test]
fn a_ring_of_the_dead_is_freed_and_that_of_the_living_is_not() {
    model(|| {
        let s = shared();
        let dead = Arc::new(AtomicU64::new(0));
        let writers: Vec<_> = [(100, true), (200, false)]
            .map(|(i, dies)| {
                let (s, dead) = (s.clone(), dead.clone());
                thread::spawn(move || {
                    let (w, me) = (RingWriter::none(), owner(1, i as u32));
                    if !claim(&w, &s, me) {
                        return;
                    }
                    write(&w, i);
                    if dies {
                        return dead.store(me, Release); // as the kernel knows
                    }
                    assert_eq!(s.ring.owner.load(Relaxed), me, "taken from the living");
                    w.retire();
                })
            })
            .into();
        for _ in 0..2 {
            let seen = s.ring.owner.load(Relaxed);
            if seen != RING_FREE && dead.load(Acquire) == seen {
                let _ = s.ring.owner.compare_exchange(seen, seen | RING_RETIRED, AcqRel, Relaxed);
            }
            if s.ring.owner.load(Acquire) & RING_RETIRED != 0 {
                harvest(&s);
                s.ring.owner.store(RING_FREE, Release);
            }
        }
        writers.into_iter().for_each(|w| w.join().unwrap());
    });
}

/// A box of one ring of two slots, and who reads it.
struct BoxOf2 {
    shared: Shared,
    session: AtomicU32,
    gone: AtomicU32,
    /// As the kernel has it: 1, a recorder holds the lock.
    lock: AtomicU32,
}

fn box_of_2() -> Arc<BoxOf2> {
    let shared = Shared { ring: ring(), slots: [event(), event()] };
    let zero = || AtomicU32::new(0);
    Arc::new(BoxOf2 { shared, session: zero(), gone: zero(), lock: zero() })
}

impl BoxOf2 {
    fn reader(&self) -> Reader<'_> {
        Reader { session: &self.session, gone: &self.gone, look_slots: 1 }
    }

    /// As `Writer` does, so many events; position p holds p + 100, and nobody reports what was dropped.
    fn write(&self, events: u64, asks: bool) {
        let (w, s) = (RingWriter::none(), &self.shared);
        let offer = Offer { ring: &s.ring, from: RING_FREE, slots: s.slots.as_ptr(), count: 2, overwrites: true };
        // SAFETY: as in `claim`.
        assert!(unsafe { w.claim(&offer, owner(1, 1)) }.is_some());
        let mut at = 100;
        for _ in 0..events {
            if !w.ready() {
                let room = w.look(Some(&self.reader()));
                if room == 0 {
                    w.drop_some(1, at);
                    if asks {
                        self.reader().ask(|| self.lock.load(SeqCst) == 1);
                    }
                    continue;
                }
                let _ = w.refill(room, w.dropped());
            }
            w.push([at, at, at, 0, at, at, at, at]);
            at += 1;
        }
    }

    /// A recorder comes: from here on nobody writes what it will read.
    fn attach(&self, session: u32) {
        let ring = &self.shared.ring;
        let tail = ring.tail.load(Relaxed).max(ring.limit.load(Relaxed).saturating_sub(2));
        ring.tail.store(tail.min(ring.head.load(Acquire)), Relaxed);
        self.session.store(session, Release);
        fence(SeqCst);
        let limit = ring.limit.load(Relaxed);
        ring.tail.store(ring.tail.load(Relaxed).max(limit.saturating_sub(2)), Relaxed);
    }

    /// Reads what is below head, and lets the slots be written again.
    fn harvest(&self) {
        let ring = &self.shared.ring;
        let (tail, head) = (ring.tail.load(Relaxed), ring.head.load(Acquire));
        for k in tail..head {
            self.look_at(k, &[TIMESTAMP, ARG, KINDS].map(|i| self.shared.slots[k as usize % 2].word[i].load(Relaxed)));
        }
        ring.tail.store(head.max(tail), Release);
    }

    fn look_at(&self, position: u64, words: &[u64; 3]) {
        assert!(words.iter().all(|&w| w == position + 100), "torn");
    }
}

/// A recorder attaches while the ring turns: what it reads is whole, and what it has not read is not written.
#[test]
fn who_attaches_reads_whole_events() {
    model(|| {
        let b = box_of_2();
        let writer = {
            let b = b.clone();
            thread::spawn(move || b.write(4, false))
        };
        b.attach(1);
        b.harvest();
        b.harvest();
        writer.join().unwrap();
        let (head, dropped) = (b.shared.ring.head.load(Relaxed), b.shared.ring.dropped.load(Relaxed));
        assert_eq!(head + dropped, 4);
    });
}

/// Somebody copies the ring while it turns: what the rule leaves of the copy is whole.
#[test]
fn a_snapshot_of_a_ring_that_turns_has_whole_events() {
    model(|| {
        let b = box_of_2();
        // In a thread of its own: loom does not try all orders of what the first thread does first.
        let copier = {
            let b = b.clone();
            thread::spawn(move || {
                let head = b.shared.ring.head.load(Acquire);
                let copy = [0, 1].map(|i: usize| b.shared.slots[i].word[TIMESTAMP].load(Relaxed));
                fence(Acquire);
                let limit = b.shared.ring.limit.load(Relaxed);
                for k in limit.saturating_sub(2)..head {
                    b.look_at(k, &[copy[k as usize % 2]; 3]);
                }
            })
        };
        b.write(4, false);
        copier.join().unwrap();
    });
}

/// A recorder is dead and another comes: the writer, which asks for the lock, takes the dead for dead and the living not.
#[test]
fn the_dead_recorder_is_left_and_the_next_one_is_not() {
    model(|| {
        let b = box_of_2();
        b.session.store(1, Relaxed);
        let writer = {
            let b = b.clone();
            thread::spawn(move || b.write(4, true))
        };
        b.lock.store(1, SeqCst);
        b.attach(3);
        b.harvest();
        let read = b.shared.ring.tail.load(Relaxed);
        writer.join().unwrap();
        b.harvest();
        assert_ne!(b.gone.load(Relaxed), 3, "the living was taken for dead");
        assert!(b.shared.ring.head.load(Relaxed) <= read + 2, "written over");
    });
}

/// Two writers and a recorder that goes to sleep: what it does not see, somebody rings for, and one rings only.
#[test]
fn nobody_sleeps_while_something_is_published() {
    model(|| {
        let sleeping = Arc::new((AtomicU32::new(0), AtomicUsize::new(0)));
        let rings = [shared(), shared()];
        let writers = [0, 1].map(|i: usize| {
            let (s, sleeping) = (rings[i].clone(), sleeping.clone());
            thread::spawn(move || {
                let w = RingWriter::none();
                assert!(claim(&w, &s, owner(1, i as u32 + 1)));
                write(&w, 100);
                if bell::sleeps(&sleeping.0, true) && bell::take(&sleeping.0) {
                    sleeping.1.fetch_add(1, Relaxed);
                }
            })
        });
        sleeping.0.store(1, SeqCst);
        fence(SeqCst);
        let seen = [0, 1].map(|i: usize| rings[i].ring.head.load(Acquire));
        let _ = writers.map(|w| w.join().unwrap());
        let rung = sleeping.1.load(Relaxed);
        assert!(rung == 1 || (rung == 0 && seen == [1, 1]), "sleeps");
    });
}

/// The recorder's look at a station: None where a writer is at it.
fn read(s: &Event) -> Option<(u64, [u64; 3])> {
    // The id first: its number is never used again, while seq 2 may be this coroutine's or the station's next one's.
    let id = s.word[PROBE_ID].load(Acquire);
    let seq = s.word[SEQ].load(Acquire);
    // Some of the payload, from its beginning, middle and end: all of it would be too many orders to try.
    let words = [TIMESTAMP, ARG, KINDS].map(|i| s.word[i].load(Relaxed));
    fence(Acquire);
    // Acquire: a seq that came round again brings its coroutine's id with it.
    let same = s.word[SEQ].load(Acquire) == seq && s.word[PROBE_ID].load(Relaxed) == id;
    (same && seq % 2 == 0 && id != 0).then_some((id, words))
}

/// One coroutine's last event, its end, and the next one's first: no two of them are ever mixed.
#[test]
fn a_station_is_read_whole_or_not_at_all() {
    model(|| {
        let s = Arc::new(event());
        station::write(&s, 1, &[11, 0, 11, 0, 5, 11, 11, 11]);
        let writer = {
            let s = s.clone();
            thread::spawn(move || {
                station::write(&s, 2, &[12, 0, 0, 0, 0, 0, 12, 0]);
                station::write(&s, 1, &[13, 0, 13, 0, 6, 13, 13, 13]);
            })
        };
        if let Some(seen) = read(&s) {
            assert!(seen == (5, [11; 3]) || seen == (6, [13; 3]), "torn");
        }
        writer.join().unwrap();
    });
}

#[test]
fn no_station_is_given_to_two() {
    model(|| {
        let s = Arc::new(([event(), event()], AtomicU64::new(0), [AtomicUsize::new(0), AtomicUsize::new(0)]));
        station::push(&s.1, &s.0, 0, || true);
        station::push(&s.1, &s.0, 1, || true);
        let taker = |s: Arc<([Event; 2], AtomicU64, [AtomicUsize; 2])>| {
            move || {
                for _ in 0..2 {
                    if let Some(i) = station::pop(&s.1, &s.0, |_| true) {
                        assert_eq!(s.2[i as usize].fetch_add(1, AcqRel), 0);
                        s.2[i as usize].fetch_sub(1, AcqRel);
                        station::push(&s.1, &s.0, i, || true);
                    }
                }
            }
        };
        let other = thread::spawn(taker(s.clone()));
        taker(s.clone())();
        other.join().unwrap();
        let mut left = [station::pop(&s.1, &s.0, |_| true), station::pop(&s.1, &s.0, |_| true)];
        left.sort();
        assert_eq!((left, station::pop(&s.1, &s.0, |_| true)), ([Some(0), Some(1)], None));
    });
}

#[test]
fn a_bounded_table_is_never_overdrawn() {
    model(|| {
        let used = Arc::new(AtomicU32::new(1));
        let other = {
            let used = used.clone();
            thread::spawn(move || station::take32(&used, 2, 4))
        };
        let mine = station::take32(&used, 2, 4);
        let theirs = other.join().unwrap();
        assert_eq!([mine, theirs].iter().flatten().count(), 1);
        assert_eq!(used.load(Relaxed), 3);
    });
}

/// A string or a site: whoever sees the mark sees the rest.
#[test]
fn a_string_is_whole_when_its_length_is_there() {
    model(|| {
        let s = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let writer = {
            let s = s.clone();
            thread::spawn(move || {
                s.1.store(42, Relaxed);
                s.0.store(1, Release);
            })
        };
        if s.0.load(Acquire) == 1 {
            assert_eq!(s.1.load(Relaxed), 42);
        }
        writer.join().unwrap();
    });
}

/// Counts its drops.
struct Value {
    drops: Arc<AtomicUsize>,
}
impl Drop for Value {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Relaxed);
    }
}

/// A poll that leaves a clone with another thread, which uses it up while the next poll is under way.
#[test]
fn a_loan_given_back_during_the_next_poll() {
    model(|| {
        let counter = || Arc::new(AtomicUsize::new(0));
        let (drops, freed) = ([counter(), counter()], counter());
        let value = |i: usize| Value { drops: drops[i].clone() };
        let count = |last: bool, freed: &AtomicUsize| _ = freed.fetch_add(last as usize, Relaxed);
        let l = Arc::new(Lent::new(value(0)));
        l.lend(); // the clone
        count(l.give_back(), &freed); // the first poll ends
        let other = {
            let (l, freed) = (l.clone(), freed.clone());
            thread::spawn(move || {
                l.spend();
                l.with(|v| assert_eq!(v.drops.load(Relaxed), 0));
                count(l.give_back_spent(), &freed);
            })
        };
        let (held, second) = match l.hold() {
            Hold::Held => (true, l.replace(|| value(1))),
            Hold::Empty => {
                l.put(value(1));
                (true, true)
            }
            Hold::Busy => (false, false),
        };
        if held {
            l.with(|v| assert_eq!(v.drops.load(Relaxed), 0));
            count(l.give_back(), &freed);
        }
        count(l.leave(), &freed);
        other.join().unwrap();
        assert_eq!(freed.load(Relaxed), 1);
        assert_eq!([0, 1].map(|i: usize| drops[i].load(Relaxed)), [1, second as usize]);
    });
}
