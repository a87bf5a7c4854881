//! The probe against a region in this process's own memory, read here as a recorder would. Runs under Miri, too.

use core::cell::RefCell;
use core::future::{poll_fn, Future};
use core::pin::{pin, Pin};
use core::task::{Context, Poll};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};
use std::task::{Wake, Waker};

use crate::ctp::{Kind, ADDR, ARG, KINDS, N_SITE, PROBE_ID, RING_FREE, SEQ, TIMESTAMP};
use crate::ring::{Offer, RingWriter};
use crate::{region, Leg, On, PollTrace, TraceFutureExt, TracedFuture};

#[derive(Clone, Copy)]
struct Event([u64; 8]);

impl Event {
    fn kind(self) -> u8 {
        self.0[KINDS] as u8
    }
    fn on(self) -> On {
        On { value: self.0[ARG], kind: (self.0[KINDS] >> 8) as u8 }
    }
}

/// One test at a time: each is the recorder of all rings.
fn one() -> std::sync::MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|e| e.into_inner())
}

#[test]
#[cfg(not(miri))] // whose threads have other stacks
fn a_thread_with_the_smallest_stack_has_room_for_its_first_event() {
    extern "C" fn first(_: *mut core::ffi::c_void) -> *mut core::ffi::c_void {
        drop(PollTrace::new());
        core::ptr::null_mut()
    }
    let _one = one();
    crate::attach::testing::attach();
    crate::sys::on_stack_of(16384, first);
}

/// Runs `f` on a thread of its own and gives what its ring got meanwhile.
fn recorded(f: impl FnOnce() + Send + 'static) -> Vec<Event> {
    let _one = one();
    let r = crate::attach::testing::attach();
    let find = move || {
        let tid = crate::sys::tid();
        let i = r
            .rings()
            .iter()
            .position(|g| g.owner.load(Acquire) == crate::ctp::owner(crate::sys::pid(), tid as u32))
            .unwrap();
        (i, r.rings()[i].head.load(Acquire))
    };
    let (ring, from) = std::thread::spawn(move || {
        drop(PollTrace::new()); // so that it has a ring
        let found = find();
        f();
        found
    })
    .join()
    .unwrap();
    let head = r.rings()[ring].head.load(Acquire);
    assert!(head - from <= crate::attach::testing::SLOTS as u64);
    // SAFETY: slots of that ring.
    let slot =
        |k: u64| unsafe { &*r.slots(ring as u32).unwrap().add(k as usize % crate::attach::testing::SLOTS as usize) };
    let mut events: Vec<_> =
        (from..head).map(|k| Event(core::array::from_fn(|i| slot(k).word[i].load(Relaxed)))).collect();
    let last = events.pop().unwrap();
    assert_eq!((last.kind(), last.0[ARG]), (Kind::Thread as u8, crate::ctp::ROLE_ENDED), "the thread's end");
    // As the recorder: read, and free for the next thread.
    r.rings()[ring].tail.store(head, Release);
    r.rings()[ring].owner.store(0, Release);
    events
}

fn kinds_of(events: &[Event]) -> Vec<u8> {
    events.iter().map(|e| e.kind()).collect()
}

fn expect(events: &[Event], kinds: &[Kind]) {
    assert_eq!(kinds_of(events), kinds.iter().map(|&k| k as u8).collect::<Vec<_>>());
}

/// Counts how often it is woken, and when it is dropped.
struct Counts {
    woken: AtomicUsize,
}
impl Wake for Counts {
    fn wake(self: Arc<Self>) {
        self.woken.fetch_add(1, Relaxed);
    }
}
fn counting() -> (Arc<Counts>, Waker) {
    let counts = Arc::new(Counts { woken: AtomicUsize::new(0) });
    (counts.clone(), counts.into())
}

/// Keeps the waker where the test can reach it, and is ready at the poll of that number.
fn keeps(kept: Arc<Mutex<Vec<Waker>>>, ready_at: usize) -> impl Future<Output = usize> + Send + Unpin {
    let mut polls = 0;
    poll_fn(move |cx| {
        polls += 1;
        if polls == ready_at {
            return Poll::Ready(polls);
        }
        kept.lock().unwrap().push(cx.waker().clone());
        Poll::Pending
    })
}

fn poll<F: Future + ?Sized>(f: Pin<&mut F>, w: &Waker) -> Poll<F::Output> {
    f.poll(&mut Context::from_waker(w))
}

use Kind::{Create, Destroy, Lost, Resume, Start, Stop, Suspend, Wake as Woken, WakerClone, WakerDrop};

#[test]
fn a_life_is_recorded_in_order() {
    let events = recorded(|| {
        let (counts, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let mut f = pin!(keeps(kept.clone(), 2).traced());
        assert!(poll(f.as_mut(), &w).is_pending());
        kept.lock().unwrap().pop().unwrap().wake();
        assert_eq!(counts.woken.load(Relaxed), 1);
        assert_eq!(poll(f.as_mut(), &w), Poll::Ready(2));
    });
    expect(&events, &[Create, Resume, WakerClone, Suspend, Woken, WakerDrop, Resume, Destroy]);
    let id = events[0].0[PROBE_ID];
    assert!(events.iter().all(|e| e.0[PROBE_ID] == id));
    let own: Vec<u64> = [0, 1, 3, 6, 7].map(|i: usize| events[i].0[N_SITE] & 0xffff_ffff).into();
    assert_eq!(own, [1, 2, 3, 4, 5]);
    assert!([0, 1, 3, 6, 7].iter().all(|&i| events[i].0[SEQ] == 2 * (events[i].0[N_SITE] & 0xffff_ffff)));
    assert!(events.windows(2).all(|w| w[0].0[TIMESTAMP] <= w[1].0[TIMESTAMP]));
    assert_eq!(events[7].0[ARG], 1, "finished");
    assert_ne!(events[3].0[ADDR], 0, "a frame");
    assert_ne!(events[3].0[N_SITE] >> 32, 0, "a site");
}

#[test]
fn dropped_at_any_point_it_is_cancelled() {
    let before = recorded(|| drop(std::future::pending::<()>().traced()));
    expect(&before, &[Create, Destroy]);
    let pending = recorded(|| {
        let (_, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        {
            let mut f = pin!(keeps(kept.clone(), 9).traced());
            assert!(poll(f.as_mut(), &w).is_pending());
        }
        kept.lock().unwrap().clear(); // a waker may outlive its future
    });
    expect(&pending, &[Create, Resume, WakerClone, Suspend, Destroy, WakerDrop]);
    assert_eq!(pending[4].0[ARG], 0, "cancelled");
}

#[test]
fn after_its_end_nothing_is_recorded() {
    let events = recorded(|| {
        let (_, w) = counting();
        let mut f = pin!(poll_fn(|_| Poll::Ready(())).traced());
        assert!(poll(f.as_mut(), &w).is_ready());
        assert!(poll(f.as_mut(), &w).is_ready());
        assert_eq!(f.id(), 0);
    });
    expect(&events, &[Create, Resume, Destroy]);
}

#[test]
fn a_panic_unwinds_through_it_and_is_recorded() {
    let events = recorded(|| {
        let (_, w) = counting();
        let mut f = Box::pin(poll_fn(|_| -> Poll<()> { std::panic::panic_any(7) }).traced());
        let caught = std::panic::catch_unwind(move || poll(f.as_mut(), &w)); // it may, as one that is not traced
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&7));
        assert_eq!(crate::current(), 0);
    });
    expect(&events, &[Create, Resume, Suspend, Destroy]);
    assert_eq!(events[2].on(), On::user("panicked"));
}

#[test]
#[cfg(feature = "tokio")]
fn a_guard_is_given_back_where_its_map_panics_and_kept_where_there_is_no_part() {
    use crate::tokio::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
    use std::panic::{catch_unwind, AssertUnwindSafe};

    fn fails(f: impl FnOnce()) {
        assert_eq!(catch_unwind(AssertUnwindSafe(f)).unwrap_err().downcast_ref(), Some(&7));
    }
    fn panics<T>() -> T {
        std::panic::panic_any(7)
    }
    let events = recorded(|| {
        let (lock, rw) = (Mutex::new((1, 2)), RwLock::new((3, 4)));
        fails(|| drop(MutexGuard::map(lock.try_lock().unwrap(), |_| -> &mut i32 { panics() })));
        fails(|| drop(MutexGuard::try_map(lock.try_lock().unwrap(), |_| -> Option<&mut i32> { panics() })));
        fails(|| drop(RwLockReadGuard::map(rw.try_read().unwrap(), |_| -> &i32 { panics() })));
        fails(|| drop(RwLockWriteGuard::try_map(rw.try_write().unwrap(), |_| -> Option<&mut i32> { panics() })));
        let whole = MutexGuard::try_map(lock.try_lock().unwrap(), |_| -> Option<&mut i32> { None }).unwrap_err();
        drop(MutexGuard::map(whole, |both| &mut both.1));
    });
    expect(&events, &[Kind::Acquire, Kind::Release].repeat(5));
}

#[test]
fn a_waker_forgotten_is_a_waker_dropped() {
    let events = recorded(|| {
        let (_, w) = counting();
        let mut f = pin!(poll_fn(|_| Poll::<()>::Pending).traced());
        assert!(poll(f.as_mut(), &w).is_pending());
    });
    expect(&events, &[Create, Resume, WakerClone, Suspend, WakerDrop, Destroy]);
    let yields = recorded(|| {
        let (_, w) = counting();
        let mut f = pin!(poll_fn(|cx| {
            cx.waker().wake_by_ref();
            Poll::<()>::Pending
        })
        .traced());
        assert!(poll(f.as_mut(), &w).is_pending());
    });
    expect(&yields, &[Create, Resume, Woken, Suspend, Destroy]);
}

/// Polls the future where it is woken, as another thread may before the wake has returned.
struct PollsAtOnce(std::sync::Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>);

impl std::task::Wake for PollsAtOnce {
    fn wake(self: Arc<Self>) {
        let w = Waker::from(self.clone());
        let mut f = self.0.lock().unwrap().take().unwrap();
        assert!(poll(f.as_mut(), &w).is_pending());
        *self.0.lock().unwrap() = Some(f);
    }
}

#[test]
fn a_waker_forgotten_while_the_last_one_still_wakes_is_one_dropped() {
    let events = recorded(|| {
        let keeps = Arc::new(std::sync::Mutex::new(None));
        let (to, mut polls) = (keeps.clone(), 0);
        let f = poll_fn(move |cx| {
            polls += 1;
            if polls == 1 {
                *to.lock().unwrap() = Some(cx.waker().clone());
            }
            Poll::Pending
        });
        let e = Arc::new(PollsAtOnce(std::sync::Mutex::new(Some(Box::pin(f.traced())))));
        e.clone().wake();
        let kept = keeps.lock().unwrap().take().unwrap();
        kept.wake();
        drop(e.0.lock().unwrap().take());
    });
    let first = [Create, Resume, WakerClone, Suspend, Woken, WakerDrop];
    expect(&events, &[&first[..], &[Resume, WakerClone, Suspend, WakerDrop, Destroy]].concat());
}

#[test]
fn who_waits_for_ever_by_design_forgets_nothing() {
    let reported = |f: fn() -> Pin<Box<dyn Future<Output = ()>>>| {
        recorded(move || {
            let (_, w) = counting();
            let mut f = f();
            assert!(poll(f.as_mut(), &w).is_pending());
        })
    };
    let life = [Create, Resume, Suspend, Destroy];
    expect(&reported(|| Box::pin(std::future::pending().traced())), &life);
    expect(&reported(|| Box::pin(async { crate::pending().await }.traced())), &life);
    // That this one is meant cannot be reported.
    let lost = [Create, Resume, WakerClone, Suspend, WakerDrop, Destroy];
    expect(&reported(|| Box::pin(async { std::future::pending().await }.traced())), &lost);
}

#[test]
fn the_executors_waker_is_kept_only_as_long_as_somebody_could_call_it() {
    recorded(|| {
        let (counts, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let mut f = pin!(keeps(kept.clone(), 9).traced());
        assert_eq!(Arc::strong_count(&counts), 2);
        for _ in 0..2 {
            assert!(poll(f.as_mut(), &w).is_pending());
            assert_eq!(Arc::strong_count(&counts), 3);
            kept.lock().unwrap().clear();
            assert_eq!(Arc::strong_count(&counts), 2);
        }
    });
}

#[test]
fn a_new_executors_waker_replaces_the_old_one() {
    recorded(|| {
        let (old, w) = counting();
        let (new, v) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let mut f = pin!(keeps(kept.clone(), 9).traced());
        assert!(poll(f.as_mut(), &w).is_pending());
        assert!(poll(f.as_mut(), &v).is_pending());
        kept.lock().unwrap()[0].wake_by_ref(); // stale, as it would be untraced
        assert_eq!((old.woken.load(Relaxed), new.woken.load(Relaxed)), (1, 0));
        kept.lock().unwrap()[1].wake_by_ref();
        assert_eq!((old.woken.load(Relaxed), new.woken.load(Relaxed)), (1, 1));
        let kept = kept.lock().unwrap();
        assert!(!kept[0].will_wake(&kept[1]));
    });
}

#[test]
#[cfg_attr(miri, ignore)] // where the vtables of Arc's wakers differ from clone to clone
fn two_wakers_are_enough() {
    recorded(|| {
        let (_, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let mut f = pin!(keeps(kept.clone(), 99).traced());
        let mut data = std::collections::HashSet::new();
        for _ in 0..9 {
            assert!(poll(f.as_mut(), &w).is_pending());
            let mut kept = kept.lock().unwrap();
            data.insert(kept.last().unwrap().data());
            if kept.len() == 2 {
                assert!(!kept[0].will_wake(&kept[1]));
                kept.remove(0);
            }
        }
        assert_eq!(data.len(), 2);
    });
}

#[test]
fn a_waker_that_nobody_keeps_is_used_again() {
    recorded(|| {
        let (_, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let mut f = pin!(keeps(kept.clone(), 99).traced());
        let mut data = std::collections::HashSet::new();
        for _ in 0..3 {
            assert!(poll(f.as_mut(), &w).is_pending());
            data.insert(kept.lock().unwrap().pop().unwrap().data());
        }
        assert_eq!(data.len(), 1);
    });
}

/// A leaf leaves its waker behind in what was ready after all; the next one is still all that is waited for.
#[test]
fn a_waker_left_behind_hides_nothing() {
    let (thing, other) = (On::chan(&7u8), On::chan(&8u8));
    let events = recorded(move || {
        let (_, w) = counting();
        let (kept, left) = (Arc::new(Mutex::new(vec![])), Arc::new(Mutex::new(vec![])));
        let mut f = pin!(async {
            poll_fn(|cx| {
                left.lock().unwrap().push(cx.waker().clone());
                Poll::Ready(())
            })
            .waiting_on(other)
            .await;
            for _ in 0..2 {
                keeps(kept.clone(), 2).waiting_on(thing).await;
                kept.lock().unwrap().clear();
            }
        }
        .traced());
        assert!(poll(f.as_mut(), &w).is_pending());
        assert!(poll(f.as_mut(), &w).is_pending());
        assert_eq!(left.lock().unwrap().len(), 1);
    });
    let reported: Vec<On> = events.iter().filter(|e| e.kind() == Suspend as u8).map(|e| e.on()).collect();
    assert_eq!(reported, [thing, thing]);
}

#[test]
fn what_it_waits_on_is_recorded_where_nothing_else_can_wake_it() {
    let thing = On::chan(&7u8);
    let events = recorded(move || {
        let (_, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let other = Arc::new(Mutex::new(vec![]));
        let mut one = pin!(keeps(kept.clone(), 9).waiting_on(thing).traced());
        assert!(poll(one.as_mut(), &w).is_pending());
        let mut both = pin!(async {
            let (mut a, mut b) = (keeps(kept.clone(), 9).waiting_on(thing), keeps(other.clone(), 9));
            poll_fn(|cx| {
                let _ = Pin::new(&mut a).poll(cx);
                Pin::new(&mut b).poll(cx)
            })
            .await
        }
        .traced());
        assert!(poll(both.as_mut(), &w).is_pending());
    });
    let reported: Vec<On> = events.iter().filter(|e| e.kind() == Suspend as u8).map(|e| e.on()).collect();
    assert_eq!(reported[0], thing);
    assert_ne!(reported[1], thing);
}

#[test]
fn several_things_stand_right_before_the_suspend_that_is_for_them() {
    let (chan, room) = (On::chan(&7u8), On::room(&7u8));
    let events = recorded(move || {
        let mut probe = PollTrace::new();
        probe.on_resume();
        probe.on_wait_any(&[Leg::new(chan), room.into()]);
        probe.on_resume();
        probe.on_wait_all(&[room.into()]);
        probe.on_resume();
        probe.on_wait_any(&[]);
    });
    expect(
        &events,
        &[Create, Resume, Kind::Leg, Kind::Leg, Suspend, Resume, Kind::Leg, Suspend, Resume, Suspend, Destroy],
    );
    let on = |i: usize| events[i].on();
    assert_eq!([on(2), on(3), on(4)], [chan, room, On::several(false, 2)]);
    assert_eq!([on(6), on(7), on(9)], [room, On::several(true, 1), On::nothing()]);
    let n = |i: usize| events[i].0[N_SITE] as u32;
    assert_eq!([n(2), n(3), n(6)], [n(4), n(4), n(7)]);
    assert!(events[2].0[N_SITE] >> 32 != 0 && events[3].0[N_SITE] >> 32 == 0);
    assert!(events.iter().all(|e| e.0[PROBE_ID] == events[0].0[PROBE_ID]));
}

#[test]
fn what_does_more_than_four_billion_things_goes_on_to_be_counted() {
    let events = recorded(|| {
        let mut probe = PollTrace::new();
        probe.coro.n = u32::MAX as u64 - 1;
        probe.on_resume();
        probe.on_wait_any(&[On::chan(&7u8).into()]);
        probe.on_resume();
    });
    expect(&events, &[Create, Resume, Kind::Leg, Suspend, Resume, Destroy]);
    assert_eq!([1, 3, 4].map(|i| events[i].0[SEQ] / 2), [0xffff_ffff, 0x1_0000_0000, 0x1_0000_0001]);
    assert_eq!([1, 2, 3, 4].map(|i| events[i].0[N_SITE] as u32), [u32::MAX, 0, 0, 1]);
    assert_eq!(events[2].0[ADDR], 1);
}

/// Each leaf keeps a clone: these are all that could wake it, or there is one more, of which nothing was said.
#[test]
fn several_things_are_believed_of_a_future_that_nothing_else_can_wake() {
    let legs = [On::chan(&7u8).into(), On::chan(&8u8).into()];
    let events = recorded(move || {
        let (_, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let first = |kept: Arc<Mutex<Vec<Waker>>>| {
            poll_fn(move |cx| {
                kept.lock().unwrap().extend([cx.waker().clone(), cx.waker().clone()]);
                Poll::<()>::Pending
            })
        };
        let mut one = pin!(first(kept.clone()).waiting_on_any(legs).traced());
        assert!(poll(one.as_mut(), &w).is_pending());
        let mut and_more = pin!(async {
            let mut some = first(kept.clone()).waiting_on_all(legs);
            poll_fn(|cx| {
                let _ = Pin::new(&mut some).poll(cx);
                kept.lock().unwrap().push(cx.waker().clone());
                Poll::<()>::Pending
            })
            .await
        }
        .traced());
        assert!(poll(and_more.as_mut(), &w).is_pending());
        let mut none = pin!(first(kept.clone()).waiting_on_any([]).traced());
        assert!(poll(none.as_mut(), &w).is_pending());
    });
    let reported: Vec<On> = events.iter().filter(|e| e.kind() == Suspend as u8).map(|e| e.on()).collect();
    assert_eq!(reported, [On::several(false, 2), On::nothing(), On::nothing()]);
    assert_eq!(events.iter().filter(|e| e.kind() == Kind::Leg as u8).count(), 2);
}

/// As a `select!` of two locks and a time limit around one of them does, that says nothing itself.
#[test]
fn what_is_polled_in_one_poll_are_legs_if_nothing_else_can_wake_it() {
    let on = [On::chan(&7u8), On::mutex(&8u8), On::timer(std::time::Duration::from_secs(9))];
    let events = recorded(move || {
        let (_, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let leaf = |kept: &Arc<Mutex<Vec<Waker>>>| {
            let kept = kept.clone();
            poll_fn(move |cx| {
                kept.lock().unwrap().push(cx.waker().clone());
                Poll::<()>::Pending
            })
        };
        for more in [false, true] {
            let mut legs = pin!(async {
                let mut first = leaf(&kept).waiting_on(on[0]);
                let (inner, limit) = (&mut leaf(&kept).waiting_on(on[1]), &mut leaf(&kept));
                let mut limited = poll_fn(|cx| {
                    let _ = Pin::new(&mut *inner).poll(cx);
                    Pin::new(&mut *limit).poll(cx)
                })
                .waiting_on(on[2]);
                let mut unknown = leaf(&kept);
                poll_fn(|cx| {
                    let _ = Pin::new(&mut first).poll(cx);
                    let _ = more && Pin::new(&mut unknown).poll(cx).is_ready();
                    Pin::new(&mut limited).poll(cx)
                })
                .await
            }
            .traced());
            assert!(poll(legs.as_mut(), &w).is_pending());
        }
    });
    let suspends = events.iter().enumerate().filter(|(_, e)| e.kind() == Suspend as u8);
    let [(known, of_two), (_, of_more)] = suspends.collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(of_two.on(), On::several(false, 2));
    assert_eq!(
        [known - 2, known - 1].map(|i| (events[i].kind(), events[i].on())),
        [on[0], on[2]].map(|on| (Kind::Leg as u8, on))
    );
    assert!(events[known - 2].0[N_SITE] >> 32 != 0);
    assert_eq!(of_more.on(), on[2].any());
    assert_eq!(events.iter().filter(|e| e.kind() == Kind::Leg as u8).count(), 2);
}

#[test]
fn what_is_said_of_another_coroutine_names_it_and_who_said_so() {
    let (lock, room) = (On::mutex(&7u8), On::room(&7u8));
    let events = recorded(move || {
        let (mut by, other) = (PollTrace::new(), PollTrace::new());
        by.on_resume();
        crate::acquire_for(other.id(), lock);
        crate::release_for(0, room);
        crate::dequeue(other.id());
        crate::deadline(other.id(), None);
        crate::dequeue(0);
    });
    let said = [Kind::Acquire, Kind::Release, Kind::Dequeue, Kind::Deadline];
    expect(&events[2..], &[&[Resume], &said[..], &[Destroy, Destroy]].concat());
    let (by, other) = (events[0].0[PROBE_ID], events[1].0[PROBE_ID]);
    let ids: Vec<u64> = events[3..7].iter().map(|e| e.0[PROBE_ID]).collect();
    assert_eq!(ids, [other, 0, other, other]);
    assert_eq!((events[3].on(), events[4].on(), events[5].0[ARG]), (lock, room, by));
    assert_eq!((events[6].0[ADDR], events[6].0[ARG]), (by, u64::MAX));
    assert!(events[3..7].iter().all(|e| e.0[N_SITE] >> 32 != 0));
}

#[test]
fn an_older_recorder_gets_what_it_knows() {
    let room = On::room(&7u8);
    assert_eq!((room.as_known(0), room.any().as_known(0)), (On::chan(&7u8), On::chan(&7u8).any()));
    assert_eq!(room.as_known(crate::ctp::ON_KINDS), room);
}

#[test]
fn what_was_said_by_one_that_is_gone_is_not_believed() {
    let thing = On::chan(&7u8);
    let events = recorded(move || {
        let (_, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let other = Arc::new(Mutex::new(vec![]));
        let mut f = pin!(async {
            let mut a = keeps(kept.clone(), 9).waiting_on(thing);
            poll_fn(|cx| {
                let _ = Pin::new(&mut a).poll(cx);
                Poll::Ready(())
            })
            .await;
            kept.lock().unwrap().clear();
            keeps(other.clone(), 9).await
        }
        .traced());
        assert!(poll(f.as_mut(), &w).is_pending());
    });
    let reported: Vec<On> = events.iter().filter(|e| e.kind() == Suspend as u8).map(|e| e.on()).collect();
    assert_ne!(reported[0], thing);
}

/// As FuturesUnordered: one waker of its own for all that it polls.
#[test]
fn what_one_of_many_waits_on_is_not_what_all_do() {
    let thing = On::chan(&7u8);
    let events = recorded(move || {
        let (_, w) = counting();
        let (_, own) = counting();
        let (kept, others) = (Arc::new(Mutex::new(vec![])), Arc::new(Mutex::new(vec![])));
        let mut leaf = Box::pin(keeps(others.clone(), 9).waiting_on(thing));
        let mut traced = Box::pin(keeps(others.clone(), 9).traced());
        let mut said = poll_fn(|cx| {
            others.lock().unwrap().push(cx.waker().clone());
            crate::waits_on(cx, thing);
            Poll::<()>::Pending
        });
        for which in 0..3 {
            let mut many = pin!(poll_fn(|cx| {
                kept.lock().unwrap().push(cx.waker().clone());
                let _ = match which {
                    0 => poll(leaf.as_mut(), &own).is_ready(),
                    1 => poll(traced.as_mut(), &own).is_ready(),
                    _ => poll(Pin::new(&mut said), &own).is_ready(),
                };
                Poll::<()>::Pending
            })
            .traced());
            assert!(poll(many.as_mut(), &w).is_pending());
        }
    });
    let traced = events[0].0[PROBE_ID];
    let suspends = events.iter().filter(|e| e.kind() == Suspend as u8 && e.0[PROBE_ID] != traced);
    let reported: Vec<On> = suspends.map(|e| e.on()).collect();
    assert_eq!(reported, [thing.any(), On::coro(traced).any(), thing.any()]);
}

#[test]
fn one_within_another_is_its_part() {
    let events = recorded(|| {
        let (counts, w) = counting();
        let kept = Arc::new(Mutex::new(vec![]));
        let mut outer = pin!(keeps(kept.clone(), 2).traced().traced());
        assert!(poll(outer.as_mut(), &w).is_pending());
        kept.lock().unwrap().pop().unwrap().wake();
        assert_eq!(counts.woken.load(Relaxed), 1);
        assert_eq!(poll(outer.as_mut(), &w), Poll::Ready(2));
    });
    let (inner, outer) = (events[0].0[PROBE_ID], events[1].0[PROBE_ID]);
    let suspends: Vec<&Event> = events.iter().filter(|e| e.kind() == Suspend as u8).collect();
    assert_eq!((suspends[0].0[PROBE_ID], suspends[1].0[PROBE_ID]), (inner, outer));
    assert_eq!(suspends[1].on(), On::coro(inner));
    let woken: Vec<u64> = events.iter().filter(|e| e.kind() == Woken as u8).map(|e| e.0[PROBE_ID]).collect();
    assert_eq!(woken, [outer]);
}

#[test]
fn what_a_destructor_does_is_the_futures_doing() {
    thread_local!(static BY: RefCell<u64> = const { RefCell::new(0) });
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            BY.set(crate::current());
        }
    }
    recorded(|| {
        let guard = Guard;
        let f = async move {
            let _guard = guard;
            std::future::pending::<()>().await
        }
        .traced();
        let id = f.id();
        drop(f);
        assert_eq!((BY.take(), crate::current()), (id, 0));
    });
}

#[test]
fn the_names_of_the_other_crate() {
    let events = recorded(|| {
        crate::init_tracer();
        assert!(crate::tracer_enabled());
        let mut probe = PollTrace::default();
        assert!(probe.is_enabled());
        probe.on_resume();
        probe.on_resume();
        probe.on_pending_addr(0x1234);
        probe.on_resume();
        probe.on_pending(Pin::new(&mut 5));
        probe.mark_dead();
        probe.mark_dead();
        assert!(!probe.is_enabled());
        assert_eq!(TracedFuture::new(5).into_inner(), 5);
        let mut f = crate::trace_future(std::future::ready(()));
        assert!(f.trace_mut().is_enabled());
    });
    let probe = [Create, Resume, Suspend, Resume, Suspend, Destroy];
    expect(&events, &[&probe[..], &[Create, Destroy], &[Create, Destroy]].concat());
    assert_eq!(events[2].0[ADDR], 0x1234);
}

#[test]
fn send_and_sync_when_the_future_is() {
    fn send<T: Send>(_: T) {}
    fn sync<T: Sync>(_: T) {}
    send(async {}.traced());
    sync(std::future::ready(()).traced());
    fn unpin<T: Unpin>(_: T) {}
    unpin(std::future::ready(()).traced());
}

/// A future handed from thread to thread, woken, cloned and dropped by others meanwhile.
#[test]
fn many_threads() {
    let rounds = if cfg!(miri) { 3 } else { 30 };
    let events = recorded(move || {
        for _ in 0..rounds {
            let kept = Arc::new(Mutex::new(vec![]));
            let (_, w) = counting();
            let mut f = Box::pin(keeps(kept.clone(), usize::MAX).traced());
            for _ in 0..3 {
                let taker = kept.clone();
                let other = std::thread::spawn(move || {
                    for k in 0..2 {
                        let Some(waker) = taker.lock().unwrap().pop() else { continue };
                        drop(waker.clone());
                        if k == 0 {
                            waker.wake();
                        }
                    }
                });
                let w = w.clone();
                f = std::thread::spawn(move || {
                    assert!(poll(f.as_mut(), &w).is_pending());
                    f
                })
                .join()
                .unwrap();
                other.join().unwrap();
                // As the recorder does with the rings of threads that have ended.
                for g in region::region().rings() {
                    if g.owner.load(Acquire) & crate::ctp::RING_RETIRED != 0 {
                        g.tail.store(g.head.load(Acquire), Release);
                        g.owner.store(0, Release);
                    }
                }
            }
        }
    });
    assert!(events.iter().all(|e| e.kind() != Lost as u8));
}

#[test]
fn stations_hold_the_last_event_and_are_used_again() {
    recorded(|| {
        let r = region::region();
        let mut used = std::collections::HashSet::new();
        for _ in 0..if cfg!(miri) { 3 } else { 50 } {
            let mut probe = PollTrace::new();
            probe.on_resume();
            probe.on_wait(On::user("x"));
            let s = r.stations().iter().position(|s| s.word[PROBE_ID].load(Relaxed) == probe.id()).unwrap();
            assert_eq!(r.stations()[s].word[SEQ].load(Relaxed), 6);
            assert_eq!(r.stations()[s].word[KINDS].load(Relaxed) as u8, Suspend as u8);
            used.insert(s);
        }
        assert_eq!(used.len(), 1);
    });
}

#[test]
fn what_happens_while_recording_is_stopped_is_counted_and_shown_by_its_station() {
    let events = recorded(|| {
        let mut probe = PollTrace::new();
        crate::stop();
        assert!(!crate::enabled());
        probe.on_resume();
        probe.on_wait(On::user("x"));
        let stations = region::region().stations();
        let station = stations.iter().find(|s| s.word[PROBE_ID].load(Relaxed) == probe.id()).unwrap();
        assert_eq!(station.word[SEQ].load(Relaxed), 6);
        drop(PollTrace::named("unseen"));
        assert!(crate::start() && crate::enabled());
        probe.on_resume();
    });
    expect(&events, &[Create, Stop, Lost, Start, Resume, Destroy]);
    assert_eq!(events[2].0[ARG], 2 + 3);
    assert_eq!(events[4].0[N_SITE] & 0xffff_ffff, 4);
}

#[test]
fn a_full_ring_drops_the_newest_and_reports_it() {
    let _one = one();
    let r = crate::attach::testing::attach();
    std::thread::spawn(move || {
        let mut probe = PollTrace::new();
        let slots = crate::attach::testing::SLOTS as u64;
        let me = crate::ctp::owner(crate::sys::pid(), crate::sys::tid() as u32);
        let g = r.rings().iter().find(|g| g.owner.load(Relaxed) == me).unwrap();
        for k in 0..2 * slots {
            match k % 2 {
                0 => probe.on_resume(),
                _ => probe.on_wait(On::nothing()),
            }
        }
        let head = g.head.load(Relaxed);
        assert_eq!(head, g.tail.load(Relaxed) + slots);
        let dropped = g.dropped.load(Relaxed);
        assert!(dropped > 0);
        g.tail.store(head, Release);
        probe.on_resume();
        let i = r.rings().iter().position(|o| core::ptr::eq(o, g)).unwrap();
        // SAFETY: a slot of that ring.
        let lost = unsafe { &*r.slots(i as u32).unwrap().add((head % slots) as usize) };
        assert_eq!(lost.word[KINDS].load(Relaxed) as u8, Lost as u8);
        assert_eq!(lost.word[ARG].load(Relaxed), dropped);
        assert_eq!(g.head.load(Relaxed), head + 2);
    })
    .join()
    .unwrap();
}

#[test]
fn a_head_that_a_child_stored_late_is_mended_and_a_child_gives_nothing_back() {
    let _one = one();
    let r = crate::attach::testing::attach();
    let (ring, ours, w) = (&r.rings()[31], AtomicBool::new(true), RingWriter::none());
    let (slots, owner) = (r.slots(31).unwrap(), crate::ctp::owner(1, 7));
    let offer = Offer { ring, from: RING_FREE, slots, count: r.ring_slots, overwrites: false };
    w.told_by(&raw const ours);
    // SAFETY: the slots are the ring's, and the mapping stays.
    assert!(unsafe { w.claim(&offer, owner) }.is_some());
    w.refill(1, 0);
    assert!(w.push([1; 8]));
    ring.head.store(0, Relaxed);
    w.head_again();
    assert_eq!(ring.head.load(Relaxed), 1);
    ours.store(false, Relaxed);
    ring.head.store(0, Relaxed);
    w.head_again();
    w.retire();
    assert_eq!((ring.head.load(Relaxed), ring.owner.load(Relaxed)), (0, owner));
    ring.owner.store(RING_FREE, Relaxed);
}
