//! Futures that keep their waker, and wait to the end.
//! expect: nothing proven
use std::sync::Arc;

use rust_zoo::{ms, Flag};

pub fn main() {
    let (never, soon) = (Arc::new(Flag::default()), Arc::new(Flag::default()));
    let both = (never.clone(), soon.clone());
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn(async move { both.0.wait().await });
        corotrace::tokio::spawn(async move {
            both.1.wait().await;
            corotrace::tokio::sleep(ms(60_000)).await
        });
        rust_zoo::settle();
        soon.set();
    });
}
