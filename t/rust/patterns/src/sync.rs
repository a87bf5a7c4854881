//! Locks, semaphores, notifications and channels.
use corotrace::tokio;

use std::future::poll_fn;
use std::sync::Arc;

use tokio::sync::{broadcast, mpsc, oneshot, watch, Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore};
use tokio::sync::{MutexGuard, OwnedMutexGuard};
use tokio::time::Duration;

static GLOBAL: Mutex<u32> = Mutex::const_new(0);
static ONCE: OnceCell<u32> = OnceCell::const_new();
static NOTE: Notify = Notify::const_new();
static SLOTS: Semaphore = Semaphore::const_new(3);
static FEW: RwLock<u32> = RwLock::const_with_max_readers(0, 2);

pub async fn permits() {
    let slots = Arc::new(Semaphore::new(3));
    slots.clone().try_acquire_owned().unwrap().forget();
    slots.acquire_many(2).await.unwrap().forget();
    slots.add_permits(2);
    let mut permit = slots.acquire_many(2).await.unwrap();
    let half = permit.split(1).unwrap();
    permit.merge(half);
    slots.close();
    assert!(slots.acquire().await.is_err() && SLOTS.try_acquire().is_ok());
}

pub async fn guards() {
    let both = Arc::new(Mutex::new((1, 2)));
    {
        let mut first = MutexGuard::map(both.lock().await, |b| &mut b.0);
        *first = 3;
    }
    assert!(std::ptr::eq(MutexGuard::mutex(&both.lock().await), &*both));
    let owned: OwnedMutexGuard<(i32, i32)> = both.clone().lock_owned().await;
    assert!(both.try_lock().is_err() && *owned == (3, 2));
    let shared = RwLock::new(1);
    let reading = shared.write().await.downgrade();
    assert_eq!(*shared.read().await, *reading);
    assert_eq!((*GLOBAL.lock().await, *FEW.read().await), (0, 0));
}

pub async fn channels() {
    let (sender, mut receiver) = mpsc::channel::<u32>(4);
    sender.reserve().await.unwrap().send(1);
    let place: mpsc::Permit<'_, u32> = sender.try_reserve().unwrap();
    drop(place);
    let places: mpsc::PermitIterator<'_, u32> = sender.reserve_many(1).await.unwrap();
    assert_eq!(places.len(), 1);
    drop(places);
    let owned: mpsc::OwnedPermit<u32> = sender.clone().reserve_owned().await.unwrap();
    assert!(owned.same_channel_as_sender(&sender) && owned.same_channel(&owned));
    let other = owned.send(2);
    let weak: mpsc::WeakSender<u32> = sender.downgrade();
    sender.send_timeout(3, Duration::from_secs(1)).await.unwrap();
    let mut got = vec![];
    assert_eq!((receiver.recv_many(&mut got, 3).await, got), (3, vec![1, 2, 3]));
    other.try_send(4).unwrap();
    assert_eq!((sender.capacity(), poll_fn(|cx| receiver.poll_recv(cx)).await), (3, Some(4)));
    assert_eq!((receiver.sender_strong_count(), receiver.sender_weak_count(), sender.weak_count()), (2, 1, 1));
    let theirs: ::tokio::sync::mpsc::Sender<u32> = sender.clone().into();
    assert_eq!((receiver.sender_strong_count(), sender.strong_count()), (3, 2));
    drop(theirs);
    receiver.close();
    sender.closed().await;
    assert!(weak.upgrade().is_some());
    drop((sender, other));
    assert!(weak.upgrade().is_none() && receiver.recv().await.is_none());
}

pub async fn states() {
    let (news, reader) = broadcast::channel::<u32>(4);
    let also = (news.clone(), news.downgrade(), news.subscribe());
    assert_eq!((reader.sender_strong_count(), reader.resubscribe().sender_weak_count()), (2, 1));
    drop(also);
    assert_eq!((news.strong_count(), news.weak_count()), (1, 0));
    let (_last, mut value) = watch::channel(3);
    let seen;
    {
        let least = 2;
        seen = value.wait_for(|&v| v >= least).await.unwrap();
    }
    assert_eq!(*seen, 3);
}

pub async fn notified() {
    let note = Arc::new(Notify::new());
    let heard = note.notified();
    tokio::pin!(heard);
    heard.as_mut().enable();
    note.notify_waiters();
    heard.await;
    let owned: tokio::sync::futures::OwnedNotified = note.clone().notified_owned();
    async fn hears(heard: tokio::sync::futures::Notified<'_>) {
        heard.await
    }
    note.notify_one();
    hears(note.notified()).await;
    note.notify_one();
    owned.await;
}

pub async fn once() {
    let value = ONCE.get_or_init(|| async {
        tokio::time::sleep(Duration::ZERO).await;
        1
    });
    assert_eq!(*value.await, 1);
    NOTE.notify_one();
    NOTE.notified().await;
    let all = Barrier::new(2);
    let (a, b) = tokio::join!(all.wait(), all.wait());
    assert!(a.is_leader() != b.is_leader());
}

pub async fn oneshots() {
    let (reply, mut answer) = oneshot::channel::<u32>();
    assert!(answer.try_recv().is_err());
    reply.send(1).unwrap();
    assert_eq!((&mut answer).await, Ok(1));
    let (mut reply, mut answer) = oneshot::channel::<u32>();
    answer.close();
    reply.closed().await;
    drop(reply);
    let error: oneshot::error::RecvError = answer.await.unwrap_err();
    assert!(!error.to_string().is_empty());
}

pub async fn values() {
    let lock: Mutex<u32> = 5.into();
    let list: Arc<RwLock<Vec<u32>>> = Default::default();
    list.write().await.push(1);
    assert_eq!((Arc::into_inner(Arc::new(lock)).unwrap().into_inner(), list.read().await.len()), (5, 1));
}

pub async fn printed() {
    let (sender, receiver) = mpsc::unbounded_channel::<u32>();
    assert!(!format!("{sender:?} {receiver:?} {GLOBAL:?}").is_empty());
    assert!(sender.same_channel(&sender.clone()) && !sender.is_closed());
}

pub async fn bounds() {
    fn anywhere<T: Send + Sync + Unpin>() {}
    anywhere::<Mutex<u32>>();
    anywhere::<mpsc::Sender<u32>>();
    anywhere::<mpsc::Receiver<u32>>();
    anywhere::<oneshot::Receiver<u32>>();
    anywhere::<tokio::task::JoinHandle<u32>>();
    anywhere::<tokio::net::TcpStream>();
    anywhere::<tokio::sync::OwnedSemaphorePermit>();
    anywhere::<Notify>();
}
