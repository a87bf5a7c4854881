//! One task for each thing of tokio's that can be waited for beside locks and message queues; all wait when the trace ends.
use corotrace::tokio;

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, oneshot, watch, Barrier, Notify};
use tokio::task::{spawn_as, JoinSet};
use tokio::time::timeout;

fn main() {
    rust_zoo::on_tokio(|| {
        let (values, mut value) = watch::channel(1);
        let mut same = value.clone();
        spawn_as("changed", async move { value.changed().await.unwrap() });
        spawn_as("wait_for", async move { drop(same.wait_for(|&v| v == 7).await) });
        spawn_as("watch closed", async move { values.closed().await });

        let (news, mut reader) = broadcast::channel::<u32>(4);
        let weak = news.downgrade();
        spawn_as("broadcast", async move { drop(reader.recv().await) });
        std::mem::forget(weak.upgrade().unwrap());
        drop(news); // one is left

        let barrier = Arc::new(Barrier::new(3));
        for _ in 0..2 {
            let barrier = barrier.clone();
            spawn_as("barrier", async move { drop(barrier.wait().await) });
        }

        let never = Arc::new(Notify::new());
        spawn_as("timeout", async move { drop(timeout(Duration::from_secs(60), never.notified()).await) });

        let mut set: JoinSet<()> = [std::future::pending()].into_iter().collect();
        set.detach_all();
        spawn_as("detached", async move {
            set.spawn(std::future::pending());
            drop(set.join_next().await)
        });

        // Tokio's own, where types have to be: nothing is reported of what becomes of them.
        let (reply, answer) = oneshot::channel::<u32>();
        let (reply, answer): (::tokio::sync::oneshot::Sender<u32>, ::tokio::sync::oneshot::Receiver<u32>) =
            (reply.into(), answer.into());
        let (sender, receiver) = mpsc::channel::<u32>(1);
        let (sender, mut receiver): (::tokio::sync::mpsc::Sender<u32>, ::tokio::sync::mpsc::Receiver<u32>) =
            (sender.into(), receiver.into());
        spawn_as("own", async move {
            reply.send(1).unwrap();
            answer.await.unwrap();
            sender.send(2).await.unwrap();
            assert_eq!(receiver.recv().await, Some(2));
        });
    });
}
