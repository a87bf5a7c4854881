//! Two tasks that lock two mutexes in two orders, and one that waits for the first of them, beside one that serves a socket.
use corotrace::tokio;

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, Mutex};
use tokio::time::{sleep, Duration};

async fn both(meeting: Arc<Barrier>, first: Arc<Mutex<u32>>, second: Arc<Mutex<u32>>) -> u32 {
    let first = first.lock().await;
    meeting.wait().await;
    let second = second.lock().await; // which the other has
    *first + *second
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        connection.write_u8(7).await.unwrap();
    });
    assert_eq!(TcpStream::connect(at).await.unwrap().read_u8().await.unwrap(), 7);
    server.await.unwrap();
    let (meeting, a, b) = (Arc::new(Barrier::new(2)), Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
    let one = tokio::spawn(both(meeting.clone(), a.clone(), b.clone()));
    tokio::spawn(both(meeting, b, a));
    tokio::spawn(async move { one.await.unwrap() });
    sleep(Duration::from_millis(1200)).await;
    std::process::exit(0); // a server would go on
}
