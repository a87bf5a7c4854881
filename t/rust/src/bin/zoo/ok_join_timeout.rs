//! The same, but one of them gives up after a while that is longer than the trace.
//! expect: nothing proven
use corotrace::tokio::JoinHandle;
use tokio::sync::oneshot;

pub fn main() {
    rust_zoo::on_tokio(|| {
        let (give_a, a) = oneshot::channel::<JoinHandle<()>>();
        let (give_b, b) = oneshot::channel::<JoinHandle<()>>();
        let first = corotrace::tokio::spawn(async move { a.await.unwrap_or_else(|_| panic!()).await.unwrap() });
        let second = corotrace::tokio::spawn(async move {
            let other = b.await.unwrap_or_else(|_| panic!());
            let _ = tokio::time::timeout(rust_zoo::ms(60_000), other).await;
        });
        let _ = (give_a.send(second), give_b.send(first));
    });
}
