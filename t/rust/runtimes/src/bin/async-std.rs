//! async-std: tasks, and a channel between two.
use async_std::{channel, task};
use corotrace::TraceFutureExt;

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
    std::thread::sleep(rust_runtimes::WHILE);
}
