//! A task has a lock while it waits for the next of a set's tasks, all of which want it.
//! expect: deadlock 1
use corotrace::tokio;
use std::sync::Arc;
use tokio::{sync::Mutex, task::JoinSet};

pub fn main() {
    rust_zoo::on_tokio(|| {
        tokio::spawn(async {
            let (total, mut set) = (Arc::new(Mutex::new(0)), JoinSet::new());
            set.spawn(async { 1 });
            set.join_next().await;
            let mut sum = total.lock().await;
            for n in 0..3 {
                let total = total.clone();
                set.spawn(async move { *total.lock().await + n });
            }
            while let Some(n) = set.join_next().await {
                *sum += n.unwrap();
            }
        });
    });
}
