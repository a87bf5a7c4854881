//! Children at odd borders that record, as t/targets/rec-join.c: borders COUNTFILE WAY (the table at the end). Each child, and
//! this process before them, emits the same; those it waits for end before it does.
use std::cell::Cell;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::exit;
use std::sync::Mutex;
use std::time::Duration;

use corotrace::{On, PollTrace};
use rust_zoo::count::{self, emitted};

const PAIRS: usize = 50;
const CHILDREN: usize = 3;
static PARENTS: Mutex<Option<PollTrace>> = Mutex::new(None);

fn live_once() {
    count::live(0, PAIRS);
}

/// In a child: its own life, beside calls for a coroutine that is its parent's.
fn child() -> ! {
    if let Some(parents) = PARENTS.lock().unwrap().as_mut() {
        parents.on_resume();
        live_once();
        parents.on_wait(On::nothing());
        corotrace::wake(parents.id(), On::nothing());
    }
    live_once();
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

fn wait_for_all() {
    // SAFETY: waits for children.
    while unsafe { libc::wait(std::ptr::null_mut()) } > 0 {}
}

fn in_children(make: fn() -> i32) {
    for _ in 0..CHILDREN {
        match make() {
            0 => child(),
            pid => assert!(pid > 0),
        }
    }
    wait_for_all();
}

fn fork() -> i32 {
    // SAFETY: one thread of ours runs.
    unsafe { libc::fork() }
}

/// Which no hook of the C library sees.
fn raw_clone() -> i32 {
    // SAFETY: as fork.
    unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) as i32 }
}

/// The child ends as the thread does of which it is a copy, without a word; then that thread and a new one write.
fn by_returns() {
    let lives = || (0..20).for_each(|_| live_once());
    let returns = move || {
        live_once();
        let pid = raw_clone();
        if pid == 0 {
            return;
        }
        // SAFETY: waits for a child.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
        std::thread::sleep(Duration::from_millis(20));
        let other = std::thread::spawn(lives);
        lives();
        other.join().unwrap();
    };
    std::thread::spawn(returns).join().unwrap();
}

/// It has our memory, and is the first to write in its thread; then that thread does.
fn beside_vfork() {
    // SAFETY: what the child does is the probe's and a count's; it returns from nothing.
    #[allow(deprecated)]
    unsafe {
        let pid = libc::vfork();
        if pid == 0 {
            live_once();
            libc::_exit(0);
        }
        libc::waitpid(pid, std::ptr::null_mut(), 0);
    }
    live_once();
}

fn by_vfork() {
    for _ in 0..CHILDREN {
        std::thread::spawn(beside_vfork).join().unwrap();
        if let Some(parents) = PARENTS.lock().unwrap().as_mut() {
            parents.on_resume();
            parents.on_wait(On::nothing());
        }
        emitted(0, 2);
    }
}

/// The descriptor of this process's that has such memory.
fn memory(name: &str) -> Option<std::fs::File> {
    std::fs::read_dir("/proc/self/fd").unwrap().flatten().find_map(|e| {
        let is = std::fs::read_link(e.path()).ok()?.to_str()?.starts_with(&format!("/memfd:{name} "));
        is.then(|| std::fs::OpenOptions::new().read(true).write(true).open(e.path()).ok())?
    })
}

/// A recorder asks for a box, and a child that is none by fork() writes first: nobody has asked that one. Without a recorder.
fn asked() {
    const ASKED: [u8; 4] = 2u32.to_le_bytes();
    let flag = memory("corotrace-flag").unwrap();
    let still = || {
        let mut is = [0; 4];
        flag.read_exact_at(&mut is, 0).unwrap();
        is == ASKED && memory("corotrace-box").is_none()
    };
    let ends_well = |pid| {
        let mut status = 1;
        // SAFETY: waits for a child.
        unsafe { libc::waitpid(pid, &mut status, 0) };
        status == 0
    };
    flag.write_all_at(&ASKED, 0).unwrap();
    // SAFETY: what the child does is the probe's and a count's; it returns from nothing.
    #[allow(deprecated)]
    unsafe {
        let pid = libc::vfork();
        if pid == 0 {
            live_once();
            libc::_exit(0);
        }
        assert!(ends_well(pid) && still());
    }
    let pid = raw_clone();
    if pid == 0 {
        live_once();
        // SAFETY: ends the process.
        unsafe { libc::_exit(memory("corotrace-box").is_some() as i32) };
    }
    assert!(ends_well(pid) && still());
    live_once();
    assert!(memory("corotrace-box").is_some());
}

fn may(done: i32) {
    if done != 0 {
        exit(77);
    }
}

fn other_user() {
    // SAFETY: plain calls.
    may(unsafe { libc::setgroups(0, std::ptr::null()) | libc::setgid(65534) | libc::setuid(65534) });
    in_children(fork);
}

fn other_root() {
    // SAFETY: a string.
    may(unsafe { libc::chroot(c".".as_ptr()) });
    in_children(fork);
}

fn use_descriptors() {
    // SAFETY: plain calls.
    unsafe {
        libc::setrlimit(libc::RLIMIT_NOFILE, &libc::rlimit { rlim_cur: 64, rlim_max: 64 });
        while libc::dup(0) >= 0 {}
    }
}

fn no_descriptors() {
    use_descriptors();
    in_children(fork);
}

/// In another pid namespace, in sessions of their own: neither parent nor group are of ours.
fn inside_session() {
    // SAFETY: plain calls.
    may(unsafe { libc::unshare(libc::CLONE_NEWPID) });
    let pid = raw_clone();
    if pid == 0 {
        use_descriptors();
        in_children(|| {
            let pid = raw_clone();
            // SAFETY: a plain call.
            _ = pid == 0 && unsafe { libc::setsid() } != 0;
            pid
        });
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) };
    }
    wait_for_all();
}

/// What daemons do: the connection is gone while it writes on, after its parent's end.
fn daemonize() {
    // SAFETY: plain calls.
    unsafe {
        if libc::fork() != 0 {
            libc::_exit(5);
        }
        libc::setsid();
        live_once();
        (0..1024).for_each(|fd| _ = libc::close(fd));
        for _ in 0..15 {
            live_once();
            std::thread::sleep(Duration::from_millis(100));
        }
        libc::_exit(0);
    }
}

/// A child that is made while another thread attaches attaches for itself.
fn while_attaching() {
    let other = std::thread::spawn(corotrace::init);
    std::thread::yield_now();
    let pid = fork();
    if pid == 0 {
        corotrace::init();
        live_once();
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) };
    }
    // SAFETY: waits for it.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
    other.join().unwrap();
}

/// A destructor that records when its thread ends.
struct Last;
impl Drop for Last {
    fn drop(&mut self) {
        live_once();
    }
}
thread_local!(static LAST: Cell<Option<Last>> = const { Cell::new(None) });

extern "C" fn on_signal(_: i32) {
    live_once();
    if fork() == 0 {
        live_once();
        live_once();
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) };
    }
}

extern "C" fn at_exit() {
    live_once();
}

/// A probe in a thread's destructors, in a signal handler, in a child that one made, and at exit.
fn odd_moments() {
    std::thread::spawn(|| {
        LAST.set(Some(Last));
        live_once();
    })
    .join()
    .unwrap();
    // SAFETY: the handlers given are functions for the life of the process.
    unsafe {
        libc::signal(libc::SIGUSR1, on_signal as extern "C" fn(i32) as libc::sighandler_t);
        libc::raise(libc::SIGUSR1);
        wait_for_all();
        libc::atexit(at_exit);
    }
    exit(0);
}

/// Threads of their own, whose first event is one of a signal handler that comes at any time.
fn storm() {
    // SAFETY: as above.
    unsafe { libc::signal(libc::SIGUSR2, on_storm as extern "C" fn(i32) as libc::sighandler_t) };
    extern "C" fn on_storm(_: i32) {
        count::live(1, 1);
    }
    for _ in 0..200 {
        let t = std::thread::spawn(|| {
            // SAFETY: takes nothing.
            let me = unsafe { libc::pthread_self() } as usize;
            // SAFETY: the thread lives until it is joined below.
            let other = std::thread::spawn(move || {
                (0..20).for_each(|_| unsafe { _ = libc::pthread_kill(me as _, libc::SIGUSR2) })
            });
            (0..10).for_each(|_| count::live(2, 3));
            other.join().unwrap();
        });
        t.join().unwrap();
    }
}

/// More threads than rings, whose coroutines are created on one and go on on another.
fn strangers() {
    for _ in 0..6 {
        let made: Vec<_> = (0..6)
            .map(|_| {
                std::thread::spawn(|| {
                    let co = PollTrace::new();
                    emitted(3, 1);
                    co
                })
            })
            .collect();
        let made: Vec<PollTrace> = made.into_iter().map(|t| t.join().unwrap()).collect();
        for mut co in made {
            for _ in 0..PAIRS {
                co.on_resume();
                co.on_wait(On::user("any"));
                emitted(3, 2);
            }
            co.on_ready();
            emitted(3, 1);
        }
    }
}

/// Another program, whose first events are there before its recorder looks.
fn becomes() {
    let args: Vec<_> = std::env::args().collect();
    std::thread::sleep(Duration::from_millis(50));
    // SAFETY: a signal to who started this.
    unsafe { libc::kill(libc::getppid(), libc::SIGSTOP) };
    let error = std::process::Command::new("/proc/self/exe").args([&args[1], "became"]).exec();
    became(); // the recorder goes on all the same
    panic!("{error}");
}

fn became() {
    // SAFETY: as above.
    unsafe { libc::kill(libc::getppid(), libc::SIGCONT) };
    std::thread::sleep(Duration::from_millis(50));
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let ways: [(&str, fn()); 16] = [
        ("fork", || in_children(fork)),
        ("returns", by_returns),
        ("clone", || in_children(raw_clone)),
        ("vfork", by_vfork),
        ("asked", asked),
        ("user", other_user),
        ("root", other_root), // exit status 77: it may not
        ("descriptors", no_descriptors),
        ("inside-session", inside_session),
        ("daemon", daemonize),
        ("attaching", while_attaching),
        ("moments", odd_moments),
        ("storm", storm),
        ("strangers", strangers),
        ("becomes", becomes),
        ("became", became),
    ];
    count::open(&args[1]);
    if args[2] != "attaching" {
        if !corotrace::init() && args[2] != "asked" {
            exit(97);
        }
        *PARENTS.lock().unwrap() = Some(PollTrace::new());
        emitted(0, 1);
        live_once();
    }
    let way = ways.iter().find(|w| w.0 == args[2]).unwrap_or_else(|| exit(99));
    way.1();
    std::mem::forget(PARENTS.lock().unwrap().take());
}
