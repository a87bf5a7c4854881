//! Something is missing that nobody brings any more:
//!
//!     short many|forgotten|added      more permits than there are; those that were forgotten, and added again
//!     short needs|yields              has a permit and wants another, before one who wants all; or gives it back before
//!     short spent|refilled            who adds permits has ended; or goes on
//!     short left|late|anew            a party of a barrier has left after the first round; is late; to one in the place of another
//!     short keeps|asks                asks a task of its own, that wants a lock which the asker keeps; or does not
//!     short sends|gives               sends to one that wants a lock which the sender keeps; or gives back before
//!     short twice                     two who are notified before they come: one permit is kept
//!     short another                   waits for what stands where one was that kept a permit, and one that notified nobody
//!     short joins|blocks|lends|drops  joins who receives, on a blocking thread, and keeps the sender; but a thread has one, too; drops it
//!     short reserves                  sends through reserved places, and rests
//!     short refused                   finds no room, in each way that there is, for another has reserved it
//!     short leaked|held               asks for a lock again and again, with a limit: its guard is leaked; or it is held
use corotrace::tokio;

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;
use std::time::Instant;

use rust_zoo::ms;
use tokio::sync::{mpsc, oneshot, Barrier, Mutex, Notify, Semaphore};
use tokio::time::{sleep, timeout};

async fn many() {
    let two = Semaphore::new(2);
    drop(two.acquire().await.unwrap());
    let _ = two.acquire_many(3).await;
}

/// Where some are added, others may be again.
fn forgotten(added: bool) {
    let two = Arc::new(Semaphore::new(2));
    for _ in 0..5 {
        let two = two.clone();
        tokio::spawn(async move { two.acquire().await.unwrap().forget() });
    }
    if added {
        tokio::spawn(async move {
            two.add_permits(1);
            sleep(ms(60_000)).await;
            two.add_permits(2);
        });
    }
}

async fn needs(keeps: bool) {
    let three = Arc::new(Semaphore::new(3));
    let all = three.clone();
    let permit = three.acquire().await.unwrap();
    tokio::spawn(async move {
        let _all = all.acquire_many(3).await.unwrap();
        sleep(ms(60_000)).await;
    });
    while three.available_permits() > 0 {
        sleep(ms(1)).await; // until who wants all stands in line
    }
    let _permit = keeps.then_some(permit);
    let _another = three.acquire().await.unwrap();
}

fn spent(ends: bool) {
    let bucket = Arc::new(Semaphore::new(2));
    for _ in 0..3 {
        let bucket = bucket.clone();
        tokio::spawn(async move {
            loop {
                bucket.acquire().await.unwrap().forget();
            }
        });
    }
    tokio::spawn(async move {
        for _ in 0..4 {
            sleep(ms(5)).await;
            bucket.add_permits(1);
        }
        if !ends {
            sleep(ms(60_000)).await;
        }
    });
}

/// The last one comes when the others have long come to rest, so that it lets both go.
fn barrier(is_late: bool) {
    let three = Arc::new(Barrier::new(3));
    for party in 0..3 {
        let three = three.clone();
        tokio::spawn(async move {
            sleep(ms(party / 2 * 50)).await;
            three.wait().await;
            if party == 0 {
                return if is_late {
                    sleep(ms(60_000)).await
                };
            }
            three.wait().await;
        });
    }
}

/// Those that passed the first one have ended.
async fn anew() {
    let mut three = Arc::new(Barrier::new(3));
    for last in [20, 60_000] {
        *Arc::get_mut(&mut three).unwrap() = Barrier::new(3);
        let parties = [0, 0, last].map(|after| {
            let three = three.clone();
            tokio::spawn(async move {
                sleep(ms(after)).await;
                three.wait().await;
            })
        });
        for party in parties {
            party.await.unwrap();
        }
    }
}

async fn asks(keeps: bool) {
    let lock = Arc::new(Mutex::new(0));
    let (to, mut from) = mpsc::channel::<oneshot::Sender<u32>>(1);
    let its = lock.clone();
    tokio::spawn(async move {
        while let Some(reply) = from.recv().await {
            let answer = *its.lock().await;
            sleep(ms(60_000)).await;
            let _ = reply.send(answer);
        }
    });
    let guard = lock.lock().await;
    let _guard = keeps.then_some(guard);
    let (reply, answer) = oneshot::channel();
    to.send(reply).await.unwrap();
    let _ = answer.await;
}

fn sends(keeps: bool) {
    let lock = Arc::new(Mutex::new(0));
    let (to, mut from) = mpsc::channel(1);
    let its = lock.clone();
    tokio::spawn(async move {
        while let Some(n) = from.recv().await {
            sleep(ms(20)).await;
            *its.lock().await += n;
        }
    });
    tokio::spawn(async move {
        for i in 0..5 {
            let guard = lock.lock().await;
            let _guard = keeps.then_some(guard);
            to.send(i).await.unwrap();
        }
        sleep(ms(60_000)).await;
    });
}

fn twice() {
    let (both, done) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    for _ in 0..2 {
        let (its, done) = (both.clone(), done.clone());
        tokio::spawn(async move {
            while !done.load(SeqCst) {
                sleep(ms(1)).await;
            }
            its.notified().await;
        });
    }
    tokio::spawn(async move {
        both.notify_one();
        both.notify_one();
        done.store(true, SeqCst);
    });
}

/// Each in the place of one that was notified too early.
fn another() {
    let mut pair = Box::new([Notify::new(), Notify::new()]);
    pair[0].notify_one();
    pair[1].notify_waiters();
    *pair = [Notify::new(), Notify::new()];
    for notify in Box::leak(pair) {
        tokio::spawn(notify.notified());
    }
    tokio::spawn(sleep(ms(60_000)));
}

async fn joins(which: &str) {
    let (tx, mut rx) = mpsc::channel(4);
    let writer = match which {
        "blocks" => tokio::task::spawn_blocking(move || while rx.blocking_recv().is_some() {}),
        _ => tokio::spawn(async move { while rx.recv().await.is_some() {} }),
    };
    let other = tx.clone();
    if which == "lends" {
        std::thread::spawn(move || {
            std::thread::sleep(ms(60_000));
            drop(other);
        });
    } else {
        drop(other);
    }
    for n in 0..5 {
        tx.send(n).await.unwrap();
        sleep(ms(1)).await;
    }
    let _kept = (which != "drops").then_some(tx);
    writer.await.unwrap();
}

async fn reserves() {
    let (tx, mut rx) = mpsc::channel(4);
    tokio::spawn(async move { while rx.recv().await.is_some() {} });
    for n in 0..4 {
        tx.reserve().await.unwrap().send(n);
        tx.reserve_many(2).await.unwrap().for_each(|place| place.send(n));
        let _ = tx.try_reserve().map(|place| place.send(n));
        let _ = tx.try_reserve_many(2).map(|places| places.for_each(|place| place.send(n)));
        sleep(ms(1)).await;
    }
    sleep(ms(60_000)).await;
}

async fn refused(way: usize) {
    let (tx, mut rx) = mpsc::channel(1);
    tokio::spawn(async move { while rx.recv().await.is_some() {} });
    let place = tx.reserve().await.unwrap();
    sleep(ms(20)).await; // who receives waits by then
    let its = tx.clone();
    match way {
        0 => assert!(tx.try_send(1).is_err()),
        1 => assert!(tx.send_timeout(1, ms(1)).await.is_err()),
        2 => drop(tx.send_timeout(1, ms(1))),
        3 => drop(tokio::task::spawn_blocking(move || its.blocking_send(1))),
        _ => drop(std::thread::spawn(move || its.blocking_send(1))),
    }
    sleep(ms(60_000)).await;
    place.send(2);
}

/// It asks until the first attempts are far behind, and says so.
async fn again(leaked: bool, far: std::sync::mpsc::Sender<()>) {
    let lock = Arc::new(Mutex::new(0));
    let its = lock.clone();
    let first = tokio::spawn(async move {
        let guard = its.lock().await;
        if leaked {
            return std::mem::forget(guard);
        }
        sleep(ms(60_000)).await;
    });
    while lock.try_lock().is_ok() || (leaked && !first.is_finished()) {
        tokio::task::yield_now().await;
    }
    let (began, mut longest, mut attempts) = (Instant::now(), ms(0), 0);
    while attempts < 4 || began.elapsed() < 4 * longest {
        let at = Instant::now();
        assert!(timeout(ms(40), lock.lock()).await.is_err());
        longest = longest.max(at.elapsed());
        attempts += 1;
    }
    far.send(()).unwrap();
    let _ = timeout(ms(60_000), lock.lock()).await;
}

fn main() {
    let which = std::env::args().nth(1).unwrap();
    rust_zoo::on_tokio(|| match which.as_str() {
        "many" => drop(tokio::spawn(many())),
        "forgotten" => forgotten(false),
        "added" => forgotten(true),
        "needs" | "yields" => drop(tokio::spawn(needs(which == "needs"))),
        "spent" | "refilled" => spent(which == "spent"),
        "left" => barrier(false),
        "late" => barrier(true),
        "anew" => drop(tokio::spawn(anew())),
        "sends" => sends(true),
        "gives" => sends(false),
        "twice" => twice(),
        "another" => another(),
        "refused" => (0..5).for_each(|way| drop(tokio::spawn(refused(way)))),
        "reserves" => drop(tokio::spawn(reserves())),
        "joins" | "blocks" | "lends" | "drops" => drop(tokio::spawn(async move { joins(&which).await })),
        "leaked" | "held" => {
            let (far, is_far) = std::sync::mpsc::channel();
            tokio::spawn(again(which == "leaked", far));
            is_far.recv().unwrap();
        }
        which => drop(tokio::spawn(asks(which == "keeps"))),
    });
}
