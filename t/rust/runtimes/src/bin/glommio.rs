//! glommio, an executor of one thread with io_uring: tasks, and a timer.
use corotrace::TraceFutureExt;
use glommio::{timer, LocalExecutor};

fn main() {
    LocalExecutor::default().run(async {
        for task in rust_runtimes::tasks(rust_runtimes::bug()) {
            glommio::spawn_local(task.traced()).detach();
        }
        glommio::spawn_local(timer::sleep(std::time::Duration::from_millis(10)).traced()).await;
        timer::sleep(rust_runtimes::WHILE).await;
    });
}
