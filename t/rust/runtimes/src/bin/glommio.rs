//! glommio, an executor of one thread with io_uring: tasks, a server, and a timer.
use corotrace::TraceFutureExt;
use glommio::{net::TcpListener, timer, LocalExecutor};
use rust_runtimes::{clients, Sums, CLIENTS};
use std::sync::Arc;

async fn server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (sums, mut connections) = (Arc::<Sums>::default(), vec![]);
    clients(listener.local_addr().unwrap());
    for _ in 0..CLIENTS {
        let connection = listener.accept().await.unwrap();
        connections.push(glommio::spawn_local(rust_runtimes::serve(connection, sums.clone()).traced_as("connection")));
    }
    for connection in connections {
        connection.await;
    }
}

fn main() {
    LocalExecutor::default().run(async {
        for task in rust_runtimes::tasks(rust_runtimes::bug()) {
            glommio::spawn_local(task.traced()).detach();
        }
        glommio::spawn_local(server().traced_as("server")).await;
        glommio::spawn_local(timer::sleep(std::time::Duration::from_millis(10)).traced()).await;
        timer::sleep(rust_runtimes::WHILE).await;
    });
}
