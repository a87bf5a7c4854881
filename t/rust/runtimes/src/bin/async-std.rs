//! async-std: tasks, a server, and a channel between two.
use async_std::{channel, net::TcpListener, task};
use corotrace::TraceFutureExt;
use rust_runtimes::{clients, Sums, CLIENTS};
use std::sync::Arc;

async fn server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (sums, mut connections) = (Arc::<Sums>::default(), vec![]);
    clients(listener.local_addr().unwrap());
    for _ in 0..CLIENTS {
        let (connection, _) = listener.accept().await.unwrap();
        connections.push(task::spawn(rust_runtimes::serve(connection, sums.clone()).traced_as("connection")));
    }
    for connection in connections {
        connection.await;
    }
}

fn main() {
    for each in rust_runtimes::tasks(rust_runtimes::bug()) {
        task::spawn(each.traced());
    }
    let (numbers, receiver) = channel::bounded(1);
    task::spawn(
        async move {
            for n in 1..=3 {
                numbers.send(n).await.unwrap();
            }
        }
        .traced(),
    );
    let sum = task::spawn(
        async move {
            let mut sum = 0;
            while let Ok(n) = receiver.recv().await {
                sum += n;
            }
            sum
        }
        .traced(),
    );
    assert_eq!(task::block_on(sum.traced()), 6);
    task::block_on(server().traced_as("server"));
    std::thread::sleep(rust_runtimes::WHILE);
}
