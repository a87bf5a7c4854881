//! What a program can say beside what its futures do: several things at once, of other tasks, of a channel's room. Each scene
//! has its bug, or is mended.

use std::collections::VecDeque;
use std::future::{poll_fn, Future};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use corotrace::{Leg, On, TraceFutureExt};

use crate::{elsewhere, lock, ms, Bug, Flag, Pool};

/// A channel that is closed when its sender is dropped.
#[derive(Default)]
struct Channel(Flag);
struct Sender(Arc<Channel>, bool);
impl Drop for Sender {
    fn drop(&mut self) {
        corotrace::close(On::chan(&*self.0));
        if self.1 {
            self.0 .0.set();
        }
    }
}
impl Channel {
    fn on(&self) -> Leg {
        Leg::new(On::chan(self))
    }
}

/// Whichever of the two comes first.
async fn either(a: &Channel, b: &Channel) {
    let first = poll_fn(|cx| match (a.0.poll(cx), b.0.poll(cx)) {
        (Poll::Pending, Poll::Pending) => Poll::Pending,
        _ => Poll::Ready(()),
    });
    first.waiting_on_any([a.on(), b.on()]).await
}

/// Both senders of a select are dropped, and it is not woken.
pub fn select_closed(pool: &Arc<Pool>, mended: bool) {
    let channels: [Arc<Channel>; 2] = Default::default();
    let senders = channels.clone().map(|c| Sender(c, mended));
    pool.spawn(async move { either(&channels[0], &channels[1]).await });
    pool.settle();
    for sender in senders {
        elsewhere(|| drop(sender));
    }
}

/// An async lock whose unlock hands it to who waits first.
#[derive(Default)]
struct Lock(Mutex<(bool, VecDeque<(u64, Waker)>)>);
impl Lock {
    fn poll(&self, queued: &mut bool, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.0);
        let me = corotrace::current();
        if *queued {
            return if state.1.iter().any(|w| w.0 == me) { Poll::Pending } else { Poll::Ready(()) };
        }
        if !state.0 {
            state.0 = true;
            corotrace::acquire(On::mutex(self));
            return Poll::Ready(());
        }
        *queued = true;
        state.1.push_back((me, cx.waker().clone()));
        Poll::Pending
    }

    async fn lock(&self) {
        let mut queued = false;
        poll_fn(|cx| self.poll(&mut queued, cx)).waiting_on(On::mutex(self)).await
    }

    fn unlock(&self) {
        let mut state = lock(&self.0);
        match state.1.pop_front() {
            None => {
                state.0 = false;
                corotrace::release(On::mutex(self));
            }
            Some((next, waker)) => {
                corotrace::release(On::mutex(self));
                corotrace::acquire_for(next, On::mutex(self));
                drop(state);
                waker.wake();
            }
        }
    }
}

/// Waits until both flags are set, which two tasks do at their ends.
async fn both(ends: &[Arc<Flag>; 2], ids: [u64; 2]) {
    let (mut a, mut b) = (pin!(ends[0].wait()), pin!(ends[1].wait()));
    let mut over = [false; 2];
    poll_fn(|cx| {
        over[0] = over[0] || a.as_mut().poll(cx).is_ready();
        over[1] = over[1] || b.as_mut().poll(cx).is_ready();
        if over == [true; 2] {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .waiting_on_all(ids.map(|id| Leg::new(On::join(id))))
    .await
}

/// A parent joins two, and has the lock that one of them wants; it was handed to it by an unlock.
pub fn join_with_lock(pool: &Arc<Pool>, mended: bool) {
    let the = Arc::new(Lock::default());
    let [give, again] = <[Arc<Flag>; 2]>::default();
    let ends = <[Arc<Flag>; 2]>::default();
    let (of, go, more, end) = (the.clone(), give.clone(), again.clone(), ends[0].clone());
    let wants = pool.spawn(async move {
        of.lock().await;
        go.wait().await;
        of.unlock();
        more.wait().await;
        of.lock().await;
        of.unlock();
        end.set();
    });
    let (go, end) = (again.clone(), ends[1].clone());
    let other = pool.spawn(async move {
        go.wait().await;
        end.set();
    });
    pool.settle();
    pool.spawn(async move {
        the.lock().await;
        again.set();
        if mended {
            the.unlock();
        }
        both(&ends, [wants, other]).await;
        if !mended {
            the.unlock();
        }
    });
    pool.settle();
    give.set();
    pool.settle();
}

/// A timer is brought forward, and nobody tells the timer.
pub fn timer_moved(pool: &Arc<Pool>, mended: bool) {
    let rings = Arc::new(Flag::default());
    let timer = rings.clone();
    let sleeper = pool.spawn(async move { timer.wait().waiting_on(On::timer(ms(60_000))).await });
    pool.settle();
    elsewhere(move || {
        corotrace::deadline(sleeper, Some(ms(10)));
        std::thread::sleep(ms(10));
        if mended {
            rings.set();
        }
    });
}

/// A queue that takes so many.
struct Mailbox {
    most: u64,
    state: Mutex<(u64, Vec<Waker>)>,
}
impl Mailbox {
    fn tell(&self, n: u64) {
        corotrace::level(On::chan(self), n);
        corotrace::level(On::room(self), self.most - n);
    }

    async fn send(&self) {
        let sent = poll_fn(|cx| {
            let mut state = lock(&self.state);
            if state.0 == self.most {
                state.1.push(cx.waker().clone());
                return Poll::Pending;
            }
            state.0 += 1;
            self.tell(state.0);
            Poll::Ready(())
        });
        sent.waiting_on(On::room(self)).await
    }

    fn take_all(&self) {
        let mut state = lock(&self.state);
        state.0 = 0;
        self.tell(0);
        state.1.drain(..).for_each(Waker::wake);
    }
}

/// Two who alone receive from their mailboxes send to each other before they do; mended, there is room.
pub fn full_mailboxes(pool: &Arc<Pool>, mended: bool) {
    let most = if mended { 100 } else { 1 };
    let of: [Arc<Mailbox>; 2] = [0, 1].map(|_| Arc::new(Mailbox { most, state: Mutex::default() }));
    let start = Arc::new(Flag::default());
    for i in 0..2 {
        let (mine, other, go) = (of[i].clone(), of[1 - i].clone(), start.clone());
        pool.spawn(async move {
            corotrace::acquire(On::room(&*mine));
            go.wait().await;
            for _ in 0..3 {
                other.send().await;
            }
            mine.take_all();
            corotrace::release(On::room(&*mine));
        });
    }
    pool.settle();
    start.set();
}

/// Sets flags that four wait for, where the pool may lose one of those woken.
pub fn wakes(pool: &Arc<Pool>) {
    let flags = <[Arc<Flag>; 4]>::default();
    for flag in flags.clone() {
        pool.spawn(async move { flag.wait().await });
    }
    pool.settle();
    flags[..3].iter().for_each(|f| f.set());
}

/// A scene, on a pool that lives on for longer than the grace.
pub fn scene(bug: Bug, play: impl FnOnce(&Arc<Pool>)) {
    let pool = Pool::start(bug);
    play(&pool);
    std::thread::sleep(ms(350));
}
