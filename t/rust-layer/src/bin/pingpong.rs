//! The bench's: plain tokio, and the layer.

#[path = "../../../rust/src/pingpong.rs"]
mod pingpong;
use pingpong::cpu;

fn main() {
    corotrace::layer().init();
    pingpong!(::tokio, "layer");
}
