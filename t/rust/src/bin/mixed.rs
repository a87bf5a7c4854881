//! A Rust writer that starts others and records beside them, and after a fork: mixed COROUTINES EVENTS [PROGRAM ...].
use std::process::Command;

use corotrace::{On, PollTrace};

extern "C" {
    fn fork() -> i32;
    fn _exit(status: i32) -> !;
    fn waitpid(pid: i32, status: *mut i32, flags: i32) -> i32;
}

fn write(name: &str, coroutines: usize, events: usize) {
    for _ in 0..coroutines {
        let mut probe = PollTrace::named(name);
        for _ in 0..events {
            probe.on_resume();
            probe.on_wait(On::user("Rust"));
        }
        probe.on_ready();
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (coroutines, events) = (args[1].parse().unwrap(), args[2].parse().unwrap());
    corotrace::init();
    let others: Vec<_> = args[3..].iter().map(|p| Command::new(p).args(&args[1..3]).spawn().unwrap()).collect();
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(move || write("in Rust", coroutines, events))).collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
    let mut theirs = PollTrace::named("the parent's");
    theirs.on_resume();
    // SAFETY: no other thread of ours runs any more; the child writes and leaves.
    unsafe {
        let pid = fork();
        if pid == 0 {
            theirs.on_wait(On::nothing()); // lives in the parent: nothing is told here
            write("forked", coroutines, events);
            _exit(0);
        }
        waitpid(pid, std::ptr::null_mut(), 0);
    }
    theirs.on_wait(On::nothing());
    for mut other in others {
        assert!(other.wait().unwrap().success());
    }
}
