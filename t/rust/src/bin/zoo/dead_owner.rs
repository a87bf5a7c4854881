//! An async lock without a guard: its holder is cancelled, and nobody unlocks.
//! expect: dead-owner 1
use std::sync::Arc;

use corotrace::{On, TraceFutureExt};
use rust_zoo::ms;
use tokio::sync::Semaphore;

struct Lock(Semaphore);
impl Lock {
    async fn lock(&self) {
        self.0.acquire().waiting_on(On::mutex(self)).await.unwrap().forget();
        corotrace::acquire(On::mutex(self));
    }
    fn unlock(&self) {
        corotrace::release(On::mutex(self));
        self.0.add_permits(1);
    }
}

pub fn main() {
    let lock = Arc::new(Lock(Semaphore::new(1)));
    let other = lock.clone();
    rust_zoo::on_tokio(|| {
        let holder = corotrace::tokio::spawn(async move {
            lock.lock().await;
            corotrace::tokio::sleep(ms(60_000)).await;
            lock.unlock();
        });
        rust_zoo::settle();
        corotrace::tokio::spawn(async move {
            other.lock().await;
            other.unlock();
        });
        rust_zoo::settle();
        holder.abort();
    });
}
