//! A worker that has much to do: one task runs for long, others that it spawned wait in its queue. For ct-bt; ends after a
//! while.
use corotrace::tokio;

#[tokio::main(worker_threads = 1)]
async fn main() {
    let busy = tokio::task::spawn_as("busy", async {
        for _ in 0..7 {
            tokio::spawn(async { std::thread::sleep(rust_zoo::ms(50)) });
        }
        tokio::task::yield_now().await;
        std::thread::sleep(rust_zoo::ms(300));
    });
    busy.await.unwrap();
}
