//! tokio-stream's wrappers, and what tokio-util polls.
use corotrace::{tokio, tokio_stream, tokio_util};

use std::future::poll_fn;
use std::sync::Arc;

use futures_util::SinkExt;
use tokio::sync::{mpsc, Semaphore};
use tokio::time::Duration;
use tokio_stream::wrappers;
use tokio_stream::StreamExt;

pub async fn receiver() {
    let (numbers, receiver) = mpsc::channel::<u32>(1);
    let mut stream = wrappers::ReceiverStream::new(receiver);
    tokio::spawn(async move { numbers.send(7).await });
    assert_eq!((stream.next().await, stream.next().await), (Some(7), None));
}

pub async fn unbounded() {
    let (numbers, receiver) = mpsc::unbounded_channel::<u32>();
    let mut stream = wrappers::UnboundedReceiverStream::new(receiver);
    tokio::spawn(async move { numbers.send(7) });
    assert_eq!((stream.next().await, stream.next().await), (Some(7), None));
}

pub async fn broadcast() {
    let (news, receiver) = tokio::sync::broadcast::channel::<u32>(1);
    let mut stream = wrappers::BroadcastStream::new(receiver);
    tokio::spawn(async move { news.send(7) });
    assert_eq!((stream.next().await, stream.next().await), (Some(Ok(7)), None));
}

pub async fn watch() {
    let (value, receiver) = tokio::sync::watch::channel(1);
    let mut stream = wrappers::WatchStream::new(receiver.clone());
    let mut changes = wrappers::WatchStream::from_changes(receiver);
    assert_eq!(stream.next().await, Some(1));
    tokio::spawn(async move { value.send(2) });
    assert_eq!((stream.next().await, changes.next().await, stream.next().await), (Some(2), Some(2), None));
}

pub async fn interval() {
    let mut ticks = wrappers::IntervalStream::new(tokio::time::interval(Duration::from_millis(1)));
    assert!(ticks.next().await < ticks.next().await);
}

pub async fn listener() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let mut connections = wrappers::TcpListenerStream::new(listener);
    tokio::spawn(tokio::net::TcpStream::connect(at));
    let connection: tokio::net::TcpStream = connections.next().await.unwrap().unwrap();
    assert_eq!(connection.local_addr().unwrap(), at);
}

pub async fn join_set() {
    let tasks: tokio::task::JoinSet<u32> = (1..4).map(|n| async move { n }).collect();
    let results = wrappers::JoinSetStream::new(tasks).map(|r| r.unwrap());
    assert_eq!(results.fold(0, |sum, n| sum + n).await, 6);
}

pub async fn delay_queue() {
    let mut queue = tokio_util::time::DelayQueue::new();
    let later = queue.insert(2, Duration::from_secs(100));
    queue.insert(1, Duration::ZERO);
    assert_eq!(queue.next().await.unwrap().into_inner(), 1);
    queue.remove(&later);
}

pub async fn extensions() {
    let late = tokio_stream::StreamExt::timeout(tokio_stream::pending::<u32>(), Duration::ZERO);
    let mut late = std::pin::pin!(late);
    assert!(late.next().await.unwrap().is_err());
}

pub async fn poll_sender() {
    let (sender, mut receiver) = mpsc::channel::<u32>(1);
    let mut sink = tokio_util::sync::PollSender::new(sender);
    let sending = tokio::spawn(async move {
        for n in 1..=3 {
            sink.send(n).await.unwrap();
        }
        poll_fn(|cx| sink.poll_reserve(cx)).await.unwrap();
        sink.close();
        assert!(sink.is_closed() && sink.get_ref().is_none());
        sink.send_item(4).unwrap();
        assert!(sink.send(5).await.is_err());
        sink
    });
    let mut got = vec![];
    while let Some(n) = receiver.recv().await {
        got.push(n);
    }
    assert_eq!(got, [1, 2, 3, 4]);
    drop(sending.await.unwrap());
}

pub async fn poll_semaphore() {
    let mut semaphore = tokio_util::sync::PollSemaphore::new(Arc::new(Semaphore::new(1)));
    let permit = poll_fn(|cx| semaphore.poll_acquire(cx)).await.unwrap();
    tokio::spawn(async move {
        tokio::task::yield_now().await;
        drop(permit);
    });
    assert!(semaphore.next().await.is_some());
    semaphore.close();
    assert!(semaphore.next().await.is_none());
}
