//! embassy, on its executor for hosts: tasks in static memory, and a server of requests that come through a channel.
use corotrace::TraceFutureExt;
use embassy_executor::Spawner;
use embassy_sync::{blocking_mutex::raw::CriticalSectionRawMutex as Raw, channel::Channel, signal::Signal};
use embassy_time::{Duration, Timer};
use rust_runtimes::{Sums, CLIENTS};
use std::sync::{Arc, LazyLock};

static SUMS: LazyLock<Arc<Sums>> = LazyLock::new(Arc::default);
static REQUESTS: Channel<Raw, (usize, u8), 4> = Channel::new();
static ANSWERS: [Signal<Raw, u8>; CLIENTS] = [const { Signal::new() }; CLIENTS];
static DONE: Channel<Raw, (), 1> = Channel::new();

#[embassy_executor::task(pool_size = 8)]
async fn traced(task: rust_runtimes::Task) {
    task.traced().await
}

/// Two of them answer all clients.
#[embassy_executor::task(pool_size = 2)]
async fn server() {
    let serve = async {
        loop {
            let (client, n) = REQUESTS.receive().await;
            ANSWERS[client].signal(SUMS.add(n).await);
        }
    };
    serve.traced_as("server").await
}

#[embassy_executor::task(pool_size = CLIENTS)]
async fn client(number: usize) {
    let ask = async {
        for n in 0..50 {
            Timer::after(Duration::from_micros(100)).await;
            REQUESTS.send((number, n)).await;
            ANSWERS[number].wait().await;
        }
        DONE.send(()).await;
    };
    ask.traced_as("connection").await
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    for task in rust_runtimes::tasks(rust_runtimes::bug()) {
        spawner.spawn(traced(task).unwrap());
    }
    for _ in 0..2 {
        spawner.spawn(server().unwrap());
    }
    for number in 0..CLIENTS {
        spawner.spawn(client(number).unwrap());
    }
    for _ in 0..CLIENTS {
        DONE.receive().await;
    }
    Timer::after(Duration::from_millis(rust_runtimes::WHILE.as_millis() as u64)).await;
    std::process::exit(0);
}
