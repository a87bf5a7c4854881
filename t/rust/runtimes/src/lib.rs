//! What the programs share: tasks to be spawned by any executor, healthy or with a bug, which `corotrace` is told of by
//! `.traced()` at their root, and by what a lock of no runtime's in particular declares.

use std::future::{poll_fn, Future};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use async_lock::{Barrier, Mutex, MutexGuard};
use corotrace::{On, TraceFutureExt};
use smol::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A lock that says who waits for it and who has it; the guard in it is dropped after that is said.
pub struct Lock(Mutex<u32>);
pub struct Guard<'a>(&'a Lock, #[allow(dead_code)] MutexGuard<'a, u32>);

impl Lock {
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = Guard<'_>> {
        let lock = self.0.lock().waiting_on(On::mutex(self));
        async move {
            let guard = Guard(self, lock.await);
            corotrace::acquire(On::mutex(self));
            guard
        }
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        corotrace::release(On::mutex(self.0));
    }
}

/// A box for letters, of which one may wait for the next.
#[derive(Default)]
struct Letters(std::sync::Mutex<State>);

#[derive(Default)]
struct State {
    waits: Option<Waker>,
    asks: Option<Waker>,
    is_closed: bool,
}

impl Letters {
    /// Until one comes, or the box is closed.
    fn next(&self) -> impl Future<Output = ()> + '_ {
        poll_fn(|cx| {
            let mut state = self.0.lock().unwrap();
            if state.is_closed {
                return Poll::Ready(());
            }
            state.waits = Some(cx.waker().clone());
            if let Some(waker) = state.asks.take() {
                waker.wake();
            }
            Poll::Pending
        })
    }

    /// Until somebody waits for one.
    fn is_wanted(&self) -> impl Future<Output = ()> + '_ {
        poll_fn(|cx| {
            let mut state = self.0.lock().unwrap();
            if state.waits.is_some() {
                return Poll::Ready(());
            }
            state.asks = Some(cx.waker().clone());
            Poll::Pending
        })
    }

    fn close(&self, wakes: bool) {
        let mut state = self.0.lock().unwrap();
        corotrace::close(On::chan(self));
        state.is_closed = true;
        if let Some(waker) = state.waits.as_ref().filter(|_| wakes) {
            waker.wake_by_ref();
        }
    }
}

/// Two tasks lock two mutexes, in two orders where that is the bug; one waits for a reply whose waker is dropped, where
/// that is; one ends with a lock for which another waits, where that is; and one closes what another waits for, and wakes nobody,
/// where that is.
pub fn tasks(bug: bool) -> Vec<Task> {
    let locks = [0, 1].map(|n| Arc::new(Lock(Mutex::new(n))));
    let meeting = Arc::new(Barrier::new(if bug { 2 } else { 1 }));
    let both = |first: usize| {
        let (meeting, a, b) = (meeting.clone(), locks[first].clone(), locks[1 - first].clone());
        Box::pin(async move {
            let _first = a.lock().await;
            meeting.wait().await;
            let _second = b.lock().await; // in another order
        })
    };
    let (mut asked, slot) = (false, Arc::new(std::sync::Mutex::new(None::<Waker>)));
    let asker = slot.clone();
    let reply = poll_fn(move |cx| match std::mem::replace(&mut asked, true) {
        true => Poll::Ready(()),
        false => {
            *asker.lock().unwrap() = Some(cx.waker().clone());
            Poll::Pending
        }
    });
    let replies = async move {
        loop {
            let asker = slot.lock().unwrap().take();
            match asker {
                None => smol::future::yield_now().await,
                Some(_) if bug => return, // which drops it
                Some(waker) => return waker.wake(),
            }
        }
    };
    let (kept, wanted) = {
        let lock = Arc::new(Lock(Mutex::new(2)));
        (lock.clone(), lock)
    };
    let (taken, is_taken) = {
        let both = Arc::new(Barrier::new(2));
        (both.clone(), both)
    };
    let keeps = async move {
        let guard = kept.lock().await;
        taken.wait().await;
        if bug {
            std::mem::forget(guard);
        }
    };
    let wants = async move {
        is_taken.wait().await;
        let _guard = wanted.lock().await; // for what is kept
    };
    let (closed, waited) = {
        let letters = Arc::new(Letters::default());
        (letters.clone(), letters)
    };
    let closes = async move {
        closed.is_wanted().await;
        closed.close(!bug);
    };
    let waits = async move {
        waited.next().waiting_on(On::chan(&*waited)).await; // for a letter
    };
    let first: [Task; 2] = [both(0), both(if bug { 1 } else { 0 })];
    let others: [Task; 6] =
        [Box::pin(reply), Box::pin(replies), Box::pin(keeps), Box::pin(wants), Box::pin(closes), Box::pin(waits)];
    first.into_iter().chain(others).collect()
}

pub const CLIENTS: usize = 20;

/// As many threads of the system, each of which asks a server fifty times; every fourth breaks off.
pub fn clients(server: SocketAddr) {
    for client in 0..CLIENTS {
        std::thread::spawn(move || {
            let mut connection = TcpStream::connect(server).unwrap();
            let mut sum = [0];
            for _ in 0..if client % 4 == 3 { 20 } else { 50 } {
                connection.write_all(&[1]).unwrap();
                connection.read_exact(&mut sum).unwrap();
            }
        });
    }
}

/// What the connections of a server share.
pub struct Sums([Lock; 2]);

impl Default for Sums {
    fn default() -> Sums {
        Sums([0, 0].map(|n| Lock(Mutex::new(n))))
    }
}

impl Sums {
    /// Both, in one order.
    pub async fn add(&self, n: u8) -> u8 {
        let mut all = self.0[0].lock().await;
        *all.1 += u32::from(n);
        smol::future::yield_now().await; // with the lock: others wait for it
        let mut odd = self.0[1].lock().await;
        *odd.1 += *all.1 & 1;
        *odd.1 as u8
    }
}

/// One connection, until its client goes.
pub async fn serve(mut connection: impl AsyncRead + AsyncWrite + Unpin, sums: Arc<Sums>) {
    let mut byte = [0];
    while connection.read_exact(&mut byte).await.is_ok() {
        if connection.write_all(&[sums.add(byte[0]).await]).await.is_err() {
            break;
        }
    }
}

/// Was a bug asked for?
pub fn bug() -> bool {
    std::env::args().nth(1).is_some_and(|a| a == "bug")
}

/// Long enough for all of them to come to rest.
pub const WHILE: Duration = Duration::from_millis(1200);
