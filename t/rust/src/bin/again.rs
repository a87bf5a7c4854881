//! As t/targets/rec-again.c: tasks until the recorder is gone; then a box is asked for, nobody can be asked for one, and there are
//! tasks as before.
use std::future::{pending, Future};
use std::pin::pin;
use std::process::ExitCode;
use std::task::{Context, Waker};
use std::thread::sleep;
use std::time::Duration;

use corotrace::TraceFutureExt;

fn turns(mut task: std::pin::Pin<&mut impl Future>, turns: u32) {
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..turns {
        let _ = task.as_mut().poll(&mut cx);
        let _ = pin!(pending::<()>().traced_as("other")).poll(&mut cx);
    }
}

fn main() -> ExitCode {
    corotrace::init();
    // SAFETY: there is one thread. The alarm: if nobody kills the recorder.
    unsafe {
        libc::clearenv();
        libc::alarm(100);
    }
    let mut task = pin!(pending::<()>().traced_as("first"));
    while corotrace::enabled() {
        turns(task.as_mut(), 100);
        sleep(Duration::from_millis(1));
    }
    let started = corotrace::start();
    turns(task, 1000);
    // Whom would a recorder ask that finds one?
    let links =
        std::fs::read_dir("/proc/self/fd").unwrap().flatten().filter_map(|fd| std::fs::read_link(fd.path()).ok());
    let is_shared = links.into_iter().any(|link| link.to_string_lossy().contains("corotrace-flag"));
    ExitCode::from(u8::from(started) + 2 * u8::from(is_shared))
}
