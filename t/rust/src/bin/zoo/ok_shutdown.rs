//! A server under load that shuts down in good order: told by a channel, its connections finish, its runtime is taken down
//! while some tasks still wait; the program lives on for a while.
//! expect: nothing proven
use corotrace::tokio;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch, Mutex, Notify, RwLock, Semaphore};
use tokio::task::JoinSet;

struct Shared {
    permits: Semaphore,
    total: Mutex<u64>,
    seen: RwLock<Vec<u16>>,
    done: Notify,
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>, log: mpsc::Sender<u64>, mut stop: watch::Receiver<bool>) {
    let (mut read, mut write) = stream.split();
    loop {
        let n = tokio::select! {
            n = read.read_u64() => match n { Ok(n) => n, Err(_) => break },
            _ = stop.changed() => break,
        };
        let _permit = shared.permits.acquire().await.unwrap();
        *shared.total.lock().await += n;
        shared.seen.write().await.push(n as u16);
        log.send(n).await.unwrap();
        if write.write_u64(n + 1).await.is_err() {
            break;
        }
    }
    shared.done.notify_one();
}

async fn client(port: u16, n: u64, stop: watch::Receiver<bool>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    for i in 0..20 {
        if stream.write_u64(i * n).await.is_err() || stream.read_u64().await.is_err() {
            break;
        }
    }
    if n % 3 == 0 {
        let mut stop = stop;
        let _ = stop.changed().await;
    }
}

async fn all() {
    let shared = Arc::new(Shared {
        permits: Semaphore::new(3),
        total: Mutex::default(),
        seen: RwLock::default(),
        done: Notify::new(),
    });
    let (log, mut logged) = mpsc::channel(4);
    let (stop, stopped) = watch::channel(false);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let logger = tokio::spawn(async move { while logged.recv().await.is_some() {} });
    let mut clients: JoinSet<()> = (0..30).map(|n| client(port, n, stopped.clone())).collect();
    let mut connections = JoinSet::new();
    let deadline = tokio::time::Instant::now() + rust_zoo::ms(150);
    while let Ok(Ok((stream, _))) = tokio::time::timeout_at(deadline, listener.accept()).await {
        connections.spawn(serve(stream, shared.clone(), log.clone(), stopped.clone()));
    }
    drop(log);
    stop.send(true).unwrap();
    while connections.join_next().await.is_some() {
        assert!(*shared.total.lock().await > 0);
    }
    shared.done.notified().await;
    clients.abort_all();
    while clients.join_next().await.is_some() {}
    logger.await.unwrap();
    // These are still there when the runtime goes.
    let guard = shared.clone();
    tokio::spawn(async move {
        let _all = guard.seen.read().await;
        tokio::time::sleep(rust_zoo::ms(60_000)).await;
    });
    tokio::spawn(async move {
        let _all = shared.total.lock().await;
        shared.seen.write().await.push(1);
    });
    tokio::time::sleep(rust_zoo::ms(150)).await;
}

pub fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(rust_zoo::workers())
        .enable_all()
        .on_thread_park(|| {})
        .build()
        .unwrap();
    runtime.block_on(all());
    runtime.shutdown_timeout(rust_zoo::ms(1000));
    std::thread::sleep(rust_zoo::ms(300));
}
