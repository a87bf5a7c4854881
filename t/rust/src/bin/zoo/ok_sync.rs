//! Every way through tokio's locks, cells, semaphores and channels: guards mapped, downgraded, handed over, kept by nobody's task;
//! permits forgotten and added, merged and split; senders upgraded; what is cancelled in the middle of it. All of it waits
//! at the end, and for good reason.
//! expect: nothing proven
use corotrace::tokio;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{
    mpsc, oneshot, Mutex, MutexGuard, Notify, OnceCell, OwnedMutexGuard, RwLock, RwLockWriteGuard, Semaphore,
};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{sleep, timeout};

const LONG: Duration = Duration::from_secs(60);

fn ms(n: u64) -> Duration {
    rust_zoo::ms(n)
}

async fn locks() {
    let kept: Arc<std::sync::Mutex<Vec<OwnedMutexGuard<(u32, u32)>>>> = Arc::default();
    let (lock, rw) = (Arc::new(Mutex::new((1, 2))), Arc::new(RwLock::new(3)));
    for n in 0..50 {
        let mut part = MutexGuard::map(lock.lock().await, |both| &mut both.1);
        *part += n;
        drop(part);
        let mut w = rw.write().await;
        *w += 1;
        let r = RwLockWriteGuard::downgrade(w);
        let other = rw.clone();
        let waits = tokio::spawn(async move { *other.write().await += 1 });
        assert!(timeout(ms(1), rw.clone().write_owned()).await.is_err());
        drop(r);
        waits.await.unwrap();
    }
    // Taken here, kept by nobody's task while this one ends, and given back elsewhere.
    let guard = lock.clone().lock_owned().await;
    kept.lock().unwrap().push(guard);
    let back = kept.clone();
    tokio::spawn(async move {
        sleep(ms(250)).await;
        back.lock().unwrap().clear();
        sleep(LONG).await;
    });
    tokio::spawn(async move {
        let _guard = lock.lock().await;
        sleep(LONG).await;
    });
}

/// Made by one for all, after others failed or gave up; and one that takes long, and takes from the first.
async fn cells() {
    let (first, long) = (Arc::new(OnceCell::new()), Arc::new(OnceCell::new()));
    for n in 0..4 {
        let (first, long) = (first.clone(), long.clone());
        tokio::spawn(async move {
            let _ = timeout(
                ms(5),
                first.get_or_init(|| async {
                    sleep(LONG).await;
                    9
                }),
            )
            .await;
            let fails = first.get_or_try_init(|| async {
                sleep(ms(n)).await;
                Err::<u64, u64>(n)
            });
            let _ = fails.await;
            assert!(*first.get_or_init(|| async { n }).await < 4);
            long.get_or_init(|| async {
                sleep(LONG).await;
                *first.get_or_init(|| async { 7 }).await
            })
            .await;
        });
    }
}

async fn permits() {
    let permits = Arc::new(Semaphore::new(2));
    let all = Arc::new(std::sync::Mutex::new(vec![]));
    for _ in 0..50 {
        let mut permit = permits.acquire_many(2).await.unwrap();
        let half = permit.split(1).unwrap();
        permit.merge(half);
        drop(permit);
    }
    permits.acquire().await.unwrap().forget();
    let permit = permits.clone().acquire_owned().await.unwrap();
    all.lock().unwrap().push(permit);
    let adds = permits.clone();
    tokio::spawn(async move {
        sleep(ms(200)).await;
        adds.add_permits(1);
        sleep(LONG).await;
        drop(all);
    });
    for _ in 0..3 {
        let permits = permits.clone();
        tokio::spawn(async move {
            let _permit = permits.acquire_owned().await.unwrap();
            sleep(LONG).await;
        });
    }
}

async fn channels() {
    let (send, mut recv) = mpsc::channel(2);
    let (many, mut all) = mpsc::unbounded_channel();
    let weak = send.downgrade();
    for n in 0..4 {
        let (send, many) = (send.clone(), many.clone());
        tokio::spawn(async move {
            for i in 0..200 {
                send.send(i * n).await.unwrap();
                send.try_send(0).ok();
                many.send(i).unwrap();
            }
            let _room = send.reserve().await.unwrap();
            sleep(LONG).await;
        });
    }
    drop(send);
    tokio::spawn(async move {
        let mut buffer = vec![];
        while all.recv_many(&mut buffer, 7).await > 0 {
            buffer.clear();
        }
    });
    for _ in 0..900 {
        let (reply, answer) = oneshot::channel();
        let stop = weak.clone();
        tokio::spawn(async move {
            let _ = reply.send(stop.upgrade().is_some());
        });
        assert!(answer.await.unwrap());
        if timeout(ms(20), recv.recv()).await.is_err() {
            break;
        }
    }
    while recv.recv().await.is_some() {}
}

async fn notes() {
    let notify = Arc::new(Notify::new());
    for _ in 0..5 {
        let notify = notify.clone();
        tokio::spawn(async move {
            loop {
                notify.notified().await;
                tokio::task::yield_now().await;
            }
        });
    }
    for n in 0..500 {
        let early = notify.notified();
        tokio::pin!(early);
        early.as_mut().enable();
        match n % 3 {
            0 => notify.notify_waiters(),
            _ => notify.notify_one(),
        }
        let _ = timeout(ms(1), early).await;
        let _ = timeout(Duration::ZERO, notify.clone().notified_owned()).await;
    }
    notify.notified().await
}

async fn sets() {
    let mut set: JoinSet<u32> = (0..20)
        .map(|n| async move {
            sleep(ms(n % 5)).await;
            1
        })
        .collect();
    set.spawn_blocking(|| 2);
    while let Some(n) = set.join_next().await {
        n.unwrap();
    }
    set.spawn(async {
        sleep(LONG).await;
        3
    });
    let mut ticks = tokio::time::interval(ms(30));
    for _ in 0..5 {
        ticks.tick().await;
    }
    set.join_next().await;
}

pub fn main() {
    rust_zoo::on_tokio(|| {
        tokio::spawn(locks());
        tokio::spawn(cells());
        tokio::spawn(permits());
        tokio::spawn(channels());
        tokio::spawn(notes());
        tokio::spawn(sets());
        std::thread::spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            LocalSet::new().block_on(&runtime, async {
                let here = std::rc::Rc::new(7);
                for _ in 0..10 {
                    let here = here.clone();
                    let task = tokio::task::spawn_local(async move {
                        sleep(ms(2)).await;
                        *here
                    });
                    assert_eq!(task.await.unwrap(), 7);
                }
                sleep(LONG).await
            });
        });
    });
}
