//! A TCP echo server that awaits an answer from a task which sleeps: what a debugger's async backtrace would show of it,
//! ct-bt shows from the trace. Written for tokio; the next line is all that is traced of it. Ends after a while.
use corotrace::tokio;

use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

async fn think(reply: oneshot::Sender<u8>) {
    tokio::time::sleep(Duration::from_secs(20)).await;
    let _ = reply.send(7);
}

async fn ask() -> u8 {
    let (reply, answer) = oneshot::channel();
    let thinks = tokio::spawn(think(reply));
    let n = answer.await.unwrap();
    thinks.await.unwrap();
    n
}

async fn echo(mut stream: TcpStream) {
    while let Ok(n) = stream.read_u8().await {
        let answer = ask().await;
        stream.write_all(&[n, answer]).await.unwrap();
    }
}

async fn serve(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(echo(stream));
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(500));
        std::process::exit(0);
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(serve(listener));
    let mut client = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    client.write_u8(1).await.unwrap();
    let mut idle = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let hears = tokio::spawn(async move { idle.read_u8().await });
    server.await.unwrap();
    hears.await.unwrap().unwrap();
}
