//! A worker blocks in the middle of a task: what that woke has to wait for it, and is not lost. ct-lint finds the poll.
//! expect: nothing proven
use rust_zoo::ms;

pub fn main() {
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn(async {
            corotrace::tokio::sleep(ms(20)).await;
            corotrace::tokio::spawn(async {});
            std::thread::sleep(ms(10_000));
        });
    });
}
