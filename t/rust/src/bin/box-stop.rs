//! A program that stops recording and starts it again, as t/targets/box-stop.c: box-stop scene|busy|tokio [TURNS]
use corotrace::tokio;

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use corotrace::{On, PollTrace, Role};

static OVER: AtomicBool = AtomicBool::new(false);
static EMITTED: AtomicU64 = AtomicU64::new(0);

fn nap(us: u64) {
    std::thread::sleep(Duration::from_micros(us));
}

fn fd(n: i32) -> On {
    // SAFETY: a number, which nobody reads or writes.
    On::fd(unsafe { BorrowedFd::borrow_raw(n) })
}

fn begin(name: &str, on: i32) -> PollTrace {
    let mut co = PollTrace::named(name);
    co.on_resume();
    co.on_wait(fd(on));
    EMITTED.fetch_add(4, Relaxed);
    co
}

fn ready(file: &str) {
    std::fs::write("pid.part", format!("{}\n", std::process::id())).unwrap();
    std::fs::rename("pid.part", file).unwrap();
}

fn wait_for(file: &str) {
    (0..3000).take_while(|_| !Path::new(file).exists()).for_each(|_| nap(10000));
}

fn scene() {
    corotrace::thread(Role::Worker, "worker");
    let (mut a, mut b, c) = (begin("moves", 1), begin("ends", 2), begin("stays", 3));
    corotrace::stop();
    corotrace::stop();
    assert!(!corotrace::enabled());
    a.on_resume();
    a.on_wait(fd(11));
    b.on_resume();
    b.on_ready();
    let d = begin("born unseen", 4);
    EMITTED.fetch_add(4, Relaxed);
    assert!(corotrace::start() && corotrace::start() && corotrace::enabled());
    let e = begin("after", 5);
    ready("pid");
    wait_for("go");
    corotrace::close(fd(3));
    corotrace::close(fd(11));
    corotrace::park(Some(0));
    EMITTED.fetch_add(3, Relaxed);
    ready("done");
    wait_for("stop");
    std::mem::forget((a, c, d, e));
}

fn busy() {
    corotrace::thread(Role::Worker, "busy");
    let mut n = 0;
    for turn in 0.. {
        if OVER.load(Relaxed) {
            break;
        }
        let mut co: Vec<_> =
            (0..8).map(|i| if i % 2 == 1 { PollTrace::named("odd") } else { PollTrace::new() }).collect();
        for i in 0..64 {
            co[i % 8].on_resume();
            corotrace::wake(co[(i + 1) % 8].id(), fd(i as i32));
            co[i % 8].on_wait(fd(i as i32));
        }
        for (i, mut co) in co.into_iter().enumerate() {
            if i % 2 == 1 {
                co.on_ready();
            }
        }
        n += 8 + 4 + 3 * 64 + 8;
        if turn % 16 == 0 {
            nap(500);
        }
    }
    EMITTED.fetch_add(n, Relaxed);
}

/// A healthy server of tokio's, of which nothing is to be said.
#[tokio::main(worker_threads = 2)]
async fn serve() {
    let (queue, mut consumer) = tokio::sync::mpsc::channel::<u32>(2);
    let sum = std::sync::Arc::new(tokio::sync::Mutex::new(0));
    let total = sum.clone();
    tokio::spawn(async move {
        while let Some(n) = consumer.recv().await {
            *total.lock().await += n;
        }
    });
    while !OVER.load(Relaxed) {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let (queue, sum) = (queue.clone(), sum.clone());
        tokio::spawn(async move {
            queue.send(1).await.unwrap();
            tokio::time::sleep(Duration::from_millis(1)).await;
            let _sum = sum.lock().await;
            reply.send(()).unwrap();
        });
        answer.await.unwrap();
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    corotrace::init();
    let work: &[fn()] = match args[1].as_str() {
        "scene" => return (scene(), println!("emitted {}", EMITTED.load(Relaxed))).1,
        "busy" => &[busy, busy, busy, busy],
        _ => &[serve],
    };
    let threads: Vec<_> = work.iter().map(|&f| std::thread::spawn(f)).collect();
    for turn in (0..args[2].parse().unwrap()).rev() {
        corotrace::stop();
        nap(turn % 7 * 200);
        corotrace::start();
        nap(turn % 5 * 300);
    }
    OVER.store(true, Relaxed);
    threads.into_iter().for_each(|t| t.join().unwrap());
    println!("emitted {}", EMITTED.load(Relaxed));
}
