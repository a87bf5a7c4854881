//! monoio, a thread with its own tasks: a server, and a timer; by epoll, which is everywhere.
use corotrace::TraceFutureExt;
use monoio::io::{AsyncReadRent, AsyncWriteRentExt};
use monoio::net::{TcpListener, TcpStream};
use rust_runtimes::{clients, Sums, CLIENTS};
use std::sync::Arc;

/// One connection, until its client goes. monoio's sockets take the buffer, and give it back.
async fn serve(mut connection: TcpStream, sums: Arc<Sums>) {
    let mut byte = vec![0];
    loop {
        let (read, buffer) = connection.read(byte).await;
        if !read.is_ok_and(|n| n == 1) {
            break;
        }
        let answer = sums.add(buffer[0]).await;
        let (written, buffer) = connection.write_all(vec![answer]).await;
        if written.is_err() {
            break;
        }
        byte = buffer;
    }
}

async fn server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (sums, mut connections) = (Arc::<Sums>::default(), vec![]);
    clients(listener.local_addr().unwrap());
    for _ in 0..CLIENTS {
        let (connection, _) = listener.accept().await.unwrap();
        connections.push(monoio::spawn(serve(connection, sums.clone()).traced_as("connection")));
    }
    for connection in connections {
        connection.await;
    }
}

#[monoio::main(driver = "legacy", timer_enabled = true)]
async fn main() {
    for task in rust_runtimes::tasks(rust_runtimes::bug()) {
        monoio::spawn(task.traced());
    }
    monoio::spawn(server().traced_as("server")).await;
    monoio::spawn(monoio::time::sleep(std::time::Duration::from_millis(10)).traced()).await;
    monoio::time::sleep(rust_runtimes::WHILE).await;
}
