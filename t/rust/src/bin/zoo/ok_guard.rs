//! tokio's Mutex: a cancelled holder's guard unlocks it.
//! expect: nothing proven
use std::sync::Arc;

use corotrace::{On, TraceFutureExt};
use rust_zoo::ms;
use tokio::sync::{Mutex, MutexGuard};

struct Guard<'a>(&'a Mutex<u32>, #[allow(dead_code)] Option<MutexGuard<'a, u32>>);
impl Drop for Guard<'_> {
    fn drop(&mut self) {
        corotrace::release(On::mutex(self.0));
        self.1 = None;
    }
}
async fn lock(mutex: &Mutex<u32>) -> Guard<'_> {
    let guard = mutex.lock().waiting_on(On::mutex(mutex)).await;
    corotrace::acquire(On::mutex(mutex));
    Guard(mutex, Some(guard))
}

pub fn main() {
    let mutex = Arc::new(Mutex::new(0));
    let other = mutex.clone();
    rust_zoo::on_tokio(|| {
        let holder = corotrace::tokio::spawn(async move {
            let _guard = lock(&mutex).await;
            corotrace::tokio::sleep(ms(60_000)).await;
        });
        rust_zoo::settle();
        corotrace::tokio::spawn(async move {
            let _guard = lock(&other).await;
            corotrace::tokio::sleep(ms(60_000)).await;
        });
        rust_zoo::settle();
        holder.abort();
    });
}
