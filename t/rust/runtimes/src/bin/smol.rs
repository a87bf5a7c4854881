//! smol: tasks of its global executor, and a server.
use corotrace::TraceFutureExt;
use rust_runtimes::{clients, Sums, CLIENTS};
use smol::net::TcpListener;
use std::sync::Arc;

async fn server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (sums, mut connections) = (Arc::<Sums>::default(), vec![]);
    clients(listener.local_addr().unwrap());
    for _ in 0..CLIENTS {
        let (connection, _) = listener.accept().await.unwrap();
        connections.push(smol::spawn(rust_runtimes::serve(connection, sums.clone()).traced_as("connection")));
    }
    for connection in connections {
        connection.await;
    }
}

fn main() {
    for task in rust_runtimes::tasks(rust_runtimes::bug()) {
        smol::spawn(task.traced()).detach();
    }
    smol::block_on(server().traced_as("server"));
    std::thread::sleep(rust_runtimes::WHILE);
}
