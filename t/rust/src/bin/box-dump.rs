//! A program that writes its box into a file itself, as t/targets/box-dump.c: box-dump TIMES [crash|small|hop]
//!
//! Three threads make, move and end coroutines, 47 wait; SIGUSR1's handler, which interrupts any of them, writes the box into
//! `dumped`, TIMES times, each time into a new one. Prints 0, or the number of the last error, below zero. crash: in the end it
//! dies by SIGSEGV, whose handler writes `crashed`. small: no file may be larger than 32 KiB. hop: the threads hand 24 coroutines
//! to each other instead.
use std::os::unix::thread::JoinHandleExt;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering::*};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use corotrace::{On, PollTrace, Role};

static OVER: AtomicBool = AtomicBool::new(false);
static DUMPS: AtomicU32 = AtomicU32::new(0);
static RESULT: AtomicI32 = AtomicI32::new(0);

extern "C" fn on_usr1(_: i32) {
    let mut path = *b"dumped.000";
    let n = DUMPS.load(Relaxed);
    for (at, unit) in [(7, 100), (8, 10), (9, 1)] {
        path[at] = b'0' + (n / unit % 10) as u8;
    }
    let done = corotrace::dump(std::str::from_utf8(&path).unwrap());
    RESULT.store(done.map_or_else(|e| -e.raw_os_error().unwrap_or(1), |()| 0), Relaxed);
    DUMPS.store(n + 1, Release);
}

extern "C" fn on_segv(signal: i32) {
    let _ = corotrace::dump("crashed");
    // SAFETY: both may be called in a handler.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

fn handle(signal: i32, handler: extern "C" fn(i32)) {
    // SAFETY: the handlers do what a handler may.
    unsafe { libc::signal(signal, handler as libc::sighandler_t) };
}

fn wait_on(co: &mut PollTrace, bed: usize) {
    co.on_resume();
    co.on_wait(On::sem(&bed));
}

fn busy() {
    corotrace::thread(Role::Worker, "busy");
    while !OVER.load(Relaxed) {
        let mut all: Vec<_> = (0..8).map(|_| PollTrace::named("busy one")).collect();
        (0..64).for_each(|i| wait_on(&mut all[i % 8], i));
        all.iter_mut().for_each(PollTrace::on_ready);
        thread::sleep(Duration::from_micros(100));
    }
}

/// Three threads hand 24 coroutines to each other.
fn hop() {
    static ALL: Mutex<Vec<PollTrace>> = Mutex::new(Vec::new());
    corotrace::thread(Role::Worker, "hop");
    ALL.lock().unwrap().extend((0..8).map(|_| PollTrace::named("hop")));
    for moves in 1.. {
        if OVER.load(Relaxed) {
            break;
        }
        let Some(mut co) = ALL.lock().unwrap().pop() else { continue };
        wait_on(&mut co, 7);
        ALL.lock().unwrap().insert(0, co);
        if moves % 16 == 0 {
            thread::sleep(Duration::from_micros(100));
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let times = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let mode = args.get(2).map_or("", |m| m);
    // SAFETY: so that nothing hangs.
    unsafe { libc::alarm(120) };
    corotrace::init();
    handle(libc::SIGUSR1, on_usr1);
    handle(libc::SIGSEGV, on_segv);
    let mut waits: Vec<_> = (0..47).map(|_| PollTrace::named("sleeper")).collect();
    waits.iter_mut().enumerate().for_each(|(i, co)| wait_on(co, i));
    let threads: Vec<_> = (0..3).map(|_| thread::spawn(if mode == "hop" { hop } else { busy })).collect();
    thread::sleep(Duration::from_millis(20));
    if mode == "small" {
        let small = libc::rlimit { rlim_cur: 32768, rlim_max: 32768 };
        // SAFETY: reads one limit.
        unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &small) };
    }
    // SAFETY: the threads live until they are joined.
    let kill = |i: usize, signal| unsafe { libc::pthread_kill(threads[i % 3].as_pthread_t(), signal) };
    for i in 0..times {
        kill(i, libc::SIGUSR1);
        while DUMPS.load(Acquire) as usize <= i {
            thread::sleep(Duration::from_micros(200));
        }
        thread::sleep(Duration::from_millis(3));
    }
    if mode == "crash" {
        kill(1, libc::SIGSEGV);
    } else {
        OVER.store(true, Relaxed);
    }
    threads.into_iter().for_each(|t| t.join().unwrap());
    println!("{}", RESULT.load(Relaxed));
    std::mem::forget(waits);
}
