// uprobe: tasks of tokio that never heard of a probe, for ct-uprobe's tests. Some send one another messages, sleep, are
// spawned, joined and aborted; some idle for ever. A line "lose" on standard input: a thread drops the last waker of a task, whose id and own
// number it prints; "stop": all others end, and "ended" is printed; "more": one more spawns others; "load": a library, which
// begins its own; "late": it loses one. argv: pairs of tasks (0: none lives when it is ready), that library.
use std::future::poll_fn;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

static STOPPING: AtomicBool = AtomicBool::new(false);

fn stopping() -> bool {
    STOPPING.load(Ordering::SeqCst)
}

async fn ping(tx: mpsc::Sender<u32>, mut rx: mpsc::Receiver<u32>) {
    let mut n = 0;
    while !stopping() && tx.send(n).await.is_ok() {
        let Some(m) = rx.recv().await else { return };
        n = m + 1;
        if n % 8 == 0 {
            sleep(Duration::from_millis(1)).await;
        }
    }
}

async fn child(n: u32) -> u32 {
    if n % 2 == 0 {
        tokio::task::yield_now().await;
    }
    sleep(Duration::from_millis(1)).await;
    n + 1
}

// Children are joined, or aborted.
async fn parent() {
    let mut n = 0;
    while !stopping() {
        let task = tokio::spawn(child(n));
        if n % 5 == 4 {
            task.abort();
        }
        n = task.await.unwrap_or(n + 1);
    }
}

// By design for ever: nothing could wake it, and that is no fault.
async fn idles() {
    sleep(Duration::from_millis(1)).await;
    std::future::pending().await
}

type Slot = Arc<Mutex<Option<Waker>>>;

// The waker of each poll replaces the one before; as long as it is kept, somebody can wake it.
async fn waits(slot: Slot) {
    poll_fn(|cx| {
        *slot.lock().unwrap() = Some(cx.waker().clone());
        if stopping() && Arc::strong_count(&slot) > 1 {
            Poll::Ready(())
        } else {
            Poll::<()>::Pending
        }
    })
    .await
}

unsafe fn call(library: *mut libc::c_void, name: &std::ffi::CStr) {
    let function = libc::dlsym(library, name.as_ptr());
    std::mem::transmute::<*mut libc::c_void, extern "C" fn()>(function)();
}

fn main() {
    let pairs = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(4);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (kept, lost): (Slot, Slot) = Default::default();
    let (mut all, mut idle) = (Vec::new(), Vec::new());
    let mut library = std::ptr::null_mut();

    for _ in 0..pairs {
        let ((a, b), (c, d)) = (mpsc::channel(1), mpsc::channel(1));
        all.push(runtime.spawn(ping(a, d)));
        all.push(runtime.spawn(ping(c, b)));
        all.push(runtime.spawn(parent()));
        idle.extend([runtime.spawn(idles()), runtime.spawn(futures_util::future::pending())]);
    }
    all.push(runtime.spawn(waits(kept.clone())));
    let victim = runtime.spawn(waits(lost.clone()));
    if pairs == 0 {
        victim.abort();
        all.iter().for_each(|task| task.abort());
        while !victim.is_finished() || !all.iter().all(|task| task.is_finished()) {
            std::thread::yield_now();
        }
        all.clear();
    }
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        match line.unwrap().as_str() {
            "lose" => {
                while lost.lock().unwrap().is_none() {
                    std::thread::yield_now();
                }
                let slot = lost.clone();
                let dropper = std::thread::spawn(move || {
                    let waker = slot.lock().unwrap().take();
                    drop(waker);
                    unsafe { libc::syscall(libc::SYS_gettid) }
                });
                println!("lost {} {}", victim.id(), dropper.join().unwrap());
            }
            "more" => all.push(runtime.spawn(parent())),
            "load" => unsafe {
                let path = std::ffi::CString::new(std::env::args().nth(2).unwrap()).unwrap();
                library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
                call(library, c"begin");
            },
            "late" => unsafe { call(library, c"lose") },
            "stop" => {
                STOPPING.store(true, Ordering::SeqCst);
                all.extend(idle.drain(..).inspect(|task| task.abort()));
                // Another one, again and again: it replaces nothing, and wakes what waits.
                while let Some(task) = all.pop() {
                    while !task.is_finished() {
                        if let Some(w) = kept.lock().unwrap().as_ref() {
                            w.wake_by_ref();
                        }
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
                println!("ended");
            }
            _ => {}
        }
    }
    drop(lost);
    std::process::exit(0);
}
