//! What a program can say beside what its futures do.

use core::time::Duration;
use std::panic::Location;

use crate::ctp::{kinds, n_site, Kind, UNKNOWN};
use crate::on::On;
use crate::process::ANY;
use crate::writer::Writer;
use crate::{attach, copy, flag, region, stack, text, threads};

/// Attaches to the recorder that the environment names (`CTP_SHM_PATH`, `CTP_SOCK_PATH`, `CTP_MAX_STATIONS`); true when
/// events are recorded from now on. Only where a recorder is named and cannot be reached, one line on stderr says why.
///
/// The first traced future does it, too. Called before threads are started it is faster. A forked child goes on by itself.
///
/// Where no recorder is named it makes a [`blackbox`] if `CTP_BOX` asks for one, and is ready to be asked for one by
/// `ct-record -p` otherwise; with `CTP_BOX=0` it is not.
pub fn init() -> bool {
    attach::init(None, false)
}

/// As [`init`], and where no recorder is named keeps a black box: the last events of each thread and the state of every
/// coroutine, in memory of this process that `ct-record -p` and `ct-record --box` read, also when it has crashed. True when
/// events are recorded from now on. A process whose recorder has died gets none.
///
/// Called before futures are made it knows them all; those that are older it sees when they are polled again. So it stands
/// before the runtime:
///
/// ```ignore
/// use corotrace::tokio;
///
/// fn main() {
///     corotrace::blackbox();
///     serve();
/// }
///
/// #[tokio::main]
/// async fn serve() { /* ... */ }
/// ```
pub fn blackbox() -> bool {
    blackbox_as("1")
}

/// As [`blackbox`]; `how` is what `CTP_BOX` would say, which goes first where it is set: `1`, in memory, or `/DIR`, in a file
/// there, which outlives `kill -9`; behind it, if you like, `,threads=256,slots=16384,coroutines=4194304`.
pub fn blackbox_as(how: &str) -> bool {
    attach::init(Some(how.as_ref()), !region::on())
}

/// Writes the box into a file that `ct-record --box` reads, as it is now: for an operator's demand, a panic, or in a signal
/// handler, where the path should be short, so that it needs no memory (below 384 bytes, as the standard library is today).
/// An error where there is no box (under `ct-record` there is none) or another thread is at it, and where the file cannot be
/// written: it is not there then.
///
/// ```
/// assert!(corotrace::dump("/nowhere/app.box").is_err());
/// ```
pub fn dump(path: impl AsRef<std::path::Path>) -> std::io::Result<()> {
    copy::dump(path.as_ref())
}

/// Stops recording in this process: until [`start`] what futures do is counted and not recorded, while the state of each is
/// kept; a call costs less than a recorded one, not nothing. The trace shows both moments, and the state of all at the second,
/// so that what was missed is known to be missing. A call of another thread's that is under way belongs to either side. Not for
/// signal handlers.
///
/// ```
/// corotrace::stop();
/// // what is of no interest
/// corotrace::start();
/// ```
pub fn stop() {
    attach::pause(true);
}

/// Goes on after [`stop`]; and where nothing is recorded at all, as [`blackbox`]. True when events are recorded from now on.
pub fn start() -> bool {
    attach::pause(false);
    blackbox()
}

/// Are events recorded?
#[inline]
pub fn enabled() -> bool {
    region::on() && !flag::is_stopped()
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
        true => threads::peek(|w| w.current.get()).unwrap_or(0),
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

fn at_site(id: u64, at: &'static Location<'static>, f: impl FnOnce(&Writer, u32)) {
    threads::with2(id, 1, |w| f(w, w.site(at, "")));
}

/// Somebody made the coroutine `id` runnable: said by the waker, before the push to the run queue. Only for coroutines of a
/// [`PollTrace`](crate::PollTrace); a traced future's waker says it by itself.
#[track_caller]
#[inline(never)]
pub fn wake(id: u64, on: On) {
    if region::on() && !region::foreign(id) {
        let stack = stack::here(stack::pointer());
        at_site(id, Location::caller(), |w, site| w.wake(id, on, site, stack));
    }
}

/// This thread is of that kind, and its name.
pub fn thread(role: Role, name: &str) {
    if region::on() && !region::region().v1 {
        threads::always(|w| w.record_thread(role as u64, name.as_bytes()));
    }
}

fn worker(kind: Kind, depth: Option<u64>) {
    if region::on() {
        threads::with2(ANY, 1, |w| w.event(depth.unwrap_or(UNKNOWN), 0, 0, 0, kinds(kind, 0, false)));
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
        at_site(ANY, Location::caller(), |w, site| w.thing(kind, on, addr, site));
    }
}

/// Coroutine `id` has the lock from now on, whoever runs here: an unlock that hands it over, a guard that was sent; 0: nobody
/// in particular. It is released by [`release_for`], or by [`release`] where `id` runs.
#[track_caller]
pub fn acquire_for(id: u64, on: On) {
    hold_for(Kind::Acquire, id, on, Location::caller());
}

/// Coroutine `id` has the lock no more, whoever runs here.
#[track_caller]
pub fn release_for(id: u64, on: On) {
    hold_for(Kind::Release, id, on, Location::caller());
}

fn hold_for(kind: Kind, id: u64, on: On, at: &'static Location<'static>) {
    if region::on() {
        at_site(ANY, at, |w, site| {
            let on = on.as_known(w.header.on_kinds);
            w.event(0, id, on.value, n_site(0, site), kinds(kind, on.kind, false));
        });
    }
}

/// Coroutine `id`, which had been woken, was taken from a run queue and is not run: the line that drops a wake. Not where it is
/// only moved to another queue.
#[track_caller]
pub fn dequeue(id: u64) {
    if region::on() && !region::foreign(id) {
        at_site(id, Location::caller(), |w, site| {
            if w.knows(Kind::Dequeue) {
                w.event(0, id, w.current.get(), n_site(0, site), kinds(Kind::Dequeue, 0, false));
            }
        });
    }
}

/// The timer that coroutine `id` waits for ends so far from now; `None`: it is off. Called where it is changed, under whatever
/// guards it. Declare all that move, or none: where some are, one that has passed is suspected to be forgotten.
#[track_caller]
pub fn deadline(id: u64, left: Option<Duration>) {
    if region::on() && !region::foreign(id) {
        let on = On::timer(left.unwrap_or(Duration::MAX));
        at_site(id, Location::caller(), |w, site| {
            if w.knows(Kind::Deadline) {
                w.event(w.current.get(), id, on.value, n_site(0, site), kinds(Kind::Deadline, on.kind, false));
            }
        });
    }
}

/// A lock or permit is taken or given back, by whoever runs here or by nobody in particular.
#[cfg(feature = "tokio")]
pub(crate) fn hold(kind: Kind, on: On, running: bool, at: Option<&'static Location<'static>>) {
    if region::on() {
        threads::with2(ANY, 1, |w| {
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
        threads::with2(ANY, 1, |w| w.thing(Kind::Level, on, value, 0));
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
