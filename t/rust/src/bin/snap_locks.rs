// snap_locks: tasks of tokio in cycles of locks, joins and channels, and such as only look like it, for ct-snap's tests. Prints for each
// task: its id and a word for what it is.
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch, Barrier, Mutex, Notify, OwnedMutexGuard, RwLock};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

const LONG: Duration = Duration::from_secs(100_000);

fn say(word: &str) {
    println!("{} {}", tokio::task::id(), word);
}

// Each has one and waits for the other.
fn crosswise() {
    let (a, b, gate) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)), Arc::new(Barrier::new(2)));
    for (one, two) in [(a.clone(), b.clone()), (b, a)] {
        let gate = gate.clone();
        tokio::spawn(async move {
            say("crosswise");
            let mut first = one.lock().await;
            *first += 1;
            gate.wait().await;
            let second = two.lock().await;
            drop((first, second));
        });
    }
}

// The same, but the lock of one is another's long since: whoever waits for it waits for that one, who only sleeps.
fn given_back(keep: &mut Vec<Box<dyn std::any::Any + Send>>) {
    let (a, b, gate) = (Arc::new(Mutex::new(1u8)), Arc::new(Mutex::new(2u8)), Arc::new(Barrier::new(2)));
    let (a2, b2, gate2) = (a.clone(), b.clone(), gate.clone());
    let a3 = a.clone();
    keep.push(Box::new(a.clone()));
    tokio::spawn(async move {
        say("had");
        let mut first = a.lock().await;
        *first += 1;
        drop(first);
        gate.wait().await;
        sleep(Duration::from_millis(200)).await;
        let second = b.lock().await;
        drop(second);
    });
    tokio::spawn(async move {
        say("waits");
        gate2.wait().await;
        let second = b2.lock().await;
        sleep(Duration::from_millis(200)).await;
        let first = a2.lock().await;
        drop((first, second));
    });
    tokio::spawn(async move {
        say("has");
        sleep(Duration::from_millis(100)).await;
        let held: Box<dyn std::any::Any + Send> = Box::new(a3.lock_owned().await);
        sleep(LONG).await;
        drop(held);
    });
}

// A lock is given to a future that nobody polls any more, by the task that waits for it.
fn of_itself() {
    let lock = Arc::new(Mutex::new(0));
    let first = lock.clone();
    tokio::spawn(async move {
        say("holder");
        let held = first.lock().await;
        sleep(Duration::from_millis(200)).await;
        drop(held);
    });
    tokio::spawn(async move {
        say("itself");
        sleep(Duration::from_millis(50)).await;
        let mut waits = pin!(lock.lock());
        std::future::poll_fn(|cx| {
            assert!(waits.as_mut().poll(cx).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
        let again = lock.lock().await;
        drop(again);
    });
}

fn readers() {
    let (a, b, gate) = (Arc::new(RwLock::new(1)), Arc::new(RwLock::new(2)), Arc::new(Barrier::new(2)));
    for (one, two) in [(a.clone(), b.clone()), (b, a)] {
        let gate = gate.clone();
        tokio::spawn(async move {
            say("readers");
            let first = one.read_owned().await;
            gate.wait().await;
            let second = two.write().await;
            drop((first, second));
        });
    }
}

// It gives up some time.
fn patient() {
    let (a, b, gate) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)), Arc::new(Barrier::new(2)));
    for (one, two) in [(a.clone(), b.clone()), (b, a)] {
        let gate = gate.clone();
        tokio::spawn(async move {
            say("patient");
            let first = one.lock().await;
            gate.wait().await;
            let _ = timeout(LONG, two.lock()).await;
            drop(first);
        });
    }
}

fn joined() {
    let (one, mine) = oneshot::channel::<JoinHandle<()>>();
    let (two, yours) = oneshot::channel::<JoinHandle<()>>();
    let mut handles = Vec::new();
    for get in [mine, yours] {
        handles.push(tokio::spawn(async move {
            say("joined");
            get.await.unwrap().await.unwrap();
        }));
    }
    let _ = one.send(handles.pop().unwrap());
    let _ = two.send(handles.pop().unwrap());
}

// Each sends into the channel of the other, which is full, and would take from its own only then.
fn full() {
    let ((a, mut of_a), (b, mut of_b)) = (mpsc::channel::<u32>(1), mpsc::channel::<u32>(1));
    tokio::spawn(async move {
        say("full");
        for n in 0..2 {
            b.send(n).await.unwrap();
        }
        of_a.recv().await;
    });
    tokio::spawn(async move {
        say("full");
        for n in 0..2 {
            a.send(n).await.unwrap();
        }
        of_b.recv().await;
    });
}

// One waits for an answer by the other, who waits for it to end.
fn answer() {
    let (tx, rx) = oneshot::channel::<u32>();
    let asks = tokio::spawn(async move {
        say("answer");
        let _ = rx.await;
    });
    tokio::spawn(async move {
        say("answer");
        let _ = asks.await;
        let _ = tx.send(1);
    });
}

// Each waits for what the other sends.
fn polite() {
    let ((a, mut of_a), (b, mut of_b)) = (mpsc::unbounded_channel::<u32>(), mpsc::channel::<u32>(1));
    tokio::spawn(async move {
        say("polite");
        of_a.recv().await;
        b.send(1).await.unwrap();
    });
    tokio::spawn(async move {
        say("polite");
        of_b.recv().await;
        a.send(1).unwrap();
    });
}

// The same, but somebody else may send, or may become a sender.
fn others(keep: &mut Vec<Box<dyn std::any::Any + Send>>) {
    for how in 0..4 {
        let ((a, mut of_a), (b, mut of_b)) = (mpsc::channel::<u32>(1), mpsc::channel::<u32>(1));
        match how {
            0 => keep.push(Box::new(a.clone())),
            1 => keep.push(Box::new(vec![Arc::new(b.downgrade())])),
            2 => {
                let (a, b) = (a.clone(), b.clone());
                tokio::spawn(async move {
                    say("sleeps");
                    let both = Arc::new((a, b));
                    sleep(LONG).await;
                    drop(both);
                });
            }
            _ => {
                let b = b.clone();
                std::thread::spawn(move || {
                    std::thread::sleep(LONG);
                    drop(b);
                });
            }
        }
        tokio::spawn(async move {
            say("others");
            of_a.recv().await;
            b.send(1).await.unwrap();
        });
        tokio::spawn(async move {
            say("others");
            of_b.recv().await;
            a.send(1).await.unwrap();
        });
    }
}

// The same, and that else a thread has, who only sleeps, in a variable of its own.
thread_local! { static OWN: std::cell::RefCell<Option<mpsc::Sender<u32>>> = const { std::cell::RefCell::new(None) }; }
fn of_a_thread() {
    tokio::spawn(async {
        let ((a, mut of_a), (b, mut of_b)) = (mpsc::channel::<u32>(1), mpsc::channel::<u32>(1));
        OWN.with(|own| *own.borrow_mut() = Some(a.clone()));
        tokio::spawn(async move {
            say("others");
            of_a.recv().await;
            b.send(1).await.unwrap();
        });
        tokio::spawn(async move {
            say("others");
            of_b.recv().await;
            a.send(1).await.unwrap();
        });
    });
}

// One waits for whichever of its tasks ends first, and these for it.
fn set() {
    let (tx, rx) = oneshot::channel::<()>();
    tokio::spawn(async move {
        say("set");
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            say("set");
            let _ = rx.await;
        });
        tasks.join_next().await;
        let _ = tx.send(());
    });
}

// It waits for what only it could send itself; two, for any of two things that the other has, and for it. What was never
// written of a channel has words of others.
fn ring() {
    tokio::spawn(async {
        say("ring");
        let (tx, mut rx) = mpsc::unbounded_channel::<u32>();
        while rx.recv().await.is_some() {}
        drop(tx);
    });
    let ((a, of_a), (b, of_b)) = (oneshot::channel::<()>(), oneshot::channel::<()>());
    let (more, mut of_more) = mpsc::channel::<()>(1);
    tokio::spawn(async move {
        say("ring");
        tokio::select! { _ = of_a => {}, _ = of_more.recv() => {} }
        let _ = b.send(());
    });
    tokio::spawn(async move {
        say("ring");
        let _ = of_b.await;
        let _ = a.send(());
        let _ = more.send(()).await;
    });
    let ((a, of_a), (b, of_b)) = (oneshot::channel::<()>(), oneshot::channel::<()>());
    tokio::spawn(async move {
        say("patient");
        let _ = timeout(LONG, of_a).await;
        let _ = b.send(());
    });
    tokio::spawn(async move {
        say("patient");
        let _ = of_b.await;
        let _ = a.send(());
    });
}

enum Message {
    Ask(oneshot::Sender<u32>),
    Start,
}

// An actor that asks itself: who could answer is in its own mailbox, behind some that it has taken.
fn asks() {
    let (me, mut mailbox) = mpsc::channel::<Message>(8);
    let starts = me.clone();
    tokio::spawn(async move {
        say("asks");
        while let Some(message) = mailbox.recv().await {
            if let Message::Start = message {
                let (answer, answered) = oneshot::channel();
                let _ = me.send(Message::Ask(answer)).await;
                let _ = answered.await;
            }
        }
    });
    tokio::spawn(async move {
        for _ in 0..40 {
            let (answer, _) = oneshot::channel();
            let _ = starts.send(Message::Ask(answer)).await;
        }
        let _ = starts.send(Message::Start).await;
        drop(starts);
    });
}

// The same of two, but the one that is asked only sleeps, or the question has gone elsewhere: it stands in its mailbox still.
fn asked(keep: &mut Vec<Box<dyn std::any::Any + Send>>) {
    let elsewhere = Arc::new(std::sync::Mutex::new(Vec::new()));
    keep.push(Box::new(elsewhere.clone()));
    for sleeps in [true, false] {
        let (to, mut mailbox) = mpsc::unbounded_channel::<Message>();
        let (gives, given) = oneshot::channel::<()>();
        let elsewhere = elsewhere.clone();
        tokio::spawn(async move {
            say("asked");
            let mut given = Some(given);
            sleep(if sleeps { LONG } else { Duration::ZERO }).await;
            while let Some(message) = mailbox.recv().await {
                if let Message::Ask(answer) = message {
                    elsewhere.lock().unwrap().push(answer);
                    let _ = given.take().unwrap().await;
                }
            }
        });
        tokio::spawn(async move {
            say("asked");
            let (answer, answered) = oneshot::channel();
            let _ = to.send(Message::Ask(answer));
            let _ = answered.await;
            let _ = gives.send(());
        });
    }
}

// Each waits for the other to change what it watches; of the second pair somebody else may.
fn watched(keep: &mut Vec<Box<dyn std::any::Any + Send>>) {
    for word in ["watched", "others"] {
        let ((a, mut of_a), (b, mut of_b)) = (watch::channel(0u32), watch::channel(0u32));
        if word == "others" {
            keep.push(Box::new(b.clone()));
        }
        tokio::spawn(async move {
            say(word);
            let _ = of_a.changed().await;
            let _ = b.send(1);
        });
        tokio::spawn(async move {
            say(word);
            let _ = of_b.wait_for(|n| *n > 0).await;
            let _ = a.send(1);
        });
    }
}

// It keeps a lock until it is notified, by one that needs the lock; of the second somebody else may notify, who sleeps; the third
// and the fourth rest, for nobody will.
#[derive(Default)]
struct Shared {
    lock: RwLock<u32>,
    notify: Notify,
}
fn notified() {
    for word in ["notified", "told"] {
        let (shared, told) = (Arc::new(Shared::default()), Arc::new(Notify::new()));
        let (other, tells, sleeps) = (Arc::new(vec![shared.clone()]), told.clone(), told.clone());
        tokio::spawn(async move {
            say(word);
            let held = shared.lock.write().await;
            if word == "told" {
                told.notified().await;
            } else {
                shared.notify.notified().await;
            }
            drop(held);
        });
        tokio::spawn(async move {
            say(word);
            sleep(Duration::from_millis(50)).await;
            let read = other[0].lock.read().await;
            tells.notify_one();
            other[0].notify.notify_one();
            drop(read);
        });
        if word == "told" {
            tokio::spawn(async move {
                say("sleeps");
                sleep(LONG).await;
                sleeps.notify_one();
            });
        }
    }
    let rest = Arc::new(Notify::new());
    for rest in [rest.clone(), rest] {
        tokio::spawn(async move {
            say("rests");
            rest.notified().await;
            rest.notify_one();
        });
    }
}

// The ends of its channels were made in a function that goes on, and may stand on its stack still. One waits for room, the other
// for an answer by that one; with `sleeps` another may answer, who has the sender in a box.
fn from_main(how: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let ((to, mut mailbox), (gives, given)) = (mpsc::channel::<u32>(1), oneshot::channel::<()>());
    let gives = Arc::new(std::sync::Mutex::new(Some(gives)));
    if how == "sleeps" {
        let gives = Box::new(gives.clone());
        runtime.spawn(async move {
            sleep(LONG).await;
            let _ = gives.lock().unwrap().take();
        });
    }
    runtime.spawn(async move {
        for n in 0..3 {
            to.send(n).await.unwrap();
        }
        let _ = gives.lock().unwrap().take().unwrap().send(());
    });
    runtime.spawn(async move {
        let _ = given.await;
        while mailbox.recv().await.is_some() {}
    });
    runtime.block_on(async {
        sleep(Duration::from_millis(300)).await;
        println!("ready");
        sleep(LONG).await;
    });
}

// It keeps a lock until it is notified, by one that needs the lock, or by who gets this.
fn notified_by() -> Arc<Shared> {
    let shared = Arc::new(Shared::default());
    let (waits, needs) = (shared.clone(), shared.clone());
    tokio::spawn(async move {
        let held = waits.lock.write().await;
        waits.notify.notified().await;
        drop(held);
    });
    tokio::spawn(async move {
        sleep(Duration::from_millis(50)).await;
        let read = needs.lock.read().await;
        needs.notify.notify_one();
        drop(read);
    });
    shared
}

// Kept where no word is its address: turned, in a byte array.
fn hidden() {
    let kept = (Arc::into_raw(notified_by()) as u64).rotate_left(13).to_be_bytes();
    tokio::spawn(async move {
        sleep(LONG).await;
        let shared = unsafe { Arc::from_raw(u64::from_be_bytes(kept).rotate_right(13) as *const Shared) };
        shared.notify.notify_one();
    });
}

// The room that one waits for, who has the lock that the receiver needs, has another reserved.
fn reserved(owned: bool) {
    let (to, mut mailbox) = mpsc::channel::<u32>(1);
    let (lock, reserves) = (Arc::new(Mutex::new(())), to.clone());
    let needs = lock.clone();
    tokio::spawn(async move {
        if owned {
            let permit = reserves.reserve_owned().await.unwrap();
            sleep(LONG).await;
            drop(permit);
        } else {
            let permit = reserves.reserve().await.unwrap();
            sleep(LONG).await;
            drop(permit);
        }
    });
    tokio::spawn(async move {
        sleep(Duration::from_millis(50)).await;
        let held = lock.lock().await;
        to.send(1).await.unwrap();
        drop(held);
    });
    tokio::spawn(async move {
        sleep(Duration::from_millis(100)).await;
        drop(needs.lock().await);
        mailbox.recv().await;
    });
}

// Kept so, too, and what an Arc counts is there: a word is left in a Vec that one of them emptied, or in its variable that was moved.
fn turned<T>(kept: Arc<T>) -> u64 {
    (Arc::into_raw(kept) as u64).rotate_left(13)
}
fn stale(moved: bool) {
    let (lock, told) = (Arc::new(Mutex::new(0)), Arc::new(Notify::new()));
    let (keeps, waits) = (lock.clone(), told.clone());
    tokio::spawn(async move {
        let held = keeps.lock().await;
        waits.notified().await;
        drop(held);
    });
    tokio::spawn(async move {
        sleep(Duration::from_millis(50)).await;
        let mut emptied = Vec::with_capacity(4);
        if !moved {
            emptied.push(told.clone());
            emptied.clear();
        }
        let kept = (turned(told)).to_be_bytes();
        tokio::spawn(async move {
            sleep(LONG).await;
            let told = unsafe { Arc::from_raw(u64::from_be_bytes(kept).rotate_right(13) as *const Notify) };
            told.notify_one();
        });
        let held = lock.lock().await;
        drop((held, emptied));
    });
}

// Who keeps the lock is aborted by another in time.
fn aborted() {
    let shared = Arc::new(Shared::default());
    let (waits, needs) = (shared.clone(), shared);
    let keeps = tokio::spawn(async move {
        let held = waits.lock.write().await;
        waits.notify.notified().await;
        drop(held);
    });
    tokio::spawn(async move {
        sleep(Duration::from_millis(50)).await;
        let read = needs.lock.read().await;
        needs.notify.notify_one();
        drop(read);
    });
    tokio::spawn(async move {
        sleep(LONG).await;
        keeps.abort();
    });
}

// The end of a task wakes it.
#[derive(Default)]
struct Bell(Shared);
impl std::task::Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.notify.notify_one();
    }
}
fn rung() {
    let bell = Arc::new(Bell::default());
    let (waits, needs) = (bell.clone(), bell.clone());
    tokio::spawn(async move {
        let held = waits.0.lock.write().await;
        waits.0.notify.notified().await;
        drop(held);
    });
    tokio::spawn(async move {
        sleep(Duration::from_millis(50)).await;
        let read = needs.0.lock.read().await;
        needs.0.notify.notify_one();
        drop(read);
    });
    let mut ends = tokio::spawn(sleep(LONG));
    let _ = std::pin::Pin::new(&mut ends).poll(&mut std::task::Context::from_waker(&bell.into()));
    std::mem::forget(ends);
}

// Nobody is stuck. With `blocks`, main's future runs, and waits for a thread: what it has since lies nowhere else.
fn of_others(how: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let how = how.to_string();
    runtime.block_on(async move {
        sleep(Duration::from_millis(10)).await;
        let shared = if how == "blocks" { tokio::spawn(async { notified_by() }).await.ok() } else { None };
        let _ = tokio::spawn(async move {
            match how.as_str() {
                "hidden" => hidden(),
                "reserved" => reserved(false),
                "owned" => reserved(true),
                "rung" => rung(),
                "stale" => stale(false),
                "moved" => stale(true),
                "aborted" => aborted(),
                _ => {}
            }
        })
        .await;
        if let Some(shared) = shared {
            std::thread::spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                println!("ready");
                std::thread::sleep(LONG);
            })
            .join()
            .unwrap();
            shared.notify.notify_one();
            sleep(LONG).await;
            drop(shared);
        }
        sleep(Duration::from_millis(300)).await;
        println!("ready");
        sleep(LONG).await;
    });
}

// What main waits for has a sender, too, and is no async block.
fn of_main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let _within = runtime.enter();
    let _ = runtime.block_on(timeout(LONG, async {
        let (gives, given) = oneshot::channel();
        tokio::spawn(async move {
            let ((a, mut of_a), (b, mut of_b)) = (mpsc::channel::<u32>(1), mpsc::channel::<u32>(1));
            let _ = gives.send(a.clone());
            tokio::spawn(async move {
                of_a.recv().await;
                b.send(1).await.unwrap();
            });
            tokio::spawn(async move {
                of_b.recv().await;
                a.send(1).await.unwrap();
            });
        });
        let mine = given.await.unwrap();
        sleep(Duration::from_millis(300)).await;
        println!("ready");
        sleep(LONG).await;
        let _ = mine.send(1).await;
    }));
}

// One worker, whose thread sleeps in a task: five tasks in its queue, of which one in the slot of the last; three that came from
// outside.
fn queues() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (one, runs) = std::sync::mpsc::channel();
    let (came, two) = std::sync::mpsc::channel::<()>();
    runtime.spawn(async move {
        for _ in 0..5 {
            tokio::spawn(async { sleep(LONG).await });
        }
        one.send(()).unwrap();
        let _ = two.recv();
        println!("ready");
        std::thread::sleep(LONG);
    });
    runs.recv().unwrap();
    for _ in 0..3 {
        runtime.spawn(async { sleep(LONG).await });
    }
    came.send(()).unwrap();
    std::thread::sleep(LONG);
}

// Tasks that are ready, of a LocalSet and of a runtime of one thread that somebody runs by turns, beside workers that sleep.
fn turns() {
    let workers = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let current = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let local = tokio::task::LocalSet::new();
    workers.spawn(async { sleep(LONG).await });
    local.spawn_local(std::future::ready(()));
    current.spawn(std::future::ready(()));
    std::thread::sleep(Duration::from_millis(200));
    println!("ready");
    std::thread::sleep(LONG);
    current.block_on(local);
}

extern "C" fn sleeps(_: i32) {
    println!("ready");
    std::thread::sleep(LONG);
}

// main() has the guard that a task gave away, and drops it some time: in a variable on its stack, while a handler runs on another
// one; in memory that is shared; at an odd address, also in a variable.
type Guard = OwnedMutexGuard<u32>;
type Place = Arc<std::sync::Mutex<Option<Guard>>>;
#[repr(C, packed)]
struct Packed(u8, Option<Guard>);
async fn needs(lock: Arc<Mutex<u32>>) {
    sleep(Duration::from_millis(100)).await;
    drop(lock.lock_owned().await);
}
async fn gives(lock: Arc<Mutex<u32>>, to: Option<Place>, place: usize) {
    let guard = lock.clone().lock_owned().await;
    let ends = tokio::spawn(needs(lock));
    if let Some(to) = &to {
        *to.lock().unwrap() = Some(guard);
    } else if place > 0 {
        unsafe { std::ptr::write_unaligned(place as *mut Guard, guard) };
    }
    let _ = ends.await;
}
fn given_away(how: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let kept = Place::default();
    let mapped = how == "shared" || how == "packed";
    let private = if how == "shared" { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    let (writable, flags) = (libc::PROT_READ | libc::PROT_WRITE, private | libc::MAP_ANONYMOUS);
    let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, writable, flags, -1, 0) };
    let place = page as usize + if how == "packed" { 4 } else { 0 };
    let to = if mapped { None } else { Some(kept.clone()) };
    let ends = runtime.spawn(async move {
        let (_other, lock) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
        let _ = tokio::spawn(gives(lock, to, place)).await;
    });
    std::thread::sleep(Duration::from_millis(400));
    if how == "handler" {
        let guard = kept.lock().unwrap().take();
        let stack = vec![0u8; 1 << 16].leak();
        let on = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: stack.len() };
        unsafe {
            let mut act: libc::sigaction = std::mem::zeroed();
            act.sa_sigaction = sleeps as extern "C" fn(i32) as usize;
            act.sa_flags = libc::SA_ONSTACK;
            libc::sigaltstack(&on, std::ptr::null_mut());
            libc::sigaction(libc::SIGUSR1, &act, std::ptr::null_mut());
            libc::raise(libc::SIGUSR1);
        }
        drop(guard);
    } else {
        let guard = Packed(1, kept.lock().unwrap().take());
        std::hint::black_box(&guard);
        sleeps(0);
        drop(guard);
    }
    if mapped {
        drop(unsafe { std::ptr::read_unaligned(place as *const Guard) });
    }
    let _ = runtime.block_on(ends);
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("queues") => return queues(),
        Some("turns") => return turns(),
        Some("main") => return of_main(),
        Some(how @ ("hidden" | "stale" | "moved" | "aborted" | "reserved" | "owned" | "rung" | "blocks")) => {
            return of_others(how)
        }
        Some(how @ ("handler" | "shared" | "packed" | "variable")) => return given_away(how),
        Some(how) => return from_main(how),
        None => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut keep = Vec::new();
    runtime.block_on(async {
        crosswise();
        given_back(&mut keep);
        of_itself();
        readers();
        patient();
        joined();
        full();
        answer();
        polite();
        others(&mut keep);
        of_a_thread();
        set();
        ring();
        asks();
        asked(&mut keep);
        watched(&mut keep);
        notified();
        sleep(Duration::from_millis(1500)).await;
        println!("ready");
        sleep(LONG).await;
    });
}
