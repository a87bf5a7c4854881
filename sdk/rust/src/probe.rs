//! What a program can say beside what its futures do.

use std::panic::Location;

#[cfg(feature = "tokio")]
use crate::ctp::n_site;
use crate::ctp::{kinds, Kind, UNKNOWN};
use crate::on::On;
use crate::{region, stack, text, writer};

/// Attaches to the recorder that the environment names (`CTP_SHM_PATH`, `CTP_SOCK_PATH`, `CTP_MAX_STATIONS`); true when
/// events are recorded from now on. Only where a recorder is named and cannot be reached, one line on stderr says why.
///
/// The first traced future does it, too. Called before threads are started it is faster. A forked child goes on by itself.
pub fn init() -> bool {
    region::init()
}

/// Are events recorded?
#[inline]
pub fn enabled() -> bool {
    region::on()
}

/// As [`init`]; the name in coroTracer's crate.
pub fn init_tracer() {
    init();
}

/// As [`enabled`], after an [`init`]; the name in coroTracer's crate.
pub fn tracer_enabled() -> bool {
    region::ready()
}

/// The coroutine that this thread runs, 0: none.
pub fn current() -> u64 {
    match region::on() {
        true => writer::peek(|w| w.current.get()).unwrap_or(0),
        false => 0,
    }
}

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Anything else.
    Other,
    /// Runs coroutines: `ct-lostwake` asks all workers before it accuses.
    Worker,
    /// Runs what would block a worker.
    Blocking,
}

fn place(at: &'static Location<'static>, f: impl FnOnce(&writer::Writer, u32)) {
    writer::with2(|w| f(w, w.site(at, "")));
}

/// Somebody made the coroutine `id` runnable: said by the waker, before the push to the run queue. Only for coroutines of a
/// [`PollTrace`](crate::PollTrace); a traced future's waker says it by itself.
#[track_caller]
#[inline(never)]
pub fn wake(id: u64, on: On) {
    if region::on() && !region::foreign(id) {
        let stack = stack::here(stack::pointer());
        place(Location::caller(), |w, site| w.wake(id, on, site, stack));
    }
}

/// This thread is of that kind, and its name.
pub fn thread(role: Role, name: &str) {
    if region::on() {
        writer::with2(|w| w.say_thread(role as u64, name));
    }
}

fn worker(kind: Kind, depth: Option<u64>) {
    if region::on() {
        writer::with2(|w| w.event(depth.unwrap_or(UNKNOWN), 0, 0, 0, kinds(kind, 0, false)));
    }
}

/// This worker found nothing to run and goes to sleep; the length of its queue, where that is known.
pub fn park(depth: Option<u64>) {
    worker(Kind::Park, depth);
}

/// This worker woke up.
pub fn unpark(depth: Option<u64>) {
    worker(Kind::Unpark, depth);
}

#[track_caller]
fn thing(kind: Kind, on: On, addr: u64) {
    if region::on() {
        place(Location::caller(), |w, site| w.thing(kind, on, addr, site));
    }
}

/// A lock or permit is taken or given back, by whoever runs here or by nobody in particular.
#[cfg(feature = "tokio")]
pub(crate) fn hold(kind: Kind, on: On, running: bool, at: Option<&'static Location<'static>>) {
    if region::on() {
        writer::with2(|w| {
            let site = at.map_or(0, |at| w.site(at, ""));
            let by = if running { w.current.get() } else { 0 };
            w.event(0, by, on.value, n_site(0, site), kinds(kind, on.kind, false));
        });
    }
}

/// A thing appeared.
#[track_caller]
pub fn open(on: On, name: &str) {
    if region::on() {
        thing(Kind::Open, on, text::intern(name) as u64);
    }
}

/// A thing is gone. Of a descriptor, before it is closed and its number can be used again.
#[track_caller]
pub fn close(on: On) {
    thing(Kind::Close, on, 0);
}

/// A condition was notified; how many waiters that woke.
#[track_caller]
pub fn notify(on: On, woken: u64) {
    thing(Kind::Notify, on, woken);
}

/// A thing holds so many items or permits now; a lock: 1 is free.
pub fn level(on: On, value: u64) {
    if region::on() {
        writer::with2(|w| w.thing(Kind::Level, on, value, 0));
    }
}

/// The running coroutine (or thread) took a lock.
#[track_caller]
pub fn acquire(on: On) {
    thing(Kind::Acquire, on, 0);
}

/// It gave the lock back.
#[track_caller]
pub fn release(on: On) {
    thing(Kind::Release, on, 0);
}
