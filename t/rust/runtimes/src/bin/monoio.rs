//! monoio, a thread with its own tasks; by epoll, which is everywhere.
use corotrace::TraceFutureExt;

#[monoio::main(driver = "legacy", timer_enabled = true)]
async fn main() {
    for task in rust_runtimes::tasks(rust_runtimes::bug()) {
        monoio::spawn(task.traced());
    }
    let sleeps = monoio::spawn(monoio::time::sleep(std::time::Duration::from_millis(10)).traced());
    sleeps.await;
    monoio::time::sleep(rust_runtimes::WHILE).await;
}
