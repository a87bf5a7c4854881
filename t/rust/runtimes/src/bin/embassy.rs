//! embassy, on its executor for hosts: tasks in static memory, and a signal between two.
use corotrace::TraceFutureExt;
use embassy_executor::Spawner;
use embassy_sync::{blocking_mutex::raw::CriticalSectionRawMutex, signal::Signal};
use embassy_time::{Duration, Timer};

static SIGNAL: Signal<CriticalSectionRawMutex, u32> = Signal::new();

#[embassy_executor::task(pool_size = 7)]
async fn traced(task: rust_runtimes::Task) {
    task.traced().await
}

#[embassy_executor::task]
async fn waits() {
    async { assert_eq!(SIGNAL.wait().await, 7) }.traced().await
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    for task in rust_runtimes::tasks(rust_runtimes::bug()) {
        spawner.spawn(traced(task).unwrap());
    }
    spawner.spawn(waits().unwrap());
    Timer::after(Duration::from_millis(10)).await;
    SIGNAL.signal(7);
    Timer::after(Duration::from_millis(rust_runtimes::WHILE.as_millis() as u64)).await;
    std::process::exit(0);
}
