//! What an event costs in Rust: the same loop as t/bench/probe.c, and a traced future polled under a waker that it keeps.
//! Prints "KEY NUMBER", ns an event. The recorder is played by moving the ring's tail now and then.
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::{File, OpenOptions};
use std::future::{poll_fn, Future};
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use corotrace::{PollTrace, TraceFutureExt};

const SLOTS: u64 = 65536;
const EVENTS: u64 = 4 * SLOTS;
const CHUNK: u64 = 1000;
const ROUNDS: usize = 41;
const RINGS: u64 = 4096;

/// Counts what is allocated.
struct Counting;
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
#[global_allocator]
static COUNTING: Counting = Counting;
// SAFETY: the system's, counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

/// Allocations of a thousand polls, but for the first two, which make the wakers.
fn allocated() -> u64 {
    let mut future = Box::pin(restless().traced());
    let mut poll = || _ = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    (0..2).for_each(|_| poll());
    let before = ALLOCATIONS.load(Relaxed);
    (0..1000).for_each(|_| poll());
    ALLOCATIONS.load(Relaxed) - before
}

/// A region in a file that is removed at once.
fn attach() -> File {
    let dir = std::env::temp_dir().join(format!("ct-bench-{}", std::process::id()));
    let (shm, sock) = (dir.join("shm"), dir.join("sock"));
    std::fs::create_dir(&dir).unwrap();
    let file = OpenOptions::new().create_new(true).read(true).write(true).open(&shm).unwrap();
    let (slots, strings) = (1 << 16, (1 << 16) + SLOTS * 64);
    let size = strings + 3 * 65536;
    let u32s = |at, a: u32, b: u32| file.write_all_at(&(a as u64 | (b as u64) << 32).to_le_bytes(), at).unwrap();
    let u64s = |at, n: u64| file.write_all_at(&n.to_le_bytes(), at).unwrap();
    file.set_len(size).unwrap();
    u64s(0x00, 0x434F_524F_5452_4352);
    u32s(0x08, 1, 0);
    u32s(0x48, 2, 1);
    u64s(0x50, size);
    u32s(0x58, 1, SLOTS as u32);
    for (at, n) in [(0x60, RINGS), (0x68, slots), (0x70, strings + 65536), (0x78, strings + 131072), (0x80, strings)] {
        u64s(at, n);
    }
    u64s(0x88, 65536);
    u32s(0x90, 16, 64);
    for (at, n) in [(0x100, 1), (0x180, 1), (0x1C0, 8), (0x40, 0x3250_4354_524F_4F43)] {
        u64s(at, n);
    }
    let listener = UnixListener::bind(&sock).unwrap();
    for (name, path) in [("CTP_SHM_PATH", &shm), ("CTP_SOCK_PATH", &sock)] {
        std::env::set_var(name, path);
    }
    assert!(corotrace::init());
    std::mem::forget(listener);
    std::fs::remove_dir_all(&dir).unwrap();
    file
}

/// Median of rounds, ns for each of EVENTS, of which `some` makes about CHUNK.
fn median(recorder: Option<&File>, mut some: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..EVENTS / CHUNK {
                if let Some(file) = recorder {
                    let mut head = [0; 8];
                    file.read_exact_at(&mut head, RINGS).unwrap();
                    file.write_all_at(&head, RINGS + 0x40).unwrap();
                }
                some();
            }
            start.elapsed().as_nanos() as f64 / (EVENTS / CHUNK * CHUNK) as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// Each poll wakes, and so drops, the waker of the last one, and keeps another.
fn restless() -> impl Future<Output = ()> {
    let mut kept: Option<Waker> = None;
    poll_fn(move |cx| {
        if let Some(waker) = kept.take() {
            waker.wake();
        }
        kept = Some(cx.waker().clone());
        Poll::Pending
    })
}

/// Polls for CHUNK events of a traced future: resume, wake, drop, clone, suspend.
fn polls(future: impl Future<Output = ()>) -> impl FnMut() {
    let mut future = Box::pin(future);
    move || {
        for _ in 0..CHUNK / 5 {
            let _ = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
    }
}

fn loops(mut probe: PollTrace) -> impl FnMut() {
    move || {
        for _ in 0..CHUNK / 2 {
            probe.on_resume();
            probe.on_pending_addr(black_box(3));
        }
    }
}

fn main() {
    if std::env::args().nth(1).is_none() {
        println!("rust-disabled {:.2}", median(None, loops(PollTrace::new())));
        println!("rust-future-disabled {:.2}", median(None, polls(restless().traced())));
        println!("rust-future-bare {:.2}", median(None, polls(restless())));
        // The environment is asked once a process.
        let again = std::env::current_exe().unwrap();
        assert!(std::process::Command::new(again).arg("attached").status().unwrap().success());
        return;
    }
    let file = attach();
    println!("rust-enabled {:.2}", median(Some(&file), loops(PollTrace::new())));
    println!("rust-future-allocations {}", allocated());
    println!("rust-future-enabled {:.2}", median(Some(&file), polls(restless().traced())));
}
