//! Records under a seccomp filter that kills whoever makes another system call, as t/targets/rec-seccomp.c: sealed COUNTFILE
//! none|listed. none: only what threads need to end; listed: also what ct-record(1) says that the probe makes.
use std::future::Future;
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::task::{Context, Poll, Waker};

use corotrace::TraceFutureExt;
use rust_zoo::count::{self, emitted};

const THREADS: usize = 3;
const PAIRS: usize = 3000;
static BEGIN: AtomicBool = AtomicBool::new(false);
static DONE: AtomicUsize = AtomicUsize::new(0);

/// A future as well, whose wakers come from the program's allocator. Each poll uses up the waker of the last one, and keeps
/// another.
fn poll_often(who: usize) {
    let mut kept: Option<Waker> = None;
    let restless = std::future::poll_fn(move |cx| {
        if let Some(waker) = kept.take() {
            waker.wake();
        }
        kept = Some(cx.waker().clone());
        Poll::<()>::Pending
    });
    let mut future = Box::pin(restless.traced());
    emitted(who, 1);
    for i in 0..PAIRS {
        let _ = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        // resume, drop, clone, suspend; and a clone where it is polled without having been woken for the first time
        emitted(who, [3, 5, 4][i.min(2)]);
    }
    drop(future);
    emitted(who, 2); // drop, destroy
}

fn live(who: usize) {
    count::live(who, PAIRS);
    poll_often(who);
}

/// Allowed: those of `calls`; the rest kills.
fn forbid(calls: &[i64]) -> bool {
    let op = |code: u32, jt: usize, jf: u8, k: u32| libc::sock_filter { code: code as u16, jt: jt as u8, jf, k };
    let mut f = vec![op(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0)];
    for (i, &call) in calls.iter().enumerate() {
        f.push(op(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, calls.len() - i, 0, call as u32));
    }
    f.push(op(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_KILL_PROCESS));
    f.push(op(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW));
    let program = libc::sock_fprog { len: f.len() as u16, filter: f.as_mut_ptr() };
    // SAFETY: the filter lives until the kernel has copied it.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_TSYNC,
                &raw const program,
            ) == 0
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    // The standard library's and the C library's, when a thread ends and for memory; the first twelve alone are for `none`.
    let calls = [
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_futex,
        libc::SYS_rt_sigprocmask,
        libc::SYS_madvise,
        libc::SYS_munmap,
        libc::SYS_set_robust_list,
        libc::SYS_rseq,
        libc::SYS_rt_sigreturn,
        libc::SYS_restart_syscall,
        libc::SYS_sigaltstack,
        libc::SYS_brk,
        libc::SYS_gettid,
        libc::SYS_getpid,
        libc::SYS_mmap,
        libc::SYS_mprotect,
        libc::SYS_prctl,
        libc::SYS_fstat,
        libc::SYS_newfstatat,
        libc::SYS_statx,
        libc::SYS_sendto,
        libc::SYS_kill,
        libc::SYS_nanosleep,
        libc::SYS_clock_nanosleep,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll,
        libc::SYS_ppoll,
    ];
    count::open(&args[1]);
    if !corotrace::init() {
        exit(97);
    }
    let ready = AtomicUsize::new(0);
    std::thread::scope(|s| {
        for i in 0..THREADS {
            let ready = &ready;
            s.spawn(move || {
                drop(std::hint::black_box(vec![0u8; 100])); // so that the allocator has this thread's memory
                ready.fetch_add(1, Release);
                // Its first event comes behind the filter; without a call that waits.
                while !BEGIN.load(Acquire) {
                    std::hint::spin_loop();
                }
                live(i + 1);
                DONE.fetch_add(1, Release);
                loop {
                    std::hint::spin_loop();
                }
            });
        }
        while ready.load(Acquire) < THREADS {
            std::thread::yield_now();
        }
        if !forbid(&calls[..if args[2] == "none" { 12 } else { calls.len() }]) {
            exit(77);
        }
        BEGIN.store(true, Release);
        live(0);
        while DONE.load(Acquire) < THREADS {
            std::hint::spin_loop();
        }
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) }
    });
}
