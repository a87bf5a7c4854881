//! Who waits for the next of a set's tasks has the lock that some of them want, while another of them, of this type's or of
//! tokio's own, has yet to end; and whoever waits for all of a set has it not.
//! expect: nothing proven
use corotrace::tokio;
use std::sync::Arc;
use tokio::{sync::Mutex, task::JoinSet, time::sleep};

async fn holds(late: impl FnOnce(&mut JoinSet<()>)) {
    let (lock, mut set) = (Arc::new(Mutex::new(())), JoinSet::new());
    let held = lock.lock().await;
    for _ in 0..3 {
        let lock = lock.clone();
        set.spawn(async move { drop(lock.lock().await) });
    }
    late(&mut set);
    set.join_next().await;
    drop(held);
    set.join_all().await;
}

pub fn main() {
    let late = || sleep(rust_zoo::ms(60_000));
    rust_zoo::on_tokio(|| {
        tokio::spawn(holds(move |set| drop(set.spawn(late()))));
        tokio::spawn(holds(move |set| drop((**set).spawn(::tokio::time::sleep(rust_zoo::ms(60_000))))));
        tokio::spawn(holds(move |set| drop(set.spawn_blocking(|| std::thread::sleep(rust_zoo::ms(60_000))))));
        tokio::spawn(holds(move |set| (0..40).for_each(|_| drop(set.spawn(late())))));
        tokio::spawn(async {
            let mut set: JoinSet<()> = (0..3).map(|_| sleep(rust_zoo::ms(60_000))).collect();
            set.spawn(async {});
            set.join_next().await;
            set.abort_all();
            set.shutdown().await;
        });
    });
}
