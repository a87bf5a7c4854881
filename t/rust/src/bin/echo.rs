//! A TCP echo server that awaits an answer from a task which sleeps: what a debugger's async backtrace would show of it,
//! ct-bt shows from the trace. Ends after a while.
use std::time::Duration;

use corotrace::tokio::{sleep, spawn, spawn_as, BuilderExt, RuntimeExt};
use corotrace::{On, TraceFutureExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

async fn think(reply: oneshot::Sender<u8>) {
    sleep(Duration::from_secs(20)).await;
    let _ = reply.send(7);
}

async fn ask() -> u8 {
    let (reply, answer) = oneshot::channel();
    let thinks = spawn_as("think", think(reply));
    let on = On::chan(&answer);
    let n = answer.waiting_on(on).await.unwrap();
    thinks.await.unwrap();
    n
}

async fn echo(mut stream: TcpStream) {
    while let Ok(n) = stream.read_u8().waiting_on(On::user("TcpStream::read")).await {
        let answer = ask().traced().await;
        stream.write_all(&[n, answer]).await.unwrap();
    }
}

async fn serve(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().waiting_on(On::user("TcpListener::accept")).await {
        spawn(echo(stream));
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().traced().build().unwrap();
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(500));
        std::process::exit(0);
    });
    runtime.block_on_traced(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = spawn(serve(listener));
        let mut client = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        client.write_u8(1).await.unwrap();
        server.await.unwrap();
    });
}
