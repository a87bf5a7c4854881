//! What is waited on.

use core::time::Duration;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::panic::Location;

use crate::{ctp, region, sys, text};

const NONE: u8 = 0;
const CORO: u8 = 1;
const FD: u8 = 2;
const TIMER: u8 = 3;
const MUTEX: u8 = 4;
const COND: u8 = 5;
const SEM: u8 = 6;
const CHAN: u8 = 7;
const JOIN: u8 = 8;
const USER: u8 = 9;
const ROOM: u8 = 10;
const ANY_OF: u8 = 11;
const ALL_OF: u8 = 12;
pub(crate) const KINDS: u8 = 13;

/// What a coroutine waits on, what is closed, locked or notified: a kind, and a value that names one thing of that kind.
///
/// Locks, channels and the like are named by an address. Whoever waits and whoever wakes must give the same one, and it
/// must not change while somebody waits: take that of the shared part (inside the `Arc`), not that of a handle.
///
/// ```
/// use corotrace::On;
/// let lock = std::sync::Arc::new(());
/// assert_eq!(On::mutex(&*lock), On::mutex(&*lock.clone()));
/// assert_ne!(On::mutex(&*lock), On::chan(&*lock));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct On {
    pub(crate) value: u64,
    pub(crate) kind: u8,
}

impl On {
    const fn new(kind: u8, value: u64) -> Self {
        Self { value, kind }
    }

    fn at<T: ?Sized>(kind: u8, thing: *const T) -> Self {
        Self::new(kind, thing.cast::<()>().addr() as u64)
    }

    /// Nothing is said.
    pub const fn nothing() -> Self {
        Self::new(NONE, 0)
    }

    /// A file descriptor.
    ///
    /// ```
    /// use std::os::fd::AsFd;
    /// let on = corotrace::On::fd(std::io::stdin().as_fd());
    /// ```
    pub fn fd(fd: BorrowedFd<'_>) -> Self {
        Self::new(FD, fd.as_raw_fd() as u32 as u64)
    }

    /// Some file descriptor.
    #[cfg(feature = "tokio-net")]
    pub(crate) const fn any_fd() -> Self {
        Self::new(FD | ctp::ON_ANY, 0)
    }

    /// A time that is so far away.
    pub fn timer(left: Duration) -> Self {
        if !region::ready() {
            return Self::new(TIMER | ctp::ON_ANY, 0); // nobody asks, so far
        }
        let left = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX);
        Self::new(TIMER, sys::monotonic_ns().saturating_add(left))
    }

    /// That time, in nanoseconds.
    #[cfg(feature = "layer")]
    pub(crate) const fn timer_at(ns: u64) -> Self {
        Self::new(TIMER, ns)
    }

    /// Some time.
    #[cfg(feature = "tokio")]
    pub(crate) const fn timer_any() -> Self {
        Self::new(TIMER | ctp::ON_ANY, 0)
    }

    /// A lock.
    pub fn mutex<T: ?Sized>(lock: *const T) -> Self {
        Self::at(MUTEX, lock)
    }

    /// A condition, an event, a notification.
    pub fn cond<T: ?Sized>(cond: *const T) -> Self {
        Self::at(COND, cond)
    }

    /// A semaphore.
    pub fn sem<T: ?Sized>(sem: *const T) -> Self {
        Self::at(SEM, sem)
    }

    /// A channel; where its room is named, too, what is in it.
    pub fn chan<T: ?Sized>(chan: *const T) -> Self {
        Self::at(CHAN, chan)
    }

    /// Room in that channel: who waits to send, and how much is free.
    ///
    /// ```
    /// use corotrace::On;
    /// let queue = std::sync::Arc::new(());
    /// assert_ne!(On::room(&*queue), On::chan(&*queue));
    /// ```
    pub fn room<T: ?Sized>(chan: *const T) -> Self {
        Self::at(ROOM, chan)
    }

    /// A notification that is known by a number.
    #[cfg(feature = "tokio")]
    pub(crate) const fn cond_number(number: u64) -> Self {
        Self::new(COND, number)
    }

    /// A channel that is known by a number.
    #[cfg(feature = "tokio")]
    pub(crate) const fn chan_number(number: u64) -> Self {
        Self::new(CHAN, number)
    }

    /// Room in that channel: not what is in it.
    #[cfg(feature = "tokio")]
    pub(crate) const fn room_number(number: u64) -> Self {
        Self::new(ROOM, number)
    }

    /// Who can send there: so many.
    #[cfg(feature = "tokio")]
    pub(crate) const fn senders_number(number: u64) -> Self {
        Self::new(SEM, number)
    }

    /// The result of a coroutine, by its id.
    pub const fn coro(id: u64) -> Self {
        Self::new(CORO, id)
    }

    /// The end of a task, by its id.
    pub const fn join(id: u64) -> Self {
        Self::new(JOIN, id)
    }

    /// Your own words. They are kept for the whole recording: let them be few.
    pub fn user(words: &str) -> Self {
        match if region::ready() { text::intern(words) } else { 0 } {
            0 => Self::new(USER | ctp::ON_ANY, 0),
            n => Self::new(USER, n as u64),
        }
    }

    /// For nothing that could ever wake it: a future forgot its waker, or it is `std::future::pending()`, which needs none.
    pub(crate) fn no_waker() -> Self {
        Self::user("no waker")
    }

    /// A suspend's: any or all of so many legs.
    pub(crate) const fn several(all: bool, legs: usize) -> Self {
        match legs {
            0 => Self::nothing(),
            n => Self::new(if all { ALL_OF } else { ANY_OF }, n as u64),
        }
    }

    /// Some descriptor, or that one.
    pub(crate) const fn is_fd(self) -> bool {
        self.kind & !ctp::ON_ANY == FD
    }

    #[cfg(feature = "layer")]
    pub(crate) const fn is_timer(self) -> bool {
        self.kind & !ctp::ON_ANY == TIMER
    }

    /// A lock, or permits.
    pub(crate) const fn is_taken(self) -> bool {
        matches!(self.kind & !ctp::ON_ANY, MUTEX | SEM)
    }

    /// Is it told, too, beside what nobody knows? What tokio's spans tell of is, and of the wrapper's channels the room.
    pub(crate) fn is_told_beside(self) -> bool {
        #[cfg(feature = "layer")]
        let is_theirs = self.kind == CHAN && crate::layer::names(self.value);
        #[cfg(not(feature = "layer"))]
        let is_theirs = false;
        self.is_taken() || self.kind == ROOM || is_theirs
    }

    /// Of the same kind, named by that address.
    pub(crate) fn instead(self, thing: *const ()) -> Self {
        Self { value: thing.addr() as u64, ..self }
    }

    /// Named by that address.
    pub(crate) fn is_at(self, thing: *const ()) -> bool {
        self.value == thing.addr() as u64
    }

    /// As a recorder knows it that knows so many kinds.
    pub(crate) const fn as_known(self, on_kinds: u32) -> Self {
        match self.kind & !ctp::ON_ANY {
            ROOM if on_kinds <= ROOM as u32 => Self::new(CHAN | (self.kind & ctp::ON_ANY), self.value),
            _ => self,
        }
    }

    /// The same kind of thing, but not known which.
    pub const fn any(self) -> Self {
        match self.kind {
            NONE | ANY_OF | ALL_OF => Self::nothing(),
            kind => Self::new(kind | ctp::ON_ANY, 0),
        }
    }
}

/// One of several things that a coroutine waits for, and where it was said.
///
/// ```
/// use corotrace::{Leg, On};
/// use std::time::Duration;
/// # let queue = ();
/// let here = Leg::new(On::chan(&queue));
/// let nowhere = Leg::from(On::timer(Duration::from_secs(1)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Leg {
    pub(crate) on: On,
    pub(crate) at: Option<&'static Location<'static>>,
    /// Or its number in the trace.
    pub(crate) site: u32,
}

impl Leg {
    /// That thing, at the line of this call.
    #[track_caller]
    pub fn new(on: On) -> Self {
        Self { on, at: Some(Location::caller()), site: 0 }
    }
}

impl From<On> for Leg {
    /// That thing, without a place of its own.
    fn from(on: On) -> Self {
        Self { on, at: None, site: 0 }
    }
}
