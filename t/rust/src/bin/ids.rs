//! Tasks whose numbers in the trace are tokio's; prints them.
use corotrace::tokio::{BuilderExt, RuntimeExt};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().traced().build().unwrap();
    runtime.block_on_traced(async {
        let mut tasks = vec![];
        for _ in 0..200 {
            tasks.push(corotrace::tokio::spawn(async {
                let id = tokio::task::id();
                if corotrace::enabled() {
                    assert_eq!(corotrace::tokio::probe_id(id), Some(corotrace::current()));
                }
                tokio::task::yield_now().await;
                id.to_string()
            }));
        }
        for task in tasks {
            println!("{}", task.await.unwrap());
        }
    });
}
