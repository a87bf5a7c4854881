//! Two tasks that wait for each other's end.
//! expect: deadlock 1
use corotrace::tokio::JoinHandle;
use tokio::sync::oneshot;

pub fn main() {
    rust_zoo::on_tokio(|| {
        let (give_a, a) = oneshot::channel::<JoinHandle<()>>();
        let (give_b, b) = oneshot::channel::<JoinHandle<()>>();
        let first = corotrace::tokio::spawn(async move { a.await.unwrap_or_else(|_| panic!()).await.unwrap() });
        let second = corotrace::tokio::spawn(async move { b.await.unwrap_or_else(|_| panic!()).await.unwrap() });
        let _ = (give_a.send(second), give_b.send(first));
    });
}
