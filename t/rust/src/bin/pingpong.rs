//! The bench's: plain tokio, or with an argument the wrapper.

#[path = "../pingpong.rs"]
mod pingpong;
use pingpong::cpu;

fn main() {
    match std::env::args().nth(1) {
        None => pingpong!(::tokio, "plain"),
        Some(_) => pingpong!(corotrace::tokio, "wrapper"),
    }
}
