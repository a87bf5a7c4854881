//! Two cells, each made of the other.
//! expect: deadlock 1
use corotrace::tokio;
use std::future::Future;
use std::pin::Pin;
use tokio::sync::OnceCell;

static CELLS: [OnceCell<u32>; 2] = [const { OnceCell::const_new() }; 2];

fn get(i: usize) -> Pin<Box<dyn Future<Output = u32> + Send>> {
    Box::pin(async move { *CELLS[i].get_or_init(|| get(1 - i)).await })
}

pub fn main() {
    rust_zoo::on_tokio(|| {
        tokio::spawn(get(0));
    });
}
