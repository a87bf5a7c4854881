//! What the programs of the zoo stand on: a tokio runtime that outlives `main`, and a small executor with bugs to choose.
//!
//! Each program has one bug, or is healthy and looks as if it had one; its line `expect:` says what ct-lostwake must prove.
//! The argument is the number of workers. Nobody takes the runtime down: who waits still is left as it is.

pub mod count;
pub mod told;

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use corotrace::tokio::BuilderExt;
use corotrace::{Role, TraceFutureExt};

pub fn workers() -> usize {
    std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(2)
}

pub fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// As `lock().unwrap()`.
pub fn lock<T: ?Sized>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap()
}

/// Waits until all other threads have slept for a while. A busy machine takes longer for what is to happen before than any
/// pause that suits an idle one; what never comes to rest is left after ten seconds. They sleep for four times as long as
/// they were at work, up to two seconds: who waits thrice as long as anybody did is not what a busy machine does.
pub fn settle() {
    let me = std::fs::read_link("/proc/thread-self").unwrap();
    let asleep = |task: std::fs::DirEntry| {
        Some(&*task.file_name()) == me.file_name()
            || std::fs::read_to_string(task.path().join("stat"))
                .is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('S')))
    };
    let began = Instant::now();
    let mut quiet = began;
    while quiet.elapsed() < (4 * (quiet - began)).clamp(ms(400), ms(2000)) && began.elapsed() < ms(10_000) {
        thread::sleep(ms(10));
        if !std::fs::read_dir("/proc/self/task").unwrap().flatten().all(asleep) {
            quiet = Instant::now();
        }
    }
}

/// Lets `start` spawn what it wants on tokio, and that go on until it rests.
pub fn on_tokio(start: impl FnOnce()) {
    corotrace::init();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(workers()).enable_all().traced().build().unwrap();
    let enter = runtime.enter();
    start();
    settle();
    drop(enter);
    std::mem::forget(runtime);
}

#[derive(Clone, Copy, PartialEq)]
pub enum Bug {
    None,
    /// A wake that comes while the task runs is taken for done.
    ForgetsWakesOfTheRunning,
    /// A second push that finds the queue empty is lost.
    LosesSecondPush,
    /// As that; what loses it says so.
    Dequeues,
    /// Nobody tells the sleeping workers.
    TellsNobody,
}

#[derive(PartialEq)]
enum State {
    Idle,
    Queued,
    Running,
    Woken,
}

struct Task {
    id: u64,
    future: Mutex<Pin<Box<dyn Future<Output = ()> + Send>>>,
    state: Mutex<State>,
    pool: Arc<Pool>,
}

pub struct Pool {
    bug: Bug,
    queue: Mutex<(VecDeque<Arc<Task>>, usize)>,
    work: Condvar,
    /// Workers that wait for work.
    idle: AtomicUsize,
    /// A task lives on when nobody could wake it any more, as on tokio.
    all: Mutex<Vec<Arc<Task>>>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let mut state = lock(&self.state);
        match *state {
            State::Idle => *state = State::Queued,
            State::Running if self.pool.bug != Bug::ForgetsWakesOfTheRunning => {
                *state = State::Woken;
                return;
            }
            _ => return,
        }
        drop(state);
        self.pool.clone().push(self);
    }
}

impl Pool {
    pub fn start(bug: Bug) -> Arc<Self> {
        corotrace::init();
        let pool = Arc::new(Self {
            bug,
            queue: Mutex::default(),
            work: Condvar::new(),
            idle: AtomicUsize::new(0),
            all: Mutex::default(),
        });
        for i in 0..workers() {
            let pool = pool.clone();
            thread::spawn(move || pool.work(i));
        }
        pool
    }

    #[track_caller]
    pub fn spawn(self: &Arc<Self>, future: impl Future<Output = ()> + Send + 'static) -> u64 {
        let future = future.traced();
        let id = future.id();
        let future = Mutex::new(Box::pin(future) as _);
        let task = Arc::new(Task { id, future, state: Mutex::new(State::Queued), pool: self.clone() });
        lock(&self.all).push(task.clone());
        lock(&self.queue).0.push_back(task);
        self.work.notify_one();
        id
    }

    /// Until all that could run has run.
    pub fn settle(&self) {
        loop {
            let queue = lock(&self.queue);
            if queue.0.is_empty() && self.idle.load(SeqCst) == workers() {
                return;
            }
            drop(queue);
            thread::sleep(ms(1));
        }
    }

    fn push(&self, task: Arc<Task>) {
        let mut queue = lock(&self.queue);
        queue.1 += 1;
        if self.bug == Bug::LosesSecondPush && queue.1 == 2 {
            return std::mem::forget(task);
        }
        if self.bug == Bug::Dequeues && queue.1 == 2 {
            corotrace::dequeue(task.id);
            return std::mem::forget(task);
        }
        queue.0.push_back(task);
        if self.bug != Bug::TellsNobody {
            self.work.notify_one();
        }
    }

    fn work(&self, i: usize) {
        corotrace::thread(Role::Worker, &format!("worker {i}"));
        let mut queue = lock(&self.queue);
        loop {
            let Some(task) = queue.0.pop_front() else {
                corotrace::park(Some(0));
                self.idle.fetch_add(1, SeqCst);
                queue = self.work.wait(queue).unwrap();
                self.idle.fetch_sub(1, SeqCst);
                corotrace::unpark(Some(queue.0.len() as u64));
                continue;
            };
            drop(queue);
            task.run();
            queue = lock(&self.queue);
        }
    }
}

impl Task {
    fn run(self: Arc<Self>) {
        *lock(&self.state) = State::Running;
        let waker = Waker::from(self.clone());
        if lock(&self.future).as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            return;
        }
        let mut state = lock(&self.state);
        if *state == State::Woken {
            *state = State::Queued;
            drop(state);
            self.pool.clone().push(self);
        } else {
            *state = State::Idle;
        }
    }
}

/// Lets another thread run for a while, and waits for it: a race that always ends the same way.
pub fn elsewhere(f: impl FnOnce() + Send + 'static) {
    thread::spawn(f).join().unwrap();
}

/// A flag to wait for; its waiters keep their wakers in it.
#[derive(Default)]
pub struct Flag {
    set: Mutex<(bool, Vec<Waker>)>,
}

impl Flag {
    pub fn set(&self) {
        let mut set = lock(&self.set);
        set.0 = true;
        let wakers = std::mem::take(&mut set.1);
        drop(set);
        wakers.into_iter().for_each(Waker::wake);
    }

    pub fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut set = lock(&self.set);
        if set.0 {
            return Poll::Ready(());
        }
        set.1.retain(|w| !w.will_wake(cx.waker()));
        set.1.push(cx.waker().clone());
        Poll::Pending
    }

    pub async fn wait(&self) {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }
}
