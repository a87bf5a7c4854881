//! A program that keeps a box, to be attached to, as t/targets/box-spin.c: box-spin THREADS PAUSE_US SLEEPERS [MODE]
//!
//! SLEEPERS coroutines suspend on their own words and never move. Each of THREADS threads resumes and suspends a coroutine of
//! its own, with a pause after every 64 events, until there is a file `stop` in the directory, or for 60 s. MODE: fork, a child
//! does the same; churn, threads end after 200 events and others follow; forks, both; live, coroutines come and go; box and
//! start, the code asks for the box by itself. Writes its pid into `pid` when all of that runs, and `emitted N` at the end.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use corotrace::{On, PollTrace, Role};

static OVER: AtomicBool = AtomicBool::new(false);
static EMITTED: AtomicU64 = AtomicU64::new(0);

fn nap(us: u64) {
    thread::sleep(Duration::from_micros(us));
}

#[derive(Clone, Copy)]
struct Way {
    pause: u64,
    churn: bool,
    live: bool,
}

fn bout(way: Way) -> u64 {
    let mut co = PollTrace::named("spinner");
    let mut n = 2;
    while !OVER.load(Relaxed) {
        co.on_resume();
        co.on_wait(On::sem(&n));
        n += 2;
        if n % 64 == 0 && way.pause != 0 {
            nap(way.pause);
        }
        if n > 200 && (way.churn || way.live) {
            break;
        }
    }
    co.on_ready();
    n + 1
}

fn spin(way: Way) {
    corotrace::thread(Role::Worker, "spinner");
    loop {
        EMITTED.fetch_add(bout(way), Relaxed);
        if !way.live || OVER.load(Relaxed) {
            break;
        }
    }
}

fn follow(way: Way) {
    while !OVER.load(Relaxed) {
        thread::spawn(move || spin(way)).join().unwrap();
    }
}

fn run(threads: usize, way: Way) {
    let all: Vec<_> =
        (0..threads).map(|_| thread::spawn(move || if way.churn { follow(way) } else { spin(way) })).collect();
    for _ in 0..6000 {
        if std::path::Path::new("stop").exists() {
            break;
        }
        nap(10000);
    }
    OVER.store(true, Relaxed);
    all.into_iter().for_each(|t| t.join().unwrap());
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize| args.get(i).and_then(|n| n.parse().ok()).unwrap_or(0u64);
    let mode = args.get(4).map_or("", |m| m);
    let way = Way { pause: number(2), churn: mode == "churn" || mode == "forks", live: mode == "live" };
    match mode {
        "box" => corotrace::blackbox(),
        "start" => corotrace::start(),
        _ => corotrace::init(),
    };
    let sleepers: Vec<PollTrace> = (0..number(3))
        .map(|i| {
            let mut co = PollTrace::named("sleeper");
            co.on_resume();
            co.on_wait(On::user(&format!("bed {i}")));
            EMITTED.fetch_add(4, Relaxed);
            co
        })
        .collect();
    // SAFETY: one thread so far.
    let child = if mode.starts_with("fork") { unsafe { libc::fork() } } else { -1 };
    if child != 0 {
        std::fs::write("pid.part", format!("{}\n", std::process::id())).unwrap();
        std::fs::rename("pid.part", "pid").unwrap();
    }
    run(number(1).max(1) as usize, way);
    if child > 0 {
        // SAFETY: waits for the child.
        unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    }
    println!("emitted {}", EMITTED.load(Relaxed));
    std::mem::forget(sleepers);
}
